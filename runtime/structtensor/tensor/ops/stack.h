// Values put side by side along a new axis.
#ifndef STRUCTTENSOR_TENSOR_OPS_STACK_H_
#define STRUCTTENSOR_TENSOR_OPS_STACK_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

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

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_STACK_H_
