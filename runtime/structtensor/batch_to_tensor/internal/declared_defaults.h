// Rows without a value shown with the default that the schema declares: `[default = ...]`, or the first value of a closed enum.
#ifndef STRUCTTENSOR_BATCH_TO_TENSOR_INTERNAL_DECLARED_DEFAULTS_H_
#define STRUCTTENSOR_BATCH_TO_TENSOR_INTERNAL_DECLARED_DEFAULTS_H_

#include "structtensor/column/column_view.h"
#include "structtensor/tensor/tensor.h"
#include "structtensor/type_spec/dtype.h"

namespace structtensor::batch_to_tensor_internal {

// Returns a tensor [nrows] with memory of its own. Requires: a singular scalar column. Cost: O(rows).
Tensor FillDeclaredDefault(const ColumnView& column, DType dtype);

}  // namespace structtensor::batch_to_tensor_internal

#endif  // STRUCTTENSOR_BATCH_TO_TENSOR_INTERNAL_DECLARED_DEFAULTS_H_
