// What is where a mask is true.
#ifndef STRUCTTENSOR_OPS_BOOLEAN_MASK_H_
#define STRUCTTENSOR_OPS_BOOLEAN_MASK_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the elements of `value` where `mask` is true. Rows stay rows: masked along an inner axis, they become ragged.
//   [[a, b], [], [c]] masked with [[true, false], [], [true]] is [[a], [], [c]]
// Shapes: mask of rank m, 1 <= m <= value.rank(), dense or ragged, with the first m axes of value; the result has the rank of
//   value.
// Errors: InvalidArgument if the mask is not of bool, a scalar, of more axes than the value, or its axes differ from those of
//   the value (the message names axis and row); Unimplemented for inner axes of extension types. An absent element of the mask
//   is not true.
// Cost: O(mask + result); if one run of elements is left, memory is shared. Source: tf.ragged.boolean_mask.
absl::StatusOr<Value> BooleanMask(const Value& value, const Value& mask);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_BOOLEAN_MASK_H_
