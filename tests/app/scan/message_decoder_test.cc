#include "structtensor/app/scan/message_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "note.structtensor.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using OnError = DecodeOptions::OnError;

template <typename Messages>
concept IsDecoded = requires(MessageDecoder& decoder, Messages messages) {
  decoder.Decode(messages);
};
static_assert(IsDecoded<std::vector<std::string>> && IsDecoded<std::vector<std::string_view>>);
static_assert(!IsDecoded<std::string> && !IsDecoded<std::string_view> && !IsDecoded<const char*>);  // one message

// The plan of generated code lives for ever.
std::shared_ptr<const plan::MessagePlan> NotePlan() { return {std::shared_ptr<void>(), &scan_test::NoteColumns::plan()}; }

// A note of `size` bytes and more, whose number is `number`.
std::string LongNote(int number, size_t size) {
  return std::string("\x10") + static_cast<char>(number) + std::string("\x0a") + static_cast<char>(size % 128 | 128) +
         static_cast<char>(size / 128) + std::string(size, 'x');
}

std::vector<int32_t> NumbersOf(const StructuredTensor& rows) {
  const Value number = *rows.field_value("number");
  const std::span<const int32_t> values = number.tensor()->values<int32_t>();
  return {values.begin(), values.end()};
}

struct Decoded {
  std::vector<int32_t> numbers;
  std::vector<MessageError> errors;
  absl::Status status;
};

Decoded DecodeAll(RowOptions options, const std::vector<std::string>& messages) {
  absl::StatusOr<MessageDecoder> decoder = MessageDecoder::Create(NotePlan(), std::move(options));
  if (!decoder.ok()) return {{}, {}, decoder.status()};
  Decoded decoded;
  const absl::StatusOr<StructuredTensor> rows = decoder->Decode(messages, &decoded.errors);
  decoded.status = rows.status();
  if (rows.ok()) decoded.numbers = NumbersOf(*rows);
  return decoded;
}

TEST(MessageDecoder, ThreadsKeepTheOrder) {
  std::vector<std::string> messages;
  std::vector<int32_t> numbers;
  for (int i = 0; i < 100; ++i) {
    numbers.push_back(i);
    messages.push_back(LongNote(i, 10'000));
  }
  for (const int threads : {1, 2, 7, 1000}) {
    const Decoded decoded = DecodeAll({.threads = threads}, messages);
    ASSERT_TRUE(decoded.status.ok()) << decoded.status;
    EXPECT_EQ(decoded.numbers, numbers) << threads;
  }
}

TEST(MessageDecoder, ErrorsAreThoseOfTheWholeList) {
  std::vector<std::string> messages;
  for (int i = 0; i < 100; ++i) messages.push_back(LongNote(i, 10'000));
  messages[70] = "\x10\x63\x0a\x05wo";  // number 99, and a text that is cut off
  messages[90] = "\x10\xff";            // the field of the condition
  for (const int threads : {1, 3}) {
    Decoded decoded =
        DecodeAll({.where = "number >= 60", .decode = {.on_error = OnError::kNull}, .threads = threads}, messages);
    ASSERT_TRUE(decoded.status.ok()) << decoded.status;
    EXPECT_EQ(decoded.numbers.size(), 40u);
    ASSERT_EQ(decoded.errors.size(), 2u);
    EXPECT_EQ(decoded.errors[0].message_index, 70);
    EXPECT_EQ(decoded.errors[0].row, 10);
    EXPECT_EQ(decoded.errors[1].message_index, 90);
    EXPECT_EQ(decoded.errors[1].row, 30);
    EXPECT_THAT(std::string(decoded.errors[1].status.message()), HasSubstr("message 90, byte 2, field number: "));

    decoded = DecodeAll({.decode = {.on_error = OnError::kFail}, .threads = threads}, messages);
    EXPECT_THAT(std::string(decoded.status.message()), HasSubstr("message 70, byte 3, field text: "));
    EXPECT_EQ(decoded.errors.size(), 1u);

    decoded = DecodeAll({.decode = {.on_error = OnError::kSkip, .max_errors = 1}, .threads = threads}, messages);
    EXPECT_EQ(decoded.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(decoded.status.message()),
                HasSubstr("2 of 100 messages cannot be decoded, more than `max_errors=1"));
  }
}

TEST(MessageDecoder, AListThatExceedsALimitIsAnError) {
  const std::vector<std::string> messages(10, "\x10\x01");
  const Decoded decoded = DecodeAll({.decode = {.max_rows = 5}}, messages);
  EXPECT_EQ(decoded.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(decoded.status.message()), HasSubstr("max_rows"));
  EXPECT_TRUE(decoded.errors.empty());
}

TEST(MessageDecoder, RefusesOptionsOutOfRange) {
  for (const int threads : {0, -1, 1025}) {
    EXPECT_THAT(std::string(DecodeAll({.threads = threads}, {}).status.message()), HasSubstr("expected 1 to 1024"));
  }
  EXPECT_THAT(std::string(DecodeAll({.decode = {.max_errors = -2}}, {}).status.message()), HasSubstr("max_errors=-2"));
  EXPECT_FALSE(DecodeAll({.selection = {.select = {"text"}, .drop = {}}, .decode = {.fields = {"text"}}}, {}).status.ok());
  EXPECT_FALSE(DecodeAll({.where = "nothing = 1"}, {}).status.ok());
}

TEST(MessageDecoder, NoMessagesHaveTheFields) {
  absl::StatusOr<MessageDecoder> decoder =
      MessageDecoder::Create(NotePlan(), {.selection = {.select = {"number"}, .drop = {}}, .threads = 2});
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  const absl::StatusOr<StructuredTensor> rows = decoder->Decode({});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->nrows(), 0);
  EXPECT_THAT(rows->field_names(), ElementsAre("number"));
}

}  // namespace
}  // namespace structtensor
