// Adds, removes, merges and splits axes.
#ifndef STRUCTTENSOR_TENSOR_OPS_AXES_H_
#define STRUCTTENSOR_TENSOR_OPS_AXES_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with a new axis of size 1 at position `axis`, which is in [-rank - 1, rank]; a negative axis counts from
// the end of the result.
// Errors: InvalidArgument if there is no such position; Unimplemented for inner axes of extension types, and for scalars of
//   extension types without components.
// Cost: O(rank), no data is copied. Source: tf.expand_dims.
absl::StatusOr<Value> ExpandDims(const Value& value, int64_t axis);

// Returns the value without `axes`. Each of them must have size 1; a ragged axis must have one value in each row. Negative axes
// count from the end. If `axes` is empty, all axes that are known to have size 1 are removed.
// Errors: InvalidArgument if there is no such axis or it has another size (the message names axis and row); Unimplemented for
//   inner axes of extension types.
// Cost: O(rank), and O(rows) for a ragged axis; no data is copied. Source: tf.squeeze.
absl::StatusOr<Value> Squeeze(const Value& value, std::span<const int64_t> axes = {});

// Returns the value with axes outer_axis to inner_axis merged into one; negative axes count from the end.
//   [[[a], [b, c]], [[d]]]   axes 0, 1: [[a], [b, c], [d]]   axes 1, 2: [[a, b, c], [d]]
// Errors: InvalidArgument if there is no such axis, or outer_axis comes after inner_axis; Unimplemented for extension types.
// Cost: O(rows of the merged axes), no data is copied. Source: tf.RaggedTensor.merge_dims.
absl::StatusOr<Value> MergeDims(const Value& value, int64_t outer_axis, int64_t inner_axis);

// Returns the value whose row i is rows partition.row(i) of `value`.
//   [a, b, c] with row_lengths 2, 0, 1: [[a, b], [], [c]]
// Shapes: partition.nvals() == value.nrows(). Exception: for structs of rank 1 without fields the two may differ: the result
//   has partition.nvals() structs.
// Errors: InvalidArgument if the value is a scalar, sizes differ, or the partition's dtype is not the dtype of the value's
//   ragged partitions. Structs without ragged partitions take the dtype of the partition at rank 1; at higher ranks int64 wins.
// Cost: O(rank), no data is copied. Source: tf.experimental.StructuredTensor.partition_outer_dimension.
absl::StatusOr<Value> PartitionOuterDimension(const Value& value, const RowPartition& partition);

// Returns the elements of `value`, in row-major order, as an array of shape `dims`. One dimension may be -1: it is computed
// from the others. For structs, `dims` are the axes of the structs, without the axes of their fields.
// Shapes: all axes of value are dense or uniform; the products of its dimensions and of dims are the same.
// Errors: InvalidArgument if an axis is ragged (merge it into another one, or make it dense, first), a dimension is below -1,
//   -1 comes twice, or the products differ; Unimplemented for extension types.
// Cost: O(rank), no data is copied; a strided view is made contiguous. Source: tf.reshape.
absl::StatusOr<Value> Reshape(const Value& value, std::span<const int64_t> dims);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_AXES_H_
