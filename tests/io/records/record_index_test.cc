#include "structtensor/io/records/record_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../remote_files/storage_testutil.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

constexpr RecordFormat kIndexedFormats[] = {RecordFormat::kDelimited, RecordFormat::kTfRecord, RecordFormat::kLength32BigEndian,
                                            RecordFormat::kLength32LittleEndian, RecordFormat::kGrpc};

// Records of 0 to 299 bytes.
std::string RecordsOf(RecordFormat format, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) AppendRecord(format, std::string(i * 7 % 300, static_cast<char>(i)), bytes);
  return bytes;
}

struct ReadRecord {
  std::string message;
  int64_t record_number;
  int64_t byte_offset;

  friend bool operator==(const ReadRecord&, const ReadRecord&) = default;
};

absl::Status AppendRecords(const std::string& path, const RecordReaderOptions& options, std::vector<ReadRecord>& read) {
  absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Create({path}, options);
  if (!reader.ok()) return reader.status();
  RecordBatch batch;
  while (true) {
    const absl::StatusOr<bool> more = (*reader)->NextBatch(16, 4096, &batch);
    if (!more.ok() || !*more) return more.status();
    for (size_t i = 0; i < batch.messages().size(); ++i) {
      const RecordLocation& location = batch.locations()[i];
      read.push_back({std::string(batch.messages()[i]), location.record_number, location.byte_offset});
    }
  }
}

TEST(RecordIndexThreadsTest, PartsOfARemoteFileAreTheWhole) {
  RemoteFilesInMemory remote;
  const std::string path = "s3://bucket/f";
  for (const RecordFormat format : kIndexedFormats) {
    remote.files["f"] = RecordsOf(format, 500);
    std::vector<ReadRecord> whole;
    ASSERT_TRUE(AppendRecords(path, {.format = format}, whole).ok());
    ASSERT_EQ(whole.size(), 500u);
    for (const int64_t every : {int64_t{1}, int64_t{5000}, std::numeric_limits<int64_t>::max()}) {
      const absl::StatusOr<RecordIndex> index = MakeRecordIndex(path, {.format = format, .every_bytes = every});
      ASSERT_TRUE(index.ok()) << index.status();
      EXPECT_TRUE(index->reaches_end());
      EXPECT_EQ(index->marks.back().record_number, 500);
      std::vector<ReadRecord> read;
      for (size_t i = 0; i + 1 < index->marks.size(); ++i) {
        const InputPart part = {format, index->file_bytes, index->marks[i], index->marks[i + 1]};
        const absl::Status status = AppendRecords(path, {.parts = {{0, part}}}, read);
        ASSERT_TRUE(status.ok()) << status;
      }
      EXPECT_EQ(read, whole) << RecordFormatName(format) << " " << every;
    }
  }
}

// The bytes around the ends of the part are still those that were indexed.
TEST(RecordIndexThreadsTest, ADamagedLengthInAPartIsDamage) {
  RemoteFilesInMemory remote;
  const std::string path = "s3://bucket/f";
  const std::string valid = RecordsOf(RecordFormat::kLength32LittleEndian, 500);
  remote.files["f"] = valid;
  const absl::StatusOr<RecordIndex> index =
      MakeRecordIndex(path, {.format = RecordFormat::kLength32LittleEndian, .every_bytes = 10000});
  ASSERT_TRUE(index.ok()) << index.status();
  const InputPart part = {index->format, index->file_bytes, index->marks[1], index->marks[2]};
  std::vector<ReadRecord> whole;
  ASSERT_TRUE(AppendRecords(path, {.parts = {{0, part}}}, whole).ok());
  const ReadRecord& damaged = whole[whole.size() / 2];
  const size_t length = static_cast<size_t>(damaged.byte_offset - 4);
  // A length that goes beyond the part, and one by which a record swallows the rest of the part.
  const auto left = static_cast<uint32_t>(part.end->byte_offset - damaged.byte_offset);
  for (const uint32_t wrong : {left + 1, left}) {
    remote.files["f"] = valid;
    for (size_t i = 0; i < 4; ++i) remote.files["f"][length + i] = static_cast<char>(wrong >> (8 * i));
    const bool beyond = wrong > left;
    const int64_t place = beyond ? static_cast<int64_t>(length) : part.end->byte_offset;
    const int64_t record = damaged.record_number + (beyond ? 0 : 1);
    std::vector<ReadRecord> read;
    const absl::Status failed = AppendRecords(path, {.parts = {{0, part}}}, read);
    EXPECT_TRUE(absl::IsDataLoss(failed)) << failed;
    EXPECT_THAT(std::string(failed.message()), HasSubstr(absl::StrCat("record ", record, ", byte ", place, ": ")));
    EXPECT_THAT(std::string(failed.message()), HasSubstr("plan the splits again; or pass `on_damaged_file=kRest`"));
    EXPECT_EQ(static_cast<int64_t>(read.size()), record - part.begin.record_number);

    const std::unique_ptr<RecordReader> reader =
        *RecordReader::Create({path}, {.parts = {{0, part}}, .on_damaged_file = OnDamagedFile::kRest});
    RecordBatch batch;
    ASSERT_TRUE(*reader->NextBatch(10000, size_t{1} << 30, &batch));
    EXPECT_EQ(static_cast<int64_t>(batch.messages().size()), record - part.begin.record_number);
    ASSERT_EQ(batch.skipped().size(), 1u);
    EXPECT_EQ(batch.skipped()[0].lost, BrokenRecord::Lost::kRestOfFile);
    EXPECT_EQ(batch.skipped()[0].location.record_number, record);
    EXPECT_EQ(batch.skipped()[0].location.byte_offset, place);
    EXPECT_THAT(batch.skipped()[0].problem, HasSubstr(absl::StrCat("; by its index, this part of the file ends at byte ",
                                                                   part.end->byte_offset, ", in front of record ")));
    EXPECT_EQ(batch.skipped()[0].bytes.size(), beyond ? left : 0u);
    EXPECT_FALSE(*reader->NextBatch(10000, size_t{1} << 30, &batch));
  }
}

TEST(RecordIndexTest, IsBesideItsFile) {
  EXPECT_EQ(RecordIndexPath("day.pb"), ".day.pb.stidx");
  EXPECT_EQ(RecordIndexPath("/logs/day.pb"), "/logs/.day.pb.stidx");
  EXPECT_EQ(RecordIndexPath("s3://bucket/logs/day.pb?region=x"), "s3://bucket/logs/.day.pb.stidx?region=x");
}

TEST(RecordIndexTest, OtherBytesAreRefused) {
  const RecordIndex index = {RecordFormat::kGrpc, 90, {{0, 0, 1}, {40, 2, 3}, {90, 7, 4}}};
  const std::string bytes = SerializeRecordIndex(index);
  const absl::StatusOr<RecordIndex> back = ParseRecordIndex(bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->format, index.format);
  EXPECT_EQ(back->file_bytes, index.file_bytes);
  EXPECT_EQ(back->marks, index.marks);
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_TRUE(absl::IsDataLoss(ParseRecordIndex(bytes.substr(0, i)).status())) << i;
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_TRUE(absl::IsDataLoss(ParseRecordIndex(damaged).status())) << i;
  }
}

// The checksum of each index is valid.
TEST(RecordIndexTest, MarksThatCannotBeAreRefused) {
  const std::vector<RecordIndex> wrong = {
      {RecordFormat::kDelimited, 90, {}},
      {RecordFormat::kDelimited, 90, {{1, 0, 0}}},
      {RecordFormat::kDelimited, 90, {{0, 1, 0}}},
      {RecordFormat::kDelimited, 90, {{0, 0, 0}, {0, 1, 0}}},
      {RecordFormat::kDelimited, 90, {{0, 0, 0}, {4, 0, 0}}},
      {RecordFormat::kDelimited, 90, {{0, 0, 0}, {91, 3, 0}}},
      {RecordFormat::kDelimited, -1, {{0, 0, 0}}},
      {RecordFormat::kMessage, 90, {{0, 0, 0}}},
      {static_cast<RecordFormat>(99), 90, {{0, 0, 0}}},
  };
  for (const RecordIndex& index : wrong) {
    EXPECT_THAT(ParseRecordIndex(SerializeRecordIndex(index)).status().ToString(), HasSubstr("the index is damaged"));
  }
}

TEST(RecordIndexTest, OptionsOutOfRange) {
  for (const int64_t every : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_THAT(MakeRecordIndex("/dev/null", {.every_bytes = every}).status().ToString(), HasSubstr("every_bytes"));
  }
  EXPECT_THAT(MakeRecordIndex("/dev/null", {}).status().ToString(), HasSubstr("not a regular file"));
  const InputPart valid = {RecordFormat::kDelimited, 9, {}, {}};
  EXPECT_TRUE(RecordReader::Create({"a"}, {.parts = {{0, valid}}}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(RecordReader::Create({"a"}, {.parts = {{1, valid}}}).status()));
  for (InputPart part : {InputPart{RecordFormat::kHex, 9, {}, {}}, InputPart{RecordFormat::kDelimited, 9, {10, 0, 0}, {}},
                         InputPart{RecordFormat::kDelimited, 9, {-1, 0, 0}, {}},
                         InputPart{RecordFormat::kDelimited, 9, {5, 2, 0}, RecordMark{4, 3, 0}},
                         InputPart{RecordFormat::kDelimited, 9, {5, 2, 0}, RecordMark{6, 1, 0}}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(RecordReader::Create({"a"}, {.parts = {{0, std::move(part)}}}).status()));
  }
}

}  // namespace
}  // namespace structtensor
