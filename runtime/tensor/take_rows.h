// The second primitive of structural operations, beside slicing: rows chosen by an index list.
#ifndef STRUCTTENSOR_TENSOR_TAKE_ROWS_H_
#define STRUCTTENSOR_TENSOR_TAKE_ROWS_H_

#include <cstdint>
#include <span>

#include "structtensor/tensor/value.h"

namespace structtensor {

// Returns the value whose row i is row rows[i] of `value`. Copies the data of those rows; a run of consecutive rows is a slice
// and shares memory instead. Requires: value.rank() >= 1; 0 <= rows[i] < value.nrows(); the taken strings of each column stay
// below 2 GiB, which holds where no row is taken twice.
Value TakeRows(const Value& value, std::span<const int64_t> rows);

}  // namespace structtensor

#endif  // STRUCTTENSOR_TENSOR_TAKE_ROWS_H_
