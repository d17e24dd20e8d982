// A nested struct as a value of its own.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_REROOT_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_REROOT_H_

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the structs at `path` as rows: a value of rank 1 with all of them in order, without their grouping.
//
//   reroot to docs:  [{docs: [{t: 1}, {t: 2}]}, {docs: []}, {docs: [{t: 3}]}]  ->  [{t: 1}, {t: 2}, {t: 3}]
//
// An empty path gives the value itself with its axes merged into one. To keep each row's origin, call Broadcast or IndexEach
// first. Errors: NotFound if a field does not exist; InvalidArgument if it is not a struct or a step is not a name.
// Cost: O(length of path x fields); everything is shared. Source: struct2tensor, reroot.
absl::StatusOr<StructuredTensor> Reroot(const StructuredTensor& structs, const Path& path);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_REROOT_H_
