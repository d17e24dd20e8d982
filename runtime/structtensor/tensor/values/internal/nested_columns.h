// From a nested value and its schema to columns, and from columns to a value.
#ifndef STRUCTTENSOR_TENSOR_VALUES_INTERNAL_NESTED_COLUMNS_H_
#define STRUCTTENSOR_TENSOR_VALUES_INTERNAL_NESTED_COLUMNS_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/internal/nested_schema.h"
#include "structtensor/tensor/values/nested_value.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

// Returns the value of that schema that `nested` describes. Errors: see Constant.
absl::StatusOr<Value> ValueOfNested(const NestedValue& nested, const NestedSchema& schema);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_INTERNAL_NESTED_COLUMNS_H_
