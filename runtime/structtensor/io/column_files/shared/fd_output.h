// Buffered writing to a file descriptor, from front to back.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_SHARED_FD_OUTPUT_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_SHARED_FD_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace structtensor::column_files_internal {

// Writes to a file descriptor that belongs to the caller. The first error is kept: all later calls fail with it, so that no
// byte can follow a gap. The destructor does not flush.
class FdOutput {
 public:
  explicit FdOutput(int fd) : fd_(fd) {}
  FdOutput(const FdOutput&) = delete;
  FdOutput& operator=(const FdOutput&) = delete;

  // Errors: the system's, with the byte offset; FailedPrecondition after Abandon().
  absl::Status Write(const void* data, size_t size_bytes);
  // Writes the buffer and frees its memory, because there may be many files.
  absl::Status Flush();

  // After this call all writing fails, and nothing reaches the file descriptor, which may soon be another file.
  void Abandon();

  const absl::Status& status() const { return status_; }
  // How many bytes were given to Write.
  int64_t position_bytes() const { return bytes_written_ + static_cast<int64_t>(buffer_.size()); }
  // How many bytes have reached the file descriptor.
  int64_t bytes_written() const { return bytes_written_; }

 private:
  // Formats write many small pieces, some of 4 bytes.
  static constexpr size_t kBufferBytes = 256 << 10;

  absl::Status WriteBuffer();
  absl::Status WriteThrough(const char* data, size_t size_bytes);

  const int fd_;
  std::vector<char> buffer_;
  int64_t bytes_written_ = 0;
  absl::Status status_;
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_SHARED_FD_OUTPUT_H_
