#include "structtensor/core/base/shared/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace structtensor {
namespace {

// A pipe with both ends non-blocking, as another process may have made them.
struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0); }
  int ends[2];
};

TEST(Fd, WritingWaitsForAThreadThatReads) {
  const Pipe pipe;
  const std::string sent(1 << 20, 'x');
  std::string received;
  std::thread reader([&] {
    char bytes[10000];
    while (true) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      const ssize_t size_bytes = read(pipe.ends[0], bytes, sizeof(bytes));
      if (size_bytes == 0) break;
      if (size_bytes > 0) received.append(bytes, static_cast<size_t>(size_bytes));
    }
  });
  EXPECT_TRUE(WriteAll(pipe.ends[1], sent).ok());
  close(pipe.ends[1]);
  reader.join();
  close(pipe.ends[0]);
  EXPECT_EQ(received, sent);
}

TEST(Fd, ReadingWaitsForAThreadThatWrites) {
  const Pipe pipe;
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(write(pipe.ends[1], "ab", 2), 2);
    }
    close(pipe.ends[1]);
  });
  std::string received;
  char bytes[100];
  ssize_t size_bytes;
  while ((size_bytes = ReadSome(pipe.ends[0], bytes, sizeof(bytes))) > 0)
    received.append(bytes, static_cast<size_t>(size_bytes));
  writer.join();
  close(pipe.ends[0]);
  EXPECT_EQ(size_bytes, 0);
  EXPECT_EQ(received.size(), 40u);
}

TEST(Fd, AReaderThatHasGoneIsAnError) {
  const Pipe pipe;
  close(pipe.ends[0]);
  const auto before = signal(SIGPIPE, SIG_IGN);
  EXPECT_FALSE(WriteAll(pipe.ends[1], "x").ok());
  signal(SIGPIPE, before);
  close(pipe.ends[1]);
}

}  // namespace
}  // namespace structtensor
