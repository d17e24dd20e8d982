// Selecting parts along axes: shared by slice, reverse, roll, tile and repeat, which keep, drop, move or repeat parts.
#ifndef STRUCTTENSOR_TENSOR_OPS_INTERNAL_SELECT_ROWS_H_
#define STRUCTTENSOR_TENSOR_OPS_INTERNAL_SELECT_ROWS_H_

#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/values/shared/row_pieces.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::ops_internal {

// What to take along one axis.
struct AxisSelection {
  int axis;
  // Appends the parts to take from one row of the axis. Their number of values depends only on the row's length.
  absl::FunctionRef<absl::Status(RowRange row, values_internal::RowPieces& pieces)> select;
};

// Returns the value with the selected parts of these axes; all other axes stay whole.
// Requires: selections are in ascending order of their axes, 0 <= axis < value.rank(). `may_grow` says whether a row can become
// longer; an optional axis then becomes a ragged axis.
// Errors: the errors of `select`; ResourceExhausted as in TakeRowsChecked; Unimplemented for inner axes of extension types.
// Cost: each partition and each leaf in one pass; nothing is copied if the result is one run of rows.
absl::StatusOr<Value> SelectAlongAxes(const Value& value, std::span<const AxisSelection> selections, bool may_grow = false);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_INTERNAL_SELECT_ROWS_H_
