// Logical operations on the elements of tensors and ragged tensors of booleans, which are broadcast to one shape (broadcast.h).
// Errors: InvalidArgument if elements are not booleans, a value is a struct or of an extension type, or shapes do not fit;
//   ResourceExhausted if the result is too big. An element is absent where one of x or y is. Cost: O(elements of the result).
#ifndef STRUCTTENSOR_TENSOR_MATH_LOGIC_H_
#define STRUCTTENSOR_TENSOR_MATH_LOGIC_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

absl::StatusOr<Value> LogicalAnd(const Value& x, const Value& y);
absl::StatusOr<Value> LogicalOr(const Value& x, const Value& y);
absl::StatusOr<Value> LogicalXor(const Value& x, const Value& y);
absl::StatusOr<Value> LogicalNot(const Value& x);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_LOGIC_H_
