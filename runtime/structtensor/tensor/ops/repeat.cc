#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/internal/select_rows.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {

absl::StatusOr<Value> Repeat(const Value& value, std::span<const int64_t> repeats, int64_t axis) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int repeated_axis, ops_internal::ResolveAxis(axis, value.rank()));
  const int64_t size = value.shape()[repeated_axis];
  const int64_t num_repeats = static_cast<int64_t>(repeats.size());
  if (num_repeats != 1 && size == kUnknownDimension) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", num_repeats, " repeats, but axis ", axis, " is ragged; give one for all positions"));
  }
  if (num_repeats != 1 && num_repeats != size) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", num_repeats, " repeats, but axis ", axis, " has ", size,
                                                   " positions; give one for each, or one for all"));
  }
  const auto negative = std::find_if(repeats.begin(), repeats.end(), [](int64_t count) { return count < 0; });
  if (negative != repeats.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("repeats[", negative - repeats.begin(), "] is ", *negative, "; it must not be negative"));
  }
  const auto repeat = [&](RowRange row, values_internal::RowPieces& pieces) {
    for (int64_t i = row.begin; i < row.end; ++i) {
      const int64_t count = num_repeats == 1 ? repeats.front() : repeats[static_cast<size_t>(i - row.begin)];
      int64_t total = 0;
      if (__builtin_add_overflow(pieces.nrows(), count, &total)) {
        return absl::ResourceExhaustedError("the result would have more values than int64 can count");
      }
      if (count > 1) STRUCTTENSOR_RETURN_IF_ERROR(pieces.TryReserveMore(count));
      for (int64_t k = 0; k < count; ++k) pieces.Append(i, i + 1);
    }
    return absl::OkStatus();
  };
  const ops_internal::AxisSelection selection{repeated_axis, repeat};
  return ops_internal::SelectAlongAxes(value, std::span(&selection, 1), true);
}

}  // namespace structtensor
