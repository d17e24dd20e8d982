#include <gtest/gtest.h>

#include <string>

#include "naive_varint.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::testing {
namespace {

using wire_internal::DecodeError;

constexpr int kMaxDepth = 3;

// Skips the value `bytes` of a field with `tag`. The number of bytes skipped, or -1 with `error`.
ptrdiff_t Skip(uint32_t tag, const std::string& bytes, DecodeError* error) {
  *error = DecodeError::kNone;
  const std::string readable = WithSlack(bytes, '\x01');
  const uint8_t* next = wire_internal::SkipValue(Begin(readable), Begin(readable) + bytes.size(), tag, kMaxDepth, error);
  return next == nullptr ? -1 : next - Begin(readable);
}

DecodeError ErrorOf(uint32_t tag, const std::string& bytes) {
  DecodeError error;
  EXPECT_EQ(Skip(tag, bytes, &error), -1);
  return error;
}

TEST(SkipTest, EveryWireType) {
  DecodeError error;
  EXPECT_EQ(Skip(plan::Tag(1, wire_internal::kVarint), "\xff\x01rest", &error), 2);
  EXPECT_EQ(Skip(plan::Tag(1, wire_internal::kI64), "12345678", &error), 8);
  EXPECT_EQ(Skip(plan::Tag(1, wire_internal::kI32), "1234", &error), 4);
  EXPECT_EQ(Skip(plan::Tag(1, wire_internal::kLen),
                 "\x03"
                 "abcd",
                 &error),
            4);
  EXPECT_EQ(Skip(plan::Tag(1, wire_internal::kSgroup), "\x10\x05\x0crest", &error), 3);
}

TEST(SkipTest, GroupsInGroups) {
  DecodeError error;
  const std::string three = "\x13\x1b\x1c\x14\x0c";  // group 1 {group 2 {group 3 {}}}
  EXPECT_EQ(Skip(plan::Tag(1, wire_internal::kSgroup), three, &error), 5);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kSgroup), "\x13\x1b\x23\x24\x1c\x14\x0c"), DecodeError::kDepth);
}

TEST(SkipTest, Truncated) {
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kI64), "1234567"), DecodeError::kTruncated);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kI32), "123"), DecodeError::kTruncated);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kVarint), "\x80"), DecodeError::kTruncated);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kLen),
                    "\x04"
                    "abc"),
            DecodeError::kTruncated);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kLen), ""), DecodeError::kTruncated);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kSgroup), "\x10\x05"), DecodeError::kUnterminatedGroup);
}

TEST(SkipTest, Malformed) {
  EXPECT_EQ(ErrorOf(plan::Tag(0, wire_internal::kVarint), "1"), DecodeError::kMalformedTag);
  EXPECT_EQ(ErrorOf(plan::Tag(1, static_cast<wire_internal::WireType>(6)), "1"), DecodeError::kMalformedTag);
  EXPECT_EQ(ErrorOf(plan::Tag(1, static_cast<wire_internal::WireType>(7)), "1"), DecodeError::kMalformedTag);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kVarint), std::string(11, '\x80')), DecodeError::kMalformedVarint);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kLen), std::string(6, '\x80')), DecodeError::kMalformedLength);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kEgroup), ""), DecodeError::kEndGroup);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kSgroup), "\x14"), DecodeError::kEndGroup);
  EXPECT_EQ(ErrorOf(plan::Tag(1, wire_internal::kSgroup), std::string("\x00", 1)), DecodeError::kMalformedTag);
}

}  // namespace
}  // namespace structtensor::testing
