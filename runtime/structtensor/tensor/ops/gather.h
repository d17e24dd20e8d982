// Selects rows and elements by index, coordinates, mask or range.
#ifndef STRUCTTENSOR_TENSOR_OPS_GATHER_H_
#define STRUCTTENSOR_TENSOR_OPS_GATHER_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/tensor.h"
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

// Returns Gather() where all axes of `indices` except the last are batch axes: result[i, j] is params[i, indices[i, j]].
// Shapes: params and indices have the same axes before the last axis of indices. The result has shape
//   indices.shape + params.shape[rank of indices:].
// Errors: the errors of Gather; InvalidArgument if indices are a scalar. Source: tf.ragged.batch_gather, tf.batch_gather.
absl::StatusOr<Value> BatchGather(const Value& params, const Value& indices, RowBounds bounds = RowBounds::kRow);

// Returns the parts of `params` at coordinates: row i of the last axis of `indices`, [i0, i1, ...], means params[i0, i1, ...].
// Shapes: indices [..., k] may be ragged, but the last axis is dense with k <= params.rank(); the result has shape
//   indices.shape[:-1] + params.shape[k:]. With k = 0, every point is the whole of `params`, and indices may have any dtype, as
//   [] has.
// Errors: OutOfRange if a coordinate is negative or not below the size of its axis (on a ragged axis: of its row, or as
//   `bounds` says); InvalidArgument if indices are not integers, are a scalar, or have more coordinates than `params` has axes;
//   ResourceExhausted as in TakeRowsChecked; Unimplemented for inner axes of extension types.
// With batch_dims = b, `params` and `indices` share b outer axes, and the coordinates of a batch element select from that batch
// element: the result has shape indices.shape[:-1] + params.shape[b + k:]. InvalidArgument if the batch axes of the two differ,
// or no axis of indices is left for the coordinates.
// Cost: O(indices + result). Source: tf.gather_nd.
absl::StatusOr<Value> GatherNd(const Value& params, const Value& indices, RowBounds bounds = RowBounds::kRow,
                               int64_t batch_dims = 0);

// Returns the elements of `value` where `mask` is true. A mask along an inner axis makes the rows ragged.
//   [[a, b], [], [c]] masked with [[true, false], [], [true]] is [[a], [], [c]]
// Along another axis than axis 0, which may count from the end, all rows keep the same positions, and the axis stays dense:
//   [[a, b, c], [d, e, f]] masked with [true, false, true] along axis 1 is [[a, c], [d, f]]
// Shapes: mask has rank m, 1 <= m <= value.rank(), is dense or ragged, and has the first m axes of value; the result has the
//   rank of value. Along another axis, mask has the shape [size of that axis].
// Errors: InvalidArgument if the mask is not bool, is a scalar, has more axes than the value, or its axes differ from the axes
//   of the value (the message names axis and row), or there is no such axis; Unimplemented for inner axes of extension types.
//   An absent element of the mask counts as false.
// Cost: O(mask + result); memory is shared if the result is one run of elements. Source: tf.ragged.boolean_mask,
// tf.boolean_mask.
absl::StatusOr<Value> BooleanMask(const Value& value, const Value& mask, int64_t axis = 0);

// Returns `x` where `condition` is true, `y` elsewhere. A condition of rank 1 chooses whole rows, a condition of rank 2 chooses
// elements of rows, and so on. Nothing is broadcast; elementwise selection with broadcasting is an operation on arrays.
// Shapes: condition has rank m and is dense or ragged; x and y have equal rank >= m; the first m axes of all three are the
//   same. A scalar condition chooses between the values as they are.
// Errors: InvalidArgument if condition is not bool, x and y differ in rank, dtype or fields, or axes differ (the message names
//   axis and row); ResourceExhausted as in AssembleRows; Unimplemented for inner axes of extension types. An absent element of
//   condition counts as false.
// Cost: O(condition + result). Source: tf.where.
absl::StatusOr<Value> Where(const Value& condition, const Value& x, const Value& y);

// Returns the coordinates of the true elements of `condition`, in row-major order.
// Shapes: condition dense or ragged, of rank r; result int64 [number of true elements, r].
// Errors: InvalidArgument if condition is not bool; ResourceExhausted if there is no memory. Source: tf.where(condition).
absl::StatusOr<Tensor> Where(const Value& condition);

// Returns positions [begin[i], begin[i] + size[i]) of each axis i; a size of -1 means all from begin on. Axes without numbers
// stay whole. On a ragged axis, each row gives the positions that it has, possibly none.
// Shapes: begin and size have equal length <= value.rank().
// Errors: InvalidArgument if begin and size do not fit each other or the value; OutOfRange if begin is negative, a size is
//   below -1, or the range exceeds an axis that is not ragged; ResourceExhausted and Unimplemented as in TakeRowsChecked.
// Cost: O(1) in the data along axis 0; views of dense tensors; else O(rows + result). Source: tf.slice.
absl::StatusOr<Value> Slice(const Value& value, std::span<const int64_t> begin, std::span<const int64_t> size);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_GATHER_H_
