#include "structtensor/app/sinks/output_folder.h"

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
#include <thread>
#include <vector>

#include "structtensor/app/sinks/output_file.h"
#include "structtensor/core/base/shared/fd.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "output_folder_XXXXXX";
    around_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(around_); }

  std::string path() const { return around_ + "/rows"; }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(around_)) {
      if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), around_).string());
    }
    return names;
  }

  static std::string ContentOf(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void Put(const std::string& name) const {
    fs::create_directories(fs::path(path() + "/" + name).parent_path());
    std::ofstream(path() + "/" + name) << "theirs";
  }

  // With the files a=1/part-0 and a=2/part-0.
  std::unique_ptr<OutputFolder> OpenAndWriteTwo(const std::string& name, bool overwrite = false) const {
    absl::StatusOr<std::unique_ptr<OutputFolder>> folder = OutputFolder::Open(name, overwrite);
    EXPECT_TRUE(folder.ok()) << folder.status();
    for (const std::string file : {"a=1/part-0", "a=2/part-0"}) {
      const absl::StatusOr<int> fd = (*folder)->MakeFile(file);
      EXPECT_TRUE(fd.ok()) << fd.status();
      EXPECT_TRUE(WriteAll(*fd, "rows").ok());
    }
    return *std::move(folder);
  }

  // What Open says, and Check with it.
  absl::Status Refusal(const std::string& name, bool overwrite = false) const {
    const absl::Status status = OutputFolder::Open(name, overwrite).status();
    EXPECT_EQ(OutputFolder::Check(name, overwrite), status);
    return status;
  }

  std::string around_;
};

TEST_F(OutputFolderTest, HasItsNameOnceItIsCommitted) {
  const std::unique_ptr<OutputFolder> folder = OpenAndWriteTwo(path() + "//");
  EXPECT_EQ(folder->name(), path());
  EXPECT_EQ(folder->number_of_files(), 2);
  EXPECT_FALSE(fs::exists(path()));
  const absl::StatusOr<int64_t> size_bytes = folder->Commit();
  ASSERT_TRUE(size_bytes.ok()) << size_bytes.status();
  EXPECT_EQ(*size_bytes, 8);
  EXPECT_EQ(ContentOf(path() + "/a=1/part-0"), "rows");
  EXPECT_THAT(Names(), UnorderedElementsAre("rows/a=1/part-0", "rows/a=2/part-0"));
  EXPECT_EQ(fs::status(path()).permissions(), fs::status(path() + "/a=1").permissions());
}

TEST_F(OutputFolderTest, LeavesNothingBehindWithoutCommit) {
  OpenAndWriteTwo(path()).reset();
  EXPECT_TRUE(fs::is_empty(around_));
}

TEST_F(OutputFolderTest, MayBeWithoutFiles) {
  const std::unique_ptr<OutputFolder> folder = *OutputFolder::Open(path(), false);
  EXPECT_EQ(*folder->Commit(), 0);
  EXPECT_TRUE(fs::is_empty(path()));
}

TEST_F(OutputFolderTest, TakesThePlaceOfAnEmptyFolderWithItsRights) {
  fs::create_directory(path());
  chmod(path().c_str(), 0750);
  EXPECT_TRUE(OpenAndWriteTwo(path())->Commit().ok());
  EXPECT_EQ(ContentOf(path() + "/a=2/part-0"), "rows");
  EXPECT_EQ(static_cast<int>(fs::status(path()).permissions()), 0750);
}

TEST_F(OutputFolderTest, AFileIsMadeOnce) {
  const std::unique_ptr<OutputFolder> folder = OpenAndWriteTwo(path());
  const absl::Status status = folder->MakeFile("a=1/part-0").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr("rows/a=1/part-0"));
  EXPECT_FALSE(folder->MakeFile(std::string(300, 'x') + "/part-0").ok());
  EXPECT_TRUE(folder->Commit().ok());
}

TEST_F(OutputFolderTest, WhatIsThereStaysWithoutOverwrite) {
  Put("a=1/part-0");
  const absl::Status status = Refusal(path());
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr("rows exists already (pass `overwrite` to replace it)"));
  EXPECT_THAT(Names(), ElementsAre("rows/a=1/part-0"));
}

TEST_F(OutputFolderTest, OverwriteReplacesAllPartitions) {
  Put("a=1/part-0");
  Put("b=1/c=2/part-17.parquet");
  const std::unique_ptr<OutputFolder> folder = OpenAndWriteTwo(path(), /*overwrite=*/true);
  EXPECT_EQ(ContentOf(path() + "/a=1/part-0"), "theirs");
  EXPECT_TRUE(folder->Commit().ok());
  EXPECT_EQ(ContentOf(path() + "/a=1/part-0"), "rows");
  EXPECT_THAT(Names(), UnorderedElementsAre("rows/a=1/part-0", "rows/a=2/part-0"));
}

TEST_F(OutputFolderTest, AFailureKeepsWhatWasToBeReplaced) {
  Put("a=1/part-0");
  OpenAndWriteTwo(path(), /*overwrite=*/true).reset();
  EXPECT_EQ(ContentOf(path() + "/a=1/part-0"), "theirs");
  EXPECT_THAT(Names(), ElementsAre("rows/a=1/part-0"));
}

TEST_F(OutputFolderTest, OverwriteRemovesNothingElse) {
  for (const std::string name : {"letters.txt", "a=1/letters.txt", "folder/part-0", "a=1/.hidden"}) {
    Put("a=1/part-0");
    Put(name);
    const absl::Status status = Refusal(path(), /*overwrite=*/true);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr("which is not a part of a partitioned table"));
    EXPECT_EQ(ContentOf(path() + "/" + name), "theirs");
    fs::remove_all(path());
  }
  fs::create_directory(path());
  fs::create_symlink("/etc/passwd", path() + "/part-0");
  EXPECT_EQ(Refusal(path(), /*overwrite=*/true).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(OutputFolderTest, WhatSomebodyPutsThereMeanwhileStays) {
  for (const bool overwrite : {false, true}) {
    {
      const std::unique_ptr<OutputFolder> folder = OpenAndWriteTwo(path(), overwrite);
      Put("letters.txt");
      EXPECT_FALSE(folder->Commit().ok());
    }
    EXPECT_THAT(Names(), ElementsAre("rows/letters.txt"));
    fs::remove_all(path());
  }
}

TEST_F(OutputFolderTest, PlacesWhereNoFolderCanGoAreRefusedAtOnce) {
  std::ofstream(path()) << "file";
  for (const bool overwrite : {false, true}) {
    EXPECT_THAT(std::string(Refusal(path(), overwrite).message()), HasSubstr("it is a file"));
    EXPECT_FALSE(Refusal(path() + "/below", overwrite).ok());
    EXPECT_FALSE(Refusal("", overwrite).ok());
  }
  EXPECT_EQ(Refusal(around_ + "/absent/rows").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Refusal("/").code(), absl::StatusCode::kAlreadyExists);

  const fs::path before = fs::current_path();
  fs::create_directory(around_ + "/here");
  fs::current_path(around_ + "/here");
  EXPECT_THAT(std::string(Refusal(".").message()), HasSubstr("current folder"));
  fs::current_path(before);
}

TEST_F(OutputFolderTest, ALinkToNoFolderIsFollowed) {
  fs::create_symlink("rows", around_ + "/link");
  ASSERT_TRUE(OpenAndWriteTwo(around_ + "/link")->Commit().ok());
  EXPECT_TRUE(fs::is_symlink(around_ + "/link"));
  EXPECT_EQ(ContentOf(path() + "/a=1/part-0"), "rows");
}

// A signal at any moment of the replacement leaves the old folder or the new one, and nothing else.
TEST_F(OutputFolderTest, ASignalDuringTheReplacementLeavesOneWholeFolder) {
  constexpr int kFiles = 40;
  for (int i = 0; i < 20; ++i) {
    fs::remove_all(path());
    for (int file = 0; file < kFiles; ++file) Put("a=" + std::to_string(file) + "/part-0");
    const pid_t writer = fork();
    if (writer == 0) {
      InstallSignalHandlers();
      const std::unique_ptr<OutputFolder> folder = OpenAndWriteTwo(path(), /*overwrite=*/true);
      std::thread([i] {
        usleep(static_cast<useconds_t>(100 * i * i));
        kill(getpid(), SIGTERM);
      }).detach();
      if (!folder->Commit().ok()) _exit(1);
      while (true) pause();
    }
    int ended = 0;
    waitpid(writer, &ended, 0);
    ASSERT_TRUE(WIFSIGNALED(ended));
    const size_t files = Names().size();
    EXPECT_TRUE(files == kFiles || files == 2) << files;
    EXPECT_EQ(std::distance(fs::directory_iterator(around_), {}), 1);
  }
}

TEST_F(OutputFolderTest, SignalsRemoveItAndEndTheProcess) {
  const pid_t writer = fork();
  if (writer == 0) {
    InstallSignalHandlers();
    const std::unique_ptr<OutputFolder> folder = OpenAndWriteTwo(path());
    raise(SIGTERM);
    _exit(0);
  }
  int ended = 0;
  waitpid(writer, &ended, 0);
  ASSERT_TRUE(WIFSIGNALED(ended));
  EXPECT_EQ(WTERMSIG(ended), SIGTERM);
  EXPECT_TRUE(fs::is_empty(around_));
}

}  // namespace
}  // namespace structtensor
