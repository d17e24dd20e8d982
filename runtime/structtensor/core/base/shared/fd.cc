#include "structtensor/core/base/shared/fd.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace structtensor {
namespace {

// Calls `transfer` until it succeeds, or fails for a reason that does not pass.
template <typename Transfer>
ssize_t Repeat(int fd, short readiness, const Transfer& transfer) {
  while (true) {
    const ssize_t size_bytes = transfer();
    if (size_bytes >= 0) return size_bytes;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready = {fd, readiness, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return size_bytes;
    }
  }
}

}  // namespace

ssize_t ReadSome(int fd, char* to, size_t capacity_bytes) {
  return Repeat(fd, POLLIN, [=] { return read(fd, to, capacity_bytes); });
}

ssize_t WriteSome(int fd, const char* bytes, size_t size_bytes) {
  constexpr size_t kMaxBytes = size_t{1} << 30;
  return Repeat(fd, POLLOUT, [=] { return write(fd, bytes, std::min(size_bytes, kMaxBytes)); });
}

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written_bytes = WriteSome(fd, bytes.data(), bytes.size());
    if (written_bytes < 0) return absl::ErrnoToStatus(errno, "cannot write");
    bytes.remove_prefix(static_cast<size_t>(written_bytes));
  }
  return absl::OkStatus();
}

}  // namespace structtensor
