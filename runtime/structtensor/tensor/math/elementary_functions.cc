#include "structtensor/tensor/math/elementary_functions.h"

#include <math.h>  // lgamma_r

#include <cmath>

#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/map_elements.h"

namespace structtensor {

using math_internal::OfFloatingPoint;
using math_internal::OfPairsOfFloatingPoint;

absl::StatusOr<Value> Rsqrt(const Value& x) {
  return OfFloatingPoint("Rsqrt", x, []<typename T>(T value) { return T{1} / std::sqrt(value); });
}

absl::StatusOr<Value> Reciprocal(const Value& x) {
  return OfFloatingPoint("Reciprocal", x, []<typename T>(T value) { return T{1} / value; });
}

absl::StatusOr<Value> Expm1(const Value& x) {
  return OfFloatingPoint("Expm1", x, []<typename T>(T value) { return std::expm1(value); });
}

absl::StatusOr<Value> Log1p(const Value& x) {
  return OfFloatingPoint("Log1p", x, []<typename T>(T value) { return std::log1p(value); });
}

absl::StatusOr<Value> Log2(const Value& x) {
  return OfFloatingPoint("Log2", x, []<typename T>(T value) { return std::log2(value); });
}

absl::StatusOr<Value> Log10(const Value& x) {
  return OfFloatingPoint("Log10", x, []<typename T>(T value) { return std::log10(value); });
}

absl::StatusOr<Value> Cbrt(const Value& x) {
  return OfFloatingPoint("Cbrt", x, []<typename T>(T value) { return std::cbrt(value); });
}

absl::StatusOr<Value> Sin(const Value& x) {
  return OfFloatingPoint("Sin", x, []<typename T>(T value) { return std::sin(value); });
}

absl::StatusOr<Value> Cos(const Value& x) {
  return OfFloatingPoint("Cos", x, []<typename T>(T value) { return std::cos(value); });
}

absl::StatusOr<Value> Tan(const Value& x) {
  return OfFloatingPoint("Tan", x, []<typename T>(T value) { return std::tan(value); });
}

absl::StatusOr<Value> Asin(const Value& x) {
  return OfFloatingPoint("Asin", x, []<typename T>(T value) { return std::asin(value); });
}

absl::StatusOr<Value> Acos(const Value& x) {
  return OfFloatingPoint("Acos", x, []<typename T>(T value) { return std::acos(value); });
}

absl::StatusOr<Value> Atan(const Value& x) {
  return OfFloatingPoint("Atan", x, []<typename T>(T value) { return std::atan(value); });
}

absl::StatusOr<Value> Sinh(const Value& x) {
  return OfFloatingPoint("Sinh", x, []<typename T>(T value) { return std::sinh(value); });
}

absl::StatusOr<Value> Cosh(const Value& x) {
  return OfFloatingPoint("Cosh", x, []<typename T>(T value) { return std::cosh(value); });
}

absl::StatusOr<Value> Tanh(const Value& x) {
  return OfFloatingPoint("Tanh", x, []<typename T>(T value) { return std::tanh(value); });
}

absl::StatusOr<Value> Asinh(const Value& x) {
  return OfFloatingPoint("Asinh", x, []<typename T>(T value) { return std::asinh(value); });
}

absl::StatusOr<Value> Acosh(const Value& x) {
  return OfFloatingPoint("Acosh", x, []<typename T>(T value) { return std::acosh(value); });
}

absl::StatusOr<Value> Atanh(const Value& x) {
  return OfFloatingPoint("Atanh", x, []<typename T>(T value) { return std::atanh(value); });
}

absl::StatusOr<Value> Erf(const Value& x) {
  return OfFloatingPoint("Erf", x, []<typename T>(T value) { return std::erf(value); });
}

absl::StatusOr<Value> Erfc(const Value& x) {
  return OfFloatingPoint("Erfc", x, []<typename T>(T value) { return std::erfc(value); });
}

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
