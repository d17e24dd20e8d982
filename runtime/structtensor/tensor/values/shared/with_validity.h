// The same elements or structs with another validity.
#ifndef STRUCTTENSOR_TENSOR_VALUES_SHARED_WITH_VALIDITY_H_
#define STRUCTTENSOR_TENSOR_VALUES_SHARED_WITH_VALIDITY_H_

#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/validity.h"

namespace structtensor::values_internal {

// Returns `tensor` with that validity, sharing the elements. Requires: validity, if it has bits, has a bit for each element.
// Cost: O(1), but a view is made contiguous first.
Tensor WithValidity(const Tensor& tensor, Validity validity);

// Returns `structs` with that validity. Requires: validity, if it has bits, has a bit for each flat row. Cost: O(fields).
StructuredTensor WithValidity(const StructuredTensor& structs, Validity validity);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_SHARED_WITH_VALIDITY_H_
