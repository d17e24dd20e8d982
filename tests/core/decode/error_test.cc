// What an error says: which message, which byte, which field, what is wrong and what to do.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "extensions.structtensor.h"
#include "structtensor/core/decode/decoder.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

const std::string kLongVarint = std::string(10, '\xff') + "\x01";

// Decodes one message and returns its error.
MessageError ErrorOf(const plan::MessagePlan& plan, const std::string& message, DecodeOptions options = {}) {
  options.on_error = DecodeOptions::OnError::kSkip;
  BatchDecoder decoder = *BatchDecoder::Create(plan, options);
  std::vector<MessageError> errors;
  const std::string_view messages[] = {message};
  const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages, &errors);
  EXPECT_TRUE(batch.ok()) << batch.status();
  if (errors.size() != 1) {
    ADD_FAILURE() << errors.size() << " errors, expected one";
    return {};
  }
  EXPECT_EQ(batch->nrows(), 0);
  EXPECT_EQ(errors[0].message_index, 0);
  return errors[0];
}

struct Case {
  const char* name;
  const plan::MessagePlan* plan;
  std::string message;
  size_t byte_offset;
  const char* field_path;
  const char* problem;  // a part of it
};

const std::vector<Case>& Cases() {
  static const auto* const kCases = new std::vector<Case>{
      {"NotATag", &EverythingColumns::plan(), std::string("\x07", 1), 0, "", "not a tag"},
      {"FieldNumberZero", &EverythingColumns::plan(), std::string("\x00", 1), 0, "", "not a tag"},
      {"CutOffString", &EverythingColumns::plan(), TagBytes(1, wire_internal::kLen) + "\x05" + "abc", 1, "name",
       "runs past the end"},
      {"LongVarint", &ImplicitColumns::plan(), VarintField(4, 1) + TagBytes(3, wire_internal::kVarint) + kLongVarint, 3,
       "int32_value", "more than 10 bytes"},
      {"Nested", &EverythingColumns::plan(),
       LenField(1, "x") + LenField(8, LenField(2, TagBytes(1, wire_internal::kVarint) + kLongVarint)), 8, "tree.left.value",
       "more than 10 bytes"},
      {"InRepeated", &EverythingColumns::plan(),
       LenField(20, "") + LenField(20, LenField(4, TagBytes(1, wire_internal::kVarint) + kLongVarint)), 9,
       "trees.children.value", "more than 10 bytes"},
      {"InMapEntry", &MapsColumns::plan(), LenField(1, VarintField(1, 7) + TagBytes(2, wire_internal::kI64) + "abc"), 8,
       "by_int32.value", "runs past the end"},
      {"InGroup", &GroupsColumns::plan(), GroupField(1, TagBytes(3, wire_internal::kLen) + "\x7f"), 2, "single.text",
       "runs past the end"},
      {"InNestedGroup", &GroupsColumns::plan(), GroupField(1, GroupField(4, TagBytes(5, wire_internal::kLen) + "\x7f")), 3,
       "single.inner.values", "runs past the end"},
      {"InPackedRun", &UnpackedColumns::plan(), LenField(12, "\x01\x02\x80"), 2, "int32_values", "ends within a value"},
      {"PackedFixedLength", &UnpackedColumns::plan(), LenField(10, "1234567"), 2, "double_values", "ends within a value"},
      {"InvalidUtf8", &ImplicitColumns::plan(), LenField(14, "ab\xff"), 2, "string_value", "not valid UTF-8"},
      {"EndGroupAlone", &EverythingColumns::plan(), LenField(1, "x") + TagBytes(5, wire_internal::kEgroup), 3, "", "END_GROUP"},
      {"AnotherGroupEnds", &GroupsColumns::plan(), TagBytes(1, wire_internal::kSgroup) + TagBytes(4, wire_internal::kEgroup), 1,
       "single", "END_GROUP"},
      {"UnterminatedGroup", &GroupsColumns::plan(), TagBytes(1, wire_internal::kSgroup) + VarintField(2, 5), 3, "single.number",
       "ends within a group"},
      {"LengthAbove2GiB", &EverythingColumns::plan(), TagBytes(8, wire_internal::kLen) + Varint(0x7fffffff), 1, "tree",
       "2 GiB"},
      {"UnknownField", &EverythingColumns::plan(), LenField(8, TagBytes(99, wire_internal::kI64) + "abc"), 4, "tree.99",
       "runs past the end"},
      {"InExtension", &Everything2Columns::plan(), LenField(1002, LenField(3, TagBytes(1, wire_internal::kLen) + "\x09")), 6,
       "[structtensor.testing.extensions.message].everything.name", "runs past the end"},
      {"MissingRequired", &Everything2Columns::plan(), LenField(7, VarintField(1, 4)), 0, "required.dense",
       "required field is missing"},
      {"MissingRequiredInRepeated", &Everything2Columns::plan(), LenField(11, LenField(8, VarintField(3, 1))), 0,
       "everythings.requireds.id", "required field is missing"},
  };
  return *kCases;
}

TEST(ErrorTest, NamesPlaceAndProblem) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const MessageError error = ErrorOf(*c.plan, c.message);
    EXPECT_EQ(error.byte_offset, c.byte_offset);
    EXPECT_EQ(error.field_path, c.field_path);
    EXPECT_NE(error.problem.find(c.problem), std::string::npos) << error.problem;
    EXPECT_EQ(error.status.code(), absl::StatusCode::kInvalidArgument);
    const std::string text(error.status.message());
    EXPECT_NE(text.find("message 0, byte " + std::to_string(c.byte_offset)), std::string::npos) << text;
    EXPECT_NE(text.find(error.problem), std::string::npos) << text;
    EXPECT_NE(text.find(c.field_path), std::string::npos) << text;
  }
}

std::string NestedTrees(int levels) {
  std::string message;
  for (int i = 0; i < levels; ++i) message = LenField(2, message);
  return message;
}

TEST(ErrorTest, LimitsAreNamed) {
  DecodeOptions depth;
  depth.max_depth = 5;
  const MessageError too_deep = ErrorOf(TreeColumns::plan(), NestedTrees(6), depth);
  EXPECT_EQ(too_deep.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(too_deep.problem.find("max_depth=5`;"), std::string::npos) << too_deep.problem;
  EXPECT_EQ(too_deep.field_path, "left.left.left.left.left.left");

  DecodeOptions rows;
  rows.max_rows = 3;
  const MessageError too_many =
      ErrorOf(TreeColumns::plan(), LenField(4, "") + LenField(4, "") + LenField(4, "") + LenField(4, ""), rows);
  EXPECT_EQ(too_many.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(too_many.problem.find("max_rows=3`;"), std::string::npos) << too_many.problem;
  EXPECT_EQ(too_many.field_path, "children");

  DecodeOptions memory;
  memory.max_memory_bytes = size_t{1} << 20;
  std::string numbers;
  for (int i = 0; i < 100; ++i) numbers += LenField(12, std::string(10000, '\1'));
  const MessageError too_large = ErrorOf(UnpackedColumns::plan(), numbers, memory);
  EXPECT_EQ(too_large.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(too_large.problem.find("max_memory_bytes=1048576`;"), std::string::npos) << too_large.problem;
}

TEST(ErrorTest, DepthLimitIsThatOfLibprotobuf) {
  BatchDecoder decoder(TreeColumns::plan());
  const std::string deepest = NestedTrees(100);
  const std::string_view messages[] = {deepest};
  EXPECT_TRUE(decoder.Decode(messages).ok());
  ErrorOf(TreeColumns::plan(), NestedTrees(101));

  std::string unknown_groups;
  for (int i = 0; i < 100; ++i) unknown_groups = GroupField(900, unknown_groups);
  const std::string_view unknown[] = {unknown_groups};
  EXPECT_TRUE(decoder.Decode(unknown).ok());
  EXPECT_NE(ErrorOf(TreeColumns::plan(), GroupField(900, unknown_groups)).problem.find("max_depth"), std::string::npos);
}

// Missing required fields are found when the batch is complete; the errors are in the order of the messages all the same.
TEST(RequiredTest, ErrorsAreInTheOrderOfMessages) {
  const std::string good = VarintField(1, 5) + VarintField(3, 1);
  const std::string incomplete = VarintField(1, 6);
  const std::string broken = TagBytes(2, wire_internal::kLen) + "\x7f";
  const std::vector<std::string_view> messages = {good, incomplete, broken, good, incomplete};
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  Decoder<RequiredColumns> decoder = *Decoder<RequiredColumns>::Create(options);
  std::vector<MessageError> errors;
  const absl::StatusOr<RequiredBatch> batch = decoder.Decode(messages, &errors);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->nrows(), 2u);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].message_index, 1);
  EXPECT_EQ(errors[1].message_index, 2);
  EXPECT_EQ(errors[2].message_index, 4);

  const absl::StatusOr<RequiredBatch> failed = Decoder<RequiredColumns>().Decode(messages);
  EXPECT_NE(std::string(failed.status().message()).find("message 1, "), std::string::npos) << failed.status();
}

// As in libprotobuf's generated code (its reflection sees neither): an entry without a value has an empty one, and an entry
// that another one replaces is not judged.
TEST(RequiredTest, MapEntries) {
  const std::string key = VarintField(1, 5);
  const std::string complete = LenField(2, VarintField(1, 1) + VarintField(3, 1));
  const std::string without_value = LenField(1, key);
  const std::string empty_value = LenField(1, key + LenField(2, ""));
  const std::string complete_value = LenField(1, key + complete);
  const std::string replaced = empty_value + complete_value;
  const std::string replacing = complete_value + without_value;
  const std::vector<std::string_view> messages = {without_value, empty_value, complete_value, replaced, replacing};
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  Decoder<RequiredInMapColumns> decoder = *Decoder<RequiredInMapColumns>::Create(options);
  std::vector<MessageError> errors;
  const absl::StatusOr<RequiredInMapBatch> batch = decoder.Decode(messages, &errors);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->nrows(), 2u);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].message_index, 0);
  EXPECT_EQ(errors[0].field_path, "by_number.value");
  EXPECT_EQ(errors[1].message_index, 1);
  EXPECT_EQ(errors[1].field_path, "by_number.value.id");
  EXPECT_EQ(errors[2].message_index, 4);
}

// Messages can be of any depth, and that must not determine how long errors are.
TEST(ErrorTextTest, PathsAreOfBoundedLength) {
  DecodeOptions options;
  options.max_depth = 1000;
  Decoder<TreeColumns> decoder = *Decoder<TreeColumns>::Create(options);
  for (const int depth : {90, 100, 101, 102, 110, 990}) {
    std::string message = "\x08";  // the value is cut off
    for (int i = 0; i < depth; ++i) message = LenField(2, message);
    std::string path;
    for (int i = 0; i < depth; ++i) path += "left.";
    path += "value";
    std::vector<MessageError> errors;
    EXPECT_FALSE(decoder.Decode(std::vector<std::string>{message}, &errors).ok());
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_LT(errors[0].status.message().size(), 800u);
    if (path.size() <= 512) {
      EXPECT_EQ(errors[0].field_path, path);
    } else {
      EXPECT_EQ(errors[0].field_path, path.substr(0, 250) + "…" + path.substr(path.size() - 250));
    }
  }
}

// The path of the error chooses the same value again.
TEST(RequiredTest, ValuesOfChosenKeysAreNamedByTheirKeys) {
  const std::string message = LenField(1, VarintField(1, 5) + LenField(2, VarintField(3, 1)));
  const std::vector<std::string_view> messages = {message};
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  options.fields = {"by_number[5]"};
  BatchDecoder decoder = *BatchDecoder::Create(RequiredInMapColumns::plan(), options);
  std::vector<MessageError> errors;
  ASSERT_TRUE(decoder.Decode(messages, &errors).ok());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].field_path, "by_number[\"5\"].id");
}

TEST(RequiredTest, MayBeAllowedToMiss) {
  DecodeOptions options;
  options.allow_missing_required = true;
  Decoder<RequiredColumns> decoder = *Decoder<RequiredColumns>::Create(options);
  const std::string incomplete = VarintField(1, 6);
  const std::vector<std::string_view> messages = {incomplete};
  const absl::StatusOr<RequiredBatch> batch = decoder.Decode(messages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_TRUE(batch->id().has(0));
  EXPECT_FALSE(batch->dense().has(0));
}

}  // namespace
}  // namespace structtensor::testing
