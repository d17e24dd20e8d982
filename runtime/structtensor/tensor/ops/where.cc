#include <array>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/internal/assemble_rows.h"
#include "structtensor/tensor/ops/internal/coordinates.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {
namespace {

// The elements of a condition.
absl::StatusOr<Tensor> FlatCondition(const Value& condition) {
  const Tensor* flat = condition.ragged() != nullptr ? &condition.ragged()->flat_values() : condition.tensor();
  if (flat != nullptr && flat->dtype() == DType::kBool) return *flat;
  return absl::InvalidArgumentError(
      absl::StrCat("the condition is ", condition.spec().DebugString(), "; it must be a tensor or ragged tensor of bool"));
}

bool IsTrue(const Tensor& condition, std::span<const uint8_t> values, int64_t i) {
  return values[static_cast<size_t>(i)] != 0 && condition.is_valid(i);
}

}  // namespace

absl::StatusOr<Value> Where(const Value& condition, const Value& x, const Value& y) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, FlatCondition(condition));
  if (x.rank() != y.rank() || condition.rank() > x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("the condition has ", condition.rank(), " axes, x has ", x.rank(),
                                                   " and y has ", y.rank(),
                                                   "; x and y need equally many, and the condition no more"));
  }
  const std::span<const uint8_t> values = flat.values<uint8_t>();
  values_internal::RowPieces pieces;
  if (condition.rank() == 0) {
    // The value that is not chosen also counts for the type, as in all other cases.
    std::array<Value, 2> rows = {x, y};
    for (Value& row : rows) {
      if (row.rank() == 0) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(row, ops_internal::ScalarAsRow(row));
      } else {
        STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_row,
                                      ops_internal::UniformPartition(row.nrows(), 1, ops_internal::RowSplitsDtype(row)));
        row = ops_internal::JoinAxes({{std::move(one_row)}, row, size_t{row.ragged() != nullptr}});
      }
    }
    pieces.Append(0, 1, IsTrue(flat, values, 0) ? 0 : 1);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value chosen, ops_internal::AssembleRows(rows, pieces));
    return chosen.Row(0);
  }
  const int axis = condition.rank() - 1;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::AxisStack condition_stack, ops_internal::SplitAtAxis(condition, axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack x_stack, ops_internal::SplitAtAxis(x, axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::AxisStack y_stack, ops_internal::SplitAtAxis(y, axis));
  STRUCTTENSOR_RETURN_IF_ERROR(ops_internal::CheckSameAxes(condition_stack, "the condition", x_stack, "x", condition.rank()));
  STRUCTTENSOR_RETURN_IF_ERROR(ops_internal::CheckSameAxes(condition_stack, "the condition", y_stack, "y", condition.rank()));
  pieces.Reserve(values.size());
  for (int64_t i = 0; i < flat.size_elements(); ++i) pieces.Append(i, i + 1, IsTrue(flat, values, i) ? 0 : 1);
  const std::array<Value, 2> inner = {x_stack.inner, y_stack.inner};
  STRUCTTENSOR_ASSIGN_OR_RETURN(x_stack.inner, ops_internal::AssembleRows(inner, pieces));
  return ops_internal::JoinAxes(std::move(x_stack));
}

absl::StatusOr<Tensor> Where(const Value& condition) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, FlatCondition(condition));
  const std::span<const uint8_t> values = flat.values<uint8_t>();
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < flat.size_elements(); ++i) {
    if (IsTrue(flat, values, i)) elements.push_back(i);
  }
  return ops_internal::CoordinatesOf(condition, elements);
}

}  // namespace structtensor
