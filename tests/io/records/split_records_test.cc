#include "structtensor/io/records/split_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "structtensor/io/records/internal/text_records.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every format that can hold several messages.
using records_internal::IsTextFormat;

std::vector<RecordFormat> FormatsOfMany() {
  std::vector<RecordFormat> formats;
  for (const RecordFormat format : RecordFormats()) {
    if (format != RecordFormat::kMessage && !IsTextFormat(format)) formats.push_back(format);
  }
  return formats;
}

std::string Records(RecordFormat format, const std::vector<std::string>& messages) {
  std::string bytes;
  for (const std::string& message : messages) AppendRecord(format, message, bytes);
  return bytes;
}

TEST(SplitRecordsTest, MessagesAreThoseThatWereWritten) {
  const std::vector<std::string> messages = {"one", "", std::string(300, 'x'), std::string("\0\1", 2)};
  for (const RecordFormat format : FormatsOfMany()) {
    const std::string bytes = Records(format, messages);
    const absl::StatusOr<std::vector<std::string_view>> split = SplitRecords(format, bytes);
    ASSERT_TRUE(split.ok()) << split.status();
    EXPECT_THAT(*split, ElementsAreArray(messages.begin(), messages.end())) << std::string(RecordFormatName(format));
  }
}

TEST(SplitRecordsTest, NothingHasNoRecordsButIsAMessage) {
  for (const RecordFormat format : FormatsOfMany()) EXPECT_THAT(*SplitRecords(format, ""), IsEmpty());
  EXPECT_THAT(*SplitRecords(RecordFormat::kMessage, ""), ElementsAre(""));
  EXPECT_THAT(*SplitRecords(RecordFormat::kMessage, "abc"), ElementsAre("abc"));
}

TEST(SplitRecordsTest, StringsAreNoMessages) {
  for (const RecordFormat format : RecordFormats()) {
    if (!IsTextFormat(format)) continue;
    const absl::Status status = SplitRecords(format, "0a00").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("is text, not messages"));
  }
}

TEST(SplitRecordsTest, EveryCutIsAnErrorThatNamesTheRecord) {
  for (const RecordFormat format : FormatsOfMany()) {
    const std::string first = Records(format, {"first"});
    const std::string bytes = first + Records(format, {"second"});
    for (size_t size = first.size() + 1; size < bytes.size(); ++size) {
      const auto split = SplitRecords(format, std::string_view(bytes).substr(0, size));
      EXPECT_EQ(split.status().code(), absl::StatusCode::kDataLoss) << std::string(RecordFormatName(format)) << " " << size;
      EXPECT_THAT(std::string(split.status().message()), HasSubstr("record 1, byte " + std::to_string(first.size())));
    }
  }
}

TEST(SplitRecordsTest, EveryChangedByteOfATfRecordIsFound) {
  const std::string bytes = Records(RecordFormat::kTfRecord, {"message"});
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(SplitRecords(RecordFormat::kTfRecord, changed).status().code(), absl::StatusCode::kDataLoss) << i;
  }
}

TEST(SplitRecordsTest, LengthsBeyondTheLimitAreRefused) {
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_THAT(std::string(SplitRecords(RecordFormat::kDelimited, huge).status().message()), HasSubstr("more than the limit"));
  EXPECT_THAT(std::string(SplitRecords(RecordFormat::kLength32BigEndian, "\xff\xff\xff\xff").status().message()),
              HasSubstr("more than the limit"));
}

TEST(SplitRecordsTest, CompressedGrpcFramesAreRefused) {
  std::string bytes = Records(RecordFormat::kGrpc, {"a"});
  bytes[0] = 1;
  EXPECT_THAT(std::string(SplitRecords(RecordFormat::kGrpc, bytes).status().message()), HasSubstr("compressed"));
}

TEST(SplitRecordsTest, ANumberThatIsNoFormatIsRefused) {
  EXPECT_EQ(SplitRecords(static_cast<RecordFormat>(99), "a").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
