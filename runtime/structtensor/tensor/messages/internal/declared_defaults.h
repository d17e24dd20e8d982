// Fills rows without a value with the default that the schema declares: `[default = ...]`, or the first value of a closed enum.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_DECLARED_DEFAULTS_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_DECLARED_DEFAULTS_H_

#include <cstddef>

#include "structtensor/core/column/column_view.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::messages_internal {

// Returns the bytes of memory that FillDeclaredDefault takes; more than any limit allows if strings do not fit in 32-bit
// offsets.
// Requires: a singular scalar column. Cost: O(1), O(rows) for strings.
size_t FilledBytes(const ColumnView& column);

// Returns a tensor [nrows] that owns its memory. Requires: a singular scalar column; FilledBytes() of memory is available.
// Cost: O(rows).
Tensor FillDeclaredDefault(const ColumnView& column, DType dtype);

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_DECLARED_DEFAULTS_H_
