// Writing to file descriptors.
#ifndef STRUCTTENSOR_BASE_INTERNAL_FD_H_
#define STRUCTTENSOR_BASE_INTERNAL_FD_H_

#include <string_view>

#include "absl/status/status.h"

namespace structtensor {

// Writes all of `bytes`. Errors: the system's reason (a full disk, a closed pipe), without the file's name.
absl::Status WriteAll(int fd, std::string_view bytes);

}  // namespace structtensor

#endif  // STRUCTTENSOR_BASE_INTERNAL_FD_H_
