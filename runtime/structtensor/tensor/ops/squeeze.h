// Axes of size 1 removed.
#ifndef STRUCTTENSOR_TENSOR_OPS_SQUEEZE_H_
#define STRUCTTENSOR_TENSOR_OPS_SQUEEZE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value without `axes`. Each of them must have size 1; a ragged axis must have one value in each row. Negative axes
// count from the end. If `axes` is empty, all axes that are known to have size 1 are removed.
// Errors: InvalidArgument if there is no such axis or it has another size (the message names axis and row); Unimplemented for
//   inner axes of extension types.
// Cost: O(rank), and O(rows) for a ragged axis; no data is copied. Source: tf.squeeze.
absl::StatusOr<Value> Squeeze(const Value& value, std::span<const int64_t> axes = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SQUEEZE_H_
