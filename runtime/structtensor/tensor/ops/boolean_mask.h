// The elements where a mask is true.
#ifndef STRUCTTENSOR_TENSOR_OPS_BOOLEAN_MASK_H_
#define STRUCTTENSOR_TENSOR_OPS_BOOLEAN_MASK_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the elements of `value` where `mask` is true. A mask along an inner axis makes the rows ragged.
//   [[a, b], [], [c]] masked with [[true, false], [], [true]] is [[a], [], [c]]
// Shapes: mask has rank m, 1 <= m <= value.rank(), is dense or ragged, and has the first m axes of value; the result has the
//   rank of value.
// Errors: InvalidArgument if the mask is not bool, is a scalar, has more axes than the value, or its axes differ from the axes
//   of the value (the message names axis and row); Unimplemented for inner axes of extension types. An absent element of the
//   mask counts as false.
// Cost: O(mask + result); memory is shared if the result is one run of elements. Source: tf.ragged.boolean_mask.
absl::StatusOr<Value> BooleanMask(const Value& value, const Value& mask);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_BOOLEAN_MASK_H_
