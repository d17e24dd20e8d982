// Scans of records without a valid message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "scan_testutil.h"
#include "structtensor/app/scan/scan.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ScanTest, TheRecordThatEndsAScanIsHandedOver) {
  const std::string path = Write("a", {NoteBytes("one"), kBroken, kBroken});
  std::vector<std::string> fatal;
  ScanOptions options = {.inputs = {path}};
  options.on_fatal_record = [&](const BrokenRecord& record) {
    fatal.push_back(record.field_path);
    EXPECT_EQ(record.location.record_number, 1);
  };
  const Scanned scanned = ScanAll(options);
  EXPECT_EQ(scanned.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(scanned.broken, IsEmpty());
  EXPECT_THAT(fatal, ElementsAre("text"));
}

// Writes the text of each note in quotes. Notes whose text begins with "no" are refused.
absl::StatusOr<WriteTextRows> QuotedStrings(const plan::MessagePlan&) {
  return [](const DecodedBatch& rows, TextRows& strings, std::vector<RowWithoutText>& without) {
    const auto notes = TypedBatch<scan_test::NoteBatch>(rows);
    if (!notes.ok()) return notes.status();
    const scan_test::NoteBatch& batch = *notes;
    for (const std::string_view text : batch.text()) {
      if (text.starts_with("no")) {
        without.push_back({.row = static_cast<int64_t>(strings.size()), .field_path = "text", .problem = "it is no text"});
      } else {
        strings.bytes += "'" + std::string(text) + "'";
      }
      strings.ends.push_back(strings.bytes.size());
    }
    return absl::OkStatus();
  };
}

struct ScannedStrings {
  std::vector<std::string> strings;  // written
  std::vector<std::string> values;   // of the rows
  std::vector<std::string> places;
  std::vector<std::string> broken;  // "number of the record, path: problem"
  bool all_invalid = false;
  std::string error;
};

ScannedStrings ScanWithStrings(ScanOptions options) {
  ScannedStrings scanned;
  options.text_rows_writer = QuotedStrings;
  options.filename_column = "file";
  options.offset_column = "at";
  const auto note = [&scanned](const BrokenRecord& record) {
    scanned.broken.push_back(std::to_string(record.location.record_number) + ", " + record.field_path + ": " + record.problem);
    EXPECT_THAT(record.text, HasSubstr("record " + std::to_string(record.location.record_number)));
  };
  options.on_broken_record = note;
  options.on_fatal_record = note;
  const std::unique_ptr<Scan> scan = *Scan::Create(scan_test::NoteColumns::plan(), options);
  while (true) {
    const absl::StatusOr<bool> more = scan->Next([&](const ScanBatch& batch) {
      EXPECT_NE(batch.text_rows, nullptr);
      EXPECT_EQ(batch.text_rows->size(), static_cast<size_t>(batch.rows.nrows()));
      const auto typed = TypedBatch<scan_test::NoteBatch>(batch.columns);
      const scan_test::NoteBatch& notes = *typed;
      for (const std::string_view text : notes.text()) scanned.values.emplace_back(text);
      for (size_t row = 0; row < batch.text_rows->size(); ++row) {
        scanned.strings.emplace_back((*batch.text_rows)[row]);
        scanned.places.push_back(
            std::to_string(batch.rows.FindFlatField("at")->tensor()->values<int64_t>()[static_cast<size_t>(row)]));
      }
      return absl::OkStatus();
    });
    if (!more.ok()) scanned.error = std::string(more.status().message());
    if (!more.ok() || !*more) break;
  }
  scanned.all_invalid = scan->all_messages_invalid();
  EXPECT_EQ(scan->Close(), absl::OkStatus());
  return scanned;
}

// As a message that cannot be decoded.
TEST_F(ScanTest, AMessageWhoseRowHasNoTextIsABrokenRecord) {
  const std::string path = Write("notes", {NoteBytes("no"), NoteBytes("a"), kBroken, NoteBytes("nor"), NoteBytes("not"),
                                           NoteBytes("b"), kBroken, NoteBytes("c"), NoteBytes("none")});
  const std::vector<std::string> broken = {"0, text: it is no text", "2, text: ", "3, text: it is no text",
                                           "4, text: it is no text", "6, text: ", "8, text: it is no text"};
  for (const int threads : {1, 3}) {
    for (const size_t batch_size : {1, 2, 3, 4, 100}) {
      for (const int64_t max_rows : {1, 2, 100}) {
        SCOPED_TRACE("batches of " + std::to_string(batch_size) + ", pieces of " + std::to_string(max_rows));
        ScanOptions options = {.inputs = {path},
                               .format = RecordFormat::kDelimited,
                               .row_options = {.threads = threads},
                               .batch_size = batch_size};
        options.row_options.decode.max_rows = max_rows;  // larger batches are decoded in halves
        options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
        ScannedStrings scanned = ScanWithStrings(options);
        EXPECT_EQ(scanned.error, "");
        EXPECT_THAT(scanned.strings, ElementsAre("'a'", "'b'", "'c'"));
        EXPECT_THAT(scanned.values, ElementsAre("a", "b", "c"));
        EXPECT_THAT(scanned.places, ElementsAre("6", "27", "36"));
        ASSERT_EQ(scanned.broken.size(), broken.size());
        for (size_t i = 0; i < broken.size(); ++i) EXPECT_THAT(scanned.broken[i], ::testing::StartsWith(broken[i]));

        options.row_options.decode.on_error = DecodeOptions::OnError::kNull;
        scanned = ScanWithStrings(options);
        EXPECT_EQ(scanned.error, "");
        EXPECT_THAT(scanned.strings, ElementsAre("''", "'a'", "''", "''", "''", "'b'", "''", "'c'", "''"));
        EXPECT_THAT(scanned.values, ElementsAre("", "a", "", "", "", "b", "", "c", ""));
        ASSERT_EQ(scanned.broken.size(), broken.size());
        for (size_t i = 0; i < broken.size(); ++i) EXPECT_THAT(scanned.broken[i], ::testing::StartsWith(broken[i]));

        options.row_options.decode.max_errors = 2;
        EXPECT_THAT(ScanWithStrings(options).error, HasSubstr("more than `max_errors=2"));
        options.row_options.decode.max_errors = -1;
        options.row_options.decode.on_error = DecodeOptions::OnError::kFail;
        options.row_options.where = "text <> 'x'";  // finds the other broken messages first, each batch by itself
        scanned = ScanWithStrings(options);
        EXPECT_THAT(scanned.error, AllOf(HasSubstr("record "), HasSubstr("`on_error=kSkip` leaves such messages out")));
        EXPECT_EQ(scanned.broken.size(), 1u);
      }
    }
  }
}

TEST_F(ScanTest, AMessageWithoutATextEndsTheScan) {
  const std::string path = WriteNotes("notes", {"a", "no", "b", "not"});
  const ScannedStrings scanned = ScanWithStrings({.inputs = {path}});
  EXPECT_THAT(scanned.error, AllOf(HasSubstr("notes record 1, byte 5, text: it is no text"), HasSubstr("on_error=kSkip")));
  EXPECT_THAT(scanned.broken, ElementsAre("1, text: it is no text"));
}

// Messages that were decoded are of the right type.
TEST_F(ScanTest, MessagesWithoutATextAreValid) {
  const std::string path = WriteNotes("notes", {"no", "not"});
  for (const auto on_error : {DecodeOptions::OnError::kFail, DecodeOptions::OnError::kSkip, DecodeOptions::OnError::kNull}) {
    ScanOptions options = {.inputs = {path}};
    options.row_options.decode.on_error = on_error;
    EXPECT_FALSE(ScanWithStrings(options).all_invalid);
  }
}

TEST_F(ScanTest, DeadLettersHaveMessagesWithoutATextToo) {
  ScanOptions options = {.inputs = {Write("notes", {NoteBytes("a"), NoteBytes("no"), kBroken, NoteBytes("b")})}};
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  options.dead_letters = folder_ + "/letters";
  EXPECT_THAT(ScanWithStrings(options).strings, ElementsAre("'a'", "'b'"));
  std::ostringstream letters;
  letters << std::ifstream(options.dead_letters).rdbuf();
  EXPECT_EQ(letters.str(), std::string("\x04") + NoteBytes("no") + std::string("\x04") + kBroken);
}

TEST_F(ScanTest, ARecordThatIsBrokenInTheConditionIsBroken) {
  ScanOptions options = {.inputs = {Write("notes", {NoteBytes("0"), NoteBytes("\xff"), NoteBytes("2")})}};
  options.format = RecordFormat::kDelimited;
  options.row_options.where = "text <> 'x'";
  options.row_options.selection = {{"number"}, {}};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("record 1"));
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  EXPECT_THAT(ScanAll(options).batches, ElementsAre(2));
  EXPECT_THAT(ScanAll(options).broken, ElementsAre(HasSubstr("UTF-8")));
  options.row_options.decode.on_error = DecodeOptions::OnError::kNull;
  EXPECT_THAT(ScanAll(options).batches, ElementsAre(3));
}

TEST_F(ScanTest, RowsForBrokenRecordsAreMarked) {
  ScanOptions options = {.inputs = {Write("notes", {kBroken, NoteBytes("1"), kBroken})}};
  options.format = RecordFormat::kDelimited;
  options.row_options.decode.on_error = DecodeOptions::OnError::kNull;
  std::unique_ptr<Scan> scan = *Scan::Create(scan_test::NoteColumns::plan(), options);
  std::vector<uint8_t> broken;
  ASSERT_TRUE(*scan->Next([&](const ScanBatch& batch) {
    broken.assign(batch.broken.begin(), batch.broken.end());
    return absl::OkStatus();
  }));
  EXPECT_THAT(broken, ElementsAre(1, 0, 1));
}

TEST_F(ScanTest, ABrokenRecordHarmsNoNeighbour) {
  ScanOptions options = {.inputs = {Write("notes", {NoteBytes("0"), kBroken, NoteBytes("2")})}};
  options.format = RecordFormat::kDelimited;
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("record 1, byte"));

  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  const Scanned skipped = ScanAll(options);
  EXPECT_THAT(skipped.strings, ElementsAre("0", "2"));
  EXPECT_THAT(skipped.broken, ElementsAre(AllOf(HasSubstr("record 1"), HasSubstr("text"))));

  options.row_options.decode.on_error = DecodeOptions::OnError::kNull;
  EXPECT_THAT(ScanAll(options).strings, ElementsAre("0", "", "2"));

  options.row_options.decode.max_errors = 0;
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("1 record cannot be converted"));
}

TEST_F(ScanTest, DeadLettersAreThereAfterTheFirstBatch) {
  ScanOptions options = {.inputs = {Write("notes", {kBroken, NoteBytes("1")})}, .dead_letters = folder_ + "/dead"};
  options.format = RecordFormat::kDelimited;
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  EXPECT_THAT(ScanAll(options).strings, ElementsAre("1"));
  EXPECT_EQ(fs::file_size(folder_ + "/dead"), 5);
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("exists already"));
  options.overwrite = true;
  EXPECT_EQ(ScanAll(options).status, absl::OkStatus());
  options.reserved = {folder_ + "/dead"};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("name another file"));
}

}  // namespace
}  // namespace structtensor
