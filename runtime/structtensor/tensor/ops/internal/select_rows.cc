#include "structtensor/tensor/ops/internal/select_rows.h"

#include <cassert>
#include <optional>
#include <utility>

#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor::ops_internal {
namespace {

// The partition of the rows after `selection` was applied to each row. `values` receives the selected values.
absl::StatusOr<RowPartition> SelectOfRows(const RowPartition& partition, const AxisSelection& selection,
                                          const values_internal::RowPieces& rows, bool may_grow,
                                          values_internal::RowPieces& values) {
  const auto optional = partition.is_optional() && !may_grow ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  const RowReader reader(partition);
  values.Reserve(static_cast<size_t>(rows.nrows()));
  if (partition.uniform_row_length()) {
    values_internal::RowPieces of_one_row;
    STRUCTTENSOR_RETURN_IF_ERROR(selection.select({0, *partition.uniform_row_length()}, of_one_row));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition selected,
                                  UniformPartition(of_one_row.nrows(), rows.nrows(), partition.dtype()));
    for (const values_internal::RowPiece& piece : rows.span()) {
      for (int64_t row = piece.begin; row < piece.end; ++row) {
        STRUCTTENSOR_RETURN_IF_ERROR(selection.select(reader.row(row), values));
      }
    }
    return selected.WithOptional(optional);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(rows.nrows() + 1));
  int64_t* next = splits.data();
  *next++ = 0;
  for (const values_internal::RowPiece& piece : rows.span()) {
    for (int64_t row = piece.begin; row < piece.end; ++row) {
      STRUCTTENSOR_RETURN_IF_ERROR(selection.select(reader.row(row), values));
      *next++ = values.nrows();
    }
  }
  return CastPartition(RowPartition::FromRowSplitsUnchecked(std::move(splits).Finish(), optional), partition.dtype());
}

}  // namespace

absl::StatusOr<Value> SelectAlongAxes(const Value& value, std::span<const AxisSelection> selections, bool may_grow) {
  if (selections.empty()) return value;
  STRUCTTENSOR_ASSIGN_OR_RETURN(AxisStack stack, SplitAtAxis(value, selections.back().axis));
  values_internal::RowPieces pieces;
  const int64_t nrows = value.nrows();
  if (selections.front().axis == 0) {
    STRUCTTENSOR_RETURN_IF_ERROR(selections.front().select({0, nrows}, pieces));
    selections = selections.subspan(1);
  } else {
    pieces.Append(0, nrows);
  }
  for (size_t level = 0; level < stack.partitions.size(); ++level) {
    RowPartition& partition = stack.partitions[level];
    values_internal::RowPieces values;
    if (selections.front().axis == static_cast<int>(level) + 1) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(partition, SelectOfRows(partition, selections.front(), pieces, may_grow, values));
      selections = selections.subspan(1);
    } else {
      STRUCTTENSOR_ASSIGN_OR_RETURN(partition,
                                    values_internal::CopyPieces(std::span<const RowPartition>(&partition, 1), pieces, values));
    }
    pieces = std::move(values);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(stack.inner, values_internal::TakePieces(stack.inner, pieces));
  return JoinAxes(std::move(stack));
}

}  // namespace structtensor::ops_internal
