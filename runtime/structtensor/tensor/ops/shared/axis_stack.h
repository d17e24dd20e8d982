// Values split at one of their axes, so that an operation along that axis becomes an operation on rows.
//
//   [[[a], [b, c]], [[d]]]  at axis 2:  partitions  row_splits 0 2 3, row_splits 0 1 3 4   inner  a b c d
//                           at axis 1:  partitions  row_splits 0 2 3                       inner  [a] [b c] [d]
#ifndef STRUCTTENSOR_TENSOR_OPS_SHARED_AXIS_STACK_H_
#define STRUCTTENSOR_TENSOR_OPS_SHARED_AXIS_STACK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::ops_internal {

// Returns the axis that a number means in a value of this rank; negative numbers count from the end. `name` is the name of the
// argument, for messages.
// Errors: InvalidArgument if there is no such axis.
absl::StatusOr<int> ResolveAxis(int64_t axis, int rank, std::string_view name = "axis");

struct AxisStack {
  // Outermost first, one for each axis from 1 to the axis of the split; the last one groups the rows of `inner`.
  std::vector<RowPartition> partitions;
  Value inner;
  // How many outer partitions were partitions of the ragged tensor; the others came from dense dimensions. A partition of a
  // ragged tensor stays a partition, even if it is uniform.
  size_t num_ragged = 0;
};

// Splits `value` at `axis`. No data is copied, except that a strided view is made contiguous.
// Requires: 0 <= axis < value.rank(). Errors: Unimplemented if axis > 0 and the value is of an extension type whose axes cannot
// be removed.
absl::StatusOr<AxisStack> SplitAtAxis(const Value& value, int axis);

// Joins what SplitAtAxis() split. Dense inner values become ragged if a partition before them is not uniform.
// Requires: the partitions fit each other and inner, whose rank is at least 1.
Value JoinAxes(AxisStack stack);

// Returns the partition that groups the values of the last partition by the rows of the first: their axes merged. It is uniform
// if all are, or if the rows of one have no values, and optional if all are. It has the dtype() of the first, if that can count
// the values.
// Requires: partitions is not empty; each has as many values as the next one has rows.
// Cost: O(rows), or O(1) for a single partition and for uniform ones, which may have more rows than a list can hold.
RowPartition ComposePartitions(std::span<const RowPartition> partitions);

// Returns the first row whose number of values differs; if all common rows agree, the smaller nrows(); nothing if the rows are
// the same. Cost: O(nrows), or O(1) if they share their row splits.
std::optional<int64_t> FirstDifference(const RowPartition& a, const RowPartition& b);

// Checks that the first `num_axes` axes of two values are the same; names are for messages.
// Requires: both were split at an axis >= num_axes - 1. Errors: InvalidArgument if they differ (the message names axis and
// row).
absl::Status CheckSameAxes(const AxisStack& a, std::string_view a_name, const AxisStack& b, std::string_view b_name,
                           int num_axes);

// The dtype of the value's row partitions, or of partitions that are added before them: kInt64 or kInt32.
DType RowSplitsDtype(const Value& value);

// Returns the partition with this dtype, or unchanged if the dtype cannot count the values. Cost: O(1).
RowPartition WithDtypeIfFits(const RowPartition& partition, DType dtype);

// Returns the partition with this dtype. Errors: ResourceExhausted if kInt32 cannot count the values.
absl::StatusOr<RowPartition> CastPartition(const RowPartition& partition, DType dtype);

// Returns a uniform partition with this dtype. Errors: ResourceExhausted if the dtype cannot count the values.
absl::StatusOr<RowPartition> UniformPartition(int64_t length, int64_t nrows, DType dtype);

// Whether all rows have the same length, like an axis of a tensor.
inline bool IsUniform(const RowPartition& partition) { return partition.is_uniform() && !partition.is_optional(); }

// Returns a value of rank 1 whose only row is the scalar. Requires: scalar.rank() == 0. Errors: Unimplemented for extension
// types without components.
absl::StatusOr<Value> ScalarAsRow(const Value& scalar);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_SHARED_AXIS_STACK_H_
