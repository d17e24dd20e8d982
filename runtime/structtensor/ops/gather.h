// Rows chosen by index.
#ifndef STRUCTTENSOR_OPS_GATHER_H_
#define STRUCTTENSOR_OPS_GATHER_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Between which bounds an index along a ragged axis must be.
enum class RowBounds : bool {
  kRow,     // those of the row that it selects from
  kValues,  // those of all values of the axis: counted from the row's start, an index may reach into neighbouring rows, as
            // TensorFlow's ragged kernels let it. Dense and uniform axes keep the bounds of the row.
};

struct GatherOptions {
  // Which axis of `params` is selected from; counts from the end if negative. Default: batch_dims as it is given, that is, the
  // axis behind the batch axes, and for a negative number that axis from the end.
  std::optional<int64_t> axis = {};
  // How many outer axes `params` and `indices` have in common: batch element i of one selects from batch element i of the
  // other. Counts from the end of the axes of `indices` if negative. Default: 0.
  int64_t batch_dims = 0;
  // Default: what lies outside a row is not part of it.
  RowBounds bounds = RowBounds::kRow;
};

// Returns the parts of `params` that `indices` choose along one axis.
// Shapes: params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]; a scalar index removes the axis. `params`
//   and `indices` may both be ragged.
// Errors: OutOfRange if an index is negative or not below the size of what it selects from (the message names the index);
//   InvalidArgument if there is no such axis, batch_dims <= axis does not hold, indices are no integers, or the batch axes of
//   both differ; ResourceExhausted as TakeRowsChecked; Unimplemented for inner axes of extension types.
// Cost: O(result); consecutive indices share memory with `params`. Source: tf.gather.
absl::StatusOr<Value> Gather(const Value& params, const Value& indices, const GatherOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_GATHER_H_
