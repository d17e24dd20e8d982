// Whole axes repeated.
#ifndef STRUCTTENSOR_TENSOR_OPS_TILE_H_
#define STRUCTTENSOR_TENSOR_OPS_TILE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with axis i repeated multiples[i] times, as a whole: [a, b] twice is [a, b, a, b]. On a ragged axis, each
// row is repeated by itself.
// Shapes: one number for each axis.
// Errors: InvalidArgument if the number of multiples is not the number of axes, or one is negative; ResourceExhausted and
//   Unimplemented as in TakeRowsChecked.
// Cost: O(result). Source: tf.tile.
absl::StatusOr<Value> Tile(const Value& value, std::span<const int64_t> multiples);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_TILE_H_
