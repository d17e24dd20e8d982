#include "structtensor/app/sinks/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "structtensor/core/base/shared/fd.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "output_file_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ + "/rows.jsonl"; }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
    return names;
  }

  std::string Content() const {
    std::ifstream in(path());
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::unique_ptr<OutputFile> OpenAndWrite(std::string_view text, bool overwrite = false) const {
    absl::StatusOr<std::unique_ptr<OutputFile>> file = OutputFile::Open(path(), overwrite);
    EXPECT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(WriteAll((*file)->fd(), text).ok());
    return *std::move(file);
  }

  std::string folder_;
};

TEST_F(OutputFileTest, HasItsNameOnceItIsCommitted) {
  const std::unique_ptr<OutputFile> file = OpenAndWrite("rows");
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_EQ(**file->Commit(), 4);
  EXPECT_EQ(Content(), "rows");
  EXPECT_THAT(Names(), ElementsAre("rows.jsonl"));
}

TEST_F(OutputFileTest, LeavesNothingBehindWithoutCommit) {
  OpenAndWrite("rows").reset();
  EXPECT_THAT(Names(), IsEmpty());
}

// As a service does it that begins a new file every hour: the old object is destroyed after the new one is there.
TEST_F(OutputFileTest, ACommittedFileDoesNotTouchTheNextOne) {
  std::unique_ptr<OutputFile> file = OpenAndWrite("first");
  ASSERT_TRUE(file->Commit().ok());
  absl::StatusOr<std::unique_ptr<OutputFile>> next = OutputFile::Open(folder_ + "/next", /*overwrite=*/false);
  ASSERT_TRUE(next.ok()) << next.status();
  file = *std::move(next);
  ASSERT_TRUE(WriteAll(file->fd(), "second").ok());
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_TRUE(fs::exists(folder_ + "/next"));
}

// As a service does it that writes a file for each customer.
TEST_F(OutputFileTest, ThereMayBeManyAtATime) {
  constexpr int kFiles = 50;
  std::vector<std::unique_ptr<OutputFile>> files;
  for (int i = 0; i < kFiles; ++i) {
    files.push_back(*OutputFile::Open(folder_ + "/" + std::to_string(i), /*overwrite=*/false));
    ASSERT_TRUE(WriteAll(files.back()->fd(), std::to_string(i)).ok());
  }
  for (int i = 0; i < kFiles; i += 2) EXPECT_TRUE(files[static_cast<size_t>(i)]->Commit().ok());
  files.clear();  // the others have no names, and leave nothing
  EXPECT_EQ(Names().size(), kFiles / 2);
  for (int i = 0; i < kFiles; i += 2) EXPECT_EQ(fs::file_size(folder_ + "/" + std::to_string(i)), i < 10 ? 1u : 2u);
}

// As a service does it whose threads each write their own files.
TEST_F(OutputFileTest, ThreadsMayWriteTheirOwn) {
  constexpr int kThreads = 4, kFiles = 25;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < kFiles; ++i) {
        const std::string name = std::to_string(thread) + "_" + std::to_string(i);
        const std::unique_ptr<OutputFile> file = *OutputFile::Open(folder_ + "/" + name, /*overwrite=*/false);
        EXPECT_TRUE(WriteAll(file->fd(), name).ok());
        EXPECT_TRUE(i % 2 == 1 || file->Commit().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::string> names = Names();
  EXPECT_EQ(names.size(), kThreads * (kFiles / 2 + 1));
  for (const std::string& name : names) EXPECT_EQ(fs::file_size(folder_ + "/" + name), name.size());
}

TEST_F(OutputFileTest, ASignalRemovesAllThatAreNotCommitted) {
  const pid_t writer = fork();
  if (writer == 0) {
    InstallSignalHandlers();
    std::vector<std::unique_ptr<OutputFile>> files;
    for (int i = 0; i < 10; ++i) files.push_back(*OutputFile::Open(folder_ + "/" + std::to_string(i), /*overwrite=*/false));
    if (!files[3]->Commit().ok()) _exit(1);
    raise(SIGTERM);
  }
  int ended = 0;
  waitpid(writer, &ended, 0);
  EXPECT_TRUE(WIFSIGNALED(ended));
  EXPECT_THAT(Names(), ElementsAre("3"));
}

TEST_F(OutputFileTest, AFileThatAnotherWriterMadeMeanwhileIsKept) {
  {
    const std::unique_ptr<OutputFile> file = OpenAndWrite("ours");
    std::ofstream(path()) << "theirs";
    const absl::Status status = file->Commit().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
    EXPECT_THAT(std::string(status.message()), HasSubstr("rows.jsonl exists already (pass `overwrite` to replace it)"));
  }
  EXPECT_EQ(Content(), "theirs");
  EXPECT_THAT(Names(), ElementsAre("rows.jsonl"));
}

TEST_F(OutputFileTest, OverwriteReplacesWhatAnotherWriterMadeMeanwhile) {
  const std::unique_ptr<OutputFile> file = OpenAndWrite("ours", /*overwrite=*/true);
  std::ofstream(path()) << "theirs";
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(Content(), "ours");
  EXPECT_THAT(Names(), ElementsAre("rows.jsonl"));
}

// Writers in processes of their own, all at once: one of them has the name, whole, and the others say so.
TEST_F(OutputFileTest, OfManyWritersOfOneNameOneWins) {
  constexpr int kWriters = 8;
  std::vector<pid_t> writers;
  for (int i = 0; i < kWriters; ++i) {
    const pid_t writer = fork();
    if (writer == 0) {
      absl::StatusOr<std::unique_ptr<OutputFile>> file = OutputFile::Open(path(), /*overwrite=*/false);
      if (!file.ok()) _exit(absl::IsAlreadyExists(file.status()) ? 1 : 2);
      if (!WriteAll((*file)->fd(), std::string(100'000, static_cast<char>('a' + i))).ok()) _exit(2);
      const absl::Status status = (*file)->Commit().status();
      file->reset();
      _exit(status.ok() ? 0 : absl::IsAlreadyExists(status) ? 1 : 2);
    }
    writers.push_back(writer);
  }
  int winners = 0;
  for (int i = 0; i < kWriters; ++i) {
    int ended = 0;
    waitpid(writers[static_cast<size_t>(i)], &ended, 0);
    ASSERT_TRUE(WIFEXITED(ended));
    ASSERT_NE(WEXITSTATUS(ended), 2);
    if (WEXITSTATUS(ended) != 0) continue;
    ++winners;
    EXPECT_EQ(Content(), std::string(100'000, static_cast<char>('a' + i)));
  }
  EXPECT_EQ(winners, 1);
  EXPECT_THAT(Names(), ElementsAre("rows.jsonl"));
}

TEST_F(OutputFileTest, SignalsRemoveThePartialFileAndEndTheProcess) {
  for (const int signal_number : {SIGTERM, SIGPIPE, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU}) {
    const pid_t writer = fork();
    if (writer == 0) {
      signal(SIGPIPE, SIG_IGN);  // as some parents leave it
      InstallSignalHandlers();
      const std::unique_ptr<OutputFile> file = OpenAndWrite("rows");
      raise(signal_number);
      _exit(0);
    }
    int ended = 0;
    waitpid(writer, &ended, 0);
    ASSERT_TRUE(WIFSIGNALED(ended));
    EXPECT_EQ(WTERMSIG(ended), signal_number);
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(OutputFileTest, AFileThatExceedsItsLimitIsAnError) {
  const pid_t writer = fork();
  if (writer == 0) {
    InstallSignalHandlers();
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::unique_ptr<OutputFile> file = OpenAndWrite("rows");
    _exit(WriteAll(file->fd(), std::string(2000, 'x')).ok() ? 0 : 1);
  }
  int ended = 0;
  waitpid(writer, &ended, 0);
  ASSERT_TRUE(WIFEXITED(ended));
  EXPECT_EQ(WEXITSTATUS(ended), 1);
}

}  // namespace
}  // namespace structtensor
