#include "structtensor/core/wire/shared/field_reader.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "naive_varint.h"
#include "structtensor/core/wire/shared/append.h"
#include "structtensor/core/wire/shared/number_kinds.h"

namespace structtensor::testing {
namespace {

using wire_internal::DecodeError;
using wire_internal::Field;
using wire_internal::FieldReader;

// The fields up to the end or the first error, as "number:type:bits or bytes", then the error's offset and number.
std::string Read(const std::string& bytes, int max_group_depth = FieldReader::kMaxGroupDepth) {
  // The bytes after the message must not matter: some of these end tags and numbers, others continue them.
  std::vector<std::string> results;
  for (const char slack : {'\0', '\x01', '\x0c', '\x80', '\xff'}) {
    const std::string readable = WithSlack(bytes, slack);
    std::string& result = results.emplace_back();
    FieldReader reader(std::string_view(readable).substr(0, bytes.size()), max_group_depth);
    Field field;
    while (!reader.AtEnd()) {
      if (!reader.Next(&field)) {
        result += "error " + std::to_string(static_cast<int>(reader.error())) + " at " + std::to_string(reader.error_offset());
        break;
      }
      result += std::to_string(field.number) + ":" + std::to_string(field.type) + ":";
      const bool has_bytes = field.type == wire_internal::kLen || field.type == wire_internal::kSgroup;
      result += (has_bytes ? std::string(field.bytes) : std::to_string(field.bits)) + " ";
    }
  }
  for (const std::string& result : results) EXPECT_EQ(result, results.front());
  return results.front();
}

std::string ErrorText(DecodeError error, size_t offset) {
  return "error " + std::to_string(static_cast<int>(error)) + " at " + std::to_string(offset);
}

TEST(FieldReaderTest, EveryWireType) {
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read("\x08\xac\x02"), "1:0:300 ");
  EXPECT_EQ(Read(std::string("\x11\x01\0\0\0\0\0\0\0", 9)), "2:1:1 ");
  EXPECT_EQ(Read("\x1a\x03soup"
                 "\x08"),
            "3:2:sou 14:0:8 ");  // 'p' is a tag
  EXPECT_EQ(Read(std::string("\x25\x02\0\0\0", 5)), "4:5:2 ");
  EXPECT_EQ(Read("\x2b\x08\x05\x2c\x08\x01"), "5:3:\x08\x05 1:0:1 ");
  EXPECT_EQ(Read("\x2b\x2b\x2c\x2c"), "5:3:\x2b\x2c ");
}

TEST(FieldReaderTest, ATagMayBeLongerThanNecessary) {
  EXPECT_EQ(Read(std::string("\x88\x80\x00\x05", 4)), "1:0:5 ");
  // The contents of a group end where its END_GROUP begins, even if a byte before it looks like a part of it.
  EXPECT_EQ(Read(std::string("\x2b\x0a\x01\xff\xac\x80\x00", 7)), "5:3:\x0a\x01\xff ");
}

TEST(FieldReaderTest, ErrorsAreAtTheTagOrTheValue) {
  const struct {
    std::string bytes;
    DecodeError error;
    bool at_value = true;
  } cases[] = {
      {std::string(1, '\0'), DecodeError::kMalformedTag, false},
      {"\x0e", DecodeError::kMalformedTag, false},
      {"\x80\x80\x80\x80\x80\x80", DecodeError::kMalformedTag, false},
      {"\x80", DecodeError::kTruncated, false},
      {"\x08" + std::string(10, '\x80') + "\x01", DecodeError::kMalformedVarint},
      {"\x08\x80", DecodeError::kTruncated},
      {"\x09"
       "1234567",
       DecodeError::kTruncated},
      {"\x0d"
       "123",
       DecodeError::kTruncated},
      {"\x0a", DecodeError::kTruncated},
      {"\x0a\x02"
       "1",
       DecodeError::kTruncated},
      {"\x0a\xff\xff\xff\xff\x0f", DecodeError::kMalformedLength},
      {"\x0c", DecodeError::kEndGroup, false},
      {"\x0b\x14", DecodeError::kEndGroup},
      {"\x0b", DecodeError::kUnterminatedGroup},
      {"\x0b\x10\x01", DecodeError::kUnterminatedGroup},
      {"\x0b\x80", DecodeError::kTruncated},
      {"\x0b\x08\x80", DecodeError::kTruncated},
      {"\x0b\x8c", DecodeError::kTruncated},
  };
  for (const auto& c : cases) EXPECT_EQ(Read("\x10\x07" + c.bytes), "2:0:7 " + ErrorText(c.error, c.at_value ? 3 : 2));
  EXPECT_EQ(Read("\x8b\x01\x8c"), ErrorText(DecodeError::kTruncated, 2));
}

TEST(FieldReaderTest, GroupsAreLimited) {
  EXPECT_EQ(Read("\x0b\x0c", 1), "1:3: ");
  EXPECT_EQ(Read("\x0b\x0b\x0c\x0c", 1), ErrorText(DecodeError::kDepth, 1));
  EXPECT_EQ(Read("\x0b\x0c", 0), ErrorText(DecodeError::kDepth, 1));
  const std::string deep = std::string(100'000, '\x0b');
  EXPECT_EQ(Read(deep), ErrorText(DecodeError::kDepth, 1));
}

TEST(FieldReaderTest, GroupsCanBeReadFieldByField) {
  const std::string readable = WithSlack("\x0b\x10\x01\x0c\x18\x02", '\x01');
  FieldReader reader(std::string_view(readable).substr(0, 6));
  Field field;
  EXPECT_FALSE(reader.TakeTag(plan::Tag(2, wire_internal::kSgroup)));
  EXPECT_TRUE(reader.TakeTag(plan::Tag(1, wire_internal::kSgroup)));
  ASSERT_TRUE(reader.Next(&field));
  EXPECT_EQ(field.number, 2u);
  EXPECT_EQ(reader.PeekTag(), plan::Tag(1, wire_internal::kEgroup));
  EXPECT_TRUE(reader.TakeTag(plan::Tag(1, wire_internal::kEgroup)));
  ASSERT_TRUE(reader.Next(&field));
  EXPECT_EQ(field.number, 3u);
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(reader.PeekTag(), 0u);
  EXPECT_FALSE(reader.TakeTag(0));
}

TEST(FieldReaderTest, PackedNumbers) {
  const std::string readable = WithSlack("\xac\x02\x05\x80", '\x01');
  std::string_view run = std::string_view(readable).substr(0, 4);
  uint64_t bits = 0;
  ASSERT_TRUE(wire_internal::TakePacked(wire_internal::kVarint, &run, &bits));
  EXPECT_EQ(bits, 300u);
  ASSERT_TRUE(wire_internal::TakePacked(wire_internal::kVarint, &run, &bits));
  EXPECT_EQ(bits, 5u);
  EXPECT_FALSE(wire_internal::TakePacked(wire_internal::kVarint, &run, &bits));
  EXPECT_FALSE(wire_internal::TakePacked(wire_internal::kI32, &run, &bits));
  run = std::string_view(readable).substr(0, 4);
  ASSERT_TRUE(wire_internal::TakePacked(wire_internal::kI32, &run, &bits));
  EXPECT_EQ(bits, 0x800502acu);
  EXPECT_TRUE(run.empty());
}

// Writes the values of each kind with AppendNumber() and reads them back.
TEST(NumberKindsTest, EachKindComesBack) {
  for (const plan::KindFacts& facts : plan::kKindFacts) {
    if (facts.scalar == plan::Scalar::kNone) continue;
    wire_internal::VisitNumberKind(facts.kind, [&](auto number_kind) {
      using NumberKind = decltype(number_kind);
      using T = typename NumberKind::Type;
      EXPECT_EQ(sizeof(T), plan::ElementSizeBytes(facts.element)) << facts.name;
      const bool is_bool = facts.kind == plan::Kind::kBool;
      for (const T value : {T(0), T(1), is_bool ? T(1) : static_cast<T>(T(0) - T(1)),
                            is_bool ? T(0) : std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()}) {
        std::string bytes;
        wire_internal::AppendNumber<NumberKind>(value, bytes);
        EXPECT_LE(bytes.size(), facts.longest_bytes) << facts.name;
        const std::string readable = WithSlack(bytes, '\x01');
        std::string_view run = std::string_view(readable).substr(0, bytes.size());
        uint64_t bits = 0;
        ASSERT_TRUE(wire_internal::TakePacked(facts.wire_type, &run, &bits)) << facts.name;
        EXPECT_TRUE(run.empty()) << facts.name;
        EXPECT_EQ(NumberKind::From(bits), value) << facts.name;
      }
    });
  }
}

}  // namespace
}  // namespace structtensor::testing
