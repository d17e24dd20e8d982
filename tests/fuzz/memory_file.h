// A file that is only in memory, for readers that take a path and writers that take a file descriptor.
#ifndef STRUCTTENSOR_TESTS_FUZZ_MEMORY_FILE_H_
#define STRUCTTENSOR_TESTS_FUZZ_MEMORY_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace structtensor::testing {

class MemoryFile {
 public:
  // Ends the process if the system has no room for the file.
  explicit MemoryFile(std::string_view bytes = {}) : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (fd_ < 0 || write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      std::perror("file in memory");
      std::abort();
    }
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }
  // A name of the file in this process.
  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }

  std::string Contents() const {
    std::string contents(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    contents.resize(static_cast<size_t>(pread(fd_, contents.data(), contents.size(), 0)));
    return contents;
  }

 private:
  const int fd_;
};

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_MEMORY_FILE_H_
