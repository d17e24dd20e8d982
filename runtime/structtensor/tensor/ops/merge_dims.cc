#include <algorithm>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {

absl::StatusOr<Value> MergeDims(const Value& value, int64_t outer_axis, int64_t inner_axis) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int outer, ops_internal::ResolveAxis(outer_axis, value.rank(), "outer_axis"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int inner, ops_internal::ResolveAxis(inner_axis, value.rank(), "inner_axis"));
  if (outer > inner) {
    return absl::InvalidArgumentError(
        absl::StrCat("outer_axis ", outer, " is after inner_axis ", inner, "; it must come before, or be the same"));
  }
  if (outer == inner) return value;
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(value, inner));
  if (outer == 0) return std::move(stack.inner);
  const size_t kept = static_cast<size_t>(outer) - 1;
  RowPartition merged = ops_internal::ComposePartitions(std::span<const RowPartition>(stack.partitions).subspan(kept));
  stack.partitions.erase(stack.partitions.begin() + outer, stack.partitions.end());
  stack.partitions.back() = std::move(merged);
  stack.num_ragged = std::min(stack.num_ragged, stack.partitions.size());
  return ops_internal::JoinAxes(std::move(stack));
}

}  // namespace structtensor
