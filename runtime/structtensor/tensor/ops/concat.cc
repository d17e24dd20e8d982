#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/concat_rows.h"
#include "structtensor/tensor/ops/shared/row_reader.h"

namespace structtensor {
namespace {

// Joins the innermost partitions of the stacks row by row. `pieces` receives their values. Requires: they have equally many
// rows.
absl::StatusOr<RowPartition> JoinRows(std::span<const ops_internal::AxisStack> stacks, values_internal::RowPieces& pieces) {
  const int64_t nrows = stacks.front().partitions.back().nrows();
  std::vector<ops_internal::RowReader> readers;
  int64_t length = 0;
  int64_t nvals = 0;
  bool uniform = true;
  DType dtype = DType::kInt32;
  for (const ops_internal::AxisStack& stack : stacks) {
    const RowPartition& partition = stack.partitions.back();
    readers.emplace_back(partition);
    uniform =
        uniform && partition.uniform_row_length() && !__builtin_add_overflow(length, *partition.uniform_row_length(), &length);
    if (partition.dtype() == DType::kInt64) dtype = DType::kInt64;
    if (__builtin_add_overflow(nvals, partition.nvals(), &nvals)) {
      return absl::ResourceExhaustedError("the result would have more values than int64 can count");
    }
  }
  pieces.Reserve(static_cast<size_t>(nrows) * stacks.size());
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(uniform ? 0 : nrows + 1));
  if (!uniform) splits.data()[0] = 0;
  for (int64_t row = 0; row < nrows; ++row) {
    for (size_t i = 0; i < readers.size(); ++i) {
      const RowRange range = readers[i].row(row);
      pieces.Append(range.begin, range.end, static_cast<uint32_t>(i));
    }
    if (!uniform) splits.data()[row + 1] = pieces.nrows();
  }
  if (uniform) return ops_internal::UniformPartition(length, nrows, dtype);
  return ops_internal::CastPartition(RowPartition::FromRowSplitsUnchecked(std::move(splits).Finish()), dtype);
}

}  // namespace

absl::StatusOr<Value> Concat(std::span<const Value> values, int64_t axis) {
  if (values.empty()) return absl::InvalidArgumentError("there are no values to concatenate; at least one is needed");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int joined_axis, ops_internal::ResolveAxis(axis, values.front().rank()));
  if (values.size() == 1) return values.front();
  if (joined_axis == 0) return ops_internal::ConcatRows(values);
  std::vector<ops_internal::AxisStack> stacks;
  stacks.reserve(values.size());
  std::vector<Value> inner;
  inner.reserve(values.size());
  size_t num_ragged = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].rank() != values.front().rank()) {
      return absl::InvalidArgumentError(absl::StrCat("value 0 has ", values.front().rank(), " axes and value ", i, " has ",
                                                     values[i].rank(), "; all must have equally many"));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(values[i], joined_axis));
    stacks.push_back(std::move(stack));
    STRUCTTENSOR_RETURN_IF_ERROR(
        ops_internal::CheckSameAxes(stacks.front(), "value 0", stacks.back(), absl::StrCat("value ", i), joined_axis));
    inner.push_back(stacks.back().inner);
    num_ragged = std::max(num_ragged, stacks.back().num_ragged);
  }
  values_internal::RowPieces pieces;
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition joined, JoinRows(stacks, pieces));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value joined_inner, ops_internal::AssembleRows(inner, pieces));
  std::vector<RowPartition> partitions = std::move(stacks.front().partitions);
  partitions.back() = std::move(joined);
  return ops_internal::JoinAxes({std::move(partitions), joined_inner, num_ragged});
}

}  // namespace structtensor
