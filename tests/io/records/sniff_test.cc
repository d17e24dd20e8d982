#include "structtensor/io/records/internal/sniff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "structtensor/io/records/record_writer.h"

namespace structtensor::records_internal {
namespace {

using ::testing::HasSubstr;

constexpr RecordFormat kStreamFormats[] = {RecordFormat::kDelimited, RecordFormat::kTfRecord, RecordFormat::kLength32BigEndian,
                                           RecordFormat::kLength32LittleEndian, RecordFormat::kGrpc};

// A message of a text and a number.
std::string MessageOf(const std::string& text) {
  std::string message = "\x0a";
  AppendRecord(RecordFormat::kDelimited, text, message);
  return message + "\x10\x2a";
}

std::string FileOf(RecordFormat format, const std::vector<std::string>& messages) {
  std::string bytes;
  for (const std::string& message : messages) AppendRecord(format, message, bytes);
  return bytes;
}

TEST(SniffFormat, FindsTheFramingOfMessagesOfAnyLength) {
  for (const RecordFormat format : kStreamFormats) {
    const bool by_whole_messages = format != RecordFormat::kDelimited && format != RecordFormat::kTfRecord;
    for (const size_t length : {1, 10, 200, 5000, 70'000}) {
      if (by_whole_messages && length > kSniffBytes) continue;
      for (const size_t count : {1, 2, 50}) {
        const std::vector<std::string> messages(count, MessageOf(std::string(length, 'x')));
        const std::string file = FileOf(format, messages);
        const bool whole = file.size() <= kSniffBytes;
        const SniffedFormat sniffed = SniffFormat(std::string_view(file).substr(0, kSniffBytes), whole);
        EXPECT_EQ(sniffed.format, format) << length << " " << count << ": " << sniffed.reason;
      }
    }
  }
}

TEST(SniffFormat, FindsASingleMessage) {
  for (const size_t length : {20, 200, 5000}) {
    const SniffedFormat sniffed = SniffFormat(MessageOf(std::string(length, 'x')), true);
    EXPECT_EQ(sniffed.format, RecordFormat::kMessage) << length;
    EXPECT_THAT(sniffed.reason, HasSubstr("2 of them"));
  }
}

TEST(SniffFormat, WhatIsCutOffKeepsItsFraming) {
  for (const RecordFormat format : kStreamFormats) {
    const std::string file = FileOf(format, std::vector<std::string>(5, MessageOf("some text")));
    const size_t size_of_two = file.size() / 5 * 2;
    for (size_t size_bytes = size_of_two; size_bytes <= file.size(); ++size_bytes) {
      EXPECT_EQ(SniffFormat(file.substr(0, size_bytes), true).format, format) << size_bytes;
    }
  }
}

TEST(SniffFormat, ABrokenMessageAfterTwoValidOnesChangesNothing) {
  for (const RecordFormat format : kStreamFormats) {
    const std::vector<std::string> messages = {MessageOf("a"), MessageOf("b"), "\x0a\x05x", MessageOf("c")};
    EXPECT_EQ(SniffFormat(FileOf(format, messages), true).format, format);
  }
}

// The first four bytes are a length of more than the sample, and the fifth begins a long field.
TEST(SniffFormat, ALongFieldIsNoReasonToTakeTextForALength) {
  std::string file = FileOf(RecordFormat::kDelimited, {MessageOf("cr\xc3\xa8me br\xc3\xbbl\xc3\xa9"
                                                                 "e")});
  while (file.size() < kSniffBytes) file += FileOf(RecordFormat::kDelimited, {MessageOf("another one")});
  EXPECT_EQ(SniffFormat(std::string_view(file).substr(0, kSniffBytes), false).format, RecordFormat::kDelimited);
}

TEST(SniffFormat, TakesWhatNothingSpeaksForForDelimited) {
  EXPECT_EQ(SniffFormat("this is a text and no messages\n", true).format, RecordFormat::kDelimited);
}

TEST(SniffFormat, EmptyMessagesAreDelimited) {
  EXPECT_EQ(SniffFormat("", true).format, RecordFormat::kDelimited);
  EXPECT_EQ(SniffFormat(std::string(12, '\0'), true).format, RecordFormat::kDelimited);
}

TEST(SniffFormat, NeverReadsBeyondTheSample) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 3 == 0 ? random() : random() % 12);
    const std::vector<char> exact(bytes.begin(), bytes.end());
    SniffFormat({exact.data(), exact.size()}, i % 2 == 0);
  }
}

TEST(RecordWriter, WritesWhatReadersRead) {
  std::string pattern = testing::TempDir() + "record_writer_XXXXXX";
  const int fd = mkstemp(pattern.data());
  const std::vector<std::string> messages = {MessageOf("one"), "", MessageOf(std::string(3'000'000, 'y')), MessageOf("two")};
  for (const RecordFormat format : kStreamFormats) {
    ASSERT_EQ(ftruncate(fd, 0), 0);
    ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
    RecordWriter writer(format, fd);
    for (const std::string& message : messages) ASSERT_EQ(writer.Write(message), absl::OkStatus());
    ASSERT_EQ(writer.Finish(), absl::OkStatus());
    for (const auto named : {std::optional<RecordFormat>(format), std::optional<RecordFormat>()}) {
      RecordBatch batch;
      auto reader = *RecordReader::Create({pattern}, {.format = named});
      ASSERT_TRUE(*reader->NextBatch(100, 1 << 30, &batch));
      EXPECT_EQ(std::vector<std::string>(batch.messages().begin(), batch.messages().end()), messages);
    }
  }
  close(fd);
  std::filesystem::remove(pattern);
}

TEST(RecordWriter, AFileOfOneMessageHasOne) {
  RecordWriter none(RecordFormat::kMessage, 1);
  EXPECT_THAT(std::string(none.Finish().message()), HasSubstr("no message"));
  RecordWriter writer(RecordFormat::kMessage, 1);
  EXPECT_EQ(writer.Write("a"), absl::OkStatus());
  EXPECT_THAT(std::string(writer.Write("b").message()), HasSubstr("one message per file"));
}

TEST(RecordReader, GrpcFramesThatAreCompressedAreRefusedWithTheReason) {
  std::string pattern = testing::TempDir() + "grpc_XXXXXX";
  close(mkstemp(pattern.data()));
  std::ofstream(pattern, std::ios::binary) << std::string("\x01\0\0\0\x01x", 6);
  RecordBatch batch;
  auto reader = *RecordReader::Create({pattern}, {.format = RecordFormat::kGrpc, .skip_damaged = true});
  EXPECT_THAT(std::string(reader->NextBatch(1, 1, &batch).status().message()), HasSubstr("compressed"));
  std::filesystem::remove(pattern);
}

TEST(TextKindOf, TellsJsonOtherTextAndBytes) {
  for (const char* const json :
       {"{\"title\": \"soup\"}\n{\"title\"", "  [\n {\"a\\\"b\" :1}]", "{}", "\xef\xbb\xbf{\"a\":1}"}) {
    EXPECT_EQ(TextKindOf(json), TextKind::kJson) << json;
  }
  // The last character is cut off.
  for (const char* const csv : {"title,minutes\nsoup,40\n", "a.b,c\r\n1,2", "title,minutes\nsoup"}) {
    EXPECT_EQ(TextKindOf(csv), std::string_view(csv).ends_with("soup") ? TextKind::kOther : TextKind::kCsv) << csv;
  }
  for (const char* const text : {"title, minutes\nsoup, 40\n", "Soup, and toast.\nSoup, and toast.\n",
                                 "gr\xc3\xb6\xc3\x9f"
                                 "e is a text",
                                 "{\"no name\" here}", "caf\xc3\xa9 caf\xc3"}) {
    EXPECT_EQ(TextKindOf(text), TextKind::kOther) << text;
  }
  for (const char* const bytes :
       {"", "a,b", "\nHello, world", "a text with a bell\a", "latin 1: \xe9t\xe9 text", "\x12\x04soup soup"}) {
    EXPECT_EQ(TextKindOf(bytes), TextKind::kNone) << bytes;
  }
}

// Messages of printable characters only are messages as long as their framing fits.
TEST(TextKindOf, TextThatIsFramedIsNotAskedFor) {
  const std::string file = FileOf(RecordFormat::kDelimited, {std::string("\"y") + std::string(121, 'x')});
  ASSERT_EQ(file.front(), '{');
  const SniffedFormat sniffed = SniffFormat(file, true);
  EXPECT_TRUE(sniffed.found);
  EXPECT_EQ(sniffed.format, RecordFormat::kDelimited);
  EXPECT_FALSE(SniffFormat("{\"title\": \"soup\"}", true).found);
}

TEST(TextKindOf, RecordsInFrontOfDamageAreNoText) {
  const std::string record = "*b(" + std::string(40, 'x');  // a length, and a string of 40 bytes: all printable
  for (const std::string& file : {record + record + record.substr(0, 30), record + record + "$$$" + record}) {
    ASSERT_EQ(TextKindOf(file), TextKind::kOther);
    const SniffedFormat sniffed = SniffFormat(file, true);
    EXPECT_TRUE(sniffed.found);
    EXPECT_EQ(sniffed.format, RecordFormat::kDelimited);
  }
}

}  // namespace
}  // namespace structtensor::records_internal
