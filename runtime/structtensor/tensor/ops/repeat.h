// The elements along an axis, each repeated.
#ifndef STRUCTTENSOR_TENSOR_OPS_REPEAT_H_
#define STRUCTTENSOR_TENSOR_OPS_REPEAT_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with the part at position i of `axis` repeated repeats[i] times: [a, b] with {2, 1} is [a, a, b].
// Shapes: repeats has one number for all positions, or one for each position; one for each needs an axis that is not ragged.
//   `axis` counts from the end if negative.
// Errors: InvalidArgument if there is no such axis, repeats do not fit it, or one is negative; ResourceExhausted and
//   Unimplemented as in TakeRowsChecked.
// Cost: O(result). Source: tf.repeat.
absl::StatusOr<Value> Repeat(const Value& value, std::span<const int64_t> repeats, int64_t axis = 0);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_REPEAT_H_
