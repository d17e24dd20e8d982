#include "structtensor/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "note.structtensor.h"
#include "structtensor/records/record_writer.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string NoteBytes(const std::string& text) { return std::string("\x0a") + static_cast<char>(text.size()) + text; }

const char* const kBroken = "\x0a\x05wo";  // ends in a text of five bytes

class ScanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "scan_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::vector<std::string>& messages) {
    std::string bytes;
    for (const std::string& message : messages) AppendRecord(RecordFormat::kDelimited, message, bytes);
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string WriteNotes(const std::string& name, const std::vector<std::string>& texts) {
    std::vector<std::string> messages;
    for (const std::string& text : texts) messages.push_back(NoteBytes(text));
    return Write(name, messages);
  }

  std::string folder_;
};

struct Scanned {
  std::vector<std::string> texts;
  std::vector<size_t> batches;  // rows of each
  std::vector<std::string> broken;
  absl::Status status;
};

Scanned ScanAll(ScanOptions options, const plan::MessagePlan& message = scan_test::NoteColumns::plan()) {
  Scanned scanned;
  options.on_broken_record = [&](const BrokenRecord& record) { scanned.broken.push_back(record.text); };
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(message, options);
  if (!scan.ok()) {
    scanned.status = scan.status();
    return scanned;
  }
  while (true) {
    const absl::StatusOr<bool> more = (*scan)->Next([&](const ScanBatch& batch) {
      const auto typed = TypedBatch<scan_test::NoteBatch>(batch.columns);
      if (!typed.ok()) return typed.status();
      const scan_test::NoteBatch& notes = *typed;
      for (const std::string_view text : notes.text()) scanned.texts.emplace_back(text);
      scanned.batches.push_back(static_cast<size_t>(batch.rows.nrows()));
      EXPECT_TRUE(batch.messages.empty() || batch.messages.size() == scanned.batches.back());
      return absl::OkStatus();
    });
    if (!more.ok()) scanned.status = more.status();
    if (!more.ok() || !*more) break;
  }
  EXPECT_EQ((*scan)->Close(), absl::OkStatus());
  return scanned;
}

TEST_F(ScanTest, ReadsInputsOneAfterAnotherInBatches) {
  const Scanned scanned =
      ScanAll({.inputs = {WriteNotes("a", {"one", "two", "three"}), WriteNotes("b", {"four"})}, .batch_size = 3});
  EXPECT_EQ(scanned.status, absl::OkStatus());
  EXPECT_THAT(scanned.texts, ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(scanned.batches, ElementsAre(3, 1));
}

// Message indexes as the headers of Confluent's serializers have them, with fewer than 64 indexes below 64.
std::string WithIndexes(const std::vector<int>& indexes, const std::string& message) {
  std::string record("\0\0\0\0\7", 5);
  record += static_cast<char>(2 * indexes.size());
  for (const int index : indexes) record += static_cast<char>(2 * index);
  return record + message;
}

std::vector<std::string> NotesTypes(std::span<const int32_t> indexes) {
  if (indexes.size() != 1) return {};
  if (indexes[0] == 0) return {"other.First"};
  if (indexes[0] == 1) return {std::string(scan_test::NoteColumns::plan().full_name)};
  if (indexes[0] == 2) return {"other.Third", std::string(scan_test::NoteColumns::plan().full_name)};
  return {};
}

TEST_F(ScanTest, ConfluentHeadersNameTheMessageType) {
  const std::string path = Write(
      "a", {WithIndexes({1}, NoteBytes("one")), WithIndexes({0}, NoteBytes("two")), WithIndexes({1, 0}, NoteBytes("three")),
            NoteBytes("four"), WithIndexes({2}, NoteBytes("five")), WithIndexes({}, NoteBytes("six"))});
  ScanOptions options = {.inputs = {path}, .confluent_headers = true};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("types_of_indexes is needed"));
  options.types_of_indexes = NotesTypes;
  EXPECT_THAT(std::string(ScanAll(options).status.message()),
              HasSubstr("record 1, byte 13: the message indexes [0] in its Confluent header name other.First; expected "));
  options.decode.on_error = DecodeOptions::OnError::kSkip;
  for (const int threads : {1, 3}) {
    options.threads = threads;
    for (const size_t batch_size : {1, 2, 100}) {
      options.batch_size = batch_size;
      const Scanned scanned = ScanAll(options);
      EXPECT_EQ(scanned.status, absl::OkStatus());
      EXPECT_THAT(scanned.texts, ElementsAre("one", "five"));
      EXPECT_THAT(scanned.broken, ElementsAre(HasSubstr("[0] in its Confluent header name other.First"),
                                              HasSubstr("[1, 0] in its Confluent header name no message type"),
                                              HasSubstr("does not begin with a Confluent header"),
                                              HasSubstr("[0] in its Confluent header name other.First")));
    }
  }
}

TEST_F(ScanTest, TheFirstConfluentHeaderChoosesTheType) {
  const std::string note(scan_test::NoteColumns::plan().full_name);
  const auto found = [&](const std::vector<std::string>& inputs) {
    const absl::StatusOr<std::string> name =
        FindConfluentMessage({.inputs = inputs, .confluent_headers = true, .types_of_indexes = NotesTypes});
    return name.ok() ? *name : std::string(name.status().message());
  };
  const std::string a = Write("a", {NoteBytes("no header"), WithIndexes({9}, ""), WithIndexes({1}, ""), WithIndexes({0}, "")});
  const std::string b = Write("b", {WithIndexes({0}, "")});
  const std::string none = Write("none", {});
  EXPECT_EQ(found({a}), note);
  EXPECT_EQ(found({none, a, b}), note);
  EXPECT_EQ(found({b, a}), "other.First");
  EXPECT_EQ(found({none}), "");
  EXPECT_EQ(found({"-"}), "");
  EXPECT_THAT(found({folder_ + "/missing"}), HasSubstr("missing"));
  EXPECT_THAT(found({Write("c", {WithIndexes({2}, "")})}), HasSubstr("name other.Third or " + note));
}

TEST_F(ScanTest, AMessageWithAConfluentHeaderSaysSo) {
  const std::string path = Write("a", {WithIndexes({1}, NoteBytes("one")), WithIndexes({1}, NoteBytes("two"))});
  EXPECT_THAT(std::string(ScanAll({.inputs = {path}}).status.message()),
              HasSubstr("it begins with a Confluent header: pass `confluent_headers`"));
}

TEST_F(ScanTest, PatternsStandForTheFilesThatFit) {
  fs::create_directories(folder_ + "/in/day=1");
  fs::create_directories(folder_ + "/in/day=2");
  for (const char* name : {"in/b.pb", "in/a.pb", "in/a.txt", "in/.a.pb", "in/_a.pb", "in/day=1/c.pb", "in/day=2/d.pb"}) {
    WriteNotes(name, {name});
  }
  fs::create_directories(folder_ + "/in/folder.pb");
  const auto texts = [&](const std::string& pattern) {
    Scanned scanned = ScanAll({.inputs = {folder_ + "/" + pattern}});
    EXPECT_EQ(scanned.status, absl::OkStatus()) << pattern;
    return scanned.texts;
  };
  EXPECT_THAT(texts("in/*.pb"), ElementsAre("in/_a.pb", "in/a.pb", "in/b.pb"));
  EXPECT_THAT(texts("in/.*.pb"), ElementsAre("in/.a.pb"));
  EXPECT_THAT(texts("i*/a*"), ElementsAre("in/a.pb", "in/a.txt"));
  EXPECT_THAT(texts("in/day=*/*.pb"), ElementsAre("in/day=1/c.pb", "in/day=2/d.pb"));
  EXPECT_THAT(texts("in/*/d.pb"), ElementsAre("in/day=2/d.pb"));
  for (const char* none : {"in/*.json", "none/*.pb", "*/*/*/x.pb"}) {
    const absl::Status status = ScanAll({.inputs = {folder_ + "/" + none}}).status;
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(none) + ": there is no file that fits"));
  }
  // A name may have a star.
  WriteNotes("in/*.pb", {"star"});
  EXPECT_THAT(texts("in/*.pb"), ElementsAre("star"));
  // A file that is written is not read by a pattern.
  EXPECT_THAT(ExpandInputs({folder_ + "/in/a*"}, {folder_ + "/in/z.pb"}).value(),
              ElementsAre(folder_ + "/in/a.pb", folder_ + "/in/a.txt"));
  EXPECT_EQ(ExpandInputs({folder_ + "/in/a*"}, {folder_ + "/in/a.txt"}).status().code(), absl::StatusCode::kInvalidArgument);
}

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

// The texts of notes, in quotes; notes whose text begins with "no" have none.
absl::StatusOr<WriteRowTexts> QuotedTexts(const plan::MessagePlan&) {
  return [](const DecodedBatch& rows, RowTexts& texts, std::vector<RowWithoutText>& without) {
    const auto notes = TypedBatch<scan_test::NoteBatch>(rows);
    if (!notes.ok()) return notes.status();
    const scan_test::NoteBatch& batch = *notes;
    for (const std::string_view text : batch.text()) {
      if (text.starts_with("no")) {
        without.push_back({.row = static_cast<int64_t>(texts.size()), .field_path = "text", .problem = "it is no text"});
      } else {
        texts.bytes += "'" + std::string(text) + "'";
      }
      texts.ends.push_back(texts.bytes.size());
    }
    return absl::OkStatus();
  };
}

struct ScannedTexts {
  std::vector<std::string> texts;   // written
  std::vector<std::string> values;  // of the rows
  std::vector<std::string> places;
  std::vector<std::string> broken;  // "number of the record, path: problem"
  bool none_is_sound = false;
  std::string error;
};

ScannedTexts ScanWithTexts(ScanOptions options) {
  ScannedTexts scanned;
  options.row_texts = QuotedTexts;
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
      EXPECT_NE(batch.texts, nullptr);
      EXPECT_EQ(batch.texts->size(), static_cast<size_t>(batch.rows.nrows()));
      const auto typed = TypedBatch<scan_test::NoteBatch>(batch.columns);
      const scan_test::NoteBatch& notes = *typed;
      for (const std::string_view text : notes.text()) scanned.values.emplace_back(text);
      for (size_t row = 0; row < batch.texts->size(); ++row) {
        scanned.texts.emplace_back((*batch.texts)[row]);
        scanned.places.push_back(
            std::to_string(batch.rows.FindFlatField("at")->tensor()->values<int64_t>()[static_cast<size_t>(row)]));
      }
      return absl::OkStatus();
    });
    if (!more.ok()) scanned.error = std::string(more.status().message());
    if (!more.ok() || !*more) break;
  }
  scanned.none_is_sound = scan->no_message_is_sound();
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
        ScanOptions options = {
            .inputs = {path}, .format = RecordFormat::kDelimited, .batch_size = batch_size, .threads = threads};
        options.decode.max_rows = max_rows;  // larger batches are decoded in halves
        options.decode.on_error = DecodeOptions::OnError::kSkip;
        ScannedTexts scanned = ScanWithTexts(options);
        EXPECT_EQ(scanned.error, "");
        EXPECT_THAT(scanned.texts, ElementsAre("'a'", "'b'", "'c'"));
        EXPECT_THAT(scanned.values, ElementsAre("a", "b", "c"));
        EXPECT_THAT(scanned.places, ElementsAre("6", "27", "36"));
        ASSERT_EQ(scanned.broken.size(), broken.size());
        for (size_t i = 0; i < broken.size(); ++i) EXPECT_THAT(scanned.broken[i], ::testing::StartsWith(broken[i]));

        options.decode.on_error = DecodeOptions::OnError::kNull;
        scanned = ScanWithTexts(options);
        EXPECT_EQ(scanned.error, "");
        EXPECT_THAT(scanned.texts, ElementsAre("''", "'a'", "''", "''", "''", "'b'", "''", "'c'", "''"));
        EXPECT_THAT(scanned.values, ElementsAre("", "a", "", "", "", "b", "", "c", ""));
        ASSERT_EQ(scanned.broken.size(), broken.size());
        for (size_t i = 0; i < broken.size(); ++i) EXPECT_THAT(scanned.broken[i], ::testing::StartsWith(broken[i]));

        options.decode.max_errors = 2;
        EXPECT_THAT(ScanWithTexts(options).error, HasSubstr("more than max_errors = 2"));
        options.decode.max_errors = -1;
        options.decode.on_error = DecodeOptions::OnError::kFail;
        options.where = "text <> 'x'";  // finds the other broken messages first, each batch by itself
        scanned = ScanWithTexts(options);
        EXPECT_THAT(scanned.error, AllOf(HasSubstr("record "), HasSubstr("`on_error=kSkip` leaves such messages out")));
        EXPECT_EQ(scanned.broken.size(), 1u);
      }
    }
  }
}

TEST_F(ScanTest, AMessageWithoutATextEndsTheScan) {
  const std::string path = WriteNotes("notes", {"a", "no", "b", "not"});
  const ScannedTexts scanned = ScanWithTexts({.inputs = {path}});
  EXPECT_THAT(scanned.error, AllOf(HasSubstr("notes record 1, byte 5, text: it is no text"), HasSubstr("on_error=kSkip")));
  EXPECT_THAT(scanned.broken, ElementsAre("1, text: it is no text"));
}

// Messages that were decoded are of the right type.
TEST_F(ScanTest, MessagesWithoutATextAreSound) {
  const std::string path = WriteNotes("notes", {"no", "not"});
  for (const auto on_error : {DecodeOptions::OnError::kFail, DecodeOptions::OnError::kSkip, DecodeOptions::OnError::kNull}) {
    ScanOptions options = {.inputs = {path}};
    options.decode.on_error = on_error;
    EXPECT_FALSE(ScanWithTexts(options).none_is_sound);
  }
}

TEST_F(ScanTest, DeadLettersHaveMessagesWithoutATextToo) {
  ScanOptions options = {.inputs = {Write("notes", {NoteBytes("a"), NoteBytes("no"), kBroken, NoteBytes("b")})}};
  options.decode.on_error = DecodeOptions::OnError::kSkip;
  options.dead_letters = folder_ + "/letters";
  EXPECT_THAT(ScanWithTexts(options).texts, ElementsAre("'a'", "'b'"));
  std::ostringstream letters;
  letters << std::ifstream(options.dead_letters).rdbuf();
  EXPECT_EQ(letters.str(), std::string("\x04") + NoteBytes("no") + std::string("\x04") + kBroken);
}

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

TEST_F(ScanTest, AFolderStandsForTheFilesInItByName) {
  WriteNotes("b", {"two"});
  WriteNotes("a", {"one"});
  WriteNotes(".hidden", {"not this"});
  WriteNotes("_SUCCESS", {"nor this"});
  fs::create_directory(folder_ + "/deeper");
  EXPECT_THAT(ScanAll({.inputs = {folder_}}).texts, ElementsAre("one", "two"));
}

TEST_F(ScanTest, AFolderWithoutFilesIsAnError) {
  EXPECT_THAT(std::string(ScanAll({.inputs = {folder_}}).status.message()), HasSubstr("a folder without files"));
}

TEST_F(ScanTest, SkipAndLimitCountRecords) {
  const std::string path = Write("notes", {NoteBytes("0"), kBroken, NoteBytes("2"), NoteBytes("3"), NoteBytes("4")});
  struct Case {
    int64_t skip;
    int64_t limit;
    std::vector<std::string> texts;
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
      options.decode.on_error = DecodeOptions::OnError::kSkip;
      const Scanned scanned = ScanAll(options);
      EXPECT_EQ(scanned.status, absl::OkStatus());
      EXPECT_EQ(scanned.texts, c.texts) << c.skip << " " << c.limit << " " << batch_size;
      EXPECT_EQ(scanned.broken.size(), c.broken) << c.skip << " " << c.limit << " " << batch_size;
    }
  }
}

TEST_F(ScanTest, OptionsOutsideTheirRangesAreRefusedWithNameAndValue) {
  const auto refused = [](const ScanOptions& options) { return std::string(ScanAll(options).status.message()); };
  EXPECT_THAT(refused({.inputs = {}}), HasSubstr("inputs"));
  EXPECT_THAT(refused({.batch_size = 0}), AllOf(HasSubstr("batch_size = 0"), HasSubstr("1 or more")));
  EXPECT_THAT(refused({.batch_bytes = 0}), HasSubstr("batch_bytes = 0"));
  EXPECT_THAT(refused({.skip = -1}), HasSubstr("skip = -1"));
  EXPECT_THAT(refused({.limit = -2}), HasSubstr("limit = -2"));
  EXPECT_THAT(refused({.decode = {.max_errors = -2}}), HasSubstr("max_errors = -2"));
  EXPECT_THAT(refused({.decode = {.max_depth = -1}}), HasSubstr("max_depth"));
  EXPECT_THAT(refused({.decode = {.max_errors = 1}}), HasSubstr("max_errors = 1; expected -1 with on_error = kFail"));
  EXPECT_THAT(refused({.decode = {.on_error = static_cast<DecodeOptions::OnError>(3)}}), HasSubstr("on_error = 3; expected"));
  EXPECT_THAT(refused({.decode = {.recursion_depth = 11}}), HasSubstr("recursion_depth = 11; expected 0 to 10"));
  EXPECT_THAT(refused({.decode = {.max_message_bytes = 0}}), HasSubstr("max_message_bytes = 0; expected 1 to 2147483647"));
}

TEST_F(ScanTest, ReadsSelectedFieldsOnly) {
  ScanOptions options = {.inputs = {WriteNotes("a", {"one"})}, .selection = {{}, {"text"}}};
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(scan_test::NoteColumns::plan(), options);
  ASSERT_TRUE(scan.ok()) << scan.status();
  EXPECT_THAT((*scan)->empty().field_names(), ElementsAre("number"));
  options.decode.fields = {"text"};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("both set"));
}

TEST_F(ScanTest, AConditionChoosesRows) {
  ScanOptions options = {.inputs = {WriteNotes("a", {"one", "two", "three", "two"})}, .batch_size = 3};
  options.where = "text = 'two'";
  EXPECT_THAT(ScanAll(options).texts, ElementsAre("two", "two"));
  options.where = "text = ";
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("condition, byte"));
}

TEST_F(ScanTest, ARecordThatIsBrokenInTheConditionIsBroken) {
  ScanOptions options = {.inputs = {Write("notes", {NoteBytes("0"), NoteBytes("\xff"), NoteBytes("2")})}};
  options.format = RecordFormat::kDelimited;
  options.where = "text <> 'x'";
  options.selection = {{"number"}, {}};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("record 1"));
  options.decode.on_error = DecodeOptions::OnError::kSkip;
  EXPECT_THAT(ScanAll(options).batches, ElementsAre(2));
  EXPECT_THAT(ScanAll(options).broken, ElementsAre(HasSubstr("UTF-8")));
  options.decode.on_error = DecodeOptions::OnError::kNull;
  EXPECT_THAT(ScanAll(options).batches, ElementsAre(3));
}

TEST_F(ScanTest, RowsForBrokenRecordsAreMarked) {
  ScanOptions options = {.inputs = {Write("notes", {kBroken, NoteBytes("1"), kBroken})}};
  options.format = RecordFormat::kDelimited;
  options.decode.on_error = DecodeOptions::OnError::kNull;
  std::unique_ptr<Scan> scan = *Scan::Create(scan_test::NoteColumns::plan(), options);
  std::vector<uint8_t> broken;
  ASSERT_TRUE(*scan->Next([&](const ScanBatch& batch) {
    broken.assign(batch.broken.begin(), batch.broken.end());
    return absl::OkStatus();
  }));
  EXPECT_THAT(broken, ElementsAre(1, 0, 1));
}

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
  chosen.where = "text <> 'one'";
  EXPECT_THAT(ScanPlaces(chosen).rows, ElementsAre("a:7", "a:13", "b:1"));
}

TEST_F(ScanTest, ColumnsSayWhereRowsAreFromBesideBrokenRecords) {
  const std::string path = Write("notes", {kBroken, NoteBytes("1"), kBroken, kBroken, NoteBytes("4"), NoteBytes("\xff")});
  {
    std::ofstream cut(path, std::ios::binary | std::ios::app);
    cut << "\x7f\x0a";  // a message of 127 bytes of which there is one
  }
  for (const bool with_condition : {false, true}) {
    for (const size_t batch_size : {1, 2, 4, 100}) {
      ScanOptions options = {.inputs = {path}, .format = RecordFormat::kDelimited, .batch_size = batch_size};
      if (with_condition) options.where = "text <> 'no'";
      options.decode.on_error = DecodeOptions::OnError::kSkip;
      EXPECT_THAT(ScanPlaces(options).rows, ElementsAre("notes:6", "notes:20")) << batch_size << with_condition;
      options.decode.on_error = DecodeOptions::OnError::kNull;
      EXPECT_THAT(ScanPlaces(options).rows,
                  ElementsAre("notes:1", "notes:6", "notes:10", "notes:15", "notes:20", "notes:24", "notes:28"))
          << batch_size << with_condition;
    }
  }
}

// A batch of more messages than max_rows is decoded in halves.
TEST_F(ScanTest, ColumnsSayWhereRowsAreFromInParts) {
  const std::string path = Write("notes", {NoteBytes("0"), kBroken, NoteBytes("2"), kBroken, NoteBytes("4"), NoteBytes("5")});
  ScanOptions options = {.inputs = {path}, .format = RecordFormat::kDelimited};
  options.decode.on_error = DecodeOptions::OnError::kSkip;
  options.decode.max_rows = 2;
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
  options.selection = {{}, {"number"}};
  EXPECT_EQ(refused("", "number"), "");
}

TEST_F(ScanTest, NamesOfFilesAreUtf8) {
  const Placed placed = ScanPlaces({.inputs = {WriteNotes("a\xff\n", {"one"})}});
  EXPECT_THAT(placed.rows, ElementsAre("a\xef\xbf\xbd\\n:1"));
}

TEST_F(ScanTest, AFolderWithWhatIsToBeWrittenIsAnError) {
  WriteNotes("a", {"one"});
  ScanOptions options = {.inputs = {folder_}};
  options.reserved = {folder_ + "/out"};
  EXPECT_THAT(ScanAll(options).texts, ElementsAre("one"));
  const std::string out = WriteNotes("out", {"two"});
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("/out: it is one of the files in "));
  options.inputs = {folder_ + "/a", out};
  EXPECT_THAT(ScanAll(options).texts, ElementsAre("one", "two"));
  options.inputs = {folder_};
  options.reserved = {};
  options.dead_letters = out;
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("it is one of the files in "));
}

TEST_F(ScanTest, FoldersDoNotReadWhatIsNotComplete) {
  WriteNotes("a", {"one"});
  WriteNotes("b.partial-x5Fq2A", {"two"});
  WriteNotes(".c.partial-x5Fq2A", {"three"});
  fs::create_directory(folder_ + "/day=1.partial-x5Fq2A");
  WriteNotes("day=1.partial-x5Fq2A/d", {"four"});
  EXPECT_THAT(ScanAll({.inputs = {folder_}}).texts, ElementsAre("one"));
}

TEST_F(ScanTest, NothingReplacesAFileThatIsRead) {
  const std::string schema = folder_ + "/a.proto";
  std::ofstream(schema) << "message A {}";
  ScanOptions options = {.inputs = {WriteNotes("a", {"one"})}, .overwrite = true};
  options.also_read = {schema};
  options.dead_letters = schema;
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("name another file"));
  options.dead_letters = "";
  options.reserved = {schema};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("it is read, as a part of the schema"));
  EXPECT_EQ(fs::file_size(schema), 12u);
}

TEST_F(ScanTest, TheSmallestBatchesReadEverything) {
  const Scanned scanned = ScanAll({.inputs = {WriteNotes("a", {"one", "two"})}, .batch_size = SIZE_MAX, .batch_bytes = 1});
  EXPECT_THAT(scanned.texts, ElementsAre("one", "two"));
  EXPECT_THAT(scanned.batches, ElementsAre(1, 1));
}

TEST_F(ScanTest, ABrokenRecordHarmsNoNeighbour) {
  ScanOptions options = {.inputs = {Write("notes", {NoteBytes("0"), kBroken, NoteBytes("2")})}};
  options.format = RecordFormat::kDelimited;
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("record 1, byte"));

  options.decode.on_error = DecodeOptions::OnError::kSkip;
  const Scanned skipped = ScanAll(options);
  EXPECT_THAT(skipped.texts, ElementsAre("0", "2"));
  EXPECT_THAT(skipped.broken, ElementsAre(AllOf(HasSubstr("record 1"), HasSubstr("text"))));

  options.decode.on_error = DecodeOptions::OnError::kNull;
  EXPECT_THAT(ScanAll(options).texts, ElementsAre("0", "", "2"));

  options.decode.max_errors = 0;
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("1 record cannot be converted"));
}

TEST_F(ScanTest, DeadLettersAreThereAfterTheFirstBatch) {
  ScanOptions options = {.inputs = {Write("notes", {kBroken, NoteBytes("1")})}, .dead_letters = folder_ + "/dead"};
  options.format = RecordFormat::kDelimited;
  options.decode.on_error = DecodeOptions::OnError::kSkip;
  EXPECT_THAT(ScanAll(options).texts, ElementsAre("1"));
  EXPECT_EQ(fs::file_size(folder_ + "/dead"), 5);
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("exists already"));
  options.overwrite = true;
  EXPECT_EQ(ScanAll(options).status, absl::OkStatus());
  options.reserved = {folder_ + "/dead"};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("name another file"));
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
    options.decode.on_error = on_error;
    for (const auto& [skip, limit] : {std::pair(0, -1), std::pair(3, 100), std::pair(0, 0), std::pair(499, 10)}) {
      options.skip = skip;
      options.limit = limit;
      for (const std::string where : {"", "text >= '3'"}) {
        options.where = where;
        options.threads = 1;
        const Scanned expected = ScanAll(options);
        for (const int threads : {2, 5}) {
          options.threads = threads;
          const Scanned actual = ScanAll(options);
          EXPECT_EQ(actual.texts, expected.texts);
          EXPECT_EQ(actual.batches, expected.batches);
          EXPECT_EQ(actual.broken, expected.broken);
          EXPECT_EQ(actual.status, expected.status);
        }
      }
    }
  }
}

TEST_F(ScanTest, ThreadsSplitBatchesThatNeedTooMuchMemory) {
  std::vector<std::string> texts(2000, std::string(100, 'x'));
  ScanOptions options = {.inputs = {WriteNotes("notes", texts)}, .threads = 3};
  options.decode.max_memory_bytes = 64 << 10;
  EXPECT_EQ(ScanAll(options).texts, texts);
}

TEST_F(ScanTest, AScanWithThreadsMayEndEarly) {
  const std::string path = WriteNotes("notes", std::vector<std::string>(1000, "text"));
  const ScanOptions options = {.inputs = {path}, .batch_size = 10, .threads = 4};
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(scan_test::NoteColumns::plan(), options);
  ASSERT_TRUE(scan.ok());
  const auto refuse = [](const ScanBatch&) { return absl::CancelledError("enough"); };
  EXPECT_EQ((*scan)->Next(refuse).status(), absl::CancelledError("enough"));
  EXPECT_EQ((*scan)->Next([](const ScanBatch&) { return absl::OkStatus(); }).status(), absl::CancelledError("enough"));
}

TEST_F(ScanTest, RefusesNumbersOfThreadsThatCannotBe) {
  for (const int threads : {0, -1, kMaxScanThreads + 1, INT_MIN, INT_MAX}) {
    const Scanned scanned = ScanAll({.inputs = {WriteNotes("notes", {"one"})}, .threads = threads});
    EXPECT_EQ(scanned.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(scanned.status.message()), HasSubstr("ScanOptions::threads = "));
  }
}

// number was a string once, and text a fixed32.
TEST_F(ScanTest, FieldsThatWereOfAnotherTypeAreToldWithTheirFirstMessage) {
  const std::string old =
      "\x12\x03two"
      "\x0d"
      "1234";
  const std::string first = Write("a", {NoteBytes("new"), kBroken});
  const std::string second = Write("b", {NoteBytes("new"), old, old + old});
  ScanOptions options = {.inputs = {first, second}, .format = RecordFormat::kDelimited, .batch_size = 2};
  options.decode.on_error = DecodeOptions::OnError::kSkip;
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
    EXPECT_THAT(scanned.texts, ElementsAre("a", "b", "", "d"));
    for (const size_t rows : scanned.batches) EXPECT_LE(rows, batch_size);
  }
  for (const size_t batch_bytes : {1, 3, 5}) {
    EXPECT_THAT(ScanNotes({.inputs = {path}, .batch_bytes = batch_bytes}).texts, ElementsAre("a", "b", "", "d"));
  }
}

TEST_F(NestedRowsTest, SkipLimitAndConditionsAreAboutElements) {
  const std::string path = Write(
      "books", {Field(1, NoteBytes("a")) + Field(1, NoteBytes("b")), Field(1, NoteBytes("c")) + Field(1, NoteBytes("d"))});
  EXPECT_THAT(ScanNotes({.inputs = {path}, .skip = 1, .limit = 2}).texts, ElementsAre("b", "c"));
  EXPECT_THAT(ScanNotes({.inputs = {path}, .where = "text > 'b'"}).texts, ElementsAre("c", "d"));
}

TEST_F(NestedRowsTest, PartsOfAMessageAreOneMessage) {
  const std::string a = Field(1, NoteBytes("a"));
  const std::string b = Field(1, NoteBytes("b"));
  const std::string path = Write("books", {Field(2, a) + Field(3, "title") + Field(2, b + Field(2, a)), Field(2, "")});
  EXPECT_THAT(ScanNotes({.inputs = {path}}, "inner.notes").texts, ElementsAre("a", "b"));
  EXPECT_THAT(ScanNotes({.inputs = {path}}, "inner.inner.notes").texts, ElementsAre("a"));
}

TEST_F(NestedRowsTest, ABrokenElementIsOneBrokenRowAndABrokenMessageIsOne) {
  const std::string a = Field(1, NoteBytes("a"));
  const std::string path = Write("books", {a + Field(1, kBroken) + a, a + "\x0a\x7f", Field(1, NoteBytes("z"))});
  ScanOptions options = {.inputs = {path}, .format = RecordFormat::kDelimited};
  options.dead_letters = folder_ + "/dead";
  options.decode.on_error = DecodeOptions::OnError::kSkip;
  for (const size_t batch_size : {1, 2, 100}) {
    options.batch_size = batch_size;
    options.overwrite = true;
    const Scanned scanned = ScanNotes(options);
    EXPECT_EQ(scanned.status, absl::OkStatus());
    EXPECT_THAT(scanned.texts, ElementsAre("a", "a", "z"));
    ASSERT_EQ(scanned.broken.size(), 2u);
    EXPECT_THAT(scanned.broken[0], HasSubstr("books record 0, byte 9, text: "));
    EXPECT_THAT(scanned.broken[1],
                HasSubstr("books record 1, byte 18: its notes cannot be found: the message ends inside a field at byte 24"));
    std::ifstream dead(options.dead_letters, std::ios::binary);
    const std::string letters{std::istreambuf_iterator<char>(dead), {}};
    std::string expected;
    AppendRecord(RecordFormat::kDelimited, kBroken, expected);
    AppendRecord(RecordFormat::kDelimited, a + "\x0a\x7f", expected);
    EXPECT_EQ(letters, expected);
  }
  options.decode.on_error = DecodeOptions::OnError::kNull;
  EXPECT_THAT(ScanNotes(options).texts, ElementsAre("a", "", "a", "", "z"));
  options.decode.on_error = DecodeOptions::OnError::kFail;
  options.batch_size = 1;
  const Scanned failed = ScanNotes(options);
  EXPECT_THAT(failed.texts, ElementsAre("a"));
  EXPECT_EQ(failed.status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(NestedRowsTest, AMessageWithTooManyElementsIsBroken) {
  const std::string a = Field(1, NoteBytes("a"));
  ScanOptions options = {.inputs = {Write("books", {a + a, a + a + a, a})}, .format = RecordFormat::kDelimited};
  options.decode.on_error = DecodeOptions::OnError::kSkip;
  options.decode.max_rows = 2;
  options.batch_size = 2;
  const Scanned scanned = ScanNotes(options);
  EXPECT_EQ(scanned.status, absl::OkStatus());
  EXPECT_THAT(scanned.texts, ElementsAre("a", "a", "a"));
  ASSERT_EQ(scanned.broken.size(), 1u);
  EXPECT_THAT(scanned.broken[0], HasSubstr("books record 1, byte 12: it has more than max_rows = 2 elements at notes"));
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
      options.decode.max_depth = max_depth;
      const Scanned scanned = ScanNotes(options, path);
      if (max_depth >= depth) {
        EXPECT_EQ(scanned.status, absl::OkStatus());
        EXPECT_THAT(scanned.texts, ElementsAre("a")) << depth << " " << max_depth;
      } else {
        EXPECT_THAT(std::string(scanned.status.message()),
                    HasSubstr("`rows`: a path of " + std::to_string(depth) +
                              " fields, more than max_depth = " + std::to_string(max_depth)));
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
    options.decode.on_error = DecodeOptions::OnError::kSkip;
    for (const int max_depth : {1, 2, 100, 1000}) {
      options.decode.max_depth = max_depth;
      const Scanned scanned = ScanNotes(options);
      EXPECT_EQ(scanned.status, absl::OkStatus());
      EXPECT_EQ(scanned.texts.size(), depth <= max_depth ? 2u : 1u) << depth << " " << max_depth;
      if (depth > max_depth) {
        ASSERT_EQ(scanned.broken.size(), 1u);
        EXPECT_THAT(scanned.broken[0], HasSubstr("it is nested deeper than max_depth = " + std::to_string(max_depth)));
      }
    }
  }
}

}  // namespace
}  // namespace structtensor
