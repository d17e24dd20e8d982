#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/concat_rows.h"

namespace structtensor {
namespace {

absl::StatusOr<Value> StackScalars(std::span<const Value> values) {
  std::vector<Value> rows;
  rows.reserve(values.size());
  for (const Value& value : values) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value row, ops_internal::ScalarAsRow(value));
    rows.push_back(row);
  }
  return ops_internal::ConcatRows(rows);
}

// Row i is all rows of value i.
absl::StatusOr<Value> StackOutside(std::span<const Value> values) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value rows, ops_internal::ConcatRows(values));
  const int64_t length = values.front().nrows();
  const bool uniform = std::all_of(values.begin(), values.end(), [&](const Value& value) { return value.nrows() == length; });
  const bool any_ragged =
      std::any_of(values.begin(), values.end(), [](const Value& value) { return value.ragged() != nullptr; });
  const DType dtype = ops_internal::RowSplitsDtype(rows);
  ops_internal::AxisStack stack{{}, rows, any_ragged ? size_t{1} : size_t{0}};
  if (uniform) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition,
                                  ops_internal::UniformPartition(length, static_cast<int64_t>(values.size()), dtype));
    stack.partitions.push_back(std::move(partition));
  } else {
    std::vector<int64_t> splits = {0};
    splits.reserve(values.size() + 1);
    for (const Value& value : values) splits.push_back(splits.back() + value.nrows());
    STRUCTTENSOR_ASSIGN_OR_RETURN(
        RowPartition partition,
        ops_internal::CastPartition(RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits))),
                                    dtype));
    stack.partitions.push_back(std::move(partition));
  }
  return ops_internal::JoinAxes(std::move(stack));
}

}  // namespace

absl::StatusOr<Value> Stack(std::span<const Value> values, int64_t axis) {
  if (values.empty()) return absl::InvalidArgumentError("there are no values to stack; at least one is needed");
  const int rank = values.front().rank();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int new_axis, ops_internal::ResolveAxis(axis, rank + 1));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].rank() == rank) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("value 0 has ", rank, " axes and value ", i, " has ", values[i].rank(), "; all must have equally many"));
  }
  if (rank == 0) return StackScalars(values);
  if (new_axis == 0) return StackOutside(values);
  // The values along the axis before the new axis become rows, with one value from each input.
  std::vector<ops_internal::AxisStack> stacks;
  stacks.reserve(values.size());
  std::vector<Value> inner;
  inner.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(values[i], new_axis - 1));
    stacks.push_back(std::move(stack));
    STRUCTTENSOR_RETURN_IF_ERROR(
        ops_internal::CheckSameAxes(stacks.front(), "value 0", stacks.back(), absl::StrCat("value ", i), new_axis));
    inner.push_back(stacks.back().inner);
  }
  const int64_t nrows = inner.front().nrows();
  values_internal::RowPieces pieces;
  pieces.Reserve(static_cast<size_t>(nrows) * values.size());
  for (int64_t row = 0; row < nrows; ++row) {
    for (size_t i = 0; i < inner.size(); ++i) pieces.Append(row, row + 1, static_cast<uint32_t>(i));
  }
  ops_internal::AxisStack result = std::move(stacks.front());
  STRUCTTENSOR_ASSIGN_OR_RETURN(result.inner, ops_internal::AssembleRows(inner, pieces));
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      RowPartition partition,
      ops_internal::UniformPartition(static_cast<int64_t>(values.size()), nrows, ops_internal::RowSplitsDtype(values.front())));
  result.partitions.push_back(std::move(partition));
  return ops_internal::JoinAxes(std::move(result));
}

}  // namespace structtensor
