#include "structtensor/app/sinks/internal/remote_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "../../io/remote_files/storage_testutil.h"
#include "absl/status/status.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/app/sinks/output_folder.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/core/base/shared/fd.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* kPath = "s3://u:p@bucket/rows.jsonl?o=1";

TEST(RemoteOutputTest, AFileIsThereOnceItIsCommitted) {
  RemoteFilesInMemory remote;
  {
    const absl::StatusOr<std::unique_ptr<OutputFile>> file = OutputFile::Open(kPath, false);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->display_name(), "s3://bucket/rows.jsonl");
    EXPECT_EQ((*file)->folder(), "");
    EXPECT_TRUE(WriteAll((*file)->fd(), "rows").ok());
    EXPECT_THAT(remote.files, IsEmpty());
    EXPECT_EQ(*(*file)->Commit(), std::optional<int64_t>(4));
  }
  EXPECT_THAT(remote.files, UnorderedElementsAre(Pair("rows.jsonl", "rows")));
}

TEST(RemoteOutputTest, AFileThatIsNotCommittedIsNotThere) {
  RemoteFilesInMemory remote;
  EXPECT_TRUE(WriteAll((*OutputFile::Open(kPath, false))->fd(), "rows").ok());
  EXPECT_THAT(remote.files, IsEmpty());
}

TEST(RemoteOutputTest, FilesThatAreThereStayWithoutOverwrite) {
  RemoteFilesInMemory remote;
  remote.files["rows.jsonl"] = "old";
  EXPECT_EQ(OutputFile::Check(kPath, false),
            absl::AlreadyExistsError("s3://bucket/rows.jsonl exists already (pass `overwrite` to replace it)"));
  EXPECT_EQ(OutputFile::Open(kPath, false).status(), OutputFile::Check(kPath, false));
  EXPECT_TRUE((*OutputFile::Open(kPath, true))->Commit().ok());
  EXPECT_EQ(remote.files["rows.jsonl"], "");
}

TEST(RemoteOutputTest, WhatCannotBeSaysSoBeforeAnythingIsWritten) {
  RemoteFilesInMemory remote;
  remote.files["folder/file"] = "";
  const auto problem = [](const std::string& path) { return std::string(OutputFile::Check(path, true).message()); };
  EXPECT_EQ(problem("s3://other/x"), "cannot write s3://other/x: there is no such bucket");
  EXPECT_EQ(problem("s3://bucket?o"), "cannot write s3://bucket: it names a bucket; name a file in it");
  EXPECT_EQ(problem("s3://bucket/folder"), "cannot write s3://bucket/folder: it is a directory");
  EXPECT_THAT(problem("s3://bucket/*"), HasSubstr("'*' is a wildcard, which only inputs may have"));
  EXPECT_THAT(std::string(OutputFolder::Check("s3://bucket/folder/file", true).message()), HasSubstr("it is a file"));
  EXPECT_EQ(OutputFolder::Check("s3://bucket/folder", false).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(OutputFolder::Open("s3://bucket/folder", true).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(remote.files, UnorderedElementsAre(Pair("folder/file", "")));
}

TEST(RemoteOutputTest, FoldersHaveTheirFilesOnceTheyAreCommitted) {
  RemoteFilesInMemory remote;
  {
    const absl::StatusOr<std::unique_ptr<OutputFolder>> folder = OutputFolder::Open("s3://bucket/f/?o=1", false);
    ASSERT_TRUE(folder.ok()) << folder.status();
    EXPECT_EQ((*folder)->name(), "s3://bucket/f");
    EXPECT_TRUE(WriteAll(*(*folder)->MakeFile("x=1/part-0"), "one").ok());
    EXPECT_TRUE(WriteAll(*(*folder)->MakeFile("x=2/part-0"), "three").ok());
    EXPECT_THAT(remote.files, IsEmpty());
    EXPECT_EQ(*(*folder)->Commit(), 8);
  }
  EXPECT_THAT(remote.files, UnorderedElementsAre(Pair("f/x=1/part-0", "one"), Pair("f/x=2/part-0", "three")));
}

TEST(RemoteOutputTest, AFolderOfWhichAFileFailsIsNotThere) {
  RemoteFilesInMemory remote;
  remote.broken = {"f/c"};
  const std::unique_ptr<OutputFolder> folder = *OutputFolder::Open("s3://bucket/f", false);
  for (const char* const name : {"a", "b", "c", "d"}) ASSERT_TRUE(folder->MakeFile(name).ok());
  EXPECT_EQ(folder->Commit().status(), absl::UnavailableError("cannot write s3://bucket/f/c: the network is down"));
  EXPECT_THAT(remote.files, IsEmpty());
}

TEST(RemoteOutputDeathTest, SignalsAreNotedDuringUploadsOnly) {
  EXPECT_FALSE(sinks_internal::InterruptUploadsInSignalHandler(SIGUSR1));
  EXPECT_EXIT(
      {
        const sinks_internal::RemoteUploads uploads;
        if (!sinks_internal::InterruptUploadsInSignalHandler(SIGTERM)) _exit(1);
        if (sinks_internal::InterruptUploadsInSignalHandler(SIGTERM)) _exit(2);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(RemoteOutputDeathTest, TheProcessEndsWithTheLastOfSeveralUploads) {
  EXPECT_EXIT(
      {
        auto first = std::make_unique<sinks_internal::RemoteUploads>();
        const sinks_internal::RemoteUploads second;
        if (!sinks_internal::InterruptUploadsInSignalHandler(SIGTERM)) _exit(1);
        first = nullptr;
        std::fputs("the second goes on", stderr);
      },
      ::testing::KilledBySignal(SIGTERM), "the second goes on");
}

TEST(RemoteOutputTest, OptionsAreNoPartOfTheEnding) {
  EXPECT_EQ(SinkFormatOfPath("s3://bucket/x.parquet?region=a.csv"), SinkFormat::kParquet);
  EXPECT_EQ(SinkFormatOfPath("s3://bucket/x?y.parquet"), std::nullopt);
  EXPECT_EQ(SinkFormatOfPath("x.jsonl?y.parquet"), SinkFormat::kParquet);
}

}  // namespace
}  // namespace structtensor
