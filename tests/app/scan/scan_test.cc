#include "structtensor/app/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan_testutil.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ScanTest, ASharedPlanLivesAsLongAsTheRows) {
  const std::string path = WriteNotes("a", {"one"});
  // Nothing is freed at the end: this watches when it would be.
  auto plan = std::shared_ptr<const plan::MessagePlan>(&scan_test::NoteColumns::plan(), [](const plan::MessagePlan*) {});
  const std::weak_ptr<const plan::MessagePlan> watched = plan;
  std::vector<StructuredTensor> rows;
  {
    absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(std::move(plan), {.inputs = {path}});
    ASSERT_TRUE(scan.ok()) << scan.status();
    const absl::StatusOr<bool> more = (*scan)->Next([&](const ScanBatch& batch) {
      rows.push_back(batch.rows);
      return absl::OkStatus();
    });
    ASSERT_TRUE(more.ok()) << more.status();
  }
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(watched.expired());
  rows.clear();
  EXPECT_TRUE(watched.expired());
}

// Messages as an encoder writes them.
class EncodedRecords : public RecordReader {
 public:
  explicit EncodedRecords(std::vector<std::string> messages) : messages_(std::move(messages)) {}

  absl::StatusOr<bool> NextBatch(size_t, size_t, RecordBatch* batch) override {
    if (std::exchange(read_, true)) return false;
    std::vector<RecordLocation> locations;
    for (size_t i = 0; i < messages_.size(); ++i) locations.push_back({.record_number = static_cast<int64_t>(i)});
    batch->Assign(std::vector<std::string_view>(messages_.begin(), messages_.end()), locations);
    EXPECT_FALSE(batch->written_by_encoder());
    batch->MarkWrittenByEncoder();
    return true;
  }
  std::string Where(const RecordLocation&, size_t) const override { return "here"; }
  std::string InputName(uint32_t) const override { return "here"; }
  int64_t bytes_read() const override { return 0; }

 private:
  const std::vector<std::string> messages_;
  bool read_ = false;
};

// Whether the messages of the only batch of a scan match its columns.
bool MessagesMatch(const std::vector<std::string>& messages, ScanOptions options = {}) {
  options.open_records = [&messages](const auto&...) { return std::make_unique<EncodedRecords>(messages); };
  std::vector<bool> match;
  const auto scan = Scan::Create(scan_test::NoteColumns::plan(), std::move(options));
  EXPECT_TRUE(scan.ok()) << scan.status();
  const absl::StatusOr<bool> more = (*scan)->Next([&match](const ScanBatch& batch) {
    match.push_back(batch.messages_match_columns);
    return absl::OkStatus();
  });
  EXPECT_TRUE(more.ok()) << more.status();
  EXPECT_EQ(match.size(), 1u);
  return match.at(0);
}

ScanOptions RowsWith(RowOptions options) { return {.row_options = std::move(options)}; }

TEST_F(ScanTest, MessagesOfAnEncoderMatchTheColumnsIfNothingIsLeftOut) {
  const std::vector<std::string> notes = {NoteBytes("one"), NoteBytes("two")};
  EXPECT_TRUE(MessagesMatch(notes));
  EXPECT_TRUE(MessagesMatch(notes, RowsWith({.where = "text = 'two'"})));
  EXPECT_TRUE(MessagesMatch(notes, RowsWith({.threads = 2})));
  EXPECT_FALSE(MessagesMatch(notes, RowsWith({.selection = {.select = {}, .drop = {"number"}}})));
  EXPECT_FALSE(MessagesMatch(notes, RowsWith({.decode = {.fields = {"text"}}})));

  const std::vector<std::string> with_unknown = {NoteBytes("one"), NoteBytes("two") + "\x18\x01"};
  EXPECT_FALSE(MessagesMatch(with_unknown));
  EXPECT_TRUE(MessagesMatch(with_unknown, RowsWith({.decode = {.unknown_fields = DecodeOptions::UnknownFields::kKeep}})));

  const std::vector<std::string> with_changed = {NoteBytes("one"), "\x08\x01"};  // a text as a number
  EXPECT_FALSE(MessagesMatch(with_changed));

  const std::vector<std::string> with_broken = {NoteBytes("one"), kBroken};
  EXPECT_FALSE(MessagesMatch(with_broken, RowsWith({.decode = {.on_error = DecodeOptions::OnError::kNull}})));
  EXPECT_FALSE(MessagesMatch(with_broken, RowsWith({.decode = {.on_error = DecodeOptions::OnError::kSkip}})));
}

TEST_F(ScanTest, SkipAndLimitCountRecords) {
  const std::string path = Write("notes", {NoteBytes("0"), kBroken, NoteBytes("2"), NoteBytes("3"), NoteBytes("4")});
  struct Case {
    int64_t skip;
    int64_t limit;
    std::vector<std::string> strings;
    size_t broken;
  };
  for (const Case& c : std::vector<Case>{{0, -1, {"0", "2", "3", "4"}, 1},
                                         {0, 0, {}, 0},
                                         {0, 2, {"0"}, 1},
                                         {1, 2, {"2"}, 1},
                                         {2, -1, {"2", "3", "4"}, 0},
                                         {4, 7, {"4"}, 0},
                                         {5, -1, {}, 0},
                                         {INT64_MAX, INT64_MAX, {}, 0}}) {
    for (const size_t batch_size : {1, 2, 100}) {
      ScanOptions options = {.inputs = {path}, .batch_size = batch_size, .skip = c.skip, .limit = c.limit};
      options.format = RecordFormat::kDelimited;
      options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
      const Scanned scanned = ScanAll(options);
      EXPECT_EQ(scanned.status, absl::OkStatus());
      EXPECT_EQ(scanned.strings, c.strings) << c.skip << " " << c.limit << " " << batch_size;
      EXPECT_EQ(scanned.broken.size(), c.broken) << c.skip << " " << c.limit << " " << batch_size;
    }
  }
}

TEST_F(ScanTest, OptionsOutsideTheirRangesAreRefusedWithNameAndValue) {
  const auto refused = [](const ScanOptions& options) { return std::string(ScanAll(options).status.message()); };
  EXPECT_THAT(refused({.inputs = {}}), HasSubstr("inputs"));
  EXPECT_THAT(refused({.batch_size = 0}), AllOf(HasSubstr("batch_size=0`"), HasSubstr("1 to 16777216")));
  EXPECT_THAT(refused({.batch_bytes = 0}), HasSubstr("batch_bytes=0"));
  EXPECT_THAT(refused({.skip = -1}), HasSubstr("skip=-1"));
  EXPECT_THAT(refused({.limit = -2}), HasSubstr("limit=-2"));
  EXPECT_THAT(refused({.row_options = {.decode = {.max_errors = -2}}}), HasSubstr("max_errors=-2"));
  EXPECT_THAT(refused({.row_options = {.decode = {.max_depth = -1}}}), HasSubstr("max_depth"));
  EXPECT_THAT(refused({.row_options = {.decode = {.max_errors = 1}}}),
              HasSubstr("max_errors=1`: expected `on_error=kSkip` or `on_error=kNull`"));
  EXPECT_THAT(refused({.row_options = {.decode = {.on_error = static_cast<DecodeOptions::OnError>(3)}}}),
              HasSubstr("on_error=3`: expected"));
  EXPECT_THAT(refused({.row_options = {.decode = {.recursion_depth = 11}}}),
              HasSubstr("recursion_depth=11`: expected 0 to 10"));
  EXPECT_THAT(refused({.row_options = {.decode = {.max_message_bytes = 0}}}),
              HasSubstr("max_message_bytes=0`: expected 1 to 2147483647"));
}

TEST_F(ScanTest, ReadsSelectedFieldsOnly) {
  ScanOptions options = {.inputs = {WriteNotes("a", {"one"})}, .row_options = {.selection = {{}, {"text"}}}};
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(scan_test::NoteColumns::plan(), options);
  ASSERT_TRUE(scan.ok()) << scan.status();
  EXPECT_THAT((*scan)->empty().field_names(), ElementsAre("number"));
  options.row_options.decode.fields = {"text"};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("both set"));
}

TEST_F(ScanTest, AConditionChoosesRows) {
  ScanOptions options = {.inputs = {WriteNotes("a", {"one", "two", "three", "two"})}, .batch_size = 3};
  options.row_options.where = "text = 'two'";
  EXPECT_THAT(ScanAll(options).strings, ElementsAre("two", "two"));
  options.row_options.where = "text = ";
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("condition, byte"));
}

TEST_F(ScanTest, TheSmallestBatchesReadEverything) {
  const Scanned scanned =
      ScanAll({.inputs = {WriteNotes("a", {"one", "two"})}, .batch_size = ScanOptions::kGreatestBatchSize, .batch_bytes = 1});
  EXPECT_THAT(scanned.strings, ElementsAre("one", "two"));
  EXPECT_THAT(scanned.batches, ElementsAre(1, 1));
}

TEST_F(ScanTest, AnErrorOfTheUserEndsTheScan) {
  absl::StatusOr<std::unique_ptr<Scan>> scan =
      Scan::Create(scan_test::NoteColumns::plan(), {.inputs = {WriteNotes("a", {"one"})}});
  ASSERT_TRUE(scan.ok()) << scan.status();
  EXPECT_EQ((*scan)->Next([](const ScanBatch&) { return absl::AbortedError("enough"); }).status(),
            absl::AbortedError("enough"));
}

TEST_F(ScanTest, TheEmptyBatchHasTheFieldsOfAll) {
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(scan_test::NoteColumns::plan(), {.inputs = {"not there"}});
  ASSERT_TRUE(scan.ok()) << scan.status();
  EXPECT_EQ((*scan)->empty().nrows(), 0);
  EXPECT_THAT((*scan)->empty().field_names(), ElementsAre("text", "number"));
  EXPECT_EQ((*scan)->Next([](const ScanBatch&) { return absl::OkStatus(); }).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ScanTest, ThreadsChangeNothing) {
  std::vector<std::string> messages;
  for (int i = 0; i < 500; ++i) messages.push_back(i % 50 == 7 ? kBroken : NoteBytes(std::to_string(i)));
  ScanOptions options = {.inputs = {Write("notes", messages)}, .format = RecordFormat::kDelimited, .batch_size = 7};
  for (const DecodeOptions::OnError on_error :
       {DecodeOptions::OnError::kSkip, DecodeOptions::OnError::kNull, DecodeOptions::OnError::kFail}) {
    options.row_options.decode.on_error = on_error;
    for (const auto& [skip, limit] : {std::pair(0, -1), std::pair(3, 100), std::pair(0, 0), std::pair(499, 10)}) {
      options.skip = skip;
      options.limit = limit;
      for (const std::string where : {"", "text >= '3'"}) {
        options.row_options.where = where;
        options.row_options.threads = 1;
        const Scanned expected = ScanAll(options);
        for (const int threads : {2, 5}) {
          options.row_options.threads = threads;
          const Scanned actual = ScanAll(options);
          EXPECT_EQ(actual.strings, expected.strings);
          EXPECT_EQ(actual.batches, expected.batches);
          EXPECT_EQ(actual.broken, expected.broken);
          EXPECT_EQ(actual.status, expected.status);
        }
      }
    }
  }
}

TEST_F(ScanTest, ThreadsSplitBatchesThatNeedTooMuchMemory) {
  std::vector<std::string> strings(2000, std::string(100, 'x'));
  ScanOptions options = {.inputs = {WriteNotes("notes", strings)}, .row_options = {.threads = 3}};
  options.row_options.decode.max_memory_bytes = 64 << 10;
  EXPECT_EQ(ScanAll(options).strings, strings);
}

TEST_F(ScanTest, AScanWithThreadsMayEndEarly) {
  const std::string path = WriteNotes("notes", std::vector<std::string>(1000, "text"));
  const ScanOptions options = {.inputs = {path}, .row_options = {.threads = 4}, .batch_size = 10};
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(scan_test::NoteColumns::plan(), options);
  ASSERT_TRUE(scan.ok());
  const auto refuse = [](const ScanBatch&) { return absl::CancelledError("enough"); };
  EXPECT_EQ((*scan)->Next(refuse).status(), absl::CancelledError("enough"));
  EXPECT_EQ((*scan)->Next([](const ScanBatch&) { return absl::OkStatus(); }).status(), absl::CancelledError("enough"));
}

TEST_F(ScanTest, RefusesNumbersOfThreadsThatCannotBe) {
  for (const int threads : {0, -1, RowOptions::kGreatestThreads + 1, INT_MIN, INT_MAX}) {
    const Scanned scanned = ScanAll({.inputs = {WriteNotes("notes", {"one"})}, .row_options = {.threads = threads}});
    EXPECT_EQ(scanned.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(scanned.status.message()), HasSubstr("threads="));
  }
}

// number was a string once, and text a fixed32.
TEST_F(ScanTest, FieldsThatWereOfAnotherTypeAreReportedWithTheirFirstMessage) {
  const std::string old =
      "\x12\x03two"
      "\x0d"
      "1234";
  const std::string first = Write("a", {NoteBytes("new"), kBroken});
  const std::string second = Write("b", {NoteBytes("new"), old, old + old});
  ScanOptions options = {.inputs = {first, second}, .format = RecordFormat::kDelimited, .batch_size = 2};
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(scan_test::NoteColumns::plan(), options);
  ASSERT_TRUE(scan.ok());
  int64_t rows = 0;
  while (*(*scan)->Next([&](const ScanBatch& batch) {
    rows += batch.rows.nrows();
    return absl::OkStatus();
  })) {
  }
  EXPECT_EQ(rows, 4);
  const std::vector<ChangedField>& changed = (*scan)->changed_fields();
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].field_path, "number");
  EXPECT_EQ(changed[0].declared, plan::Kind::kInt32);
  EXPECT_EQ(changed[0].found, plan::kLen);
  EXPECT_EQ(changed[0].count, 3);
  EXPECT_THAT(changed[0].first, HasSubstr("/b record 1, byte "));
  EXPECT_EQ(changed[1].field_path, "text");
  EXPECT_EQ(changed[1].found, plan::kI32);
  EXPECT_EQ(changed[1].count, 3);
}

}  // namespace
}  // namespace structtensor
