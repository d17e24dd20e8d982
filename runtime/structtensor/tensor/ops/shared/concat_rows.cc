#include "structtensor/tensor/ops/shared/concat_rows.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace structtensor::ops_internal {

absl::StatusOr<Value> ConcatRows(std::span<const Value> values) {
  values_internal::RowPieces pieces;
  pieces.Reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].rank() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("value ", i, " is a scalar, which has no rows to concatenate; give it an axis with ExpandDims"));
    }
    // Rows of structs without fields take no memory, so their number may overflow.
    int64_t nrows = 0;
    if (__builtin_add_overflow(pieces.nrows(), values[i].nrows(), &nrows)) {
      return absl::ResourceExhaustedError("the result would have more rows than int64 can count");
    }
    pieces.Append(0, values[i].nrows(), static_cast<uint32_t>(i));
  }
  if (values.size() == 1) return values.front();
  return AssembleRows(values, pieces);
}

}  // namespace structtensor::ops_internal
