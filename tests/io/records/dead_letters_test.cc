#include "structtensor/io/records/dead_letters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "records_testutil.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string FileContents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class DeadLetters : public ::testing::Test {
 protected:
  DeadLetters() {
    std::string folder = testing::TempDir() + "dead_letters_XXXXXX";
    folder_ = mkdtemp(folder.data());
    path_ = folder_ + "/dead.pb";
  }
  ~DeadLetters() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<DeadLetterWriter> OpenNew() { return *DeadLetterWriter::Open(path_, /*overwrite=*/false); }

  std::string folder_;
  std::string path_;
};

TEST_F(DeadLetters, AreRecordsAndLines) {
  const std::unique_ptr<DeadLetterWriter> writer = OpenNew();
  const std::string bytes("\x0a\0\xff", 3);
  ASSERT_TRUE(writer
                  ->Add({.location = {.record_number = 7},
                         .code = "truncated",
                         .problem = "the value runs past the end",
                         .bytes = bytes,
                         .bytes_offset = 812,
                         .byte_offset = 2,
                         .field_path = "a.b"},
                        "day.pb")
                  .ok());
  const std::string long_bytes(300, 'x');
  ASSERT_TRUE(writer->Add({.location = {.record_number = 9}, .bytes = long_bytes}, "day.pb").ok());
  EXPECT_EQ(writer->count(), 2);
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(FileContents(path_), Delimited(bytes) + Delimited(std::string(300, 'x')));
  EXPECT_EQ(FileContents(path_ + ".jsonl"),
            "{\"file\":\"day.pb\",\"record\":7,\"record_offset\":812,\"byte_offset\":2,\"field_path\":\"a.b\","
            "\"code\":\"truncated\",\"reason\":\"the value runs past the end\"}\n"
            "{\"file\":\"day.pb\",\"record\":9,\"record_offset\":0,\"byte_offset\":0,\"field_path\":\"\",\"code\":\"\","
            "\"reason\":\"\"}\n");

  RecordBatch batch;
  ASSERT_TRUE(*(*RecordReader::Create({path_}))->NextBatch(10, 1000, &batch));
  EXPECT_THAT(batch.messages(), ElementsAre(bytes, std::string(300, 'x')));
}

TEST_F(DeadLetters, LinesAreJsonWhateverPathsAndReasonsHold) {
  const std::unique_ptr<DeadLetterWriter> writer = OpenNew();
  ASSERT_TRUE(writer->Add({.code = "text", .problem = "\x01", .field_path = "[x.y]\\"}, "a\"b\n\xff").ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(FileContents(path_ + ".jsonl"),
            "{\"file\":\"a\\\"b\\n\xef\xbf\xbd\",\"record\":0,\"record_offset\":0,\"byte_offset\":0,"
            "\"field_path\":\"[x.y]\\\\\",\"code\":\"text\",\"reason\":\"\\u0001\"}\n");
}

TEST_F(DeadLetters, AreThereOnceClosed) {
  const std::unique_ptr<DeadLetterWriter> writer = OpenNew();
  ASSERT_TRUE(writer->Add({.bytes = "abc"}, "").ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_FALSE(std::filesystem::exists(path_) || std::filesystem::exists(path_ + ".jsonl"));
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(FileContents(path_), Delimited("abc"));
  EXPECT_THAT(FileContents(path_ + ".jsonl"), HasSubstr("\"record\":0"));
}

TEST_F(DeadLetters, WithoutLettersAreEmptyFilesOnceClosed) {
  ASSERT_TRUE(OpenNew()->Close().ok());
  EXPECT_THAT(FileContents(path_), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(path_) && std::filesystem::exists(path_ + ".jsonl"));
}

TEST_F(DeadLetters, ThatExistStayUntilThereAreNewOnes) {
  for (const std::string& existing : {path_, path_ + ".jsonl"}) std::ofstream(existing) << "precious";
  DeadLetterWriter::Open(path_, /*overwrite=*/true)->reset();
  for (const std::string& existing : {path_, path_ + ".jsonl"}) EXPECT_EQ(FileContents(existing), "precious");
  ASSERT_TRUE((*DeadLetterWriter::Open(path_, /*overwrite=*/true))->Add({.bytes = "abc"}, "").ok());
  EXPECT_EQ(FileContents(path_), Delimited("abc"));
}

// At the moment of a signal there are whole letters, and as many lines as records.
TEST_F(DeadLetters, FlushedLettersOutliveASignalUnlessOthersAreThere) {
  for (const bool there : {false, true}) {
    std::filesystem::remove(path_ + ".jsonl");
    if (there) std::ofstream(path_) << "precious";
    const pid_t writer = fork();
    if (writer == 0) {
      signal(SIGTERM, base_internal::EndBySignal);
      const std::unique_ptr<DeadLetterWriter> letters = *DeadLetterWriter::Open(path_, /*overwrite=*/true);
      if (!letters->Add({.bytes = "abc"}, "").ok() || !letters->Flush().ok() || !letters->Add({.bytes = "later"}, "").ok())
        _exit(1);
      raise(SIGTERM);
    }
    int ended = 0;
    waitpid(writer, &ended, 0);
    ASSERT_TRUE(WIFSIGNALED(ended));
    EXPECT_EQ(FileContents(path_), there ? "precious" : Delimited("abc"));
    EXPECT_THAT(FileContents(path_ + ".jsonl"), HasSubstr("\"record\":0"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
    std::filesystem::remove(path_);
  }
}

TEST_F(DeadLetters, ThatSomebodyElseHasWrittenMeanwhileStay) {
  const std::unique_ptr<DeadLetterWriter> writer = OpenNew();
  ASSERT_TRUE(writer->Add({.bytes = "abc"}, "").ok());
  std::ofstream(path_) << "theirs";
  const std::string message(writer->Close().message());
  EXPECT_EQ(FileContents(path_), "theirs");
  const std::string before = "the dead letters are in ";
  ASSERT_THAT(message, HasSubstr(before));
  EXPECT_EQ(FileContents(message.substr(message.find(before) + before.size())), Delimited("abc"));
}

TEST_F(DeadLetters, DevicesHaveNoLinesBesideThem) {
  std::filesystem::create_symlink("/dev/null", path_);
  const std::unique_ptr<DeadLetterWriter> writer = OpenNew();
  ASSERT_TRUE(writer->Add({.bytes = "abc"}, "").ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_FALSE(std::filesystem::exists("/dev/null.jsonl"));
}

TEST_F(DeadLetters, AreWrittenByTheDestructorAtTheLatest) {
  ASSERT_TRUE(OpenNew()->Add({.bytes = "abc"}, "").ok());
  EXPECT_EQ(FileContents(path_), Delimited("abc"));
}

TEST_F(DeadLetters, ReplaceNothingUnlessAsked) {
  for (const std::string& existing : {path_, path_ + ".jsonl"}) {
    std::ofstream(existing) << "precious";
    const absl::Status status = DeadLetterWriter::Open(path_, /*overwrite=*/false).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
    EXPECT_THAT(std::string(status.message()), HasSubstr(existing + " exists already"));
    EXPECT_EQ(FileContents(existing), "precious");
    // And the other one has not been made in vain.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
    ASSERT_TRUE((*DeadLetterWriter::Open(path_, /*overwrite=*/true))->Close().ok());
    EXPECT_THAT(FileContents(existing), IsEmpty());
    for (const std::string& made : {path_, path_ + ".jsonl"}) std::filesystem::remove(made);
  }
}

TEST_F(DeadLetters, LeaveNoFileBehindIfTheOtherCannotBeMade) {
  std::filesystem::create_directory(path_ + ".jsonl");
  EXPECT_FALSE(DeadLetterWriter::Open(path_, /*overwrite=*/false).ok());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(DeadLetters, TellOfAFullDisk) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this system has no /dev/full";
  for (const std::string& full : {path_, path_ + ".jsonl"}) {
    std::filesystem::create_symlink("/dev/full", full);
    const std::unique_ptr<DeadLetterWriter> writer = OpenNew();
    ASSERT_TRUE(writer->Add({.bytes = "abc"}, "").ok());
    for (const absl::Status& status : {writer->Flush(), writer->Close(), writer->Close()}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
      EXPECT_THAT(std::string(status.message()), HasSubstr(full));
    }
    for (const std::string& made : {path_, path_ + ".jsonl"}) std::filesystem::remove(made);
  }
}

TEST_F(DeadLetters, NameTheFileThatCannotBeMade) {
  const absl::Status status = DeadLetterWriter::Open(folder_ + "/nowhere/dead.pb", false).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/dead.pb"));
}

}  // namespace
}  // namespace structtensor
