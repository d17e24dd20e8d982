// Rows chosen by an index list: the second primitive of structural operations, beside slicing.
#ifndef STRUCTTENSOR_TENSOR_VALUES_SHARED_TAKE_ROWS_H_
#define STRUCTTENSOR_TENSOR_VALUES_SHARED_TAKE_ROWS_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/shared/row_pieces.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

// Whether each row directly follows the row before it. Such rows are taken by slicing, and share memory.
bool IsRun(std::span<const int64_t> rows);

// Returns the value whose row i is row rows[i] of `value`. Copies the data of those rows, in runs; consecutive rows become a
// slice and share memory instead. Requires: value.rank() >= 1; 0 <= rows[i] < value.nrows(); the result can be counted and held
// in memory, and the taken strings of each column stay below 2 GiB (always true if no row is taken twice).
Value TakeRows(const Value& value, std::span<const int64_t> rows);

// Like TakeRows, for rows that callers choose, any of them any number of times.
// Requires: value.rank() >= 1; 0 <= rows[i] < value.nrows().
// Errors: ResourceExhausted if the strings of a column exceed 2 GiB, values cannot be counted, or there is no memory.
absl::StatusOr<Value> TakeRowsChecked(const Value& value, std::span<const int64_t> rows);

// Like TakeRowsChecked, for rows in runs. Requires: value.rank() >= 1; the pieces are of source 0 and within its rows.
absl::StatusOr<Value> TakePieces(const Value& value, const RowPieces& pieces);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_SHARED_TAKE_ROWS_H_
