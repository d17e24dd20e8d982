// Joins values along an axis.
#ifndef STRUCTTENSOR_TENSOR_OPS_JOIN_H_
#define STRUCTTENSOR_TENSOR_OPS_JOIN_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the values one after the other along `axis`, which counts from the end if negative. Along an inner axis, row i of the
// result joins row i of each value.
//   [[a], [b, c]] and [[x, y], []] along axis 1: [[a, x, y], [b, c]]
// Shapes: values of equal rank >= 1 with the same axes before `axis`. Axes after `axis` that differ become ragged.
// Errors: InvalidArgument if there are no values or no such axis, or the values differ in rank, dtype, fields or axes (the
//   message has the field's path, or axis and row); ResourceExhausted as in AssembleRows; Unimplemented for inner axes of
//   extension types.
// Cost: O(result), each partition and each leaf in one pass. A single value is returned as it is. Source: tf.concat.
absl::StatusOr<Value> Concat(std::span<const Value> values, int64_t axis);

// Returns the value that has values[i] as element i along the new axis `axis`, in [-rank - 1, rank]; a negative axis counts
// from the end of the result. Dimensions after the new axis become ragged where they differ.
//   [a, b] and [c] along axis 0: [[a, b], [c]]      [a, b] and [x, y] along axis 1: [[a, x], [b, y]]
// Values of extension types become one value of the type, or ExtensionRows of it (tensor/values/extension_rows.h).
// Shapes: values of equal rank with the same axes before `axis`; the new axis has size values.size().
// Errors: InvalidArgument if there are no values or no such position, or the values differ in rank, dtype, fields or axes (the
//   message has the field's path, or axis and row); ResourceExhausted as in AssembleRows; Unimplemented for inner axes of
//   extension types.
// Cost: O(result), each partition and each leaf in one pass. Source: tf.stack, tf.ragged.stack.
absl::StatusOr<Value> Stack(std::span<const Value> values, int64_t axis = 0);

// Returns the value with the part at position i of `axis` repeated repeats[i] times: [a, b] with {2, 1} is [a, a, b].
// Shapes: repeats has one number for all positions, or one for each position; one for each needs an axis that is not ragged.
//   `axis` counts from the end if negative.
// Errors: InvalidArgument if there is no such axis, repeats do not fit it, or one is negative; ResourceExhausted and
//   Unimplemented as in TakeRowsChecked.
// Cost: O(result). Source: tf.repeat.
absl::StatusOr<Value> Repeat(const Value& value, std::span<const int64_t> repeats, int64_t axis = 0);

// Returns the value with axis i repeated multiples[i] times, as a whole: [a, b] twice is [a, b, a, b]. On a ragged axis, each
// row is repeated by itself.
// Shapes: one number for each axis.
// Errors: InvalidArgument if the number of multiples is not the number of axes, or one is negative; ResourceExhausted and
//   Unimplemented as in TakeRowsChecked.
// Cost: O(result). Source: tf.tile.
absl::StatusOr<Value> Tile(const Value& value, std::span<const int64_t> multiples);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_JOIN_H_
