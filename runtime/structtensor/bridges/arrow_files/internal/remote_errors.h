// What the libraries that reach remote files say, in one line. Knows no Arrow library.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_REMOTE_ERRORS_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_REMOTE_ERRORS_H_

#include <string_view>

#include "absl/status/status.h"

namespace structtensor::arrow_files_internal {

// A status of what Arrow says of a remote file, with the code that its text stands for (NotFound, PermissionDenied), else
// `code`, and with what to do about it.
absl::Status RemoteError(absl::StatusCode code, std::string_view text);

}  // namespace structtensor::arrow_files_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_REMOTE_ERRORS_H_
