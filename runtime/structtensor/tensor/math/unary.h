// Functions of the elements of one tensor or ragged tensor of numbers. In all of these the result has the shape, the row
// partitions (shared), the validity and, unless said otherwise, the dtype of x; float16 and bfloat16 are computed as float and
// rounded.
// Errors: InvalidArgument if x is a struct or of an extension type, or has elements that the function is not defined for;
//   ResourceExhausted if there is no memory. Cost: O(elements).
#ifndef STRUCTTENSOR_TENSOR_MATH_UNARY_H_
#define STRUCTTENSOR_TENSOR_MATH_UNARY_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// For numbers. Integers wrap around: Negative and Abs of the least integer return the least integer.
absl::StatusOr<Value> Negative(const Value& x);  // not for unsigned integers
absl::StatusOr<Value> Abs(const Value& x);
// -1, 0 or 1; NaN for NaN.
absl::StatusOr<Value> Sign(const Value& x);
absl::StatusOr<Value> Square(const Value& x);

// For floating point numbers.
absl::StatusOr<Value> Sqrt(const Value& x);
absl::StatusOr<Value> Exp(const Value& x);
absl::StatusOr<Value> Log(const Value& x);  // natural
absl::StatusOr<Value> Floor(const Value& x);
absl::StatusOr<Value> Ceil(const Value& x);
absl::StatusOr<Value> Trunc(const Value& x);  // towards 0
// Return booleans.
absl::StatusOr<Value> IsNan(const Value& x);
absl::StatusOr<Value> IsInf(const Value& x);
absl::StatusOr<Value> IsFinite(const Value& x);

// For numbers: the nearest integer, and the even one if two are equally near. Integers stay as they are.
absl::StatusOr<Value> Round(const Value& x);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_UNARY_H_
