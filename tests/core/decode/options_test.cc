// Every option of a decoder at zero, at one, at its limits and beyond them: the ranges are checked when the options are given,
// and no value that is in its range crashes, hangs or loses data.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/generated_api/batch_builder.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

constexpr size_t kMaxSize = std::numeric_limits<size_t>::max();

// What Create says of the options; InvalidArgument names the option and its value.
absl::Status CreateStatus(const DecodeOptions& options) { return TreeDecoder::Create(options).status(); }

void ExpectRefused(const DecodeOptions& options, const std::string& option_and_value) {
  const absl::Status status = CreateStatus(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_NE(std::string(status.message()).find(option_and_value + "`: expected "), std::string::npos) << status;
}

// The status of decoding one message with the options.
absl::Status DecodeStatus(const DecodeOptions& options, const std::string& message) {
  absl::StatusOr<TreeDecoder> decoder = TreeDecoder::Create(options);
  if (!decoder.ok()) return decoder.status();
  return decoder->Decode(std::vector<std::string>{message}).status();
}

std::string NestedTree(int levels) {
  std::string message;
  for (int i = 0; i < levels; ++i) message = LenField(2, message);
  return message;
}

TEST(DecodeOptionsTest, MaxDepth) {
  ExpectRefused({.max_depth = -1}, "max_depth=-1");
  ExpectRefused({.max_depth = std::numeric_limits<int>::min()}, "max_depth=-2147483648");
  ExpectRefused({.max_depth = 1001}, "max_depth=1001");
  ExpectRefused({.max_depth = std::numeric_limits<int>::max()}, "max_depth=2147483647");
  for (const int depth : {0, 1, 2, 100, 1000}) {
    SCOPED_TRACE(depth);
    EXPECT_TRUE(DecodeStatus({.max_depth = depth}, NestedTree(depth)).ok());
    const absl::Status deeper = DecodeStatus({.max_depth = depth}, NestedTree(depth + 1));
    EXPECT_EQ(deeper.code(), absl::StatusCode::kResourceExhausted) << deeper;
  }
}

TEST(DecodeOptionsTest, MaxMessageBytes) {
  const std::string message = LenField(2, LenField(2, ""));  // 4 bytes
  ExpectRefused({.max_message_bytes = 0}, "max_message_bytes=0");
  ExpectRefused({.max_message_bytes = size_t{0x80000000}}, "max_message_bytes=2147483648");
  ExpectRefused({.max_message_bytes = kMaxSize}, "max_message_bytes=18446744073709551615");
  for (const size_t most : {size_t{4}, size_t{0x7fffffff}}) {
    EXPECT_TRUE(DecodeStatus({.max_message_bytes = most}, message).ok()) << most;
  }
  for (const size_t most : {size_t{1}, size_t{3}}) {
    const absl::Status status = DecodeStatus({.max_message_bytes = most}, message);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << most;
    EXPECT_TRUE(DecodeStatus({.max_message_bytes = most}, "").ok()) << most;
  }
}

TEST(DecodeOptionsTest, MaxRows) {
  ExpectRefused({.max_rows = 0x80000000}, "max_rows=2147483648");
  ExpectRefused({.max_rows = std::numeric_limits<uint32_t>::max()}, "max_rows=4294967295");
  const std::vector<std::string> messages = {LenField(4, "") + LenField(4, ""), ""};
  for (const uint32_t most : {0u, 1u, 2u, 0x7fffffffu}) {
    TreeDecoder decoder = *TreeDecoder::Create({.max_rows = most});
    const absl::Status status = decoder.Decode(messages).status();
    EXPECT_EQ(status.code(), most < 2 ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kOk) << most << ": " << status;
    EXPECT_TRUE(decoder.Decode(std::vector<std::string>()).ok()) << most;
  }
}

TEST(DecodeOptionsTest, MaxCells) {
  const std::string two_children = LenField(4, "") + LenField(4, "");  // of a type with six fields
  for (const uint64_t most : {uint64_t{0}, uint64_t{1}, uint64_t{11}}) {
    EXPECT_EQ(DecodeStatus({.max_cells = most}, two_children).code(), absl::StatusCode::kResourceExhausted) << most;
    EXPECT_TRUE(DecodeStatus({.max_cells = most}, VarintField(1, 1)).ok()) << most;
  }
  for (const uint64_t most : {uint64_t{12}, std::numeric_limits<uint64_t>::max()}) {
    EXPECT_TRUE(DecodeStatus({.max_cells = most}, two_children).ok()) << most;
  }
}

// Down to limits that do not even hold the tree's root.
TEST(DecodeOptionsTest, MaxMemoryBytes) {
  const std::string message = LenField(4, LenField(2, VarintField(1, 1)));
  bool fitted = false;
  for (size_t most = 0; most <= (size_t{1} << 18); most = most < 16 ? most + 1 : most + most / 3) {
    SCOPED_TRACE(most);
    for (const DecodeOptions::OnError on_error :
         {DecodeOptions::OnError::kFail, DecodeOptions::OnError::kSkip, DecodeOptions::OnError::kNull}) {
      TreeDecoder decoder = *TreeDecoder::Create({.on_error = on_error, .max_memory_bytes = most});
      std::vector<MessageError> errors;
      const auto batch = decoder.Decode(std::vector<std::string>{message, message}, &errors);
      if (batch.ok()) continue;
      ASSERT_FALSE(fitted);
      EXPECT_EQ(batch.status().code(), absl::StatusCode::kResourceExhausted);
      EXPECT_NE(std::string(batch.status().message()).find("max_memory_bytes=" + std::to_string(most)), std::string::npos)
          << batch.status();
    }
    fitted = DecodeStatus({.max_memory_bytes = most}, message).ok();
  }
  EXPECT_TRUE(fitted);
  EXPECT_TRUE(DecodeStatus({.max_memory_bytes = kMaxSize}, message).ok());
  // Types with large nodes. Memory may run out at any of their fields.
  for (const size_t most : {size_t{0}, size_t{1000}, size_t{20000}, size_t{70000}}) {
    const std::vector<std::string> messages(3);
    (void)EverythingDecoder::Create({.max_memory_bytes = most})->Decode(messages);
    (void)Everything2Decoder::Create({.max_memory_bytes = most})->Decode(messages);
  }
}

TEST(DecodeOptionsTest, MaxErrors) {
  ExpectRefused({.max_errors = -2}, "max_errors=-2");
  ExpectRefused({.max_errors = std::numeric_limits<int64_t>::min()}, "max_errors=-9223372036854775808");
  ExpectRefused({.max_errors = 5}, "max_errors=5");  // with kFail, there is one error at most
  ExpectRefused({.on_error = DecodeOptions::OnError::kFail, .max_errors = 0}, "max_errors=0");
  const std::vector<std::string> messages = {"\x08", "", "\x08"};
  for (const int64_t most : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{2}, std::numeric_limits<int64_t>::max()}) {
    TreeDecoder decoder = *TreeDecoder::Create({.on_error = DecodeOptions::OnError::kSkip, .max_errors = most});
    EXPECT_EQ(decoder.Decode(messages).ok(), most < 0 || most >= 2) << most;
  }
}

TEST(DecodeOptionsTest, RecursionDepth) {
  ExpectRefused({.recursion_depth = -1}, "recursion_depth=-1");
  ExpectRefused({.recursion_depth = 11}, "recursion_depth=11");
  ExpectRefused({.recursion_depth = std::numeric_limits<int>::max()}, "recursion_depth=2147483647");
  for (const int depth : {0, 1, 2, 10}) {
    EXPECT_TRUE(DecodeStatus({.recursion_depth = depth}, NestedTree(5)).ok()) << depth;
  }
}

// Numbers that are no value of the enum, as from a cast.
TEST(DecodeOptionsTest, Enums) {
  for (const int number : {-1, 2, 3, 99}) {
    const std::string text = std::to_string(number);
    if (number != 2) {
      ExpectRefused({.on_error = static_cast<DecodeOptions::OnError>(number)}, "on_error=" + text);
    }
    ExpectRefused({.unknown_fields = static_cast<DecodeOptions::UnknownFields>(number)}, "unknown_fields=" + text);
  }
}

// All that takes the options has their ranges.
TEST(DecodeOptionsTest, BuildersHaveTheSameRanges) {
  const auto refused = [](const BuildOptions& options) {
    return std::string(BatchBuilder::Create(TreeColumns::plan(), options).status().message());
  };
  EXPECT_EQ(refused({.max_depth = -1}), "`max_depth=-1`: expected 0 to 1000");
  EXPECT_EQ(refused({.max_depth = 1001}), "`max_depth=1001`: expected 0 to 1000");
  EXPECT_EQ(refused({.max_rows = 0x80000000}), "`max_rows=2147483648`: expected 0 to 2147483647");
  EXPECT_EQ(refused({.max_depth = 0, .max_rows = 0, .max_cells = 0, .max_memory_bytes = 0}), "");
  EXPECT_EQ(refused({.max_depth = 1000, .max_rows = 0x7fffffff, .max_cells = UINT64_MAX, .max_memory_bytes = SIZE_MAX}), "");
}

TEST(DecodeOptionsTest, FieldsThatAreNotThere) {
  const absl::Status status = CreateStatus({.fields = {"no_such_field"}});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(std::string(status.message()).find("no_such_field"), std::string::npos) << status;
  EXPECT_FALSE(CreateStatus({.fields = {""}}).ok());
}

TEST(DecodeOptionsTest, APlanWithoutCode) {
  plan::MessagePlan plan = TreeColumns::plan();
  plan.decode = nullptr;
  EXPECT_EQ(BatchDecoder::Create(plan, {}).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace structtensor::testing
