// Sums and differences of timestamps and durations.
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_TIME_ARITHMETIC_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_TIME_ARITHMETIC_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::math_internal {

// Whether elements of one of the values are timestamps or durations.
bool HasTimes(const Value& x, const Value& y);

// Requires: HasTimes(x, y). Errors: as Add() and Subtract().
absl::StatusOr<Value> AddTimes(const Value& x, const Value& y);
absl::StatusOr<Value> SubtractTimes(const Value& x, const Value& y);

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_TIME_ARITHMETIC_H_
