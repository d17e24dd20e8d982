// Concatenation along axis 0: the third structural primitive, with slicing and taking rows.
#ifndef STRUCTTENSOR_TENSOR_OPS_SHARED_CONCAT_ROWS_H_
#define STRUCTTENSOR_TENSOR_OPS_SHARED_CONCAT_ROWS_H_

#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/ops/internal/assemble_rows.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::ops_internal {

// Returns the rows of all values, one value after the other. A single value is returned as it is.
// Errors: the errors of AssembleRows; InvalidArgument if a value is a scalar. Cost: O(result).
absl::StatusOr<Value> ConcatRows(std::span<const Value> values);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_SHARED_CONCAT_ROWS_H_
