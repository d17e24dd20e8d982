// The cases of this folder: the file, libprotobuf and the decoder must agree on each.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "guarded_bytes.h"
#include "message_types.h"
#include "oracle.h"
#include "structtensor/core/wire/abi/varint.h"
#include "wire_case.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;

#ifdef STRUCTTENSOR_SANITIZED
constexpr size_t kDistances = 1;  // all messages are decoded from copies
#else
// Messages nearer than the slack to the end of a page are decoded from a copy, the others where they are.
constexpr size_t kDistances = wire_internal::kReadableSlackBytes + 17;
#endif

BatchDecoder SkippingDecoder(const MessageType& type, int recursion_depth = 0) {
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  options.recursion_depth = recursion_depth;
  return *BatchDecoder::Create(*type.plan(), options);
}

class CasesTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    absl::StatusOr<std::vector<WireCase>> cases = ReadCases(GetParam());
    ASSERT_TRUE(cases.ok()) << cases.status();
    ASSERT_FALSE(cases->empty());
    cases_ = *std::move(cases);
    for (const WireCase& c : cases_) ASSERT_NE(FindMessageType(c.type), nullptr) << c.place << ": no message type " << c.type;
  }

  const pb::Descriptor* Descriptor(const MessageType& type) { return schema_.Find(std::string(type.plan()->full_name)); }
  std::vector<ParsedMessage> Parse(const MessageType& type, const std::vector<std::string_view>& messages) {
    return ParseAll(schema_, Descriptor(type), messages);
  }

  OracleSchema schema_{STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET};
  std::vector<WireCase> cases_;
};

TEST_P(CasesTest, LibprotobufGivesTheVerdict) {
  for (const WireCase& c : cases_) {
    EXPECT_EQ(Parse(*FindMessageType(c.type), {c.bytes})[0].accepted, c.accepted) << c.place << ": " << c.name;
  }
}

// That the columns are also libprotobuf's is the next test's matter.
TEST_P(CasesTest, ColumnsHaveTheValue) {
  for (const WireCase& c : cases_) {
    SCOPED_TRACE(c.place + ": " + c.name);
    const MessageType& type = *FindMessageType(c.type);
    const std::vector<std::string_view> messages = {c.bytes};
    const absl::StatusOr<DecodedBatch> batch = SkippingDecoder(type).Decode(messages);
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_EQ(batch->nrows(), c.accepted ? 1 : 0);
    if (!c.accepted) continue;
    const std::unique_ptr<pb::Message> expected = schema_.New(Descriptor(type));
    ASSERT_TRUE(pb::TextFormat::ParseFromString(c.value, expected.get())) << c.value;
    EXPECT_EQ(Difference(schema_, std::vector<const pb::Message*>{expected.get()}, *batch), "");
  }
}

TEST_P(CasesTest, ColumnsAreThoseOfLibprotobufAtEveryDistanceFromTheEndOfAPage) {
  GuardedBytes guarded;
  for (const WireCase& c : cases_) {
    SCOPED_TRACE(c.place + ": " + c.name);
    const MessageType& type = *FindMessageType(c.type);
    const std::vector<ParsedMessage> parsed = Parse(type, {c.bytes});
    BatchDecoder decoder = SkippingDecoder(type);
    for (size_t distance = 0; distance < kDistances; ++distance) {
      const std::vector<std::string_view> messages = {guarded.Place(c.bytes, distance)};
      ASSERT_EQ(DecodeAndCompare(schema_, parsed, messages, decoder), "") << distance << " bytes from the end of a page";
    }
  }
}

TEST_P(CasesTest, NeighboursAreUnharmed) {
  std::map<std::string, std::vector<std::string_view>> by_type;
  for (const WireCase& c : cases_) by_type[c.type].push_back(c.bytes);
  for (const auto& [name, messages] : by_type) {
    const MessageType& type = *FindMessageType(name);
    BatchDecoder decoder = SkippingDecoder(type);
    EXPECT_EQ(DecodeAndCompare(schema_, Parse(type, messages), messages, decoder), "") << name;
  }
}

TEST_P(CasesTest, EncodedAgainIsTheSameMessage) {
  for (const WireCase& c : cases_) {
    if (!c.accepted) continue;
    SCOPED_TRACE(c.place + ": " + c.name);
    const MessageType& type = *FindMessageType(c.type);
    const std::vector<std::string_view> messages = {c.bytes};
    BatchDecoder decoder = SkippingDecoder(type);
    const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages);
    ASSERT_TRUE(batch.ok()) << batch.status();
    EXPECT_EQ(EncodeAndCompare(schema_, Parse(type, messages), messages, *batch), "");
  }
}

// Submessages kept as bytes are not checked, so only valid messages are compared.
TEST_P(CasesTest, RecursionMayBeKeptAsBytes) {
  for (const WireCase& c : cases_) {
    if (!c.accepted) continue;
    SCOPED_TRACE(c.place + ": " + c.name);
    const MessageType& type = *FindMessageType(c.type);
    BatchDecoder decoder = SkippingDecoder(type, 1);
    EXPECT_EQ(DecodeAndCompare(schema_, Parse(type, {c.bytes}), std::vector<std::string_view>{c.bytes}, decoder), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CasesTest, ::testing::ValuesIn(CaseFiles()), [](const auto& info) { return info.param; });

TEST(NotationTest, Bytes) {
  EXPECT_EQ(*BytesOfNotation(""), "");
  EXPECT_EQ(*BytesOfNotation("08ff 1a"), "\x08\xff\x1a");
  EXPECT_EQ(*BytesOfNotation("\"a # b\" 0a"), "a # b\n");
  EXPECT_EQ(*BytesOfNotation("0a { 08 01 \"x\" }"), std::string("\x0a\x03\x08\x01x"));
  EXPECT_EQ(*BytesOfNotation("{ }"), std::string(1, '\0'));
  EXPECT_EQ(*BytesOfNotation("3*(08 01)"), "\x08\x01\x08\x01\x08\x01");
  EXPECT_EQ(*BytesOfNotation("2*(12 {) 05 2*(})"), "\x12\x03\x12\x01\x05");
  EXPECT_EQ(*BytesOfNotation("{ 200*(00) }"), "\xc8\x01" + std::string(200, '\0'));
}

TEST(NotationTest, Mistakes) {
  for (const char* mistake : {"0", "08 1", "0g", "\"abc", "{ 08", "08 }", "3*(08", "a*(08)", "08)", "9999999*(08)"}) {
    EXPECT_FALSE(BytesOfNotation(mistake).ok()) << mistake;
  }
}

TEST(NotationTest, Files) {
  const absl::StatusOr<std::vector<WireCase>> cases = ParseCases(
      "# a file\n\nTree accepted: one: two\n  08 01  # value\n  10\n  = value: 1\n\nTree refused: three\n  07\n", "f.txt");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 2u);
  EXPECT_EQ((*cases)[0].place, "f.txt:3");
  EXPECT_EQ((*cases)[0].type, "Tree");
  EXPECT_EQ((*cases)[0].name, "one: two");
  EXPECT_TRUE((*cases)[0].accepted);
  EXPECT_EQ((*cases)[0].bytes, "\x08\x01\x10");
  EXPECT_EQ((*cases)[0].value, " value: 1\n");
  EXPECT_FALSE((*cases)[1].accepted);
  for (const char* mistake : {"  08", "Tree perhaps: x\n", "Tree refused: x\n  = value: 1\n", "Tree accepted: x\n  0\n"}) {
    EXPECT_FALSE(ParseCases(mistake, "f.txt").ok()) << mistake;
  }
}

}  // namespace
}  // namespace structtensor::testing
