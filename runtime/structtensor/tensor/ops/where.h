// Choosing between two values by a condition; the coordinates where a condition is true.
#ifndef STRUCTTENSOR_TENSOR_OPS_WHERE_H_
#define STRUCTTENSOR_TENSOR_OPS_WHERE_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `x` where `condition` is true, `y` elsewhere. A condition of rank 1 chooses whole rows, a condition of rank 2 chooses
// elements of rows, and so on. Nothing is broadcast; elementwise selection with broadcasting is an operation on arrays.
// Shapes: condition has rank m and is dense or ragged; x and y have equal rank >= m; the first m axes of all three are the
//   same. A scalar condition chooses between the values as they are.
// Errors: InvalidArgument if condition is not bool, x and y differ in rank, dtype or fields, or axes differ (the message names
//   axis and row); ResourceExhausted as in AssembleRows; Unimplemented for inner axes of extension types. An absent element of
//   condition counts as false.
// Cost: O(condition + result). Source: tf.where.
absl::StatusOr<Value> Where(const Value& condition, const Value& x, const Value& y);

// Returns the coordinates of the true elements of `condition`, in row-major order.
// Shapes: condition dense or ragged, of rank r; result int64 [number of true elements, r].
// Errors: InvalidArgument if condition is not bool; ResourceExhausted if there is no memory. Source: tf.where(condition).
absl::StatusOr<Tensor> Where(const Value& condition);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_WHERE_H_
