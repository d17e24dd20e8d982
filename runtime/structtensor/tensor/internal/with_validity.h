// The same elements, of which others are absent.
#ifndef STRUCTTENSOR_TENSOR_INTERNAL_WITH_VALIDITY_H_
#define STRUCTTENSOR_TENSOR_INTERNAL_WITH_VALIDITY_H_

#include "structtensor/tensor/tensor.h"
#include "structtensor/tensor/validity.h"

namespace structtensor::tensor_internal {

// Shares the elements of `tensor`. Requires: validity, if it has bits, has one for each of them. Cost: O(1), but a view is made
// contiguous first.
Tensor WithValidity(const Tensor& tensor, Validity validity);

}  // namespace structtensor::tensor_internal

#endif  // STRUCTTENSOR_TENSOR_INTERNAL_WITH_VALIDITY_H_
