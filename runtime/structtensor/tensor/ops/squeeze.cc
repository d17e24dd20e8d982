#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/row_reader.h"

namespace structtensor {
namespace {

absl::Status CheckRowsOfOne(const RowPartition& partition, int axis) {
  const std::optional<int64_t> length = partition.uniform_row_length();
  if (length == 1) return absl::OkStatus();
  if (length) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " has size ", *length, "; only an axis of size 1 can be taken out"));
  }
  const ops_internal::RowReader rows(partition);
  for (int64_t row = 0; row < partition.nrows(); ++row) {
    if (rows.row(row).size() == 1) continue;
    return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " has ", rows.row(row).size(), " values in row ", row,
                                                   "; only an axis of size 1 can be taken out"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> SqueezeAxis(const Value& value, int axis) {
  if (axis == 0) {
    if (value.nrows() == 1) return value.Row(0);
    return absl::InvalidArgumentError(
        absl::StrCat("axis 0 has ", value.nrows(), " rows; only an axis of size 1 can be taken out"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(value, axis));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckRowsOfOne(stack.partitions.back(), axis));
  stack.partitions.pop_back();
  stack.num_ragged = std::min(stack.num_ragged, stack.partitions.size());
  return ops_internal::JoinAxes(std::move(stack));
}

}  // namespace

absl::StatusOr<Value> Squeeze(const Value& value, std::span<const int64_t> axes) {
  std::vector<int> resolved;
  resolved.reserve(axes.size());
  for (int64_t axis : axes) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int known, ops_internal::ResolveAxis(axis, value.rank()));
    resolved.push_back(known);
  }
  const Shape shape = value.shape();
  for (int axis = 0; axes.empty() && axis < value.rank(); ++axis) {
    if (shape[axis] == 1) resolved.push_back(axis);
  }
  // From the inside, so that the numbers of the remaining axes stay right.
  std::sort(resolved.begin(), resolved.end(), std::greater<>());
  resolved.erase(std::unique(resolved.begin(), resolved.end()), resolved.end());
  Value squeezed = value;
  for (int axis : resolved) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(squeezed, SqueezeAxis(squeezed, axis));
  }
  return squeezed;
}

}  // namespace structtensor
