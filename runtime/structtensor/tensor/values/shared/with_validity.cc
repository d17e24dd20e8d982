#include "structtensor/tensor/values/shared/with_validity.h"

#include <utility>
#include <vector>

#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

Tensor WithValidity(const Tensor& tensor, Validity validity) {
  if (IsStringLike(tensor.dtype())) {
    return Tensor::FromStrings(tensor.string_offsets(), tensor.string_bytes(), tensor.dtype(), std::move(validity))
        .Reshape(tensor.shape());
  }
  return VisitStoredType(tensor.dtype(), [&]<typename T>() {
    return Tensor::FromBuffer(tensor.buffer<T>(), tensor.shape(), tensor.dtype(), std::move(validity));
  });
}

StructuredTensor WithValidity(const StructuredTensor& structs, Validity validity) {
  if (!validity.has_bits() && !structs.nullable()) return structs;
  std::vector<Value> fields;
  fields.reserve(structs.num_fields());
  for (size_t i = 0; i < structs.num_fields(); ++i) fields.push_back(structs.flat_field(i));
  const StructuredTensor rows =
      structs.WithFlatRows(structs.row_partitions(), structs.flat_nrows(), std::move(fields), std::move(validity));
  return structs.rank() == 0 ? rows.Row(0) : rows;
}

}  // namespace structtensor::values_internal
