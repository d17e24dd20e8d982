#include "structtensor/tensor/math/unary.h"

#include <cmath>
#include <type_traits>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/map_elements.h"
#include "structtensor/tensor/math/internal/number_types.h"

namespace structtensor {
namespace {

using math_internal::MapFloatingPoint;
using math_internal::MapNumbers;
using math_internal::OfFloatingPoint;
using math_internal::OfNumbers;

}  // namespace

absl::StatusOr<Value> Negative(const Value& x) {
  return math_internal::MapFlatValues("Negative", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber("Negative", flat.dtype()));
    if (flat.dtype() == DType::kUint32 || flat.dtype() == DType::kUint64) {
      return math_internal::WrongDType("Negative", flat.dtype(), "cast to int64 first");
    }
    return MapNumbers(flat, []<typename T>(T value) {
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(math_internal::Wrapping<T>{0} - static_cast<math_internal::Wrapping<T>>(value));
      } else {
        return -value;
      }
    });
  });
}

absl::StatusOr<Value> Abs(const Value& x) {
  return OfNumbers("Abs", x, []<typename T>(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(value);
    } else if constexpr (std::is_signed_v<T>) {
      return value < 0 ? static_cast<T>(math_internal::Wrapping<T>{0} - static_cast<math_internal::Wrapping<T>>(value)) : value;
    } else {
      return value;
    }
  });
}

absl::StatusOr<Value> Sign(const Value& x) {
  return OfNumbers("Sign", x, []<typename T>(T value) {
    if (value != value) return value;
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(static_cast<int>(value > 0) - static_cast<int>(value < 0));
    } else {
      return static_cast<T>(value > 0);
    }
  });
}

absl::StatusOr<Value> Square(const Value& x) {
  return OfNumbers("Square", x, []<typename T>(T value) {
    return static_cast<T>(static_cast<math_internal::Wrapping<T>>(value) * static_cast<math_internal::Wrapping<T>>(value));
  });
}

absl::StatusOr<Value> Sqrt(const Value& x) {
  return OfFloatingPoint("Sqrt", x, []<typename T>(T value) { return std::sqrt(value); });
}

absl::StatusOr<Value> Exp(const Value& x) {
  return OfFloatingPoint("Exp", x, []<typename T>(T value) { return std::exp(value); });
}

absl::StatusOr<Value> Log(const Value& x) {
  return OfFloatingPoint("Log", x, []<typename T>(T value) { return std::log(value); });
}

absl::StatusOr<Value> IsNan(const Value& x) {
  return math_internal::TestFloatingPoint("IsNan", x, [](auto value) { return std::isnan(value); });
}

absl::StatusOr<Value> IsInf(const Value& x) {
  return math_internal::TestFloatingPoint("IsInf", x, [](auto value) { return std::isinf(value); });
}

absl::StatusOr<Value> IsFinite(const Value& x) {
  return math_internal::TestFloatingPoint("IsFinite", x, [](auto value) { return std::isfinite(value); });
}

absl::StatusOr<Value> Floor(const Value& x) {
  return OfFloatingPoint("Floor", x, []<typename T>(T value) { return std::floor(value); });
}

absl::StatusOr<Value> Ceil(const Value& x) {
  return OfFloatingPoint("Ceil", x, []<typename T>(T value) { return std::ceil(value); });
}

absl::StatusOr<Value> Trunc(const Value& x) {
  return OfFloatingPoint("Trunc", x, []<typename T>(T value) { return std::trunc(value); });
}

absl::StatusOr<Value> Round(const Value& x) {
  return math_internal::MapFlatValues("Round", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber("Round", flat.dtype()));
    if (IsInteger(flat.dtype())) return flat;
    // In the default rounding mode, ties go to the even number.
    return MapFloatingPoint(flat, []<typename T>(T value) { return std::nearbyint(value); });
  });
}

}  // namespace structtensor
