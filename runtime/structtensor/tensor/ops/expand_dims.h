// A new axis of size 1.
#ifndef STRUCTTENSOR_TENSOR_OPS_EXPAND_DIMS_H_
#define STRUCTTENSOR_TENSOR_OPS_EXPAND_DIMS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with a new axis of size 1 at position `axis`, which is in [-rank - 1, rank]; a negative axis counts from
// the end of the result.
// Errors: InvalidArgument if there is no such position; Unimplemented for inner axes of extension types, and for scalars of
//   extension types without components.
// Cost: O(rank), no data is copied. Source: tf.expand_dims.
absl::StatusOr<Value> ExpandDims(const Value& value, int64_t axis);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_EXPAND_DIMS_H_
