#include "structtensor/core/base/shared/temporaries.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace structtensor::base_internal {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

void HandleSignals() {
  struct sigaction action = {};
  action.sa_handler = EndBySignal;
  for (const int signal_number : {SIGTERM, SIGINT}) sigaddset(&action.sa_mask, signal_number);
  for (const int signal_number : {SIGTERM, SIGINT}) sigaction(signal_number, &action, nullptr);
}

// Runs `work` in a process that handles signals. Returns the signal that has ended it, or 0.
int SignalThatEnds(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    HandleSignals();
    work();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

class TemporariesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "temporaries_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
    return names;
  }

  // Makes one thing of each kind.
  void MakeAll(Temporaries& temporaries) const {
    std::string path;
    close(temporaries.MakeFileBeside(folder_ + "/a", 0666, &path));
    EXPECT_EQ(temporaries.MakeFolderBeside(folder_ + "/b", 0777, &path), 0);
    EXPECT_EQ(temporaries.MakeFolder(path + "/c", 0777), 0);
    close(temporaries.MakeFile(path + "/c/d", 0666));
    setenv("TMPDIR", folder_.c_str(), 1);
    EXPECT_EQ(temporaries.MakeScratchFolder(&path), 0);
    for (int i = 0; i < 500; ++i) std::ofstream(path + "/spilled" + std::to_string(i)) << "rows";
    unsetenv("TMPDIR");
  }

  std::string folder_;
};

TEST_F(TemporariesTest, AreHiddenFromReadersOfFolders) {
  Temporaries temporaries;
  std::string path;
  close(temporaries.MakeFileBeside(folder_ + "/rows.parquet", 0666, &path));
  EXPECT_THAT(Names(), ElementsAre(MatchesRegex("\\.rows\\.parquet\\.partial-[0-9A-Za-z]{6}")));
  EXPECT_EQ(folder_ + "/" + Names().front(), path);
  EXPECT_TRUE(IsTemporaryName(Names().front()));
}

TEST_F(TemporariesTest, NamesAreRecognized) {
  for (const char* name : {".a.partial-x5Fq2A", "a.partial-000000", "day=1.partial-ABCDEF"}) EXPECT_TRUE(IsTemporaryName(name));
  for (const char* name : {"", ".partial-x5Fq2A", "a.partial-x5Fq2", "a.partial-x5Fq2AA", "a.partial-x5F.2A", "a.partial", "a"})
    EXPECT_FALSE(IsTemporaryName(name)) << name;
}

TEST_F(TemporariesTest, ANameMayBeAsLongAsTheFileSystemTakes) {
  const std::string wide = "\xf0\x9f\x8d\xaa";
  for (size_t size_bytes = 236; size_bytes <= 255; ++size_bytes) {
    std::string name(size_bytes % 4, 'x');
    while (name.size() < size_bytes) name += wide;
    Temporaries temporaries;
    std::string path;
    const int fd = temporaries.MakeFileBeside(folder_ + "/" + name, 0666, &path);
    ASSERT_GE(fd, 0) << size_bytes;
    close(fd);
    const std::string made = Names().front();
    EXPECT_TRUE(IsTemporaryName(made));
    EXPECT_TRUE(made.starts_with('.'));
    const std::string kept = made.substr(1, made.find(".partial-") - 1);
    EXPECT_TRUE(name.starts_with(kept));
    EXPECT_EQ(kept.size() % 4, size_bytes % 4);  // no character is cut
  }
}

TEST_F(TemporariesTest, TheirOwnerRemovesThemOrForgetsThem) {
  {
    Temporaries temporaries;
    MakeAll(temporaries);
    EXPECT_EQ(Names().size(), 3u);
  }
  EXPECT_THAT(Names(), IsEmpty());
  Temporaries others;
  std::string kept, removed;
  close(others.MakeFileBeside(folder_ + "/removed", 0666, &removed));
  {
    Temporaries temporaries;
    close(temporaries.MakeFileBeside(folder_ + "/kept", 0666, &kept));
    temporaries.Forget();
  }
  EXPECT_TRUE(fs::exists(kept) && fs::exists(removed));
  others.Remove();
  EXPECT_TRUE(fs::exists(kept) && !fs::exists(removed));
}

TEST_F(TemporariesTest, ASignalRemovesThoseOfAllOwners) {
  EXPECT_EQ(SignalThatEnds([&] {
              Temporaries some, others;
              MakeAll(some);
              MakeAll(others);
              raise(SIGTERM);
            }),
            SIGTERM);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(TemporariesTest, ASignalKeepsSomeUnlessTheyWouldReplaceAFile) {
  std::ofstream(folder_ + "/there") << "old";
  EXPECT_EQ(SignalThatEnds([&] {
              Temporaries temporaries;
              for (const std::string name : {"new", "there"}) {
                std::string path;
                close(temporaries.MakeFileBeside(folder_ + "/" + name, 0666, &path));
                temporaries.KeepOnSignal(path, folder_ + "/" + name);
              }
              raise(SIGTERM);
            }),
            SIGTERM);
  EXPECT_THAT(Names(), UnorderedElementsAre("new", "there"));
  EXPECT_EQ(fs::file_size(folder_ + "/there"), 3u);
}

TEST_F(TemporariesTest, ASignalWaitsForTheEndOfAStep) {
  EXPECT_EQ(SignalThatEnds([&] {
              Temporaries temporaries;
              const SignalsWait outer;
              {
                const SignalsWait inner;
                raise(SIGTERM);
                raise(SIGINT);  // the first one counts
              }
              std::string path;
              close(temporaries.MakeFileBeside(folder_ + "/a", 0666, &path));
              std::ofstream(folder_ + "/done") << "";
            }),
            SIGTERM);
  EXPECT_THAT(Names(), ElementsAre("done"));
}

TEST_F(TemporariesTest, ASignalOfAnotherThreadDoesNotInterruptTheFirst) {
  for (int i = 0; i < 20; ++i) {
    const int ended = SignalThatEnds([&] {
      Temporaries temporaries;
      MakeAll(temporaries);
      std::array<std::thread, 3> threads;
      for (std::thread& thread : threads) {
        thread =
            std::thread([i, number = &thread - threads.data()] { kill(getpid(), (i + number) % 2 == 0 ? SIGTERM : SIGINT); });
      }
      while (true) pause();
    });
    EXPECT_TRUE(ended == SIGTERM || ended == SIGINT);
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(TemporariesTest, ASignalLeavesNothingOfThreadsThatMakeFiles) {
  for (int i = 0; i < 30; ++i) {
    const int ended = SignalThatEnds([&] {
      std::array<std::thread, 3> threads;
      std::atomic<int> made = 0;
      for (std::thread& thread : threads) {
        thread = std::thread([&] {
          while (true) {
            Temporaries temporaries;
            std::string path;
            close(temporaries.MakeFileBeside(folder_ + "/a", 0666, &path));
            ++made;
          }
        });
      }
      while (made < 10 * i) std::this_thread::yield();
      kill(getpid(), SIGTERM);
      while (true) pause();
    });
    EXPECT_EQ(ended, SIGTERM);
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(TemporariesTest, ASignalEndsProcesses) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(SignalThatEnds([&] {
              Temporaries temporaries;
              const pid_t child = fork();
              if (child == 0) {
                setpgid(0, 0);
                while (true) pause();
              }
              setpgid(child, child);
              temporaries.AddProcessGroup(child);
              raise(SIGTERM);
            }),
            SIGTERM);
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);  // no process has the other end open
  close(ends[0]);
}

}  // namespace
}  // namespace structtensor::base_internal
