#include "structtensor/io/column_files/shared/fd_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace structtensor::column_files_internal {
namespace {

using ::testing::HasSubstr;

TEST(FdOutputTest, NonBlockingPipeGetsEverythingInOrder) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  std::string expected;
  for (int i = 0; expected.size() < 3'000'000; ++i) expected += std::to_string(i);
  std::string received;
  std::thread reader([&] {
    char chunk[4096];
    while (true) {
      const ssize_t size = read(ends[0], chunk, sizeof(chunk));
      if (size == 0) return;
      if (size > 0) received.append(chunk, static_cast<size_t>(size));
    }
  });

  FdOutput output(ends[1]);
  for (size_t begin = 0, length = 1; begin < expected.size(); begin += length, length = length * 3 % 700'001) {
    ASSERT_TRUE(output.Write(expected.data() + begin, std::min(length, expected.size() - begin)).ok());
  }
  EXPECT_EQ(output.position_bytes(), static_cast<int64_t>(expected.size()));
  EXPECT_TRUE(output.Flush().ok());
  EXPECT_EQ(output.bytes_written(), static_cast<int64_t>(expected.size()));
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_TRUE(received == expected);
}

TEST(FdOutputTest, FullDiskIsAnErrorThatSticks) {
  const int fd = open("/dev/full", O_WRONLY);
  ASSERT_GE(fd, 0);
  FdOutput output(fd);
  EXPECT_TRUE(output.Write("abc", 3).ok());
  const absl::Status status = output.Flush();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write at byte 0: No space left on device"));
  EXPECT_EQ(output.Write("d", 1), status);
  EXPECT_EQ(output.Flush(), status);
  close(fd);
}

TEST(FdOutputTest, NothingIsWrittenAfterAbandoning) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    FdOutput output(ends[1]);
    EXPECT_TRUE(output.Write("abc", 3).ok());
    output.Abandon();
    EXPECT_EQ(output.Flush().code(), absl::StatusCode::kFailedPrecondition);
  }
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace structtensor::column_files_internal
