// Elementary functions of the elements of one tensor or ragged tensor of floating point numbers. In all of these the result
// has the shape, the row partitions (shared), the validity and the dtype of x; float16 and bfloat16 are computed as float and
// rounded. Undefined results are NaN, as in the C library, whose functions these are.
// Errors: InvalidArgument if x is a struct or of an extension type, or elements are not floating point numbers;
//   ResourceExhausted if there is no memory. Cost: O(elements). Source: tf.math; NumPy for Log2, Log10 and Cbrt.
#ifndef STRUCTTENSOR_TENSOR_MATH_ELEMENTARY_FUNCTIONS_H_
#define STRUCTTENSOR_TENSOR_MATH_ELEMENTARY_FUNCTIONS_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

absl::StatusOr<Value> Rsqrt(const Value& x);       // 1 / sqrt(x)
absl::StatusOr<Value> Reciprocal(const Value& x);  // 1 / x
absl::StatusOr<Value> Cbrt(const Value& x);

absl::StatusOr<Value> Expm1(const Value& x);  // exp(x) - 1, exact near 0
absl::StatusOr<Value> Log1p(const Value& x);  // log(1 + x), exact near 0
absl::StatusOr<Value> Log2(const Value& x);
absl::StatusOr<Value> Log10(const Value& x);

// Angles are in radians.
absl::StatusOr<Value> Sin(const Value& x);
absl::StatusOr<Value> Cos(const Value& x);
absl::StatusOr<Value> Tan(const Value& x);
absl::StatusOr<Value> Asin(const Value& x);
absl::StatusOr<Value> Acos(const Value& x);
absl::StatusOr<Value> Atan(const Value& x);

absl::StatusOr<Value> Sinh(const Value& x);
absl::StatusOr<Value> Cosh(const Value& x);
absl::StatusOr<Value> Tanh(const Value& x);
absl::StatusOr<Value> Asinh(const Value& x);
absl::StatusOr<Value> Acosh(const Value& x);
absl::StatusOr<Value> Atanh(const Value& x);

absl::StatusOr<Value> Erf(const Value& x);
absl::StatusOr<Value> Erfc(const Value& x);     // 1 - erf(x), exact where that is near 0
absl::StatusOr<Value> Lgamma(const Value& x);   // log(|gamma(x)|)
absl::StatusOr<Value> Sigmoid(const Value& x);  // 1 / (1 + exp(-x))

// The two values are broadcast to one shape (broadcast.h). Errors: also InvalidArgument if dtypes differ or shapes do not fit.
// An element is absent where one of x or y is.
absl::StatusOr<Value> Atan2(const Value& y, const Value& x);  // the angle of the point (x, y)
absl::StatusOr<Value> Hypot(const Value& x, const Value& y);  // the distance of (x, y) from 0

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_ELEMENTARY_FUNCTIONS_H_
