// Which names fields of structs may have.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_FIELD_NAME_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_FIELD_NAME_H_

#include <string_view>

#include "absl/status/status.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Whether a field may have that name: any text that is not empty, as in protobuf, JSON and Arrow ("_index_", "user id",
// "größe"). All code that makes structs and specs asks this function only, and checks itself that names are unique. In a field
// path, some names are written in quotes (core/field_path/field_path.h).
inline bool IsFieldName(std::string_view name) { return !name.empty(); }

// Errors: InvalidArgument if the name is empty.
inline absl::Status CheckFieldName(std::string_view name) {
  if (IsFieldName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError("a field's name is empty; every field needs a name");
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_FIELD_NAME_H_
