// Beside ops_testutil.h: what elementwise operations and reductions are tested with.
#ifndef STRUCTTENSOR_TESTS_TENSOR_MATH_MATH_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_MATH_MATH_TESTUTIL_H_

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_testutil.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"

namespace structtensor {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline DynamicRaggedShape ShapeOfLengths(const std::vector<DynamicRaggedShape::Length>& lengths) {
  return DynamicRaggedShape::FromLengths(lengths).value();
}

inline std::string Text(const absl::StatusOr<DynamicRaggedShape>& shape) {
  return shape.ok() ? shape->DebugString() : shape.status().ToString();
}

// A vector with absent elements.
template <typename T>
Tensor Nullable(std::vector<T> values, const std::vector<bool>& present) {
  return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(values)), DTypeOf<T>::value, Bits(present));
}

template <typename T>
Tensor Vector(std::vector<T> values, DType dtype = DTypeOf<T>::value) {
  return Tensor::FromVector(std::move(values), dtype);
}

inline DType DTypeOfResult(const absl::StatusOr<Value>& value) {
  return value->tensor() != nullptr ? value->tensor()->dtype() : value->ragged()->dtype();
}

inline std::string Message(const absl::StatusOr<Value>& value) { return std::string(value.status().message()); }

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_MATH_MATH_TESTUTIL_H_
