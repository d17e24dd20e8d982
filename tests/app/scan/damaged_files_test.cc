// Scans of files that can be read only in part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "scan_testutil.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using OnError = DecodeOptions::OnError;

class DamagedFilesTest : public ScanTest {
 protected:
  // Cuts off the last bytes of a file.
  static std::string Cut(const std::string& path, size_t size_bytes) {
    fs::resize_file(path, fs::file_size(path) - size_bytes);
    return path;
  }

  // A file that ends inside its third record, and a valid file.
  ScanOptions Options() {
    return {.inputs = {Cut(WriteNotes("cut", {"one", "two", "three"}), 2), WriteNotes("valid", {"four"})},
            .format = RecordFormat::kDelimited};
  }

  std::string DeadLetters() const {
    std::ifstream dead(folder_ + "/dead", std::ios::binary);
    return {std::istreambuf_iterator<char>(dead), {}};
  }
};

TEST_F(DamagedFilesTest, AreErrorsWhateverBecomesOfBrokenRecords) {
  ScanOptions options = Options();
  for (const OnError on_error : {OnError::kFail, OnError::kSkip, OnError::kNull}) {
    options.row_options.decode.on_error = on_error;
    for (const int threads : {1, 3}) {
      options.row_options.threads = threads;
      std::vector<int64_t> fatal;
      options.on_fatal_record = [&](const BrokenRecord& record) { fatal.push_back(record.location.record_number); };
      const Scanned scanned = ScanAll(options);
      EXPECT_EQ(scanned.status.code(), absl::StatusCode::kDataLoss);
      EXPECT_EQ(std::string(scanned.status.message()),
                folder_ +
                    "/cut record 2, byte 12: length prefix says 7 bytes but only 5 remain; the file looks truncated "
                    "(fetch it again, or pass `on_damaged_file=kRest` to keep the records before it)");
      EXPECT_THAT(scanned.strings, ElementsAre("one", "two"));
      EXPECT_THAT(scanned.damaged_files, IsEmpty());
      EXPECT_THAT(fatal, ElementsAre(2));
    }
  }
}

TEST_F(DamagedFilesTest, RestKeepsTheRecordsBeforeTheDamage) {
  ScanOptions options = Options();
  options.on_damaged_file = OnDamagedFile::kRest;
  options.dead_letters = folder_ + "/dead";
  options.overwrite = true;
  std::string dead_letters;
  AppendRecord(RecordFormat::kDelimited, NoteBytes("three").substr(0, 5), dead_letters);
  for (const OnError on_error : {OnError::kFail, OnError::kSkip, OnError::kNull}) {
    options.row_options.decode.on_error = on_error;
    options.row_options.decode.max_errors = on_error == OnError::kFail ? -1 : 0;  // damaged files do not count
    for (const int threads : {1, 3}) {
      options.row_options.threads = threads;
      for (const size_t batch_size : {1, 2, 100}) {
        options.batch_size = batch_size;
        std::vector<std::string> found;
        options.damaged_file_found = [&](const DamagedFile& file) { found.push_back(file.text); };
        const Scanned scanned = ScanAll(options);
        EXPECT_EQ(scanned.status, absl::OkStatus());
        EXPECT_THAT(scanned.strings, ElementsAre("one", "two", "four"));
        EXPECT_THAT(scanned.broken, IsEmpty());
        ASSERT_EQ(scanned.damaged_files.size(), 1u);
        EXPECT_EQ(scanned.damaged_files[0].file, folder_ + "/cut");
        EXPECT_EQ(scanned.damaged_files[0].location.record_number, 2);
        EXPECT_EQ(scanned.damaged_files[0].location.byte_offset, 12);
        EXPECT_FALSE(scanned.damaged_files[0].skipped);
        EXPECT_EQ(scanned.damaged_files[0].problem, "length prefix says 7 bytes but only 5 remain; the file looks truncated");
        EXPECT_EQ(scanned.damaged_files[0].text, folder_ + "/cut record 2, byte 12: " + scanned.damaged_files[0].problem +
                                                     "; the rest of the file is left out");
        EXPECT_THAT(found, ElementsAre(scanned.damaged_files[0].text));
        EXPECT_EQ(DeadLetters(), dead_letters);
      }
    }
  }
}

TEST_F(DamagedFilesTest, SkipReadsNothingOfADamagedFile) {
  ScanOptions options = Options();
  options.on_damaged_file = OnDamagedFile::kSkip;
  options.dead_letters = folder_ + "/dead";
  options.overwrite = true;
  options.row_options.decode.on_error = OnError::kNull;
  for (const size_t batch_size : {1, 2, 100}) {
    options.batch_size = batch_size;
    const Scanned scanned = ScanAll(options);
    EXPECT_EQ(scanned.status, absl::OkStatus());
    EXPECT_THAT(scanned.strings, ElementsAre("four"));
    EXPECT_THAT(scanned.broken, IsEmpty());
    ASSERT_EQ(scanned.damaged_files.size(), 1u);
    EXPECT_TRUE(scanned.damaged_files[0].skipped);
    EXPECT_THAT(scanned.damaged_files[0].text, HasSubstr("cut record 2, byte 12: "));
    EXPECT_THAT(scanned.damaged_files[0].text, HasSubstr("; the whole file is left out"));
    EXPECT_EQ(DeadLetters(), "");
  }
}

// A broken record does not affect the other records of its file.
TEST_F(DamagedFilesTest, BrokenRecordsAreNotDamagedFiles) {
  ScanOptions options = {.inputs = {Write("broken", {NoteBytes("one"), kBroken})}, .format = RecordFormat::kDelimited};
  for (const OnDamagedFile policy : {OnDamagedFile::kRest, OnDamagedFile::kSkip}) {
    options.on_damaged_file = policy;
    options.row_options.decode.on_error = OnError::kFail;
    EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("broken record 1"));
    options.row_options.decode.on_error = OnError::kSkip;
    const Scanned scanned = ScanAll(options);
    EXPECT_THAT(scanned.strings, ElementsAre("one"));
    EXPECT_THAT(scanned.broken, ElementsAre(HasSubstr("broken record 1")));
    EXPECT_THAT(scanned.damaged_files, IsEmpty());
  }
}

TEST_F(DamagedFilesTest, AreNotCountedAsRecords) {
  ScanOptions options = Options();
  options.on_damaged_file = OnDamagedFile::kRest;
  options.limit = 3;
  EXPECT_THAT(ScanAll(options).strings, ElementsAre("one", "two", "four"));
  // A file that is damaged in the part that is passed over is reported, too.
  options.skip = 2;
  Scanned scanned = ScanAll(options);
  EXPECT_THAT(scanned.strings, ElementsAre("four"));
  EXPECT_EQ(scanned.damaged_files.size(), 1u);
  // The scan ends before it reaches the damage.
  options.skip = 0;
  options.limit = 2;
  options.on_damaged_file = OnDamagedFile::kFail;
  scanned = ScanAll(options);
  EXPECT_EQ(scanned.status, absl::OkStatus());
  EXPECT_THAT(scanned.strings, ElementsAre("one", "two"));
}

TEST_F(DamagedFilesTest, RowsInsideOfMessagesAreRead) {
  const auto book = [](const std::string& text) { return std::string("\x0a\x05", 2) + NoteBytes(text); };
  ScanOptions options = {.inputs = {Cut(Write("cut", {book("one"), book("two")}), 1), Write("valid", {book("six")})},
                         .format = RecordFormat::kDelimited,
                         .rows = "notes"};
  options.row_options.decode.on_error = OnError::kSkip;
  const auto scan = [&](OnDamagedFile policy) {
    options.on_damaged_file = policy;
    return ScanAll(options, scan_test::BookColumns::plan());
  };
  EXPECT_EQ(scan(OnDamagedFile::kFail).status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(scan(OnDamagedFile::kRest).strings, ElementsAre("one", "six"));
  EXPECT_EQ(scan(OnDamagedFile::kRest).damaged_files.size(), 1u);
  EXPECT_THAT(scan(OnDamagedFile::kSkip).strings, ElementsAre("six"));
}

TEST_F(DamagedFilesTest, ThePolicyIsOneOfThree) {
  ScanOptions options = Options();
  options.on_damaged_file = static_cast<OnDamagedFile>(3);
  EXPECT_EQ(std::string(ScanAll(options).status.message()), "`on_damaged_file=3`: expected kFail (0), kRest (1) or kSkip (2)");
}

}  // namespace
}  // namespace structtensor
