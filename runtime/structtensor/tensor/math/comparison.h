// Comparisons of the elements of two values. In all of these:
// Shapes: x and y are tensors or ragged tensors, broadcast to one shape (broadcast.h), the shape of the result.
// Elements: x and y have the same dtype; the result has booleans. Strings and bytes are compared byte by byte. NaN equals
//   nothing, as in C++. An element is absent where one of x or y is.
// Errors: InvalidArgument if a value is a struct or of an extension type, dtypes differ, shapes do not fit, or booleans are
//   compared for order (<, <=, >, >=); ResourceExhausted if the result is too big. Messages name the operation.
// Cost: O(elements of the result).
#ifndef STRUCTTENSOR_TENSOR_MATH_COMPARISON_H_
#define STRUCTTENSOR_TENSOR_MATH_COMPARISON_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

absl::StatusOr<Value> Equal(const Value& x, const Value& y);
absl::StatusOr<Value> NotEqual(const Value& x, const Value& y);
absl::StatusOr<Value> Less(const Value& x, const Value& y);
absl::StatusOr<Value> LessEqual(const Value& x, const Value& y);
absl::StatusOr<Value> Greater(const Value& x, const Value& y);
absl::StatusOr<Value> GreaterEqual(const Value& x, const Value& y);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_COMPARISON_H_
