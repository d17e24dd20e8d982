#include "structtensor/tensor/math/elementary_functions.h"

#include <math.h>  // lgamma_r

#include <cmath>

#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/map_elements.h"
#include "structtensor/tensor/math/shared/operations.h"

namespace structtensor {

using math_internal::OfFloatingPoint;
using math_internal::OfPairsOfFloatingPoint;

#define STRUCTTENSOR_DEFINE(name, Function, ufunc, sentence, expression)                  \
  absl::StatusOr<Value> Function(const Value& value) {                                    \
    return OfFloatingPoint(#Function, value, []<typename T>(T x) { return expression; }); \
  }
STRUCTTENSOR_FRACTION_OPERATIONS(STRUCTTENSOR_DEFINE)
#undef STRUCTTENSOR_DEFINE

absl::StatusOr<Value> Lgamma(const Value& x) {
  // std::lgamma writes the sign to a global variable, so two threads must not call it at once.
  return OfFloatingPoint("Lgamma", x, []<typename T>(T value) {
    int sign = 0;
    return static_cast<T>(::lgamma_r(static_cast<double>(value), &sign));
  });
}

absl::StatusOr<Value> Sigmoid(const Value& x) {
  // The exponents are never positive, because exp(1000) is infinite.
  return OfFloatingPoint("Sigmoid", x, []<typename T>(T value) {
    const T small = std::exp(-std::fabs(value));
    return (value < 0 ? small : T{1}) / (T{1} + small);
  });
}

absl::StatusOr<Value> Atan2(const Value& y, const Value& x) {
  return OfPairsOfFloatingPoint("Atan2", y, x, []<typename T>(T a, T b) { return std::atan2(a, b); });
}

absl::StatusOr<Value> Hypot(const Value& x, const Value& y) {
  return OfPairsOfFloatingPoint("Hypot", x, y, []<typename T>(T a, T b) { return std::hypot(a, b); });
}

}  // namespace structtensor
