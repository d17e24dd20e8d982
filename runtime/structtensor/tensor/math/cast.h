// Conversion of elements to another dtype.
#ifndef STRUCTTENSOR_TENSOR_MATH_CAST_H_
#define STRUCTTENSOR_TENSOR_MATH_CAST_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the tensor or ragged tensor with elements of that dtype; row partitions and validity are shared.
//   integers to integers           wrap around
//   floating point to integers     rounded towards 0; out of range: the nearest integer in range; NaN: 0
//   to floating point numbers      rounded to nearest
//   from and to booleans           0 is false, other numbers are true; false is 0, true is 1
//   timestamps and durations       converted as integers that count their unit
//   strings to bytes               no data is copied
// Errors: InvalidArgument for timestamps or durations to those of another unit (the times would change), for other casts of
// strings and bytes, and for structs and extension types. Cost: O(elements), or O(1) if nothing changes.
// Source: tf.cast.
absl::StatusOr<Value> Cast(const Value& value, DType dtype);
absl::StatusOr<Tensor> CastTensor(const Tensor& tensor, DType dtype);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_CAST_H_
