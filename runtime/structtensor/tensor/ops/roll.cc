#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/internal/select_rows.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {

absl::StatusOr<Value> Roll(const Value& value, std::span<const int64_t> shifts, std::span<const int64_t> axes) {
  if (shifts.size() != axes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", shifts.size(), " shifts and ", axes.size(), " axes; each axis needs one shift"));
  }
  // One axis after the other: the shifts do not depend on each other. An axis that is named twice is rolled twice.
  Value rolled = value;
  for (size_t i = 0; i < axes.size(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int axis, ops_internal::ResolveAxis(axes[i], value.rank()));
    const auto roll = [shift = shifts[i]](RowRange row, values_internal::RowPieces& pieces) {
      if (row.size() == 0) return absl::OkStatus();
      const int64_t remainder = shift % row.size();
      const int64_t first = row.end - (remainder < 0 ? remainder + row.size() : remainder);
      pieces.Append(first, row.end);
      pieces.Append(row.begin, first);
      return absl::OkStatus();
    };
    const ops_internal::AxisSelection selection{axis, roll};
    STRUCTTENSOR_ASSIGN_OR_RETURN(rolled, ops_internal::SelectAlongAxes(rolled, std::span(&selection, 1)));
  }
  return rolled;
}

}  // namespace structtensor
