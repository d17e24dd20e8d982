// What fields of structs may be called.
#ifndef STRUCTTENSOR_TYPE_SPEC_FIELD_NAME_H_
#define STRUCTTENSOR_TYPE_SPEC_FIELD_NAME_H_

#include <string_view>

#include "absl/status/status.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Whether a field may have that name: any text but the empty one, as protobuf, JSON and Arrow have them ("_index_", "user id",
// "größe"). What makes structs and specs asks this and nothing else; that names are unique it checks itself. In a field path a
// name with other characters than letters, digits and _ stands in quotes (path/path.h).
inline bool IsFieldName(std::string_view name) { return !name.empty(); }

// Errors: InvalidArgument if it is no name.
inline absl::Status CheckFieldName(std::string_view name) {
  if (IsFieldName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError("a field's name is empty; every field needs a name");
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TYPE_SPEC_FIELD_NAME_H_
