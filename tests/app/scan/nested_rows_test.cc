// Scans whose rows are elements of a field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "scan_testutil.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A field of length-delimited bytes.
std::string Field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}

class NestedRowsTest : public ScanTest {
 protected:
  static Scanned ScanNotes(ScanOptions options, const std::string& rows = "notes") {
    options.rows = rows;
    return ScanAll(std::move(options), scan_test::BookColumns::plan());
  }
};

TEST_F(NestedRowsTest, ElementsOfAllRecordsAreRowsInBatchesOfAnySize) {
  const std::string path = Write("books", {Field(1, NoteBytes("a")) + Field(3, "title") + Field(1, NoteBytes("b")), "",
                                           Field(3, "no notes"), Field(1, "") + Field(1, NoteBytes("d"))});
  for (const size_t batch_size : {1, 2, 3, 100}) {
    const Scanned scanned = ScanNotes({.inputs = {path}, .batch_size = batch_size});
    EXPECT_EQ(scanned.status, absl::OkStatus());
    EXPECT_THAT(scanned.strings, ElementsAre("a", "b", "", "d"));
    for (const size_t rows : scanned.batches) EXPECT_LE(rows, batch_size);
  }
  for (const size_t batch_bytes : {1, 3, 5}) {
    EXPECT_THAT(ScanNotes({.inputs = {path}, .batch_bytes = batch_bytes}).strings, ElementsAre("a", "b", "", "d"));
  }
}

TEST_F(NestedRowsTest, SkipLimitAndConditionsAreAboutElements) {
  const std::string path = Write(
      "books", {Field(1, NoteBytes("a")) + Field(1, NoteBytes("b")), Field(1, NoteBytes("c")) + Field(1, NoteBytes("d"))});
  EXPECT_THAT(ScanNotes({.inputs = {path}, .skip = 1, .limit = 2}).strings, ElementsAre("b", "c"));
  EXPECT_THAT(ScanNotes({.inputs = {path}, .row_options = {.where = "text > 'b'"}}).strings, ElementsAre("c", "d"));
}

TEST_F(NestedRowsTest, PartsOfAMessageAreOneMessage) {
  const std::string a = Field(1, NoteBytes("a"));
  const std::string b = Field(1, NoteBytes("b"));
  const std::string path = Write("books", {Field(2, a) + Field(3, "title") + Field(2, b + Field(2, a)), Field(2, "")});
  EXPECT_THAT(ScanNotes({.inputs = {path}}, "inner.notes").strings, ElementsAre("a", "b"));
  EXPECT_THAT(ScanNotes({.inputs = {path}}, "inner.inner.notes").strings, ElementsAre("a"));
}

TEST_F(NestedRowsTest, ABrokenElementIsOneBrokenRowAndABrokenMessageIsOne) {
  const std::string a = Field(1, NoteBytes("a"));
  const std::string path = Write("books", {a + Field(1, kBroken) + a, a + "\x0a\x7f", Field(1, NoteBytes("z"))});
  ScanOptions options = {.inputs = {path}, .format = RecordFormat::kDelimited};
  options.dead_letters = folder_ + "/dead";
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  for (const size_t batch_size : {1, 2, 100}) {
    options.batch_size = batch_size;
    options.overwrite = true;
    const Scanned scanned = ScanNotes(options);
    EXPECT_EQ(scanned.status, absl::OkStatus());
    EXPECT_THAT(scanned.strings, ElementsAre("a", "a", "z"));
    ASSERT_EQ(scanned.broken.size(), 2u);
    EXPECT_THAT(scanned.broken[0], HasSubstr("books record 0, byte 9, text: "));
    EXPECT_THAT(
        scanned.broken[1],
        HasSubstr(
            "books record 1, byte 18: its notes cannot be found: the value runs past the end of its message, at byte 24"));
    std::ifstream dead(options.dead_letters, std::ios::binary);
    const std::string letters{std::istreambuf_iterator<char>(dead), {}};
    std::string expected;
    AppendRecord(RecordFormat::kDelimited, kBroken, expected);
    AppendRecord(RecordFormat::kDelimited, a + "\x0a\x7f", expected);
    EXPECT_EQ(letters, expected);
  }
  options.row_options.decode.on_error = DecodeOptions::OnError::kNull;
  EXPECT_THAT(ScanNotes(options).strings, ElementsAre("a", "", "a", "", "z"));
  options.row_options.decode.on_error = DecodeOptions::OnError::kFail;
  options.batch_size = 1;
  const Scanned failed = ScanNotes(options);
  EXPECT_THAT(failed.strings, ElementsAre("a"));
  EXPECT_EQ(failed.status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(NestedRowsTest, AMessageWithTooManyElementsIsBroken) {
  const std::string a = Field(1, NoteBytes("a"));
  ScanOptions options = {.inputs = {Write("books", {a + a, a + a + a, a})}, .format = RecordFormat::kDelimited};
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  options.row_options.decode.max_rows = 2;
  options.batch_size = 2;
  const Scanned scanned = ScanNotes(options);
  EXPECT_EQ(scanned.status, absl::OkStatus());
  EXPECT_THAT(scanned.strings, ElementsAre("a", "a", "a"));
  ASSERT_EQ(scanned.broken.size(), 1u);
  EXPECT_THAT(scanned.broken[0], HasSubstr("books record 1, byte 12: it has more than `max_rows=2` elements at notes"));
}

TEST_F(NestedRowsTest, APathThatIsNoRepeatedMessageIsRefused) {
  const struct {
    std::string rows;
    std::string problem;
  } cases[] = {
      {"notez", "notez is not a field; expected a message field; those of scan_test.Book are notes, inner"},
      {"title", "title is not a message"},
      {"inner", "'inner' is not repeated"},
      {"by_name", "by_name is a map"},
      {"notes[0]", "[0] is not a field"},
      {"notes.text", "text is not a message; expected a message field; it has none"},
      {"notes..text", "^"},
      {"inner.notes.", "^"},
  };
  for (const auto& c : cases) {
    const Scanned scanned = ScanNotes({.inputs = {WriteNotes("notes", {"one"})}}, c.rows);
    EXPECT_EQ(scanned.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(scanned.status.message()), HasSubstr(c.problem));
  }
  std::string deep = "notes";
  for (int i = 0; i < 1000; ++i) deep = "inner." + deep;
  EXPECT_THAT(std::string(ScanNotes({.inputs = {WriteNotes("notes", {"one"})}}, deep).status.message()),
              HasSubstr("1000 fields are the most"));
}

// max_depth bounds the way to the rows, and what is passed over on it.
TEST_F(NestedRowsTest, RowsAreAsDeepAsMaxDepthAllows) {
  std::string message = Field(1, NoteBytes("a"));
  std::string path = "notes";
  for (int depth = 1; depth <= 150; ++depth) {
    ScanOptions options = {.inputs = {Write("books", {message})}, .format = RecordFormat::kDelimited};
    for (const int max_depth : {0, 1, depth - 1, depth, depth + 1, 1000}) {
      options.row_options.decode.max_depth = max_depth;
      const Scanned scanned = ScanNotes(options, path);
      if (max_depth >= depth) {
        EXPECT_EQ(scanned.status, absl::OkStatus());
        EXPECT_THAT(scanned.strings, ElementsAre("a")) << depth << " " << max_depth;
      } else {
        EXPECT_THAT(std::string(scanned.status.message()),
                    HasSubstr("`rows`: a path of " + std::to_string(depth) +
                              " fields, more than `max_depth=" + std::to_string(max_depth)));
      }
    }
    if (message.size() > 120) break;
    message = Field(2, message);
    path = "inner." + path;
  }
  // Groups beside the rows: of a field that the type does not have.
  for (const int depth : {1, 2, 100, 101, 200}) {
    const std::string a = Field(1, NoteBytes("a"));
    const std::string groups =
        std::string(static_cast<size_t>(depth), '\x7b') + std::string(static_cast<size_t>(depth), '\x7c') + a;
    ScanOptions options = {.inputs = {Write("books", {a, groups})}, .format = RecordFormat::kDelimited};
    options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
    for (const int max_depth : {1, 2, 100, 1000}) {
      options.row_options.decode.max_depth = max_depth;
      const Scanned scanned = ScanNotes(options);
      EXPECT_EQ(scanned.status, absl::OkStatus());
      EXPECT_EQ(scanned.strings.size(), depth <= max_depth ? 2u : 1u) << depth << " " << max_depth;
      if (depth > max_depth) {
        ASSERT_EQ(scanned.broken.size(), 1u);
        EXPECT_THAT(scanned.broken[0], HasSubstr("it is nested deeper than `max_depth=" + std::to_string(max_depth)));
      }
    }
  }
}

}  // namespace
}  // namespace structtensor
