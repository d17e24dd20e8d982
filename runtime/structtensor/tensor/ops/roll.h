// Elements rotated along axes.
#ifndef STRUCTTENSOR_TENSOR_OPS_ROLL_H_
#define STRUCTTENSOR_TENSOR_OPS_ROLL_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with the elements along axes[i] moved by shifts[i] places, backwards if negative. Elements that leave the
// axis at one end come in at the other. On a ragged axis, each row rotates by itself. If an axis is named more than once, its
// shifts add up. Negative axes count from the end.
// Errors: InvalidArgument if there is no such axis, or shifts and axes differ in number; ResourceExhausted and Unimplemented as
//   in TakeRowsChecked.
// Cost: O(result). Source: tf.roll.
absl::StatusOr<Value> Roll(const Value& value, std::span<const int64_t> shifts, std::span<const int64_t> axes);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_ROLL_H_
