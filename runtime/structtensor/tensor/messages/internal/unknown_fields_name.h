// What the column of unknown fields is called in tensors.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_UNKNOWN_FIELDS_NAME_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_UNKNOWN_FIELDS_NAME_H_

#include <string>

#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::messages_internal {

// Returns `unknown_fields`, with '_' appended as long as a field of `message` has that name.
inline std::string UnknownFieldsName(const plan::MessagePlan& message) {
  std::string name(column_internal::kUnknownFields.name);
  while (message.FindByColumnName(name) != nullptr) name += '_';
  return name;
}

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_UNKNOWN_FIELDS_NAME_H_
