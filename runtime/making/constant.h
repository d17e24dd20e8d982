// Values from nested values, and back.
#ifndef STRUCTTENSOR_MAKING_CONSTANT_H_
#define STRUCTTENSOR_MAKING_CONSTANT_H_

#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/making/nested_value.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor {

struct ConstantOptions {
  // The dtypes of inferred fields. Defaults: 64 bits.
  DType int_dtype = DType::kInt64;
  DType float_dtype = DType::kDouble;
  // What the value has to become, instead of inferring it.
  std::optional<TypeSpec> spec;
};

absl::StatusOr<Value> Constant(const NestedValue& nested, const ConstantOptions& options = {});

// The value as nested lists, dicts and scalars, absent ones as nothing. For tests and small values.
NestedValue ToNestedValue(const Value& value);

}  // namespace structtensor

#endif  // STRUCTTENSOR_MAKING_CONSTANT_H_
