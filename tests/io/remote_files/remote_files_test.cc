#include "structtensor/io/remote_files/remote_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "storage_testutil.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> Expanded(const std::string& path) {
  const absl::StatusOr<std::vector<std::string>> files = ExpandRemotePath(path);
  EXPECT_TRUE(files.ok()) << files.status();
  return files.value_or(std::vector<std::string>());
}

absl::Status ErrorOf(const std::string& path) { return ExpandRemotePath(path).status(); }

TEST(RemotePathTest, HasParts) {
  const std::string path = "s3://user:pass@bucket/a folder/100%.pb?region=x&scheme=http";
  const RemotePath parts = SplitRemotePath(path);
  EXPECT_EQ(parts.bucket, "s3://user:pass@bucket");
  EXPECT_EQ(parts.key, "a folder/100%.pb");
  EXPECT_EQ(parts.options, "?region=x&scheme=http");
  EXPECT_EQ(DisplayPath(path), "s3://bucket/a folder/100%.pb");
  EXPECT_EQ(PathWithoutOptions(path), "s3://user:pass@bucket/a folder/100%.pb");
  EXPECT_EQ(RemotePathBelow(path, "x=1/y"), "s3://user:pass@bucket/a folder/100%.pb/x=1/y?region=x&scheme=http");
}

TEST(RemotePathTest, NeedsNoKey) {
  for (const char* const path : {"gs://bucket", "gs://bucket/", "gs://bucket///", "gs://bucket?a=b/c@d", "gs://bucket/?a=b"}) {
    EXPECT_EQ(SplitRemotePath(path).bucket, "gs://bucket") << path;
    EXPECT_EQ(SplitRemotePath(path).key, "") << path;
    EXPECT_EQ(DisplayPath(path), "gs://bucket") << path;
  }
  EXPECT_EQ(RemotePathBelow("gs://bucket?a=b", "x"), "gs://bucket/x?a=b");
  EXPECT_EQ(DisplayPath("s3://"), "s3://");
}

TEST(RemotePathTest, PathsOfThisMachineStayAsTheyAre) {
  for (const char* const path : {"", "-", "s3", "s3:/x?y", "./s3://x?y", "S3://x?y", "http://x?y"}) {
    EXPECT_FALSE(IsRemotePath(path)) << path;
    EXPECT_EQ(DisplayPath(path), path);
    EXPECT_EQ(PathWithoutOptions(path), path);
  }
}

TEST(ExpandRemotePathTest, FoldersHaveFilesAndPartitions) {
  RemoteFilesInMemory remote;
  for (const char* const key :
       {"f/b", "f/a", "f/_b", "f/.c", "f/x=1/k", "f/x=1/y=2/k", "f/x=1/_k", "f/sub/k", "f/=1/k", "ff/k", "f0"}) {
    remote.files[key] = "";
  }
  EXPECT_THAT(Expanded("s3://bucket/f?o=1"), ElementsAre("s3://bucket/f/a?o=1", "s3://bucket/f/b?o=1",
                                                         "s3://bucket/f/x=1/k?o=1", "s3://bucket/f/x=1/y=2/k?o=1"));
  EXPECT_EQ(Expanded("s3://bucket/f/"), Expanded("s3://bucket/f"));
  EXPECT_THAT(Expanded("s3://bucket"), ElementsAre("s3://bucket/f0"));
  EXPECT_THAT(Expanded("s3://bucket/f/sub/k"), ElementsAre("s3://bucket/f/sub/k"));
}

TEST(ExpandRemotePathTest, PatternsFitNames) {
  RemoteFilesInMemory remote;
  for (const char* const key : {"d/ab", "d/aab", "d/abc", "d/.ab", "d/b", "e/ab/z", "e/cb/z", "e/cb/.z", "ab"})
    remote.files[key] = "";
  EXPECT_THAT(Expanded("s3://bucket/d/a*b"), ElementsAre("s3://bucket/d/aab", "s3://bucket/d/ab"));
  EXPECT_THAT(Expanded("s3://bucket/d/*b*?x"),
              ElementsAre("s3://bucket/d/aab?x", "s3://bucket/d/ab?x", "s3://bucket/d/abc?x", "s3://bucket/d/b?x"));
  EXPECT_THAT(Expanded("s3://bucket/d/.*"), ElementsAre("s3://bucket/d/.ab"));
  EXPECT_THAT(Expanded("s3://bucket/*"), ElementsAre("s3://bucket/ab"));
  EXPECT_THAT(Expanded("s3://bucket/e/*/*"), ElementsAre("s3://bucket/e/ab/z", "s3://bucket/e/cb/z"));
  EXPECT_THAT(Expanded("s3://bucket/*/cb/z"), ElementsAre("s3://bucket/e/cb/z"));
  EXPECT_THAT(Expanded("s3://bucket//d//a*b"), ElementsAre("s3://bucket/d/aab", "s3://bucket/d/ab"));
}

TEST(ExpandRemotePathTest, PatternsTakeNoExponentialTime) {
  RemoteFilesInMemory remote;
  remote.files[std::string(2000, 'a')] = "";
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "a*";
  EXPECT_EQ(ErrorOf("s3://bucket/" + pattern + "b").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Expanded("s3://bucket/" + pattern).size(), 1u);
}

TEST(ExpandRemotePathTest, LeavesOutWhatIsNotComplete) {
  RemoteFilesInMemory remote;
  remote.files = {{"f/a", ""}, {"f/a.partial-x5Fq2A", ""}, {"f/.b.partial-x5Fq2A", ""}, {"f/day=1.partial-x5Fq2A/b", ""}};
  EXPECT_THAT(Expanded("s3://bucket/f"), ElementsAre("s3://bucket/f/a"));
  EXPECT_THAT(Expanded("s3://bucket/f/*"), ElementsAre("s3://bucket/f/a"));
}

TEST(ExpandRemotePathTest, LooksOnceForAFileThatItHasSeen) {
  RemoteFilesInMemory remote;
  remote.files = {{"f/a", ""}, {"f/b", ""}};
  for (const std::string& file : Expanded("s3://bucket/f")) EXPECT_THAT(Expanded(file), ElementsAre(file));
  EXPECT_EQ(remote.finds["f/a"], 0);
  Expanded("s3://bucket/f");
  EXPECT_EQ(remote.finds["f"], 4);  // what is in a folder changes
}

TEST(ExpandRemotePathTest, ErrorsNameThePathAsItIsShown) {
  RemoteFilesInMemory remote;
  remote.files = {{"f/_a", ""}};
  for (const auto& [path, text] : std::vector<std::pair<std::string, std::string>>{
           {"s3://u:p@bucket/h?o", "s3://bucket/h: there is no such file or folder"},
           {"s3://bucket/f?o", "s3://bucket/f: a folder without files"},
           {"s3://bucket/g", "s3://bucket/g: there is no such file or folder"},
           {"s3://bucket/f/x*?o", "s3://bucket/f/x*: no file matches"},
           {"s3://bucket/f/*/x", "s3://bucket/f/*/x: no file matches"},
           {"s3://bucket/g/*", "s3://bucket/g: no folder"}}) {
    EXPECT_EQ(ErrorOf(path).code(), absl::StatusCode::kNotFound) << path;
    EXPECT_EQ(ErrorOf(path).message(), text);
  }
}

TEST(ExpandRemotePathTest, WithoutALibraryTheErrorSaysSo) {
  const absl::Status status = ErrorOf("s3://bucket/f?o");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), StartsWith("s3://bucket/f: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("remote_file_systems.h"));
}

}  // namespace
}  // namespace structtensor
