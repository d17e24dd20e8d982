#include "structtensor/core/base/shared/new_file.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "structtensor/core/base/shared/fd.h"

namespace structtensor::base_internal {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class NewFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "new_file_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
    return names;
  }

  std::string Content(const std::string& name) const {
    std::ifstream in(Path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void Write(const std::string& name, bool overwrite = false) const {
    const absl::StatusOr<std::unique_ptr<NewFile>> file = NewFile::Open(Path(name), overwrite);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(NewFile::Check(Path(name), overwrite), absl::OkStatus());
    ASSERT_TRUE(WriteAll((*file)->fd(), "new").ok());
    const absl::Status committed = (*file)->Commit().status();
    EXPECT_TRUE(committed.ok()) << committed;
  }

  std::string folder_;
};

TEST_F(NewFileTest, LinksAreFollowedEvenToNoFile) {
  fs::create_directory(Path("sub"));
  fs::create_symlink("sub/target", Path("link"));
  fs::create_symlink("link", Path("link_to_link"));
  for (const bool overwrite : {false, true}) {
    Write("link_to_link", overwrite);
    EXPECT_EQ(Content("sub/target"), "new");
    EXPECT_TRUE(fs::is_symlink(Path("link")) && fs::is_symlink(Path("link_to_link")));
    EXPECT_FALSE(NewFile::Open(Path("link_to_link"), false).ok());
    std::ofstream(Path("sub/target")) << "old";
  }
  fs::create_symlink("loop", Path("loop"));
  for (const bool overwrite : {false, true}) {
    EXPECT_THAT(std::string(NewFile::Open(Path("loop"), overwrite).status().message()), HasSubstr("Too many levels"));
  }
  EXPECT_TRUE(fs::is_symlink(Path("loop")));
}

TEST_F(NewFileTest, NamesMayBeAsLongAsTheFileSystemTakes) {
  for (const size_t size_bytes : {size_t{240}, size_t{241}, size_t{254}, size_t{255}}) {
    const std::string name(size_bytes, 'x');
    Write(name);
    EXPECT_EQ(Content(name), "new");
  }
  EXPECT_THAT(std::string(NewFile::Open(Path(std::string(256, 'x')), false).status().message()), HasSubstr("name too long"));
  EXPECT_EQ(Names().size(), 4u);
}

TEST_F(NewFileTest, RightsAreKept) {
  std::ofstream(Path("a")) << "old";
  fs::permissions(Path("a"), fs::perms::owner_read | fs::perms::group_write);
  const bool root = geteuid() == 0;
  const uid_t owner = root ? 12345 : geteuid();
  const gid_t group = root ? 54321 : getegid();
  ASSERT_EQ(chown(Path("a").c_str(), owner, group), 0);
  Write("a", /*overwrite=*/true);
  struct stat written;
  ASSERT_EQ(stat(Path("a").c_str(), &written), 0);
  EXPECT_EQ(written.st_mode & 07777, 0420u);
  EXPECT_EQ(written.st_uid, owner);
  EXPECT_EQ(written.st_gid, group);
  // A new file has the rights that the mask leaves.
  const mode_t before = umask(027);
  Write("b");
  umask(before);
  ASSERT_EQ(stat(Path("b").c_str(), &written), 0);
  EXPECT_EQ(written.st_mode & 07777, 0640u);
}

// Only root can make a file of a group that the writer is not in.
TEST_F(NewFileTest, AnotherGroupHasTheRightsOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  std::ofstream(Path("a")) << "old";
  ASSERT_EQ(chown(Path("a").c_str(), 12345, 54321), 0);
  ASSERT_EQ(chmod(Path("a").c_str(), 0664), 0);
  fs::permissions(folder_, fs::perms::all);
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kUnprivileged = 65534;
    if (setgroups(0, nullptr) != 0 || setgid(kUnprivileged) != 0 || setuid(kUnprivileged) != 0) _exit(2);
    Write("a", /*overwrite=*/true);
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  struct stat written;
  ASSERT_EQ(stat(Path("a").c_str(), &written), 0);
  EXPECT_EQ(written.st_mode & 07777, 0644u);
  EXPECT_EQ(Content("a"), "new");
}

TEST_F(NewFileTest, ALeftTemporaryKeepsItsContent) {
  std::string left;
  {
    const std::unique_ptr<NewFile> file = *NewFile::Open(Path("a"), false);
    left = file->temporary_path();
    ASSERT_TRUE(WriteAll(file->fd(), "new").ok());
    std::ofstream(Path("a")) << "theirs";
    EXPECT_TRUE(absl::IsAlreadyExists(file->Commit().status()));
    file->LeaveTemporary();
  }
  EXPECT_EQ(Content("a"), "theirs");
  EXPECT_THAT(Names(), UnorderedElementsAre("a", fs::path(left).filename().string()));
}

}  // namespace
}  // namespace structtensor::base_internal
