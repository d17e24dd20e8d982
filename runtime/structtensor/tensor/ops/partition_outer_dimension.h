// Axis 0 split into two axes.
#ifndef STRUCTTENSOR_TENSOR_OPS_PARTITION_OUTER_DIMENSION_H_
#define STRUCTTENSOR_TENSOR_OPS_PARTITION_OUTER_DIMENSION_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value whose row i is rows partition.row(i) of `value`.
//   [a, b, c] with row_lengths 2, 0, 1: [[a, b], [], [c]]
// Shapes: partition.nvals() == value.nrows(). Exception: for structs of rank 1 without fields the two may differ: the result
//   has partition.nvals() structs.
// Errors: InvalidArgument if the value is a scalar, sizes differ, or the partition's dtype is not the dtype of the value's
//   ragged partitions. Structs without ragged partitions take the dtype of the partition at rank 1; at higher ranks int64 wins.
// Cost: O(rank), no data is copied. Source: tf.experimental.StructuredTensor.partition_outer_dimension.
absl::StatusOr<Value> PartitionOuterDimension(const Value& value, const RowPartition& partition);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_PARTITION_OUTER_DIMENSION_H_
