#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/arithmetic.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/check_integers.h"
#include "structtensor/tensor/math/internal/number_types.h"

namespace structtensor {
namespace {

template <typename T, typename F>
absl::StatusOr<Tensor> ComputeAs(const math_internal::BinaryOperands& operands, F f) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<T> values, (math_internal::ComputeBinary<T, T>(operands, f)));
  return Tensor::FromBuffer(std::move(values), operands.shape, operands.dtype(), operands.validity);
}

// Absent elements may be anything, even 0. Dividing by them must do no harm.
template <typename T>
T FloorDivideIntegers(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    // The smallest integer divided by -1 is the only quotient that does not fit, for example -2^31 / -1.
    if (b == -1) return static_cast<T>(math_internal::Wrapping<T>{0} - static_cast<math_internal::Wrapping<T>>(a));
    const T quotient = static_cast<T>(a / b);
    return static_cast<T>(quotient - static_cast<T>(a % b != 0 && (a < 0) != (b < 0)));
  } else {
    return a / b;
  }
}

template <typename T>
T ModIntegers(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  } else {
    return a % b;
  }
}

template <typename T>
T TruncateDivOne(T a, T b) {
  if constexpr (!std::is_integral_v<T>) {
    return std::trunc(a / b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(math_internal::Wrapping<T>{0} - static_cast<math_internal::Wrapping<T>>(a));
    }
    return static_cast<T>(a / b);
  }
}

template <typename T>
T FmodOne(T a, T b) {
  if constexpr (!std::is_integral_v<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;  // the quotient may not fit, and then the processor traps
    }
    return static_cast<T>(a % b);
  }
}

template <typename T>
T ModFloatingPoint(T a, T b) {
  const T rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Computed by squaring. A negative exponent only occurs in an absent element.
template <typename T>
T PowerOfInteger(T base, T exponent) {
  using U = math_internal::Wrapping<T>;
  U square = static_cast<U>(base);
  U result = 1;
  for (U left = exponent > 0 ? static_cast<U>(exponent) : U{0}; left != 0; left >>= 1) {
    if ((left & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

// FloorDivide of one pair, for each number type.
template <typename T>
T FloorDivideOne(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return FloorDivideIntegers(a, b);
  } else {
    return std::floor(a / b);
  }
}

template <typename T>
T ModOne(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return ModIntegers(a, b);
  } else {
    return ModFloatingPoint(a, b);
  }
}

template <typename T>
T PowerOne(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return PowerOfInteger(a, b);
  } else {
    return std::pow(a, b);
  }
}

template <typename F>
absl::StatusOr<Tensor> ComputeChecked(const math_internal::BinaryOperands& operands, F f) {
  if (math_internal::IsFloat16(operands.dtype())) {
    return math_internal::ComputeViaFloat(
        operands, [&](const math_internal::BinaryOperands& floats) { return ComputeAs<float>(floats, f); });
  }
  return math_internal::VisitNumberType(operands.dtype(), [&]<typename T>() { return ComputeAs<T>(operands, f); });
}

// Divides numbers. Dividing an integer by 0 is an error.
template <typename F>
absl::StatusOr<Value> DivideChecked(std::string_view op, const Value& x, const Value& y, F f) {
  return math_internal::ApplyBinary(op, x, y, [f](const math_internal::BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber(operands.op, operands.dtype()));
    STRUCTTENSOR_RETURN_IF_ERROR(
        math_internal::CheckIntegers(operands, "an integer is divided by 0", [](auto divisor) { return divisor == 0; }));
    return ComputeChecked(operands, f);
  });
}

absl::StatusOr<Tensor> ComputeQuotients(const math_internal::BinaryOperands& operands) {
  const auto divide = []<typename T>(T a, T b) { return a / b; };
  if (math_internal::IsFloat16(operands.dtype())) {
    return math_internal::ComputeViaFloat(
        operands, [&](const math_internal::BinaryOperands& floats) { return ComputeAs<float>(floats, divide); });
  }
  if (operands.dtype() == DType::kFloat) return ComputeAs<float>(operands, divide);
  return ComputeAs<double>(operands, divide);
}

}  // namespace

absl::StatusOr<Value> Divide(const Value& x, const Value& y) {
  return math_internal::ApplyBinary("Divide", x, y,
                                    [](const math_internal::BinaryOperands& operands) -> absl::StatusOr<Tensor> {
                                      STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber(operands.op, operands.dtype()));
                                      if (!IsInteger(operands.dtype())) return ComputeQuotients(operands);
                                      math_internal::BinaryOperands doubles = operands;
                                      STRUCTTENSOR_ASSIGN_OR_RETURN(doubles.x, CastTensor(operands.x, DType::kDouble));
                                      STRUCTTENSOR_ASSIGN_OR_RETURN(doubles.y, CastTensor(operands.y, DType::kDouble));
                                      return ComputeQuotients(doubles);
                                    });
}

absl::StatusOr<Value> DivideNoNan(const Value& x, const Value& y) {
  return math_internal::OfPairsOfFloatingPoint("DivideNoNan", x, y, []<typename T>(T a, T b) { return b == 0 ? T{0} : a / b; });
}

absl::StatusOr<Value> FloorDivide(const Value& x, const Value& y) {
  return DivideChecked("FloorDivide", x, y, []<typename T>(T a, T b) { return FloorDivideOne(a, b); });
}

absl::StatusOr<Value> Mod(const Value& x, const Value& y) {
  return DivideChecked("Mod", x, y, []<typename T>(T a, T b) { return ModOne(a, b); });
}

absl::StatusOr<Value> TruncateDiv(const Value& x, const Value& y) {
  return DivideChecked("TruncateDiv", x, y, []<typename T>(T a, T b) { return TruncateDivOne(a, b); });
}

absl::StatusOr<Value> Fmod(const Value& x, const Value& y) {
  return DivideChecked("Fmod", x, y, []<typename T>(T a, T b) { return FmodOne(a, b); });
}

absl::StatusOr<Value> Power(const Value& x, const Value& y) {
  return math_internal::ApplyBinary("Power", x, y, [](const math_internal::BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber(operands.op, operands.dtype()));
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckIntegers(operands, "an integer has a negative exponent",
                                                              [](auto exponent) { return exponent < 0; }));
    return ComputeChecked(operands, []<typename T>(T a, T b) { return PowerOne(a, b); });
  });
}

}  // namespace structtensor
