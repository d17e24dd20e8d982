#include "structtensor/tensor/internal/with_validity.h"

#include <utility>

namespace structtensor::tensor_internal {

Tensor WithValidity(const Tensor& tensor, Validity validity) {
  if (IsStringLike(tensor.dtype())) {
    return Tensor::FromStrings(tensor.string_offsets(), tensor.string_bytes(), tensor.dtype(), std::move(validity))
        .Reshape(tensor.shape());
  }
  return VisitStoredType(tensor.dtype(), [&]<typename T>() {
    return Tensor::FromBuffer(tensor.buffer<T>(), tensor.shape(), tensor.dtype(), std::move(validity));
  });
}

}  // namespace structtensor::tensor_internal
