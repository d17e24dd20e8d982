#include "structtensor/tensor/math/arithmetic.h"

#include <utility>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/number_types.h"
#include "structtensor/tensor/math/internal/time_arithmetic.h"

namespace structtensor {
namespace {

// f<T>(T, T) is instantiated for each number type.
template <typename F>
absl::StatusOr<Tensor> ComputeNumbers(const math_internal::BinaryOperands& operands, F f) {
  if (math_internal::IsFloat16(operands.dtype())) {
    return math_internal::ComputeViaFloat(
        operands, [&](const math_internal::BinaryOperands& floats) { return ComputeNumbers(floats, f); });
  }
  return math_internal::VisitNumberType(operands.dtype(), [&]<typename T>() -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<T> values, (math_internal::ComputeBinary<T, T>(operands, f)));
    return Tensor::FromBuffer(std::move(values), operands.shape, operands.dtype(), operands.validity);
  });
}

template <typename F>
absl::StatusOr<Value> Arithmetic(std::string_view op, const Value& x, const Value& y, F f) {
  return math_internal::ApplyBinary(op, x, y, [&](const math_internal::BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber(op, operands.dtype()));
    return ComputeNumbers(operands, f);
  });
}

template <typename F>
absl::StatusOr<Value> Choice(std::string_view op, const Value& x, const Value& y, F f) {
  return math_internal::ApplyBinary(op, x, y, [&](const math_internal::BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    if (!math_internal::IsOrderedNumber(operands.dtype()))
      return math_internal::WrongDType(op, operands.dtype(), "it needs numbers, timestamps or durations");
    return ComputeNumbers(operands, f);
  });
}

}  // namespace

absl::StatusOr<Value> Add(const Value& x, const Value& y) {
  if (math_internal::HasTimes(x, y)) return math_internal::AddTimes(x, y);
  return Arithmetic("Add", x, y, []<typename T>(T a, T b) {
    return static_cast<T>(static_cast<math_internal::Wrapping<T>>(a) + static_cast<math_internal::Wrapping<T>>(b));
  });
}

absl::StatusOr<Value> Subtract(const Value& x, const Value& y) {
  if (math_internal::HasTimes(x, y)) return math_internal::SubtractTimes(x, y);
  return Arithmetic("Subtract", x, y, []<typename T>(T a, T b) {
    return static_cast<T>(static_cast<math_internal::Wrapping<T>>(a) - static_cast<math_internal::Wrapping<T>>(b));
  });
}

absl::StatusOr<Value> Multiply(const Value& x, const Value& y) {
  return Arithmetic("Multiply", x, y, []<typename T>(T a, T b) {
    return static_cast<T>(static_cast<math_internal::Wrapping<T>>(a) * static_cast<math_internal::Wrapping<T>>(b));
  });
}

absl::StatusOr<Value> SquaredDifference(const Value& x, const Value& y) {
  return Arithmetic("SquaredDifference", x, y, []<typename T>(T a, T b) {
    using W = math_internal::Wrapping<T>;
    const W difference = static_cast<W>(a) - static_cast<W>(b);
    return static_cast<T>(difference * difference);
  });
}

// A NaN differs from itself, so `a != a` keeps it. For integers the compiler drops this test.
absl::StatusOr<Value> Maximum(const Value& x, const Value& y) {
  return Choice("Maximum", x, y, []<typename T>(T a, T b) { return a > b || a != a ? a : b; });
}

absl::StatusOr<Value> Minimum(const Value& x, const Value& y) {
  return Choice("Minimum", x, y, []<typename T>(T a, T b) { return a < b || a != a ? a : b; });
}

absl::StatusOr<Value> Clip(const Value& x, const Value& low, const Value& high) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value raised, Maximum(x, low));
  return Minimum(raised, high);
}

}  // namespace structtensor
