// Operations on the bits of integers, and on booleans, which are one bit each. In all of these:
// Shapes: x and y are tensors or ragged tensors, broadcast to one shape (broadcast.h), the shape of the result.
// Elements: x and y are integers of the same dtype, or booleans (not in shifts); the result has this dtype too. An element is
//   absent where one of x or y is.
// Errors: InvalidArgument if a value is a struct or of an extension type, dtypes differ or are not allowed, or shapes do not
//   fit; ResourceExhausted if the result is too big. Cost: O(elements of the result). Source: tf.bitwise.
#ifndef STRUCTTENSOR_TENSOR_MATH_BITWISE_H_
#define STRUCTTENSOR_TENSOR_MATH_BITWISE_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

absl::StatusOr<Value> BitwiseAnd(const Value& x, const Value& y);
absl::StatusOr<Value> BitwiseOr(const Value& x, const Value& y);
absl::StatusOr<Value> BitwiseXor(const Value& x, const Value& y);
absl::StatusOr<Value> Invert(const Value& x);

// x shifted by y bits. LeftShift fills with zeros, RightShift with copies of the sign. y may be the number of bits of x or
// greater; then the result has only the filled bits.
// Errors: InvalidArgument if y is negative (the message has the element).
absl::StatusOr<Value> LeftShift(const Value& x, const Value& y);
absl::StatusOr<Value> RightShift(const Value& x, const Value& y);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_BITWISE_H_
