// Reading from file descriptors and writing to them.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_FD_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_FD_H_

#include <sys/types.h>

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace structtensor {

// As read(2) and write(2), but signals do not interrupt them, and they wait for pipes that another process has made
// non-blocking. WriteSome: at most 1 GiB at once, as some systems take no more than 2 GiB.
ssize_t ReadSome(int fd, char* to, size_t capacity_bytes);
ssize_t WriteSome(int fd, const char* bytes, size_t size_bytes);

// Writes all of `bytes`. Errors: the system's reason (a full disk, a closed pipe), without the file's name.
absl::Status WriteAll(int fd, std::string_view bytes);

}  // namespace structtensor

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_FD_H_
