// Which form the column of an enum, or of the case of a oneof, has.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_SHARED_ENUMS_OF_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_SHARED_ENUMS_OF_H_

#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"

namespace structtensor::messages_internal {

// Returns the form of a column of `field`: what its annotation says, else `by_default`, which is TensorOptions::enums. Of other
// fields than enums and cases of oneofs: kNumbers.
inline Enums EnumsOf(const plan::FieldPlan& field, Enums by_default) {
  using EnumAs = plan::FieldAnnotations::EnumAs;
  if (field.enumeration == nullptr) {
    return field.cardinality == plan::Cardinality::kOneofCase ? by_default : Enums::kNumbers;
  }
  switch (field.annotations == nullptr ? EnumAs::kUnspecified : field.annotations->enum_as) {
    case EnumAs::kNumber:
      return Enums::kNumbers;
    case EnumAs::kName:
      return Enums::kNames;
    case EnumAs::kDictionary:
      return Enums::kDictionary;
    case EnumAs::kUnspecified:
      break;
  }
  return by_default;
}

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_SHARED_ENUMS_OF_H_
