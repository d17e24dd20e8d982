// Structs without fields, for formats that cannot hold them.
#ifndef STRUCTTENSOR_IO_ARROW_SHARED_EMPTY_STRUCTS_H_
#define STRUCTTENSOR_IO_ARROW_SHARED_EMPTY_STRUCTS_H_

#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::arrow_internal {

// Whether a struct at any depth below `spec` has no fields.
bool HasEmptyStructs(const StructuredTensorSpec& spec);

// Return the spec or batch with each field of empty structs replaced by booleans of the same shape and validity, all true. Both
// agree: EmptyStructsToBools(batch).spec() is EmptyStructsToBools(batch.spec()). No data is copied.
// Requires: the root has a field.
StructuredTensorSpec EmptyStructsToBools(const StructuredTensorSpec& spec);
StructuredTensor EmptyStructsToBools(const StructuredTensor& batch);

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_IO_ARROW_SHARED_EMPTY_STRUCTS_H_
