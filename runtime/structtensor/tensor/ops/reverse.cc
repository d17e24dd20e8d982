#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/internal/select_rows.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {

absl::StatusOr<Value> Reverse(const Value& value, std::span<const int64_t> axes) {
  std::vector<int> resolved;
  resolved.reserve(axes.size());
  for (int64_t axis : axes) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int known, ops_internal::ResolveAxis(axis, value.rank()));
    resolved.push_back(known);
  }
  std::sort(resolved.begin(), resolved.end());
  const auto twice = std::adjacent_find(resolved.begin(), resolved.end());
  if (twice != resolved.end()) {
    return absl::InvalidArgumentError(absl::StrCat("axis ", *twice, " is named twice; name each axis to reverse once"));
  }
  if (const Tensor* tensor = value.tensor()) {
    Tensor reversed = *tensor;
    for (int axis : resolved) {
      const int64_t size = tensor->shape()[axis];
      reversed = reversed.SliceAxis(axis, std::max<int64_t>(size - 1, 0), size, -1);
    }
    return reversed;
  }
  const auto backwards = [](RowRange row, values_internal::RowPieces& pieces) {
    for (int64_t i = row.end; i > row.begin; --i) pieces.Append(i - 1, i);
    return absl::OkStatus();
  };
  std::vector<ops_internal::AxisSelection> selections;
  selections.reserve(resolved.size());
  for (int axis : resolved) selections.push_back({axis, backwards});
  return ops_internal::SelectAlongAxes(value, selections);
}

}  // namespace structtensor
