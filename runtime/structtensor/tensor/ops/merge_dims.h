// Neighbouring axes merged into one.
#ifndef STRUCTTENSOR_TENSOR_OPS_MERGE_DIMS_H_
#define STRUCTTENSOR_TENSOR_OPS_MERGE_DIMS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with axes outer_axis to inner_axis merged into one; negative axes count from the end.
//   [[[a], [b, c]], [[d]]]   axes 0, 1: [[a], [b, c], [d]]   axes 1, 2: [[a, b, c], [d]]
// Errors: InvalidArgument if there is no such axis, or outer_axis comes after inner_axis; Unimplemented for extension types.
// Cost: O(rows of the merged axes), no data is copied. Source: tf.RaggedTensor.merge_dims.
absl::StatusOr<Value> MergeDims(const Value& value, int64_t outer_axis, int64_t inner_axis);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_MERGE_DIMS_H_
