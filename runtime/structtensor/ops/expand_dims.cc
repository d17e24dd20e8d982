#include "structtensor/ops/expand_dims.h"

#include <utility>

#include "structtensor/base/internal/status.h"
#include "structtensor/ops/internal/axis_stack.h"

namespace structtensor {

absl::StatusOr<Value> ExpandDims(const Value& value, int64_t axis) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int position, ResolveAxis(axis, value.rank() + 1));
  if (value.tensor() != nullptr) return value.tensor()->ExpandAxis(position);
  if (value.rank() == 0) return ScalarAsRow(value);
  const DType dtype = RowSplitsDtype(value);
  if (position == 0) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_row, UniformPartition(value.nrows(), 1, dtype));
    return JoinAxes({{std::move(one_row)}, value, value.ragged() != nullptr ? size_t{1} : size_t{0}});
  }
  // What is along the axis before becomes rows of one value.
  STRUCTTENSOR_ASSIGN_OR_RETURN(AxisStack stack, SplitAtAxis(value, position - 1));
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_each, UniformPartition(1, stack.inner.nrows(), dtype));
  stack.partitions.push_back(std::move(one_each));
  return JoinAxes(std::move(stack));
}

}  // namespace structtensor
