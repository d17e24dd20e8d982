#include "structtensor/tensor/math/comparison.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/number_types.h"

namespace structtensor {
namespace {

absl::StatusOr<Tensor> Booleans(const math_internal::BinaryOperands& operands, Buffer<uint8_t> values) {
  return Tensor::FromBuffer(std::move(values), operands.shape, DType::kBool, operands.validity);
}

template <typename F>
absl::StatusOr<Tensor> CompareStrings(const math_internal::BinaryOperands& operands, F f) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> out, NewBuffer<uint8_t>::Allocate(operands.runs.size_elements()));
  operands.runs.ForEach([&](const math_internal::BroadcastRun& run) {
    for (int64_t i = 0; i < run.size; ++i) {
      const std::string_view x = operands.x.string_at(run.in[0] + i * run.step[0]);
      const std::string_view y = operands.y.string_at(run.in[1] + i * run.step[1]);
      out.data()[run.out + i] = static_cast<uint8_t>(f(x, y));
    }
  });
  return Booleans(operands, std::move(out).Finish());
}

template <typename T, typename F>
absl::StatusOr<Tensor> CompareStored(const math_internal::BinaryOperands& operands, F f) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      Buffer<uint8_t> values,
      (math_internal::ComputeBinary<T, uint8_t>(operands, [f](T x, T y) { return static_cast<uint8_t>(f(x, y)); })));
  return Booleans(operands, std::move(values));
}

template <typename F>
absl::StatusOr<Tensor> CompareElements(const math_internal::BinaryOperands& operands, F f) {
  const DType dtype = operands.dtype();
  if (IsStringLike(dtype)) return CompareStrings(operands, f);
  if (dtype == DType::kBool) return CompareStored<uint8_t>(operands, f);
  if (math_internal::IsFloat16(dtype)) {
    math_internal::BinaryOperands floats = operands;
    STRUCTTENSOR_ASSIGN_OR_RETURN(floats.x, CastTensor(operands.x, DType::kFloat));
    STRUCTTENSOR_ASSIGN_OR_RETURN(floats.y, CastTensor(operands.y, DType::kFloat));
    return CompareStored<float>(floats, f);
  }
  return math_internal::VisitNumberType(dtype, [&]<typename T>() { return CompareStored<T>(operands, f); });
}

template <typename F>
absl::StatusOr<Value> CompareOrder(std::string_view op, const Value& x, const Value& y, F f) {
  return math_internal::ApplyBinary(op, x, y, [&](const math_internal::BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    if (operands.dtype() == DType::kBool)
      return math_internal::WrongDType(op, DType::kBool, "use Equal and the logical operations");
    return CompareElements(operands, f);
  });
}

}  // namespace

absl::StatusOr<Value> Equal(const Value& x, const Value& y) {
  return math_internal::ApplyBinary("Equal", x, y, [](const math_internal::BinaryOperands& operands) {
    return CompareElements(operands, [](const auto& a, const auto& b) { return a == b; });
  });
}

absl::StatusOr<Value> NotEqual(const Value& x, const Value& y) {
  return math_internal::ApplyBinary("NotEqual", x, y, [](const math_internal::BinaryOperands& operands) {
    return CompareElements(operands, [](const auto& a, const auto& b) { return a != b; });
  });
}

absl::StatusOr<Value> Less(const Value& x, const Value& y) {
  return CompareOrder("Less", x, y, [](const auto& a, const auto& b) { return a < b; });
}

absl::StatusOr<Value> LessEqual(const Value& x, const Value& y) {
  return CompareOrder("LessEqual", x, y, [](const auto& a, const auto& b) { return a <= b; });
}

absl::StatusOr<Value> Greater(const Value& x, const Value& y) {
  return CompareOrder("Greater", x, y, [](const auto& a, const auto& b) { return a > b; });
}

absl::StatusOr<Value> GreaterEqual(const Value& x, const Value& y) {
  return CompareOrder("GreaterEqual", x, y, [](const auto& a, const auto& b) { return a >= b; });
}

}  // namespace structtensor
