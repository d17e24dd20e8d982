#include "structtensor/tensor/math/logic.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/flat_values.h"

namespace structtensor {
namespace {

constexpr std::string_view kAdvice = "compare it with something, or cast it to bool";

template <typename F>
absl::StatusOr<Value> Combine(std::string_view op, const Value& x, const Value& y, F f) {
  return math_internal::ApplyBinary(op, x, y, [&](const math_internal::BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    if (operands.dtype() != DType::kBool) return math_internal::WrongDType(op, operands.dtype(), kAdvice);
    STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<uint8_t> values, (math_internal::ComputeBinary<uint8_t, uint8_t>(operands, f)));
    return Tensor::FromBuffer(std::move(values), operands.shape, DType::kBool, operands.validity);
  });
}

}  // namespace

absl::StatusOr<Value> LogicalAnd(const Value& x, const Value& y) {
  return Combine("LogicalAnd", x, y, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a & b); });
}

absl::StatusOr<Value> LogicalOr(const Value& x, const Value& y) {
  return Combine("LogicalOr", x, y, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); });
}

absl::StatusOr<Value> LogicalXor(const Value& x, const Value& y) {
  return Combine("LogicalXor", x, y, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a ^ b); });
}

absl::StatusOr<Value> LogicalNot(const Value& x) {
  return math_internal::MapFlatValues("LogicalNot", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    if (flat.dtype() != DType::kBool) return math_internal::WrongDType("LogicalNot", flat.dtype(), kAdvice);
    const std::span<const uint8_t> values = flat.values<uint8_t>();
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> out, NewBuffer<uint8_t>::Allocate(flat.size_elements()));
    for (size_t i = 0; i < values.size(); ++i) out.data()[i] = static_cast<uint8_t>(values[i] ^ 1);
    return Tensor::FromBuffer(std::move(out).Finish(), flat.shape(), DType::kBool, flat.validity());
  });
}

}  // namespace structtensor
