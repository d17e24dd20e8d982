#include "structtensor/io/records/internal/remote_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "../remote_files/storage_testutil.h"
#include "absl/status/status.h"
#include "structtensor/io/records/internal/text_records.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor::records_internal {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMiB = size_t{1} << 20;

std::string Content(size_t size_bytes) {
  std::string content(size_bytes, '\0');
  for (size_t i = 0; i < size_bytes; ++i) content[i] = static_cast<char>(i * i >> 7);
  return content;
}

std::unique_ptr<ByteSource> OpenSource() {
  absl::StatusOr<std::unique_ptr<ByteSource>> source = OpenRemoteSource("s3://bucket/f");
  EXPECT_TRUE(source.ok()) << source.status();
  return *std::move(source);
}

// Up to an error or the end.
std::string ReadAll(ByteSource& source, size_t at_a_time, absl::Status* status = nullptr) {
  std::string read;
  std::string piece(at_a_time, '\0');
  while (true) {
    const absl::StatusOr<size_t> size_bytes = source.Read(piece.data(), piece.size());
    if (!size_bytes.ok() && status != nullptr) *status = size_bytes.status();
    if (!size_bytes.ok() || *size_bytes == 0) return read;
    read.append(piece, 0, *size_bytes);
  }
}

TEST(RemoteSourceThreadsTest, HasAllBytesInOrder) {
  RemoteFilesInMemory remote;
  for (const size_t size_bytes : {size_t{0}, size_t{1}, 256 * 1024ul, 256 * 1024ul + 1, 30 * kMiB + 7}) {
    remote.files["f"] = Content(size_bytes);
    remote.ranges.clear();
    EXPECT_EQ(ReadAll(*OpenSource(), 100'000), remote.files["f"]) << size_bytes;
    size_t fetched = 0;
    for (const auto& [offset, range_bytes] : remote.ranges) {
      EXPECT_LE(range_bytes, 4 * kMiB);
      fetched += range_bytes;
    }
    EXPECT_EQ(fetched, size_bytes);
  }
}

TEST(RemoteSourceThreadsTest, ReadsNoFurtherAheadThanALittle) {
  RemoteFilesInMemory remote;
  remote.files["f"] = Content(64 * kMiB);
  {
    const std::unique_ptr<ByteSource> source = OpenSource();
    char first = 0;
    EXPECT_EQ(*source->Read(&first, 1), 1u);
  }
  EXPECT_EQ(remote.ranges.size(), 1u);
  remote.ranges.clear();
  {
    const std::unique_ptr<ByteSource> source = OpenSource();
    std::string half(32 * kMiB, '\0');
    for (size_t read = 0; read < half.size();) read += *source->Read(half.data() + read, half.size() - read);
  }
  for (const auto& [offset, range_bytes] : remote.ranges) {
    EXPECT_LE(static_cast<size_t>(offset) + range_bytes, (32 + 4 * 5) * kMiB);
  }
}

TEST(RemoteSourceThreadsTest, AnErrorComesAfterWhatPrecedesIt) {
  RemoteFilesInMemory remote;
  remote.files["f"] = Content(20 * kMiB);
  remote.breaks_off = 10 * kMiB;
  const std::unique_ptr<ByteSource> source = OpenSource();
  absl::Status status;
  const std::string read = ReadAll(*source, kMiB, &status);
  EXPECT_EQ(status, absl::UnavailableError("the network is down"));
  EXPECT_GE(read.size(), 6 * kMiB);
  EXPECT_EQ(read, remote.files["f"].substr(0, read.size()));
  char more = 0;
  EXPECT_EQ(source->Read(&more, 1).status(), status);
}

TEST(RemoteSourceThreadsTest, RecordsComeFromIt) {
  RemoteFilesInMemory remote;
  for (const RecordFormat format : RecordFormats()) {
    const bool lines = format == RecordFormat::kBase64 || format == RecordFormat::kHex;  // which are not found out
    if (format == RecordFormat::kMessage || (records_internal::IsTextFormat(format) && !lines)) continue;
    std::string& content = remote.files["f"];
    content.clear();
    for (int i = 0; i < 1000; ++i) AppendRecord(format, "\x0a\x03" + std::to_string(100 + i % 900), content);
    auto reader = RecordReader::Create({"s3://bucket/f?o=1"}, {.format = lines ? std::optional(format) : std::nullopt});
    RecordBatch batch;
    ASSERT_TRUE(*(*reader)->NextBatch(2000, kMiB, &batch)) << RecordFormatName(format);
    ASSERT_EQ(batch.messages().size(), 1000u) << RecordFormatName(format);
    EXPECT_EQ(batch.messages()[899],
              "\x0a\x03"
              "999");
    EXPECT_THAT((*reader)->Where(batch.locations()[1]),
                HasSubstr(lines ? "s3://bucket/f line 2" : "s3://bucket/f record 1, byte "));
  }
}

TEST(RemoteSourceThreadsTest, AFileThatIsNotThereIsAnErrorWithItsName) {
  RemoteFilesInMemory remote;
  RecordBatch batch;
  auto reader = RecordReader::Create({"s3://u:p@bucket/g?o=1"});
  EXPECT_EQ((*reader)->NextBatch(1, 1, &batch).status(), absl::NotFoundError("s3://bucket/g: no file"));
}

}  // namespace
}  // namespace structtensor::records_internal
