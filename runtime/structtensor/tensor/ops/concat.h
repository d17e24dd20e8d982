// Values joined along an axis.
#ifndef STRUCTTENSOR_TENSOR_OPS_CONCAT_H_
#define STRUCTTENSOR_TENSOR_OPS_CONCAT_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the values one after the other along `axis`, which counts from the end if negative. Along an inner axis, row i of the
// result joins row i of each value.
//   [[a], [b, c]] and [[x, y], []] along axis 1: [[a, x, y], [b, c]]
// Shapes: values of equal rank >= 1 with the same axes before `axis`. If all are dense, the axes after `axis` are the same too.
// Errors: InvalidArgument if there are no values or no such axis, or the values differ in rank, dtype, fields or axes (the
//   message has the field's path, or axis and row); ResourceExhausted as in AssembleRows; Unimplemented for inner axes of
//   extension types.
// Cost: O(result), each partition and each leaf in one pass. A single value is returned as it is. Source: tf.concat.
absl::StatusOr<Value> Concat(std::span<const Value> values, int64_t axis);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_CONCAT_H_
