// Columns that say which files rows are from, and where they are in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "scan_testutil.h"
#include "structtensor/app/scan/scan.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The columns "file" and "at" of all rows: "a:1".
struct Placed {
  std::vector<std::string> rows;
  absl::Status status;
};

Placed ScanPlaces(ScanOptions options) {
  options.filename_column = "file";
  options.offset_column = "at";
  Placed placed;
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(scan_test::NoteColumns::plan(), options);
  if (!scan.ok()) return {{}, scan.status()};
  const TypeSpec schema = TypeSpec((*scan)->empty().spec()).WithUnknownSizes();
  while (true) {
    const absl::StatusOr<bool> more = (*scan)->Next([&](const ScanBatch& batch) {
      EXPECT_EQ(TypeSpec(batch.rows.spec()).WithUnknownSizes(), schema);
      const Tensor files = *batch.rows.FindFlatField("file")->tensor();
      const Tensor offsets = *batch.rows.FindFlatField("at")->tensor();
      for (int64_t row = 0; row < batch.rows.nrows(); ++row) {
        const std::string file(files.string_at(row));
        placed.rows.push_back(fs::path(file).filename().string() + ":" +
                              std::to_string(offsets.values<int64_t>()[static_cast<size_t>(row)]));
      }
      return absl::OkStatus();
    });
    if (!more.ok()) return {{}, more.status()};
    if (!*more) return placed;
  }
}

TEST_F(ScanTest, ColumnsSayWhereRowsAreFrom) {
  const std::string a = WriteNotes("a", {"one", "two", ""});
  const std::string b = WriteNotes("b", {"three"});
  for (const size_t batch_size : {1, 2, 3, 100}) {
    EXPECT_THAT(ScanPlaces({.inputs = {a, b, a}, .batch_size = batch_size}).rows,
                ElementsAre("a:1", "a:7", "a:13", "b:1", "a:1", "a:7", "a:13"));
  }
  EXPECT_THAT(ScanPlaces({.inputs = {a}, .skip = 1, .limit = 1}).rows, ElementsAre("a:7"));
  ScanOptions chosen = {.inputs = {a, b}};
  chosen.row_options.where = "text <> 'one'";
  EXPECT_THAT(ScanPlaces(chosen).rows, ElementsAre("a:7", "a:13", "b:1"));
}

TEST_F(ScanTest, ColumnsSayWhereRowsAreFromBesideBrokenRecords) {
  const std::string path = Write("notes", {kBroken, NoteBytes("1"), kBroken, kBroken, NoteBytes("4"), NoteBytes("\xff")});
  {
    std::ofstream cut(path, std::ios::binary | std::ios::app);
    cut << "\x7f\x0a";  // a message of 127 bytes, cut off after the first
  }
  for (const bool with_condition : {false, true}) {
    for (const size_t batch_size : {1, 2, 4, 100}) {
      ScanOptions options = {.inputs = {path}, .format = RecordFormat::kDelimited, .batch_size = batch_size};
      options.on_damaged_file = OnDamagedFile::kRest;
      if (with_condition) options.row_options.where = "text <> 'no'";
      options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
      EXPECT_THAT(ScanPlaces(options).rows, ElementsAre("notes:6", "notes:20")) << batch_size << with_condition;
      options.row_options.decode.on_error = DecodeOptions::OnError::kNull;
      EXPECT_THAT(ScanPlaces(options).rows, ElementsAre("notes:1", "notes:6", "notes:10", "notes:15", "notes:20", "notes:24"))
          << batch_size << with_condition;
    }
  }
}

// A batch of more messages than max_rows is decoded in halves.
TEST_F(ScanTest, ColumnsSayWhereRowsAreFromInParts) {
  const std::string path = Write("notes", {NoteBytes("0"), kBroken, NoteBytes("2"), kBroken, NoteBytes("4"), NoteBytes("5")});
  ScanOptions options = {.inputs = {path}, .format = RecordFormat::kDelimited};
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  options.row_options.decode.max_rows = 2;
  EXPECT_THAT(ScanPlaces(options).rows, ElementsAre("notes:1", "notes:10", "notes:19", "notes:23"));
}

TEST_F(ScanTest, ColumnsOfPlacesNeedNamesOfTheirOwn) {
  ScanOptions options = {.inputs = {WriteNotes("a", {"one"})}};
  const auto refused = [&](const std::string& filename, const std::string& offset) {
    options.filename_column = filename;
    options.offset_column = offset;
    return std::string(ScanAll(options).status.message());
  };
  EXPECT_THAT(refused("text", ""), HasSubstr("`filename_column`: there is a column text already"));
  EXPECT_THAT(refused("", "number"), HasSubstr("`offset_column`: there is a column number already"));
  EXPECT_THAT(refused("x", "x"), HasSubstr("both called x"));
  EXPECT_EQ(refused("Text", "number2"), "");
  options.row_options.selection = {{}, {"number"}};
  EXPECT_EQ(refused("", "number"), "");
}

TEST_F(ScanTest, NamesOfFilesAreUtf8AndDifferAsTheFilesDo) {
  const Placed placed = ScanPlaces(
      {.inputs = {WriteNotes("a\xff\n", {"one"}), WriteNotes("a\xfe\n", {"two"}), WriteNotes("a\\xff\n", {"three"})}});
  EXPECT_THAT(placed.rows, ElementsAre("a\\xff\\x0a:1", "a\\xfe\\x0a:1", "a\\x5cxff\\x0a:1"));
}

}  // namespace
}  // namespace structtensor
