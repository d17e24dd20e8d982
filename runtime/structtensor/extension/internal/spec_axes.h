// Values with the axes that a spec says.
#ifndef STRUCTTENSOR_EXTENSION_INTERNAL_SPEC_AXES_H_
#define STRUCTTENSOR_EXTENSION_INTERNAL_SPEC_AXES_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::extension_internal {

// The same rows kept as `spec` says: axes become ragged where those of the spec are, and uniform where they are and rows allow
// it.
// Requires: value has the kind, rank and field names of the spec.
Value WithAxesOf(const TypeSpec& spec, const Value& value);

// The value of that spec without rows. Dimensions that the spec does not know are 0.
// Errors: InvalidArgument if the spec has rank 0 or an unknown one, or is a row partition; those of FromComponents() of an
//   extension type.
absl::StatusOr<Value> NoRows(const TypeSpec& spec);

}  // namespace structtensor::extension_internal

#endif  // STRUCTTENSOR_EXTENSION_INTERNAL_SPEC_AXES_H_
