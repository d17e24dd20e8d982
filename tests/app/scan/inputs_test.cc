// Which files a scan reads: files, folders and patterns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scan_testutil.h"
#include "structtensor/app/scan/scan.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ScanTest, ReadsInputsOneAfterAnotherInBatches) {
  const Scanned scanned =
      ScanAll({.inputs = {WriteNotes("a", {"one", "two", "three"}), WriteNotes("b", {"four"})}, .batch_size = 3});
  EXPECT_EQ(scanned.status, absl::OkStatus());
  EXPECT_THAT(scanned.strings, ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(scanned.batches, ElementsAre(3, 1));
}

TEST_F(ScanTest, PatternsStandForTheFilesThatFit) {
  fs::create_directories(folder_ + "/in/day=1");
  fs::create_directories(folder_ + "/in/day=2");
  for (const char* name : {"in/b.pb", "in/a.pb", "in/a.txt", "in/.a.pb", "in/_a.pb", "in/day=1/c.pb", "in/day=2/d.pb"}) {
    WriteNotes(name, {name});
  }
  fs::create_directories(folder_ + "/in/folder.pb");
  const auto strings = [&](const std::string& pattern) {
    Scanned scanned = ScanAll({.inputs = {folder_ + "/" + pattern}});
    EXPECT_EQ(scanned.status, absl::OkStatus()) << pattern;
    return scanned.strings;
  };
  EXPECT_THAT(strings("in/*.pb"), ElementsAre("in/_a.pb", "in/a.pb", "in/b.pb"));
  EXPECT_THAT(strings("in/.*.pb"), ElementsAre("in/.a.pb"));
  EXPECT_THAT(strings("i*/a*"), ElementsAre("in/a.pb", "in/a.txt"));
  EXPECT_THAT(strings("in/day=*/*.pb"), ElementsAre("in/day=1/c.pb", "in/day=2/d.pb"));
  EXPECT_THAT(strings("in/*/d.pb"), ElementsAre("in/day=2/d.pb"));
  for (const char* none : {"in/*.json", "none/*.pb", "*/*/*/x.pb"}) {
    const absl::Status status = ScanAll({.inputs = {folder_ + "/" + none}}).status;
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(none) + ": no file matches"));
  }
  // A name may have a star.
  WriteNotes("in/*.pb", {"star"});
  EXPECT_THAT(strings("in/*.pb"), ElementsAre("star"));
  // A file that is written is not read by a pattern.
  EXPECT_THAT(ExpandInputs({folder_ + "/in/a*"}, {folder_ + "/in/z.pb"}).value(),
              ElementsAre(folder_ + "/in/a.pb", folder_ + "/in/a.txt"));
  EXPECT_EQ(ExpandInputs({folder_ + "/in/a*"}, {folder_ + "/in/a.txt"}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ScanTest, AFolderMeansItsFilesInTheOrderOfTheirNames) {
  WriteNotes("b", {"two"});
  WriteNotes("a", {"one"});
  WriteNotes(".hidden", {"not this"});
  WriteNotes("_SUCCESS", {"nor this"});
  fs::create_directory(folder_ + "/deeper");
  EXPECT_THAT(ScanAll({.inputs = {folder_}}).strings, ElementsAre("one", "two"));
}

TEST_F(ScanTest, AFolderWithoutFilesIsAnError) {
  EXPECT_THAT(std::string(ScanAll({.inputs = {folder_}}).status.message()), HasSubstr("a folder without files"));
}

TEST_F(ScanTest, AFolderWithWhatIsToBeWrittenIsAnError) {
  WriteNotes("a", {"one"});
  ScanOptions options = {.inputs = {folder_}};
  options.reserved = {folder_ + "/out"};
  EXPECT_THAT(ScanAll(options).strings, ElementsAre("one"));
  const std::string out = WriteNotes("out", {"two"});
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("/out: it is one of the files in "));
  options.inputs = {folder_ + "/a", out};
  EXPECT_THAT(ScanAll(options).strings, ElementsAre("one", "two"));
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
  EXPECT_THAT(ScanAll({.inputs = {folder_}}).strings, ElementsAre("one"));
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
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("it is one of the input files of the schema"));
  EXPECT_EQ(fs::file_size(schema), 12u);
}

}  // namespace
}  // namespace structtensor
