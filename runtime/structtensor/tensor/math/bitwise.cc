#include "structtensor/tensor/math/bitwise.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/check_integers.h"
#include "structtensor/tensor/math/internal/map_elements.h"
#include "structtensor/tensor/math/logic.h"

namespace structtensor {
namespace {

using math_internal::BinaryOperands;

absl::Status CheckInteger(std::string_view op, DType dtype) {
  if (IsInteger(dtype)) return absl::OkStatus();
  return math_internal::WrongDType(op, dtype, "it needs integers; cast to int64 first");
}

// Calls visitor.operator()<T>() with the type T in which the integers are stored. Requires: IsInteger(dtype).
template <typename Visitor>
absl::StatusOr<Tensor> VisitIntegers(DType dtype, Visitor visitor) {
  return math_internal::VisitNumberType(dtype, [&]<typename T>() -> absl::StatusOr<Tensor> {
    if constexpr (std::is_integral_v<T>) {
      return visitor.template operator()<T>();
    } else {
      return absl::InternalError("an integer type is none");
    }
  });
}

// f<T>(T, T) is called for each integer type.
template <typename F>
absl::StatusOr<Tensor> ComputeIntegers(const BinaryOperands& operands, F f) {
  return VisitIntegers(operands.dtype(), [&]<typename T>() -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<T> values, (math_internal::ComputeBinary<T, T>(operands, f)));
    return Tensor::FromBuffer(std::move(values), operands.shape, operands.dtype(), operands.validity);
  });
}

template <typename F>
absl::StatusOr<Value> Combine(std::string_view op, const Value& x, const Value& y, F f) {
  return math_internal::ApplyBinary(op, x, y, [&](const BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    if (operands.dtype() == DType::kBool) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<uint8_t> values, (math_internal::ComputeBinary<uint8_t, uint8_t>(operands, f)));
      return Tensor::FromBuffer(std::move(values), operands.shape, DType::kBool, operands.validity);
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckInteger(op, operands.dtype()));
    return ComputeIntegers(operands, f);
  });
}

template <typename F>
absl::StatusOr<Value> Shift(std::string_view op, const Value& x, const Value& y, F f) {
  return math_internal::ApplyBinary(op, x, y, [&](const BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckInteger(op, operands.dtype()));
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckIntegers(
        operands, "an integer is shifted by a negative number of bits", [](auto bits) { return bits < 0; },
        "shift to the other side"));
    return ComputeIntegers(operands, f);
  });
}

// Absent elements may be shifted by any number, even by a negative one.
template <typename T>
bool IsWithin(T bits) {
  return static_cast<std::make_unsigned_t<T>>(bits) < std::numeric_limits<std::make_unsigned_t<T>>::digits;
}

}  // namespace

absl::StatusOr<Value> BitwiseAnd(const Value& x, const Value& y) {
  return Combine("BitwiseAnd", x, y, []<typename T>(T a, T b) { return static_cast<T>(a & b); });
}

absl::StatusOr<Value> BitwiseOr(const Value& x, const Value& y) {
  return Combine("BitwiseOr", x, y, []<typename T>(T a, T b) { return static_cast<T>(a | b); });
}

absl::StatusOr<Value> BitwiseXor(const Value& x, const Value& y) {
  return Combine("BitwiseXor", x, y, []<typename T>(T a, T b) { return static_cast<T>(a ^ b); });
}

absl::StatusOr<Value> Invert(const Value& x) {
  if ((x.tensor() != nullptr && x.tensor()->dtype() == DType::kBool) ||
      (x.ragged() != nullptr && x.ragged()->dtype() == DType::kBool)) {
    return LogicalNot(x);
  }
  return math_internal::MapFlatValues("Invert", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckInteger("Invert", flat.dtype()));
    return VisitIntegers(flat.dtype(), [&]<typename T>() {
      return math_internal::MapStored<T, T>(flat, flat.dtype(), [](T value) { return static_cast<T>(~value); });
    });
  });
}

absl::StatusOr<Value> LeftShift(const Value& x, const Value& y) {
  return Shift("LeftShift", x, y, []<typename T>(T a, T bits) {
    return IsWithin(bits) ? static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << bits) : T{0};
  });
}

absl::StatusOr<Value> RightShift(const Value& x, const Value& y) {
  return Shift("RightShift", x, y, []<typename T>(T a, T bits) {
    return IsWithin(bits) ? static_cast<T>(a >> bits) : static_cast<T>(a < 0 ? -1 : 0);
  });
}

}  // namespace structtensor
