// New structured tensors with some of the fields.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_WITH_ONLY_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_WITH_ONLY_H_

#include <initializer_list>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` with only the fields at `paths`: each one whole, while structs on the way keep only the named fields.
// Fields keep their order and are shared. A step `*` names all fields of a struct. Without paths, the result has no fields.
// Errors: NotFound if a field does not exist (`*` may match no field at all); InvalidArgument if a path is empty, has steps
//   other than names and `*`, or goes through a field that is not a struct (after `*`, such fields are skipped). Cost: O(length
//   of paths x fields). Source: RFC "StructuredTensor", with_only; struct2tensor, project.
absl::StatusOr<StructuredTensor> WithOnly(const StructuredTensor& structs, std::span<const Path> paths);
inline absl::StatusOr<StructuredTensor> WithOnly(const StructuredTensor& structs, std::initializer_list<Path> paths) {
  return WithOnly(structs, std::span(paths.begin(), paths.size()));
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_WITH_ONLY_H_
