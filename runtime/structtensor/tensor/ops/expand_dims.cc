#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {

absl::StatusOr<Value> ExpandDims(const Value& value, int64_t axis) {
  const int64_t rank = value.rank();
  if (axis < -rank - 1 || axis > rank) {
    return absl::InvalidArgumentError(absl::StrCat("axis is ", axis, "; a value with ", rank, rank == 1 ? " axis" : " axes",
                                                   " has room for a new one at axes ", -rank - 1, " to ", rank));
  }
  const int position = static_cast<int>(axis < 0 ? axis + rank + 1 : axis);
  if (value.tensor() != nullptr) return value.tensor()->ExpandAxis(position);
  if (value.rank() == 0) return ops_internal::ScalarAsRow(value);
  const DType dtype = ops_internal::RowSplitsDtype(value);
  if (position == 0) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_row, ops_internal::UniformPartition(value.nrows(), 1, dtype));
    return ops_internal::JoinAxes({{std::move(one_row)}, value, value.ragged() != nullptr ? size_t{1} : size_t{0}});
  }
  // The values along the axis before the new axis become rows of one value each.
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(value, position - 1));
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_each, ops_internal::UniformPartition(1, stack.inner.nrows(), dtype));
  stack.partitions.push_back(std::move(one_each));
  return ops_internal::JoinAxes(std::move(stack));
}

}  // namespace structtensor
