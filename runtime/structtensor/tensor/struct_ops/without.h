// New structured tensors without some of the fields.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_WITHOUT_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_WITHOUT_H_

#include <initializer_list>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` without the fields at `paths`; the other fields are shared. A field may be named
// twice, or be inside another one.
// Errors: NotFound if a field does not exist; InvalidArgument if a path is empty, has steps that are not names, or goes through
//   a field that is not a struct. Cost: O(length of paths x fields). Source: RFC "StructuredTensor", without.
absl::StatusOr<StructuredTensor> Without(const StructuredTensor& structs, std::span<const Path> paths);
inline absl::StatusOr<StructuredTensor> Without(const StructuredTensor& structs, std::initializer_list<Path> paths) {
  return Without(structs, std::span(paths.begin(), paths.size()));
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_WITHOUT_H_
