#include "structtensor/io/column_files/shared/fd_output.h"

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::column_files_internal {

absl::Status FdOutput::Write(const void* data, size_t size_bytes) {
  STRUCTTENSOR_RETURN_IF_ERROR(status_);
  const char* bytes = static_cast<const char*>(data);
  if (size_bytes > kBufferBytes - buffer_.size()) {
    STRUCTTENSOR_RETURN_IF_ERROR(WriteBuffer());
    if (size_bytes >= kBufferBytes) return WriteThrough(bytes, size_bytes);
  }
  buffer_.insert(buffer_.end(), bytes, bytes + size_bytes);
  return absl::OkStatus();
}

absl::Status FdOutput::Flush() {
  STRUCTTENSOR_RETURN_IF_ERROR(WriteBuffer());
  buffer_ = std::vector<char>();
  return absl::OkStatus();
}

absl::Status FdOutput::WriteBuffer() {
  STRUCTTENSOR_RETURN_IF_ERROR(status_);
  STRUCTTENSOR_RETURN_IF_ERROR(WriteThrough(buffer_.data(), buffer_.size()));
  buffer_.clear();
  return absl::OkStatus();
}

void FdOutput::Abandon() {
  buffer_.clear();
  if (status_.ok()) status_ = absl::FailedPreconditionError("the file was abandoned before its end was written");
}

absl::Status FdOutput::WriteThrough(const char* data, size_t size_bytes) {
  while (size_bytes > 0) {
    const ssize_t written = WriteSome(fd_, data, size_bytes);
    if (written < 0) {
      status_ = absl::ErrnoToStatus(errno, absl::StrCat("cannot write at byte ", bytes_written_));
      return status_;
    }
    data += written;
    size_bytes -= static_cast<size_t>(written);
    bytes_written_ += written;
  }
  return absl::OkStatus();
}

}  // namespace structtensor::column_files_internal
