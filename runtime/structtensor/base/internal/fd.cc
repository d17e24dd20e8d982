#include "structtensor/base/internal/fd.h"

#include <unistd.h>

#include <cerrno>

namespace structtensor {

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written_bytes = write(fd, bytes.data(), bytes.size());
    if (written_bytes >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written_bytes));
    } else if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, "cannot write");
    }
  }
  return absl::OkStatus();
}

}  // namespace structtensor
