// Broadcasting: how values of different shapes are used together. Shapes are aligned at their last axis; one that has fewer
// axes gets axes of size 1 in front. On each axis, sizes must be equal, or 1, which is repeated. Of a ragged axis the lengths
// of all rows must be equal; only a uniform axis of size 1 is repeated, never a ragged one whose rows happen to have one value
// each.
//
//   [[1, 2], [], [3]]  and  [[10], [20], [30]]  of shape [3, 1]   ->   [[10, 10], [], [30]]  beside  [[1, 2], [], [3]]
//
// The result of a ragged and a dense axis is ragged. Source: tf.experimental's broadcast_dynamic_shape; NumPy for dense values.
#ifndef STRUCTTENSOR_MATH_BROADCAST_H_
#define STRUCTTENSOR_MATH_BROADCAST_H_

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/row_partition.h"
#include "structtensor/tensor/tensor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/shape.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the shape that values of both shapes have after broadcasting. Its dtype is int32 if that is the one of all
// partitions.
// Errors: InvalidArgument if they do not fit (the message names the axis and the first row); ResourceExhausted if the elements
//   cannot be counted or there is no memory for row splits. Cost: O(rows of the result); partitions are shared where they stay.
absl::StatusOr<DynamicRaggedShape> BroadcastShapes(const DynamicRaggedShape& a, const DynamicRaggedShape& b);

// Returns the value repeated to have that shape and those row partitions.
// Shapes: value is a tensor or ragged tensor of at most shape.rank() axes.
// Errors: as BroadcastShapes; InvalidArgument if the value is a struct or of an extension type, or has a ragged axis where the
//   shape has no partition.
// Cost: dense axes are repeated by a view of stride 0 and copy nothing; below ragged ones the values of the result are written.
absl::StatusOr<Value> BroadcastTo(const Value& value, const DynamicRaggedShape& shape);

// Tensors and ragged tensors side by side, as elementwise operations need them.
struct AlignedOperands {
  std::vector<RowPartition> row_partitions;  // of the result; empty if it is dense
  Shape shape;                               // of the result, or of its flat values
  // One for each operand: its flat values, of which axes may be of size 1, or missing in front, where those of `shape` are not.
  std::vector<Tensor> flat_values;

  // Puts the partitions around the flat values of the result. Requires: flat has `shape`.
  Value Join(Tensor flat) &&;
};

// Errors: InvalidArgument if a value is a struct or of an extension type, or shapes do not fit; messages begin with `op` and
//   use `names`, one for each value. ResourceExhausted as BroadcastShapes.
// Requires: values are not empty. Cost: O(number of values) if partitions are the same or others are scalars, else O(rows).
absl::StatusOr<AlignedOperands> AlignOperands(std::string_view op, std::span<const Value> values,
                                              std::span<const std::string_view> names);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_MATH_BROADCAST_H_
