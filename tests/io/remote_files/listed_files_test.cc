#include "structtensor/io/remote_files/shared/listed_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor {
namespace {

using remote_files_internal::FilesInFolder;
using remote_files_internal::FilesThatFit;
using remote_files_internal::FitsPattern;
using remote_files_internal::HasFile;
using remote_files_internal::Listed;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Folders in memory, by their paths with '/' at the end.
class Folders {
 public:
  std::map<std::string, std::vector<Listed>> folders;
  std::string unreadable;

  absl::StatusOr<std::vector<Listed>> operator()(const std::string& folder) const {
    if (folder == unreadable) return absl::PermissionDeniedError(folder);
    const auto found = folders.find(folder);
    if (found == folders.end()) return absl::NotFoundError(folder);
    return found->second;
  }
};

const HasFile kNoHasFile = nullptr;

Folders Example() {
  return {.folders = {{"", {{"top.pb"}, {"in", true}}},
                      {"in/",
                       {{"b.pb"},
                        {"a.pb"},
                        {".h.pb"},
                        {"_s.pb"},
                        {"c.partial-x5Fq2A"},
                        {"d=1", true},
                        {"sub", true},
                        {".e=1", true},
                        {"l=1", true, true},
                        {"_f=1", true}}},
                      {"in/d=1/", {{"k.pb"}, {"e=2", true}}},
                      {"in/d=1/e=2/", {{"m.pb"}}},
                      {"in/_f=1/", {{"n.pb"}}},
                      {"in/sub/", {{"x.pb"}}},
                      {"in/.e=1/", {{"y.pb"}}},
                      {"in/l=1/", {{"z.pb"}}},
                      {"/", {{"root.pb"}}}},
          .unreadable = "unreadable/"};
}

TEST(FilesInFolderTest, AreThoseOfItAndOfItsPartitions) {
  EXPECT_THAT(FilesInFolder(Example(), "in/").value(),
              ElementsAre("in/_f=1/n.pb", "in/a.pb", "in/b.pb", "in/d=1/e=2/m.pb", "in/d=1/k.pb"));
  EXPECT_THAT(FilesInFolder(Example(), "").value(), ElementsAre("top.pb"));
  EXPECT_TRUE(absl::IsNotFound(FilesInFolder(Example(), "none/").status()));
  Folders folders = Example();
  folders.unreadable = "in/d=1/";
  EXPECT_TRUE(absl::IsPermissionDenied(FilesInFolder(folders, "in/").status()));
  folders = Example();
  folders.folders.erase("in/d=1/");
  EXPECT_TRUE(absl::IsNotFound(FilesInFolder(folders, "in/").status()));
}

TEST(FilesInFolderTest, FoldersInsideEachOtherHaveAnEnd) {
  const auto endless = [](const std::string&) -> absl::StatusOr<std::vector<Listed>> {
    return std::vector<Listed>{{"a=1", true}, {"f.pb"}};
  };
  EXPECT_EQ(FilesInFolder(endless, "").value().size(), 101u);
}

TEST(FilesThatFitTest, AreFoundStepByStep) {
  const Folders folders = Example();
  EXPECT_THAT(FilesThatFit(folders, kNoHasFile, "*.pb").value(), ElementsAre("top.pb"));
  EXPECT_THAT(FilesThatFit(folders, kNoHasFile, "/*.pb").value(), ElementsAre("/root.pb"));
  EXPECT_THAT(FilesThatFit(folders, kNoHasFile, "in/*").value(), ElementsAre("in/_s.pb", "in/a.pb", "in/b.pb"));
  EXPECT_THAT(FilesThatFit(folders, kNoHasFile, "in/.h*").value(), ElementsAre("in/.h.pb"));
  EXPECT_THAT(FilesThatFit(folders, kNoHasFile, "in/*/*.pb").value(),
              ElementsAre("in/_f=1/n.pb", "in/d=1/k.pb", "in/l=1/z.pb", "in/sub/x.pb"));
  EXPECT_THAT(FilesThatFit(folders, kNoHasFile, "*/sub/x.pb").value(), ElementsAre("in/sub/x.pb"));
  EXPECT_THAT(FilesThatFit(folders, kNoHasFile, "in/*/").value(), IsEmpty());
}

TEST(FilesThatFitTest, OnlyFoldersAfterAStarMayBeMissing) {
  EXPECT_THAT(FilesThatFit(Example(), kNoHasFile, "*/none/*.pb").value(), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(FilesThatFit(Example(), kNoHasFile, "none/*.pb").status()));
}

TEST(FilesThatFitTest, AskForAFileWhoseNameIsGiven) {
  Folders folders = Example();
  folders.unreadable = "in/sub/";
  const auto has_file = [](const std::string& path) { return path == "in/d=1/k.pb" || path == "in/sub/k.pb"; };
  EXPECT_THAT(FilesThatFit(folders, has_file, "in/*/k.pb").value(), ElementsAre("in/d=1/k.pb", "in/sub/k.pb"));
  EXPECT_TRUE(absl::IsPermissionDenied(FilesThatFit(folders, has_file, "in/*/k*").status()));
  // Without a '*', the name of an incomplete file is as good as another one.
  EXPECT_THAT(FilesThatFit(Example(), kNoHasFile, "i*/c.partial-x5Fq2A").value(), ElementsAre("in/c.partial-x5Fq2A"));
}

TEST(FitsPatternTest, AStarIsAnyPartOfAName) {
  for (const std::string_view name : {"ab", "aab", "ab.b", "axxb"}) EXPECT_TRUE(FitsPattern(name, "a*b")) << name;
  for (const std::string_view name : {"", "a", "b", "abc", "ba"}) EXPECT_FALSE(FitsPattern(name, "a*b")) << name;
  EXPECT_TRUE(FitsPattern("", "*"));
  EXPECT_TRUE(FitsPattern(".a", ".*"));
  EXPECT_FALSE(FitsPattern(".a", "*"));
}

}  // namespace
}  // namespace structtensor
