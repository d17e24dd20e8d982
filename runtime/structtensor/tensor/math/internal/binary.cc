#include "structtensor/tensor/math/internal/binary.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/broadcast.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/number_types.h"

namespace structtensor::math_internal {

absl::StatusOr<Validity> CommonValidity(std::span<const Tensor> operands, const BroadcastRuns& runs) {
  bool any_bits = false;
  for (const Tensor& operand : operands) any_bits = any_bits || operand.nullable();
  if (!any_bits) return Validity();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> bits, NewBuffer<uint8_t>::Allocate((runs.size_elements() + 7) / 8));
  std::fill_n(bits.data(), bits.size_elements(), uint8_t{0xFF});
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].nullable()) continue;
    const Validity& validity = operands[k].validity();
    runs.ForEach([&](const BroadcastRun& run) {
      for (int64_t i = 0; i < run.size; ++i) {
        if (validity.is_valid(run.in[k] + i * run.step[k])) continue;
        const int64_t bit = run.out + i;
        bits.data()[bit / 8] &= static_cast<uint8_t>(~(1 << (bit % 8)));
      }
    });
  }
  return Validity(std::move(bits).Finish());
}

absl::StatusOr<Tensor> ComputeViaFloat(const BinaryOperands& operands,
                                       absl::FunctionRef<absl::StatusOr<Tensor>(const BinaryOperands&)> compute) {
  BinaryOperands floats = operands;
  STRUCTTENSOR_ASSIGN_OR_RETURN(floats.x, CastTensor(operands.x, DType::kFloat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(floats.y, CastTensor(operands.y, DType::kFloat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor result, compute(floats));
  return CastTensor(result, operands.dtype());
}

absl::Status CheckNumber(std::string_view op, DType dtype) {
  if (IsNumber(dtype)) return absl::OkStatus();
  if (IsStringLike(dtype)) {
    return WrongDType(op, dtype,
                      op.starts_with("Reduce") ? "it needs numbers; ReduceJoin concatenates strings"
                                               : "it needs numbers; JoinStrings concatenates strings");
  }
  return WrongDType(op, dtype, "cast to int64 first");
}

absl::Status CheckFloating(std::string_view op, DType dtype) {
  if (IsFloating(dtype)) return absl::OkStatus();
  return WrongDType(op, dtype, "it needs floating point numbers; cast to double first");
}

absl::Status DTypesDiffer(std::string_view op, DType x, DType y) {
  if (IsStringLike(x) != IsStringLike(y)) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(op), "(): x is ", ToAbsl(DTypeName(x)), " and y is ",
                                                   ToAbsl(DTypeName(y)), "; AsString converts numbers to strings"));
  }
  // A cast of fractions to integers, or to a smaller type, would change values.
  const auto width = [](DType dtype) { return std::pair(IsFloating(dtype), DTypeSizeBytes(dtype)); };
  const bool cast_x = width(x) < width(y);
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(op), "(): x is ", ToAbsl(DTypeName(x)), " and y is ",
                                                 ToAbsl(DTypeName(y)), "; cast one of them, for example Cast(",
                                                 cast_x ? "x" : "y", ", \"", ToAbsl(DTypeName(cast_x ? y : x)), "\")"));
}

absl::StatusOr<Value> ApplyBinary(std::string_view op, const Value& x, const Value& y,
                                  absl::FunctionRef<absl::StatusOr<Tensor>(const BinaryOperands&)> compute) {
  static constexpr std::string_view kNames[] = {"x", "y"};
  const Value values[] = {x, y};
  STRUCTTENSOR_ASSIGN_OR_RETURN(AlignedOperands aligned, AlignOperands(op, values, kNames));
  const std::span<const Tensor> flats = aligned.flat_values;
  if (flats[0].dtype() != flats[1].dtype()) {
    return DTypesDiffer(op, flats[0].dtype(), flats[1].dtype());
  }
  BroadcastRuns runs(aligned.shape, flats);
  STRUCTTENSOR_ASSIGN_OR_RETURN(Validity validity, CommonValidity(flats, runs));
  const BinaryOperands operands{op, flats[0], flats[1], aligned.shape, std::move(runs), std::move(validity)};
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor result, compute(operands));
  return std::move(aligned).Join(std::move(result));
}

}  // namespace structtensor::math_internal
