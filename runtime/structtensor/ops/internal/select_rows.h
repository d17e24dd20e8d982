// The way of operations that keep, drop, move or repeat what is along some axes: slice, reverse, roll, tile, repeat.
#ifndef STRUCTTENSOR_OPS_INTERNAL_SELECT_ROWS_H_
#define STRUCTTENSOR_OPS_INTERNAL_SELECT_ROWS_H_

#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/internal/row_pieces.h"
#include "structtensor/tensor/value.h"

namespace structtensor::ops_internal {

// What to take along one axis.
struct AxisSelection {
  int axis;
  // Appends what is taken of one row of the axis. How many values that are depends on the row's length only.
  absl::FunctionRef<absl::Status(RowRange row, tensor_internal::RowPieces& pieces)> select;
};

// Returns the value with the selected parts of those axes; all others stay whole.
// Requires: selections are in ascending order of their axes, 0 <= axis < value.rank(). `may_grow` says whether a row can become
// longer; an optional axis then stops being one.
// Errors: those of `select`; ResourceExhausted as TakeRowsChecked; Unimplemented if an inner axis is one of an extension type.
// Cost: each partition and each leaf in one pass; nothing is copied if one run of rows is left.
absl::StatusOr<Value> SelectAlongAxes(const Value& value, std::span<const AxisSelection> selections, bool may_grow = false);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_OPS_INTERNAL_SELECT_ROWS_H_
