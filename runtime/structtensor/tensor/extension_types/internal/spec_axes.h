// Values with the axes that a spec asks for.
#ifndef STRUCTTENSOR_TENSOR_EXTENSION_TYPES_INTERNAL_SPEC_AXES_H_
#define STRUCTTENSOR_TENSOR_EXTENSION_TYPES_INTERNAL_SPEC_AXES_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::extension_types_internal {

// Returns the same rows with the axes of `spec`: axes become ragged where the spec has ragged axes, and uniform where the spec
// has uniform axes and the rows allow it.
// Requires: value has the kind, rank and field names of the spec.
Value WithAxesOf(const TypeSpec& spec, const Value& value);

// Returns the value of this spec without rows. Dimensions that the spec does not know are 0.
// Errors: InvalidArgument if the spec has rank 0 or an unknown one, or is a row partition; for extension types, the errors of
//   FromComponents().
absl::StatusOr<Value> NoRows(const TypeSpec& spec);

}  // namespace structtensor::extension_types_internal

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPES_INTERNAL_SPEC_AXES_H_
