// Arithmetic on the elements of two values. In all of these:
// Shapes: x and y are tensors or ragged tensors, broadcast to one shape (broadcast.h), the shape of the result.
// Elements: numbers of the same dtype; the result has this dtype too. Integers wrap around. float16 and bfloat16 are
//   computed as float and rounded. An element is absent where one of x or y is.
// Errors: InvalidArgument if a value is a struct or of an extension type, dtypes differ or are not numbers, or shapes do not
//   fit; ResourceExhausted if the result is too big. Messages name the operation.
// Cost: O(elements of the result).
#ifndef STRUCTTENSOR_TENSOR_MATH_ARITHMETIC_H_
#define STRUCTTENSOR_TENSOR_MATH_ARITHMETIC_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Timestamps and durations of one unit work too: timestamp + duration, duration + timestamp and timestamp - duration give
// timestamps; timestamp - timestamp gives a duration, and so do sums and differences of durations. Errors: InvalidArgument for
// other pairs with a timestamp or duration, and for a result that overflows int64 in this unit (the message has the element).
absl::StatusOr<Value> Add(const Value& x, const Value& y);
absl::StatusOr<Value> Subtract(const Value& x, const Value& y);
absl::StatusOr<Value> Multiply(const Value& x, const Value& y);
// (x - y) * (x - y).
absl::StatusOr<Value> SquaredDifference(const Value& x, const Value& y);
// The greater or the smaller of x and y; NaN if one of them is NaN. Timestamps and durations work too.
absl::StatusOr<Value> Maximum(const Value& x, const Value& y);
absl::StatusOr<Value> Minimum(const Value& x, const Value& y);

// The quotient; a double if x and y are integers. Source: tf.divide.
absl::StatusOr<Value> Divide(const Value& x, const Value& y);
// The quotient, or 0 where y is 0. For floating point numbers only. Source: tf.math.divide_no_nan.
absl::StatusOr<Value> DivideNoNan(const Value& x, const Value& y);
// The quotient rounded down. Errors: InvalidArgument for an integer divided by 0 (the message has the element).
absl::StatusOr<Value> FloorDivide(const Value& x, const Value& y);
// The remainder of FloorDivide; it has the sign of y. Errors: as FloorDivide. Source: tf.math.floormod.
absl::StatusOr<Value> Mod(const Value& x, const Value& y);
// The quotient rounded toward 0. Errors: as FloorDivide. Source: tf.truncatediv.
absl::StatusOr<Value> TruncateDiv(const Value& x, const Value& y);
// The remainder of TruncateDiv; it has the sign of x. Errors: as FloorDivide. Source: tf.truncatemod, numpy.fmod.
absl::StatusOr<Value> Fmod(const Value& x, const Value& y);
// x to the power y. Errors: InvalidArgument for integers to a negative power.
absl::StatusOr<Value> Power(const Value& x, const Value& y);

// x, but not less than `low` and not more than `high`: Minimum(Maximum(x, low), high). Source: tf.clip_by_value.
absl::StatusOr<Value> Clip(const Value& x, const Value& low, const Value& high);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_ARITHMETIC_H_
