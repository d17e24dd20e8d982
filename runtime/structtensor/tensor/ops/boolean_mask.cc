#include <cstring>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

// Appends the runs of true elements in `range`.
void AppendRuns(const Tensor& mask, RowRange range, values_internal::RowPieces& pieces) {
  const uint8_t* values = mask.values<uint8_t>().data();
  if (mask.nullable()) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      if (values[i] != 0 && mask.is_valid(i)) pieces.Append(i, i + 1);
    }
    return;
  }
  int64_t i = range.begin;
  while (i < range.end) {
    while (i < range.end && values[i] == 0) ++i;
    const int64_t begin = i;
    while (i < range.end && values[i] != 0) ++i;
    pieces.Append(begin, i);
  }
}

// Every row of the axis keeps the positions where the mask is true.
absl::StatusOr<Value> MaskInnerAxis(const Value& value, const Value& mask, int axis) {
  const int64_t size = value.shape()[axis];
  if (mask.rank() != 1 || mask.nrows() != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("the mask has the shape ", mask.shape().DebugString(), "; along axis ", axis, " it must be a vector ",
                     size == kUnknownDimension ? "and the axis dense, but its rows have different lengths"
                                               : absl::StrCat("of ", size, " elements, one for each position of a row")));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor positions, Where(mask));
  return Gather(value, positions.Reshape(Shape({positions.nrows()})), {.axis = axis});
}

}  // namespace

absl::StatusOr<Value> BooleanMask(const Value& value, const Value& mask, int64_t axis) {
  const Tensor* flat = mask.ragged() != nullptr ? &mask.ragged()->flat_values() : mask.tensor();
  if (flat == nullptr || flat->dtype() != DType::kBool || mask.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the mask is ", mask.spec().DebugString(), "; it must be bool elements with at least one axis"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int masked_axis, ops_internal::ResolveAxis(axis, value.rank()));
  if (masked_axis > 0) return MaskInnerAxis(value, mask, masked_axis);
  if (mask.rank() > value.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("the mask has ", mask.rank(), " axes, but the value has ", value.rank()));
  }
  const int last_axis = mask.rank() - 1;
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(value, last_axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::AxisStack mask_stack, ops_internal::SplitAtAxis(mask, last_axis));
  STRUCTTENSOR_RETURN_IF_ERROR(ops_internal::CheckSameAxes(stack, "the value", mask_stack, "the mask", mask.rank()));
  const Tensor& elements = *mask_stack.inner.tensor();
  values_internal::RowPieces pieces;
  pieces.Reserve(static_cast<size_t>(elements.size_elements() / 4));
  if (last_axis == 0) {
    AppendRuns(elements, {0, elements.size_elements()}, pieces);
  } else {
    RowPartition& rows = stack.partitions.back();
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(rows.nrows() + 1));
    splits.data()[0] = 0;
    const ops_internal::RowReader reader(rows);
    for (int64_t row = 0; row < rows.nrows(); ++row) {
      AppendRuns(elements, reader.row(row), pieces);
      splits.data()[row + 1] = pieces.nrows();
    }
    const auto optional = rows.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
    rows = RowPartition::FromRowSplitsUnchecked(std::move(splits).Finish(), optional).WithDtype(rows.dtype());
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(stack.inner, values_internal::TakePieces(stack.inner, pieces));
  return ops_internal::JoinAxes(std::move(stack));
}

}  // namespace structtensor
