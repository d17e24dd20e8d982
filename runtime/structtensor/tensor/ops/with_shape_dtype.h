// The dtype of row partitions.
#ifndef STRUCTTENSOR_TENSOR_OPS_WITH_SHAPE_DTYPE_H_
#define STRUCTTENSOR_TENSOR_OPS_WITH_SHAPE_DTYPE_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with this dtype for all its row partitions, including the row partitions of its fields at any depth.
// Errors: InvalidArgument if dtype is neither kInt32 nor kInt64; ResourceExhausted if kInt32 cannot count the values of a
//   partition (the message has the field's path). Extension types stay as they are.
// Cost: O(number of fields), no data is copied. Source: tf.experimental.StructuredTensor.with_shape_dtype.
absl::StatusOr<Value> WithShapeDtype(const Value& value, DType dtype);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_WITH_SHAPE_DTYPE_H_
