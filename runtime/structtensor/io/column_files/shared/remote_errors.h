// Errors of the libraries that reach remote files, each in one line. Does not use the Arrow library.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_SHARED_REMOTE_ERRORS_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_SHARED_REMOTE_ERRORS_H_

#include <string_view>

#include "absl/status/status.h"

namespace structtensor::column_files_internal {

// Returns a status for Arrow's error text about a remote file, with advice about what to do. Its code is the one that the text
// implies (NotFound, PermissionDenied), else `code`.
absl::Status RemoteError(absl::StatusCode code, std::string_view text);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_SHARED_REMOTE_ERRORS_H_
