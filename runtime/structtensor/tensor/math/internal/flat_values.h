// The dense tensor inside a value. Elementwise operations and reductions work on it.
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_FLAT_VALUES_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_FLAT_VALUES_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::math_internal {

// The tensor itself, or the flat values of a ragged tensor.
// Errors: InvalidArgument if the value is a struct (the message names its fields) or of an extension type. Messages begin with
// `op`.
absl::StatusOr<Tensor> FlatValues(std::string_view op, const Value& value);

// `like` with other flat values; its row partitions are shared. Requires: `like` is a tensor, or it is a ragged tensor and
// `flat` has as many rows as its flat values.
Value WithFlatValues(const Value& like, Tensor flat);

// Applies `map`, which keeps shapes, to the flat values. Errors: the errors of FlatValues and of `map`.
// Source: tf.ragged.map_flat_values.
absl::StatusOr<Value> MapFlatValues(std::string_view op, const Value& value,
                                    absl::FunctionRef<absl::StatusOr<Tensor>(const Tensor&)> map);

// An error for elements that `op` is not defined for. `advice` says what to do.
absl::Status WrongDType(std::string_view op, DType dtype, std::string_view advice);

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_FLAT_VALUES_H_
