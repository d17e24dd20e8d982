// The .proto files in folders.
#ifndef STRUCTTENSOR_APP_SCHEMA_SHARED_PROTO_FILES_H_
#define STRUCTTENSOR_APP_SCHEMA_SHARED_PROTO_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace structtensor::schema_internal {

// Returns the paths of all .proto files in the folders and below them, sorted. A file that is below two of them is returned
// once.
// Errors: NotFound if there is none; InvalidArgument if there are more than 2,000, as in folders of whole programs; the error
// of a folder that cannot be read.
absl::StatusOr<std::vector<std::string>> FindProtoFiles(const std::vector<std::string>& folders);

}  // namespace structtensor::schema_internal

#endif  // STRUCTTENSOR_APP_SCHEMA_SHARED_PROTO_FILES_H_
