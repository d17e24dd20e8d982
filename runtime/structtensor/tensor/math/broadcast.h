// Broadcasting: how values of different shapes are used together. Shapes are aligned at their last axis; the shape with fewer
// axes gets leading axes of size 1. On each axis, sizes must be equal, or one of them must be 1: this axis is repeated. If an
// axis is ragged, all row lengths must be equal. Only a uniform axis of size 1 is repeated, never a ragged axis, even if all
// its rows have one value.
//
//   [[1, 2], [], [3]]  and  [[10], [20], [30]]  of shape [3, 1]   ->   [[1, 2], [], [3]]  and  [[10, 10], [], [30]]
//
// A ragged and a dense axis give a ragged axis. Source: tf.experimental's broadcast_dynamic_shape; NumPy for dense values.
#ifndef STRUCTTENSOR_TENSOR_MATH_BROADCAST_H_
#define STRUCTTENSOR_TENSOR_MATH_BROADCAST_H_

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the shape that values of both shapes have after broadcasting. Its dtype is int32 if all partitions are int32.
// Errors: InvalidArgument if they do not fit (the message names the axis and the first row); ResourceExhausted if the elements
//   cannot be counted or there is no memory for row splits. Cost: O(rows of the result); unchanged partitions are shared.
absl::StatusOr<DynamicRaggedShape> BroadcastShapes(const DynamicRaggedShape& a, const DynamicRaggedShape& b);

// Returns the value, repeated so that it has `shape` and its row partitions.
// Shapes: value is a tensor or ragged tensor of at most shape.rank() axes.
// Errors: as BroadcastShapes; InvalidArgument if the value is a struct or of an extension type, or has a ragged axis where the
//   shape has no partition.
// Cost: dense axes are repeated by a view of stride 0, without a copy; inside ragged axes the repeated values are written.
absl::StatusOr<Value> BroadcastTo(const Value& value, const DynamicRaggedShape& shape);

// Tensors and ragged tensors side by side, as elementwise operations need them.
struct AlignedOperands {
  std::vector<RowPartition> row_partitions;  // of the result; empty if it is dense
  Shape shape;                               // of the result, or of its flat values
  // The flat values of each operand. Leading axes of `shape` may be missing, and axes may have size 1 where `shape` has more.
  std::vector<Tensor> flat_values;

  // Adds the row partitions to the flat values of the result. Requires: flat has `shape`.
  Value Join(Tensor flat) &&;
};

// Errors: InvalidArgument if a value is a struct or of an extension type, or shapes do not fit; messages begin with `op` and
//   use `names`, one for each value. ResourceExhausted as BroadcastShapes.
// Requires: `values` is not empty. Cost: O(number of values) if values share their partitions or are scalars, else O(rows).
absl::StatusOr<AlignedOperands> AlignOperands(std::string_view op, std::span<const Value> values,
                                              std::span<const std::string_view> names);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_BROADCAST_H_
