#include "structtensor/io/records/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records_testutil.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr size_t kAnySize = 1 << 30;

struct Contents {
  std::vector<std::string> messages;
  std::vector<RecordLocation> locations;
  std::vector<BrokenRecord> skipped;       // without their bytes,
  std::vector<std::string> skipped_bytes;  // which are here
  std::vector<size_t> batch_sizes;
  absl::Status status;
};

Contents ReadAll(const std::vector<std::string>& inputs, const RecordReaderOptions& options = {}, size_t max_messages = 100,
                 size_t max_bytes = kAnySize) {
  Contents contents;
  std::unique_ptr<RecordReader> reader = *RecordReader::Create(inputs, options);
  RecordBatch batch;
  while (true) {
    absl::StatusOr<bool> more = reader->NextBatch(max_messages, max_bytes, &batch);
    if (!more.ok()) contents.status = more.status();
    if (!more.ok() || !*more) break;
    EXPECT_EQ(batch.messages().size(), batch.locations().size());
    contents.batch_sizes.push_back(batch.messages().size());
    size_t payload_bytes = 0;
    for (std::string_view message : batch.messages()) {
      payload_bytes += message.size();
      contents.messages.emplace_back(message);
      // Readable, as the sanitizers check.
      contents.messages.back().append(message.data() + message.size(), kBatchSlackBytes);
      contents.messages.back().resize(message.size());
    }
    EXPECT_EQ(payload_bytes, batch.payload_bytes());
    contents.locations.insert(contents.locations.end(), batch.locations().begin(), batch.locations().end());
    for (BrokenRecord error : batch.skipped()) {
      contents.skipped_bytes.emplace_back(error.bytes);
      error.bytes = {};
      contents.skipped.push_back(std::move(error));
    }
  }
  return contents;
}

std::string Text(const absl::Status& status) { return std::string(status.message()); }

// Messages of 0 to 299,999 bytes: smaller and larger than one read of the source.
std::vector<std::string> ManyMessages() {
  std::vector<std::string> messages;
  for (size_t i = 0; i < 400; ++i) {
    const size_t size_bytes = i % 50 == 49 ? 299999 : i * 7 % 301;
    messages.emplace_back(size_bytes, static_cast<char>('a' + i % 26));
  }
  return messages;
}

template <typename Frame>
std::string Join(const std::vector<std::string>& messages, Frame frame) {
  std::string bytes;
  for (const std::string& message : messages) bytes += frame(message);
  return bytes;
}

TEST(RecordReader, ReadsDelimitedMessagesInBatchesOfAnySize) {
  const std::string bytes = Join(ManyMessages(), Delimited);
  TestFile file("a.bin", bytes);
  for (size_t max_messages : {1, 7, 10000}) {
    const Contents contents = ReadAll({file.path()}, {}, max_messages);
    EXPECT_TRUE(contents.status.ok()) << contents.status;
    EXPECT_EQ(contents.messages, ManyMessages());
    for (size_t i = 0; i < contents.locations.size(); ++i) {
      EXPECT_EQ(contents.locations[i].record_number, static_cast<int64_t>(i));
      EXPECT_EQ(bytes.substr(contents.locations[i].byte_offset, contents.messages[i].size()), contents.messages[i]);
    }
  }
}

TEST(RecordReader, ReadsTfRecordsByTheFilesName) {
  TestFile file("a.tfrecord", Join(ManyMessages(), TfRecord));
  const Contents contents = ReadAll({file.path()});
  EXPECT_TRUE(contents.status.ok()) << contents.status;
  EXPECT_EQ(contents.messages, ManyMessages());
  EXPECT_EQ(contents.locations[0].byte_offset, 12);

  EXPECT_EQ(RecordFormatOfName("x/a.tfrecords.gz"), RecordFormat::kTfRecord);
  EXPECT_EQ(RecordFormatOfName("tfrecord.bin"), std::nullopt);
}

TEST(RecordReader, ReadsOneMessageAFileAcrossFilesInOneBatch) {
  TestFile first("1.pb", "one");
  TestFile second("2.pb", "");
  TestFile third("3.pb", std::string(500000, 'x'));
  const Contents contents = ReadAll({first.path(), second.path(), third.path()}, {.format = RecordFormat::kMessage});
  EXPECT_TRUE(contents.status.ok()) << contents.status;
  EXPECT_THAT(contents.messages, ElementsAre("one", "", std::string(500000, 'x')));
  EXPECT_THAT(contents.batch_sizes, ElementsAre(3));
  EXPECT_EQ(contents.locations[2].input, 2u);
  EXPECT_EQ(contents.locations[2].record_number, 0);
  EXPECT_EQ(contents.locations[2].byte_offset, 0);
}

// A record that does not fit the batch is only looked at: its bytes are read for the batch that it begins.
TEST(RecordReader, LeavesARecordThatDoesNotFitUnread) {
  const std::string small(10, 's');
  const std::string large(3'000'000, 'l');
  const auto length_32 = [](std::string_view message) {
    return LittleEndian(static_cast<uint32_t>(message.size())) + std::string(message);
  };
  const auto length_32_reversed = [&](std::string_view message) {
    std::string bytes = length_32(message);
    std::reverse(bytes.begin(), bytes.begin() + 4);
    return bytes;
  };
  const auto grpc = [&](std::string_view message) { return std::string(1, '\0') + length_32_reversed(message); };
  const std::vector<std::pair<RecordFormat, std::function<std::string(std::string_view)>>> framings = {
      {RecordFormat::kDelimited, Delimited},
      {RecordFormat::kTfRecord, TfRecord},
      {RecordFormat::kLength32LittleEndian, length_32},
      {RecordFormat::kLength32BigEndian, length_32_reversed},
      {RecordFormat::kGrpc, grpc}};
  for (const auto& [format, frame] : framings) {
    SCOPED_TRACE(RecordFormatName(format));
    TestFile file("a.bin", frame(small) + frame(large) + frame(small));
    std::unique_ptr<RecordReader> reader = *RecordReader::Create({file.path()}, {.format = format});
    RecordBatch batch;
    ASSERT_TRUE(*reader->NextBatch(10, large.size() - 1, &batch));
    EXPECT_THAT(batch.messages(), ElementsAre(small));
    EXPECT_LT(reader->bytes_read(), 100'000);

    const Contents contents = ReadAll({file.path()}, {.format = format}, 10, large.size() - 1);
    EXPECT_TRUE(contents.status.ok()) << contents.status;
    EXPECT_THAT(contents.messages, ElementsAre(small, large, small));
    EXPECT_THAT(contents.batch_sizes, ElementsAre(1, 1, 1));
    EXPECT_EQ(contents.locations[2].record_number, 2);
    EXPECT_THAT(ReadAll({file.path()}, {.format = format}, 10, large.size() + small.size()).batch_sizes, ElementsAre(2, 1));
  }
}

// The length is damaged, or the file is cut off. This is found when the record is read, after the records in front of it.
TEST(RecordReader, ADamagedLengthIsFoundWhenItsRecordHasRoom) {
  TestFile file("a.bin", Delimited("abc") + Varint(1000) + "too little");
  for (const OnDamagedFile policy : {OnDamagedFile::kFail, OnDamagedFile::kRest}) {
    const Contents contents = ReadAll({file.path()}, {.on_damaged_file = policy}, 10, /*max_bytes=*/100);
    EXPECT_THAT(contents.messages, ElementsAre("abc"));
    if (policy == OnDamagedFile::kRest) {
      EXPECT_TRUE(contents.status.ok()) << contents.status;
      EXPECT_THAT(contents.skipped_bytes, ElementsAre("too little"));
    } else {
      EXPECT_THAT(Text(contents.status), HasSubstr("record 1, byte 4: length prefix says 1000 bytes but only 10 remain"));
    }
  }
}

TEST(RecordReader, CountsRecordsAndBytesAnewInEachInput) {
  TestFile first("1.bin", Delimited("a") + Delimited("bb"));
  TestFile empty("2.bin", "");
  TestFile third("3.bin", Delimited("ccc") + Delimited("d"));
  const Contents contents = ReadAll({first.path(), empty.path(), third.path()}, {}, 3);
  EXPECT_THAT(contents.messages, ElementsAre("a", "bb", "ccc", "d"));
  EXPECT_THAT(contents.batch_sizes, ElementsAre(3, 1));
  EXPECT_EQ(contents.locations[3].input, 2u);
  EXPECT_EQ(contents.locations[3].record_number, 1);
  EXPECT_EQ(contents.locations[3].byte_offset, 5);
}

TEST(RecordReader, HasNothingInNoInputAndInAnEmptyOne) {
  TestFile file("a.bin", "");
  for (const std::vector<std::string>& inputs : {std::vector<std::string>{}, {file.path()}}) {
    const Contents contents = ReadAll(inputs);
    EXPECT_TRUE(contents.status.ok());
    EXPECT_THAT(contents.batch_sizes, IsEmpty());
  }
}

TEST(RecordReader, KeepsToTheBytesOfABatchButReturnsLargerMessages) {
  TestFile file("a.bin", Delimited("1234") + Delimited("5678") + Delimited("9") + Delimited("0123456789ab") + Delimited("c"));
  const Contents contents = ReadAll({file.path()}, {}, 100, 9);
  EXPECT_THAT(contents.messages, ElementsAre("1234", "5678", "9", "0123456789ab", "c"));
  EXPECT_THAT(contents.batch_sizes, ElementsAre(3, 1, 1));
  EXPECT_EQ(contents.locations[3].record_number, 3);
}

TEST(RecordReader, UnpacksGzipZstdAndLz4WhateverTheName) {
  struct Codec {
    std::string (*compress)(std::string_view);
    const char* name;
  };
  for (const Codec& codec : {Codec{Gzip, "gzip"}, Codec{ZstdFrame, "zstd"}, Codec{Lz4Frame, "LZ4"}}) {
    const std::string compressed = codec.compress(Join(ManyMessages(), Delimited));
    TestFile file("a.bin", compressed);
    EXPECT_EQ(ReadAll({file.path()}).messages, ManyMessages()) << codec.name;

    TestFile cut("cut.gz", compressed.substr(0, compressed.size() - 3));
    EXPECT_THAT(Text(ReadAll({cut.path()}).status),
                HasSubstr(std::string("(uncompressed): the ") + codec.name + " stream ends early (fetch it again"));
    const Contents kept = ReadAll({cut.path()}, {.on_damaged_file = OnDamagedFile::kRest});
    EXPECT_TRUE(kept.status.ok()) << kept.status;
    EXPECT_THAT(kept.skipped, SizeIs(1));
    EXPECT_THAT(kept.messages, Not(IsEmpty()));
  }
}

TEST(RecordReader, NamesOfTfRecordsMayEndWithACompression) {
  for (const char* name : {"a.tfrecord", "a.tfrecords", "a.tfrecord.gz", "a.tfrecords.zst", "a.tfrecord.lz4"}) {
    EXPECT_EQ(RecordFormatOfName(name), RecordFormat::kTfRecord) << name;
  }
  for (const char* name : {"a.pb.zst", "tfrecord", "a.tfrecord.gz.zst", ".zst", ""}) {
    EXPECT_EQ(RecordFormatOfName(name), std::nullopt) << name;
  }
}

TEST(RecordReader, PassesOverConfluentHeaders) {
  const std::string id("\0\0\0\x2a", 4);
  const std::string magic("\0", 1);
  const std::string bytes = Delimited(magic + id + magic + "first") + Delimited(magic + id + "\x04\x02\x80\x02" + "nested") +
                            Delimited(magic + id + magic);
  TestFile file("a.bin", bytes);
  const Contents contents = ReadAll({file.path()}, {.format = RecordFormat::kDelimited, .confluent_headers = true});
  EXPECT_TRUE(contents.status.ok()) << contents.status;
  EXPECT_THAT(contents.messages, ElementsAre("first", "nested", ""));
  EXPECT_EQ(contents.locations[0].byte_offset, 7);

  for (const std::string& header :
       {std::string(), std::string("x") + id + magic, magic + id, magic + id + "\x01", magic + id + "\x02",
        magic + id + "\x02\x01", magic + id + "\x80", magic + id + "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"}) {
    TestFile damaged("b.bin", Delimited(header) + Delimited(magic + id + magic + "second"));
    const RecordReaderOptions options = {.format = RecordFormat::kDelimited, .confluent_headers = true, .skip_damaged = true};
    const Contents kept = ReadAll({damaged.path()}, options);
    EXPECT_TRUE(kept.status.ok()) << kept.status;
    EXPECT_THAT(kept.messages, ElementsAre("second"));
    EXPECT_THAT(kept.skipped_bytes, ElementsAre(header));
    EXPECT_THAT(Text(ReadAll({damaged.path()}, {.format = RecordFormat::kDelimited, .confluent_headers = true}).status),
                HasSubstr("record 0, byte 0: the message does not begin with a Confluent header"));
  }
}

TEST(RecordReader, ReadsAllOfAConfluentHeader) {
  const std::string id("\0\x12\x34\x56\x78", 5);
  struct Case {
    std::string indexes;
    std::vector<int32_t> expected;
  };
  for (const Case& c : {Case{std::string(1, '\0'), {0}}, Case{std::string("\x02\0", 2), {0}}, Case{"\x02\x02", {1}},
                        Case{std::string("\x04\0\x04", 3), {0, 2}}, Case{"\x02\xfe\xff\xff\xff\x0f", {INT32_MAX}}}) {
    ConfluentHeader header;
    EXPECT_EQ(ReadConfluentHeader(id + c.indexes + "\x08\x05", &header), "");
    EXPECT_EQ(header.schema_id, 0x12345678u);
    EXPECT_EQ(header.message_indexes, c.expected);
    EXPECT_EQ(header.size_bytes, id.size() + c.indexes.size());
  }
  EXPECT_EQ(MessageIndexesText(std::vector<int32_t>{0, 2}), "[0, 2]");

  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "it is empty"},
      {"\x08\x05", "its first byte is 8"},
      {id.substr(0, 4), "it ends after 4 bytes"},
      {id, "the number of message indexes is not a varint of 32 bits"},
      {id + "\x01", "the number of message indexes is -1"},
      {id + "\xfe\xff\xff\xff\x0f", "the number of message indexes is 2147483647"},
      {id + "\x04\x02", "message index 1 of 2 is not a varint of 32 bits"},
      {id + "\x02\x03", "message index 0 is -2"},
      {id + "\x02\x80\x80\x80\x80\x10", "message index 0 of 1 is not a varint of 32 bits"}};
  for (const auto& [record, problem] : wrong) {
    ConfluentHeader header;
    EXPECT_EQ(ReadConfluentHeader(record, &header),
              "the message does not begin with a Confluent header (a byte 0, a schema id, message indexes): " + problem);
  }
}

TEST(RecordReader, AMessageWithAnUnwantedConfluentHeaderIsDamaged) {
  const std::string header("\0\0\0\0\7\x02", 6);
  RecordReaderOptions options = {.format = RecordFormat::kDelimited, .confluent_headers = true, .skip_damaged = true};
  options.check_confluent_header = [](const ConfluentHeader& each) {
    return each.message_indexes == std::vector<int32_t>{1} ? "" : "this one is not wanted";
  };
  const TestFile file("a.bin", Delimited(header + "\x02" + "kept") + Delimited(header + "\x04" + "other") +
                                   Delimited(header + "\x02" + "last"));
  for (const size_t max_messages : {1, 2, 10}) {
    const Contents contents = ReadAll({file.path()}, options, max_messages);
    EXPECT_THAT(contents.messages, ElementsAre("kept", "last"));
    EXPECT_THAT(contents.skipped_bytes, ElementsAre(header + "\x04" + "other"));  // to be read again as what it is
  }
  options.skip_damaged = false;
  EXPECT_THAT(Text(ReadAll({file.path()}, options).status), HasSubstr("record 1, byte 12: this one is not wanted"));
}

TEST(RecordReader, RecognizesConfluentHeaders) {
  const std::string header("\0\0\0\0\x2a\x02\x02", 7);
  // A message of one field of each wire type; the length of the last record is the tag of another wire type each time.
  for (const std::string& message : {std::string("\x08\x05"), std::string("\x0a\x02hi"),
                                     std::string("\x0d"
                                                 "1234"),
                                     std::string("\x0a\x04"
                                                 "abcd"),
                                     std::string("\x09"
                                                 "12345678"),
                                     std::string()}) {
    for (const int count : {1, 3}) {
      std::string bytes;
      for (int i = 0; i < count; ++i) bytes += Delimited(header + message);
      const TestFile file("a.bin", bytes);
      const absl::StatusOr<SniffedFormat> sniffed = SniffFile(file.path());
      ASSERT_TRUE(sniffed.ok()) << sniffed.status();
      EXPECT_EQ(sniffed->format, RecordFormat::kDelimited);
      EXPECT_THAT(sniffed->reason, HasSubstr("Confluent header")) << message.size();
    }
  }
}

TEST(RecordReader, FilesOfOtherKindsAreNamed) {
  const auto utf16 = [](std::string_view text, bool little_endian) {
    std::string bytes;
    for (const char c : text) bytes += little_endian ? std::string{c, '\0'} : std::string{'\0', c};
    return bytes;
  };
  const std::string json = "{\"title\": \"soup\"}\n";
  struct Case {
    std::string bytes;
    std::string expected;
    std::vector<RecordFormat> formats;  // that are named and do not fit either
  };
  const std::vector<RecordFormat> strings = {RecordFormat::kJson, RecordFormat::kCsv, RecordFormat::kHex,
                                             RecordFormat::kBase64};
  const std::vector<Case> cases = {
      {"PAR1\x15\x04\x15\x20" + std::string(50, '\x15'), "this is a Parquet file", {RecordFormat::kTfRecord}},
      {std::string("ARROW1\0\0", 8) + std::string(50, '\xff'), "this is an Arrow file", {RecordFormat::kTfRecord}},
      {std::string("PK\x03\x04\x14\0\0\0", 8) + std::string(50, '\xff'),
       "this is a ZIP archive, as .npz files are",
       {RecordFormat::kTfRecord}},
      {std::string("\x1f\x8b\x08\0", 4) + std::string(5, '\xff'),
       "this is compressed by gzip, maybe for the second time",
       {RecordFormat::kTfRecord}},
      {"\xff\xfe" + utf16(json, true), "this is text in UTF-16; convert it to UTF-8 first", strings},
      {"\xfe\xff" + utf16(json, false), "this is text in UTF-16; convert it to UTF-8 first", strings},
      {utf16(json, true), "this is text in UTF-16; convert it to UTF-8 first", strings},
      {utf16(json, false), "this is text in UTF-16; convert it to UTF-8 first", strings},
      {"title,minutes\nsoup,40\n", "this looks like CSV; read it with `format=csv`", {}},
      {"Soup, and toast.\nSoup, and toast.\n",
       "this looks like text; read it with `format=textproto`, a table with `format=csv`",
       {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.expected);
    // Compressed once, so that gzip in gzip is one of them.
    const TestFile file("a.bin.gz", Gzip(c.bytes));
    EXPECT_THAT(Text(ReadAll({file.path()}).status), HasSubstr(c.expected));
    EXPECT_THAT(Text(SniffFile(file.path()).status()), HasSubstr(c.expected));
    for (const RecordFormat format : c.formats) {
      RecordReaderOptions options = {.format = format, .message_of_json = TextAsMessage};
      options.message_of_csv = [](std::string_view, std::string_view row, std::string& message) {
        return TextAsMessage(row, message);
      };
      EXPECT_THAT(Text(ReadAll({file.path()}, options).status), HasSubstr(c.expected)) << static_cast<int>(format);
    }
  }
}

// Messages that begin with the bytes of another kind of file are messages all the same.
TEST(RecordReader, MessagesThatBeginLikeOtherFilesAreRead) {
  // Field 8, 64 bits, and then field 1, a string: "PAR1" is the length 80, and the beginning of that.
  const std::string message = "AR1------" + std::string("\x0a\x45") + std::string(69, 'x');
  ASSERT_EQ(message.size(), 80u);
  const TestFile file("a.bin", Delimited(message) + Delimited(message));
  EXPECT_THAT(ReadAll({file.path()}).messages, ElementsAre(message, message));
}

TEST(RecordReader, TruncationAtAnyByteIsAnErrorAfterTheMessagesBeforeIt) {
  struct Case {
    RecordFormat format;
    std::string (*frame)(std::string_view);
  };
  for (const Case& c : {Case{RecordFormat::kDelimited, Delimited}, Case{RecordFormat::kTfRecord, TfRecord}}) {
    const std::string valid = c.frame("first") + c.frame("");
    const std::string last = c.frame(std::string(200, 'x'));
    for (size_t cut = 1; cut < last.size(); ++cut) {
      TestFile file("cut.bin", valid + last.substr(0, cut));
      Contents contents = ReadAll({file.path()}, {.format = c.format});
      EXPECT_THAT(contents.messages, ElementsAre("first", ""));
      EXPECT_EQ(contents.status.code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(Text(contents.status), StartsWith(file.path() + " record 2, byte " + std::to_string(valid.size()) + ": "));
      EXPECT_THAT(Text(contents.status), HasSubstr("truncated (fetch it again, or pass `on_damaged_file=kRest`"));

      contents = ReadAll({file.path(), file.path()}, {.format = c.format, .on_damaged_file = OnDamagedFile::kRest});
      EXPECT_TRUE(contents.status.ok()) << contents.status;
      EXPECT_THAT(contents.messages, ElementsAre("first", "", "first", ""));
      ASSERT_THAT(contents.skipped, SizeIs(2));
      EXPECT_EQ(contents.skipped[1].location.input, 1u);
      EXPECT_EQ(contents.skipped[1].location.record_number, 2);
      EXPECT_EQ(contents.skipped[1].lost, BrokenRecord::Lost::kRestOfFile);

      contents = ReadAll({file.path(), file.path()}, {.format = c.format, .on_damaged_file = OnDamagedFile::kSkip});
      EXPECT_TRUE(contents.status.ok()) << contents.status;
      EXPECT_THAT(contents.messages, IsEmpty());
      ASSERT_THAT(contents.skipped, SizeIs(2));
      EXPECT_EQ(contents.skipped[1].location.input, 1u);
      EXPECT_EQ(contents.skipped[1].location.record_number, 2);
      EXPECT_EQ(contents.skipped[1].lost, BrokenRecord::Lost::kFile);
    }
  }
}

TEST(RecordReader, WhatIsThereOfADamagedRecordIsKept) {
  const std::string message(200, 'x');
  struct Case {
    RecordFormat format;
    std::string (*frame)(std::string_view);
    size_t header_bytes;
  };
  for (const auto& [format, frame, header] :
       {Case{RecordFormat::kDelimited, Delimited, 2}, Case{RecordFormat::kTfRecord, TfRecord, 12}}) {
    const std::string valid = frame("first");
    const std::string last = frame(message);
    for (size_t cut = 1; cut < last.size(); ++cut) {
      TestFile file("cut.bin", Gzip(valid + last.substr(0, cut)));
      const Contents contents = ReadAll({file.path()}, {.format = format, .on_damaged_file = OnDamagedFile::kRest});
      // The beginning of the message, or of what is in front of it.
      const std::string expected = cut < header ? last.substr(0, cut) : message.substr(0, cut - header);
      ASSERT_THAT(contents.skipped_bytes, ElementsAre(expected)) << cut;
      EXPECT_EQ(contents.skipped[0].bytes_offset, static_cast<int64_t>(valid.size() + (cut < header ? 0 : header)));
      EXPECT_EQ(contents.skipped[0].location.byte_offset, static_cast<int64_t>(valid.size()));
    }
  }

  std::string damaged = TfRecord(message);
  damaged[20] ^= 1;
  TestFile file("a.tfrecord", TfRecord("first") + damaged + TfRecord("third"));
  const Contents contents = ReadAll({file.path()}, {.skip_damaged = true});
  EXPECT_THAT(contents.skipped_bytes, ElementsAre(damaged.substr(12, message.size())));
  EXPECT_EQ(contents.skipped[0].bytes_offset, static_cast<int64_t>(TfRecord("first").size() + 12));
}

// Skipping damaged records is not enough to leave out a part of a file.
TEST(RecordReader, DamagedFilesHaveAPolicyOfTheirOwn) {
  const std::string records = Delimited("first") + Delimited("second");
  const std::string gzip = Gzip(records);
  std::string wrong_checksum = gzip;
  wrong_checksum[gzip.size() - 8] ^= 1;
  const std::string valid = TfRecord("first") + TfRecord("second");
  std::string wrong_length_checksum = valid + TfRecord("third") + TfRecord("fourth");
  wrong_length_checksum[valid.size() + 9] ^= 1;
  struct Case {
    const char* name;
    std::string bytes;
    const char* problem;
  };
  for (const Case& c : {Case{"half.pb.gz", gzip.substr(0, gzip.size() - 8), "the gzip stream ends early"},
                        Case{"checksum.pb.gz", wrong_checksum, "incorrect data check"},
                        Case{"length.tfrecord", wrong_length_checksum, "CRC-32C of the record's length"},
                        Case{"length.pb", records + std::string(11, '\xff'), "not a varint of at most 10 bytes"}}) {
    SCOPED_TRACE(c.name);
    const TestFile damaged(c.name, c.bytes);
    const bool tfrecord = std::string_view(c.name).ends_with(".tfrecord");
    const TestFile next(std::string("next_") + c.name, tfrecord ? TfRecord("next") : Delimited("next"));
    for (const bool skip_damaged : {false, true}) {
      Contents contents = ReadAll({damaged.path(), next.path()}, {.skip_damaged = skip_damaged});
      EXPECT_EQ(contents.status.code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(Text(contents.status), StartsWith(damaged.path() + " record 2, byte "));
      EXPECT_THAT(Text(contents.status), HasSubstr(c.problem));
      EXPECT_THAT(contents.messages, ElementsAre("first", "second"));

      contents =
          ReadAll({damaged.path(), next.path()}, {.skip_damaged = skip_damaged, .on_damaged_file = OnDamagedFile::kRest});
      EXPECT_EQ(contents.status, absl::OkStatus());
      EXPECT_THAT(contents.messages, ElementsAre("first", "second", "next"));
      ASSERT_THAT(contents.skipped, SizeIs(1));
      EXPECT_THAT(contents.skipped[0].problem, HasSubstr(c.problem));
      EXPECT_EQ(contents.skipped[0].lost, BrokenRecord::Lost::kRestOfFile);

      contents =
          ReadAll({damaged.path(), next.path()}, {.skip_damaged = skip_damaged, .on_damaged_file = OnDamagedFile::kSkip});
      EXPECT_EQ(contents.status, absl::OkStatus());
      EXPECT_THAT(contents.messages, ElementsAre("next"));
      ASSERT_THAT(contents.skipped, SizeIs(1));
      EXPECT_EQ(contents.skipped[0].location.record_number, 2);
      EXPECT_EQ(contents.skipped[0].lost, BrokenRecord::Lost::kFile);
    }
  }
}

TEST(RecordReader, WholeFilesAreLeftOutOfWhatCanBeReadTwice) {
  EXPECT_EQ(ReadAll({"/dev/null"}, {.format = RecordFormat::kDelimited, .on_damaged_file = OnDamagedFile::kSkip}).status,
            absl::InvalidArgumentError("/dev/null: `on_damaged_file=kSkip` reads each file twice, and this is not a regular "
                                       "file; pass `on_damaged_file=kRest`"));
  const TestFile file("a.pb", Delimited("first"));
  const InputPart part = {.format = RecordFormat::kDelimited, .file_bytes = 6};
  const RecordReaderOptions of_part = {.parts = {{0, part}}, .on_damaged_file = OnDamagedFile::kSkip};
  EXPECT_THAT(Text(RecordReader::Create({file.path()}, of_part).status()),
              HasSubstr("`on_damaged_file=kSkip` leaves out whole files"));
  EXPECT_EQ(
      RecordReader::OfBytes("", {.format = RecordFormat::kDelimited, .on_damaged_file = OnDamagedFile::kSkip}).status().code(),
      absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(RecordReader::Create({}, {.on_damaged_file = static_cast<OnDamagedFile>(3)}).status(),
            absl::InvalidArgumentError("`on_damaged_file=3`: expected kFail (0), kRest (1) or kSkip (2)"));
}

TEST(RecordReader, SkippedRecordsAreBatchedAsMessagesAre) {
  std::string damaged = TfRecord("12345");
  damaged[13] ^= 1;
  std::string bytes;
  for (int i = 0; i < 10; ++i) bytes += damaged;
  TestFile file("a.tfrecord", bytes + TfRecord("last"));
  for (const auto& [max_messages, max_bytes] : {std::pair<size_t, size_t>{3, kAnySize}, {100, 16}}) {
    const Contents contents = ReadAll({file.path()}, {.skip_damaged = true}, max_messages, max_bytes);
    EXPECT_THAT(contents.skipped, SizeIs(10));
    EXPECT_THAT(contents.messages, ElementsAre("last"));
    EXPECT_THAT(contents.batch_sizes, ElementsAre(0, 0, 0, 1));
    EXPECT_EQ(contents.skipped[9].location.record_number, 9);
  }
}

TEST(RecordReader, AnAbsurdLengthIsTruncation) {
  TestFile file("a.bin", Delimited("ok") + Varint(0x7ffffff0) + "only this");
  const Contents contents = ReadAll({file.path()});
  EXPECT_THAT(Text(contents.status), HasSubstr("length prefix says 2147483632 bytes but only 9 remain"));
}

TEST(RecordReader, ALengthOverTheLimitNamesTheLimit) {
  for (const auto& [name, bytes] : {std::pair{"a.bin", Delimited("123456")}, std::pair{"a.tfrecord", TfRecord("123456")}}) {
    TestFile file(name, bytes);
    for (bool skip : {false, true}) {
      const Contents contents = ReadAll({file.path()}, {.max_message_bytes = 5, .skip_damaged = skip});
      EXPECT_EQ(contents.status.code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(Text(contents.status), HasSubstr("says 6 bytes, more than the limit of 5"));
      EXPECT_THAT(Text(contents.status), HasSubstr("`max_message_bytes`"));
    }
    EXPECT_TRUE(ReadAll({file.path()}, {.max_message_bytes = 6}).status.ok());
  }
  TestFile whole("whole.pb", "123456");
  EXPECT_THAT(Text(ReadAll({whole.path()}, {.format = RecordFormat::kMessage, .max_message_bytes = 5}).status),
              HasSubstr("limit of 5"));
}

absl::Status CreateWithLimit(size_t max_message_bytes) {
  return RecordReader::Create({"a.bin"}, {.max_message_bytes = max_message_bytes}).status();
}

TEST(RecordReader, ALimitOutsideItsRangeIsRefusedWithTheRange) {
  EXPECT_EQ(CreateWithLimit(0), absl::InvalidArgumentError("`max_message_bytes=0`: expected 1 to 2147483647"));
  EXPECT_TRUE(CreateWithLimit(1).ok());
  EXPECT_TRUE(CreateWithLimit(kMaxRecordBytes).ok());
  EXPECT_FALSE(CreateWithLimit(kMaxRecordBytes + 1).ok());
  EXPECT_THAT(Text(CreateWithLimit(SIZE_MAX)), HasSubstr("=18446744073709551615`: expected 1 to 2147483647"));
  EXPECT_THAT(Text(CreateWithLimit(static_cast<size_t>(-5))), HasSubstr("expected 1 to 2147483647"));
}

TEST(RecordReader, TheGreatestLimitReadsWhatTheSmallestDoes) {
  const std::vector<std::string> messages = {"a", "", "b"};
  TestFile delimited("a.bin", Join(messages, Delimited));
  TestFile tf_record("a.tfrecord", Join(messages, TfRecord));
  TestFile whole("whole.pb", "0123456789abcdef");
  for (const size_t limit : {size_t{1}, kMaxRecordBytes}) {
    EXPECT_EQ(ReadAll({delimited.path()}, {.max_message_bytes = limit}).messages, messages);
    EXPECT_EQ(ReadAll({tf_record.path()}, {.max_message_bytes = limit}).messages, messages);
  }
  EXPECT_THAT(ReadAll({whole.path()}, {.format = RecordFormat::kMessage, .max_message_bytes = kMaxRecordBytes}).messages,
              ElementsAre("0123456789abcdef"));
}

// Lengths with correct checksums. Adding the size of the data's checksum to 2^64 - 1 would wrap around.
TEST(RecordReader, AHostileTfRecordLengthIsAnErrorUnderEveryLimit) {
  for (const uint64_t size_bytes : {UINT64_MAX, UINT64_MAX - 3, uint64_t{kMaxRecordBytes} + 1}) {
    const std::string length = LittleEndian<uint64_t>(size_bytes);
    TestFile file("a.tfrecord", length + LittleEndian(records_internal::MaskCrc32c(records_internal::Crc32c(length))) +
                                    "and a few bytes more");
    const Contents contents = ReadAll({file.path()}, {.max_message_bytes = kMaxRecordBytes});
    EXPECT_THAT(contents.messages, IsEmpty());
    EXPECT_THAT(Text(contents.status), HasSubstr("bytes, more than the limit of 2147483647"));
  }
}

TEST(RecordReader, AFormatThatIsNoneIsRefused) {
  const absl::Status status = RecordReader::Create({"a.bin"}, {.format = static_cast<RecordFormat>(99)}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Text(status), HasSubstr("`format=99`: expected kDelimited (0)"));
}

TEST(RecordReader, ABatchTakesFromOneMessageToAnyNumberOfThem) {
  TestFile file("a.bin", Delimited("12") + Delimited("3") + Delimited("45"));
  EXPECT_EQ(ReadAll({file.path()}, {}, 0).status,
            absl::InvalidArgumentError("NextBatch: max_messages = 0; expected 1 or more"));
  EXPECT_THAT(ReadAll({file.path()}, {}, 1).batch_sizes, ElementsAre(1, 1, 1));
  EXPECT_THAT(ReadAll({file.path()}, {}, SIZE_MAX, SIZE_MAX).batch_sizes, ElementsAre(3));
  // Bytes: at least one message comes, and the boundary is within the limit.
  EXPECT_THAT(ReadAll({file.path()}, {}, 100, 0).batch_sizes, ElementsAre(1, 1, 1));
  EXPECT_THAT(ReadAll({file.path()}, {}, 100, 3).batch_sizes, ElementsAre(2, 1));
  EXPECT_THAT(ReadAll({file.path()}, {}, 100, 4).batch_sizes, ElementsAre(2, 1));
  EXPECT_THAT(ReadAll({file.path()}, {}, 100, 5).batch_sizes, ElementsAre(3));
}

TEST(RecordReader, APrefixThatIsNoVarintIsAnErrorEvenWhenSkippingRecords) {
  for (std::string prefix : {std::string(11, '\xff'), std::string(9, '\xff') + "\x02"}) {
    TestFile file("a.bin", Delimited("ok") + prefix + "rest");
    const Contents contents = ReadAll({file.path()}, {.skip_damaged = true});
    EXPECT_THAT(contents.messages, ElementsAre("ok"));
    EXPECT_EQ(Text(contents.status),
              file.path() +
                  " record 1, byte 3: the length prefix is not a varint of at most 10 bytes (the file is "
                  "damaged, or not varint-delimited: check `format`; or pass `on_damaged_file=kRest` to keep the records "
                  "before it)");
  }
}

TEST(RecordReader, ALengthMayBeWrittenWithMoreBytesThanItNeeds) {
  TestFile file("a.bin", std::string("\x82\x80\x00hi", 5));
  EXPECT_THAT(ReadAll({file.path()}).messages, ElementsAre("hi"));
}

TEST(RecordReader, ATfRecordWithABadDataChecksumCanBeSkipped) {
  std::string damaged = TfRecord("second");
  damaged[14] ^= 1;
  TestFile file("a.tfrecord", TfRecord("first") + damaged + TfRecord("third"));
  Contents contents = ReadAll({file.path()});
  EXPECT_THAT(contents.messages, ElementsAre("first"));
  EXPECT_THAT(Text(contents.status), HasSubstr("a.tfrecord record 1, byte 21: masked CRC-32C of its 6 bytes is 0x"));

  contents = ReadAll({file.path()}, {.skip_damaged = true});
  EXPECT_TRUE(contents.status.ok()) << contents.status;
  EXPECT_THAT(contents.messages, ElementsAre("first", "third"));
  EXPECT_EQ(contents.locations[1].record_number, 2);
  ASSERT_THAT(contents.skipped, SizeIs(1));
  EXPECT_EQ(contents.skipped[0].location.record_number, 1);
}

TEST(RecordReader, ATfRecordWithABadLengthChecksumEndsTheReading) {
  std::string damaged = TfRecord("second");
  damaged[0] ^= 1;
  TestFile file("a.tfrecord", TfRecord("first") + damaged + TfRecord("third"));
  const Contents contents = ReadAll({file.path()}, {.skip_damaged = true});
  EXPECT_THAT(contents.messages, ElementsAre("first"));
  EXPECT_THAT(Text(contents.status), HasSubstr("record 1, byte 21: masked CRC-32C of the record's length"));
}

TEST(RecordReader, NamesTheFileThatCannotBeRead) {
  TestFile file("a.bin", Delimited("ok"));
  const Contents missing = ReadAll({file.path(), "/nowhere/b.bin"});
  EXPECT_THAT(missing.messages, ElementsAre("ok"));
  EXPECT_EQ(missing.status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Text(missing.status), HasSubstr("/nowhere/b.bin: cannot open"));
  EXPECT_THAT(Text(ReadAll({testing::TempDir()}).status), HasSubstr("cannot read: "));
}

TEST(RecordReader, AnErrorStays) {
  std::unique_ptr<RecordReader> reader = *RecordReader::Create({"/nowhere/a.bin"});
  RecordBatch batch;
  EXPECT_FALSE(reader->NextBatch(1, 1, &batch).ok());
  EXPECT_FALSE(reader->NextBatch(1, 1, &batch).ok());
}

TEST(RecordReader, CountsTheBytesItHasRead) {
  TestFile file("a.bin", Gzip(std::string("\x03") + "abc"));
  std::unique_ptr<RecordReader> reader = *RecordReader::Create({file.path()});
  RecordBatch batch;
  ASSERT_TRUE(reader->NextBatch(10, 10, &batch).ok());
  EXPECT_EQ(reader->bytes_read(), 4);
  EXPECT_EQ(reader->Where(batch.locations()[0], 2), file.path() + " record 0, byte 3 (uncompressed)");
}

}  // namespace
}  // namespace structtensor
