// Rows chosen by index.
#ifndef STRUCTTENSOR_TENSOR_OPS_GATHER_H_
#define STRUCTTENSOR_TENSOR_OPS_GATHER_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The bounds that an index along a ragged axis must keep.
enum class RowBounds : bool {
  kRow,     // the bounds of the row that it selects from
  kValues,  // the bounds of all values of the axis: an index counts from the row's start and may reach into other rows, as in
            // TensorFlow's ragged kernels. Dense and uniform axes keep the bounds of the row.
};

struct GatherOptions {
  // The axis of `params` to select from; counts from the end if negative. Default: the value of batch_dims as given, that is,
  // the first axis after the batch axes, or for a negative batch_dims that axis counted from the end.
  std::optional<int64_t> axis = {};
  // How many outer axes `params` and `indices` share: batch element i of `indices` selects from batch element i of `params`.
  // Counts from the end of the axes of `indices` if negative. Default: 0.
  int64_t batch_dims = 0;
  // Default: an index outside its row is an error.
  RowBounds bounds = RowBounds::kRow;
};

// Returns the parts of `params` that `indices` choose along one axis.
// Shapes: params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]; a scalar index removes the axis. `params`
//   and `indices` may both be ragged.
// Errors: OutOfRange if an index is negative or not below the size of the row or axis (the message names the index);
//   InvalidArgument if there is no such axis, batch_dims <= axis does not hold, indices are not integers, or the batch axes of
//   the two differ; ResourceExhausted as in TakeRowsChecked; Unimplemented for inner axes of extension types.
// Cost: O(result); consecutive indices share memory with `params`. Source: tf.gather.
absl::StatusOr<Value> Gather(const Value& params, const Value& indices, const GatherOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_GATHER_H_
