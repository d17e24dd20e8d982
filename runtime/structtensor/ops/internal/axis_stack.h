// Values taken apart at one of their axes, so that an operation along that axis is one on rows.
//
//   [[[a], [b, c]], [[d]]]  at axis 2:  partitions  row_splits 0 2 3, row_splits 0 1 3 4   inner  a b c d
//                           at axis 1:  partitions  row_splits 0 2 3                       inner  [a] [b c] [d]
#ifndef STRUCTTENSOR_OPS_INTERNAL_AXIS_STACK_H_
#define STRUCTTENSOR_OPS_INTERNAL_AXIS_STACK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

namespace structtensor::ops_internal {

// The axis that a number means in a value of that rank; negative ones count from the end. `name` is the argument's, for
// messages.
// Errors: InvalidArgument if there is no such axis.
absl::StatusOr<int> ResolveAxis(int64_t axis, int rank, std::string_view name = "axis");

struct AxisStack {
  // Outermost first, one for each axis from 1 to the one in question; the last one groups the rows of `inner`.
  std::vector<RowPartition> partitions;
  Value inner;
  // How many partitions of a ragged tensor were partitions; those behind came from dense dimensions. What ragged tensors have
  // as a partition stays one, also if it is uniform.
  size_t num_ragged = 0;
};

// Takes `value` apart at `axis`. No data is copied, except that a strided view is made contiguous.
// Requires: 0 <= axis < value.rank(). Errors: Unimplemented if axis > 0 and the value is of an extension type whose
// axes cannot be taken off.
absl::StatusOr<AxisStack> SplitAtAxis(const Value& value, int axis);

// Puts it together again. Dense inner values become ragged if a partition that is not uniform comes in front.
// Requires: the partitions fit each other and inner, whose rank is at least 1.
Value JoinAxes(AxisStack stack);

// The partition that groups the values of the last one by the rows of the first one: their axes merged. Uniform if all are, or
// if rows of one have no values, and optional if all are; dtype() is that of the first, if it can count them.
// Requires: partitions is not empty; each has as many values as the next one has rows.
// Cost: O(rows), or O(1) for a single one and for uniform ones, whose rows may be more than a list has room for.
RowPartition ComposePartitions(std::span<const RowPartition> partitions);

// The first row of which they have different numbers of values; if all they both have agree, the smaller nrows(); nothing if
// they have the same rows. Cost: O(nrows), or O(1) if they share their row splits.
std::optional<int64_t> FirstDifference(const RowPartition& a, const RowPartition& b);

// That the first `num_axes` axes of two values are the same; names are for messages.
// Requires: both were split at an axis >= num_axes - 1. Errors: InvalidArgument if they differ (the message names axis and
// row).
absl::Status CheckSameAxes(const AxisStack& a, std::string_view a_name, const AxisStack& b, std::string_view b_name,
                           int num_axes);

// Of the row partitions of the value, or what partitions get that are put in front of it: kInt64 or kInt32.
DType RowSplitsDtype(const Value& value);

// The same rows with that dtype, unless it cannot count the values. Cost: O(1).
RowPartition WithDtypeIfFits(const RowPartition& partition, DType dtype);

// The same rows with that dtype. Errors: ResourceExhausted if it is kInt32, which cannot count the values.
absl::StatusOr<RowPartition> CastPartition(const RowPartition& partition, DType dtype);

// Uniform rows, with that dtype. Errors: ResourceExhausted if it cannot count the values.
absl::StatusOr<RowPartition> UniformPartition(int64_t length, int64_t nrows, DType dtype);

// That all rows have the same length, as of an axis of a tensor.
inline bool IsUniform(const RowPartition& partition) { return partition.is_uniform() && !partition.is_optional(); }

// A scalar as the only row of a value of rank 1. Requires: scalar.rank() == 0. Errors: Unimplemented for extension types
// without components.
absl::StatusOr<Value> ScalarAsRow(const Value& scalar);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_OPS_INTERNAL_AXIS_STACK_H_
