#include "structtensor/tensor/math/internal/time_arithmetic.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor::math_internal {
namespace {

std::optional<DType> ElementsOf(const Value& value) {
  if (value.tensor() != nullptr) return value.tensor()->dtype();
  if (value.ragged() != nullptr) return value.ragged()->dtype();
  return std::nullopt;
}

bool IsTimeValue(const Value& value) {
  const std::optional<DType> dtype = ElementsOf(value);
  return dtype.has_value() && IsTime(*dtype);
}

// Returns the dtype of the sum or the difference, or nothing if it is not defined.
std::optional<DType> ResultOf(DType x, DType y, bool is_difference) {
  if (!IsTime(x) || !IsTime(y) || TimeUnitOf(x) != TimeUnitOf(y)) return std::nullopt;
  if (IsDuration(y)) return x;
  if (is_difference) return IsTimestamp(x) ? std::optional<DType>(DurationDType(TimeUnitOf(x))) : std::nullopt;
  return IsDuration(x) ? std::optional<DType>(y) : std::nullopt;
}

// `f(x, y, &result)` computes with 64-bit counts, and returns whether the result fits.
template <typename F>
absl::StatusOr<Value> ComputeTimes(std::string_view op, bool is_difference, const Value& x, const Value& y, F f) {
  const std::optional<DType> x_dtype = ElementsOf(x), y_dtype = ElementsOf(y);
  // Without a dtype, a value is a struct or of an extension type. ApplyBinary() refuses these with its own message.
  if (!x_dtype.has_value() || !y_dtype.has_value()) {
    return ApplyBinary(op, x, y, [](const BinaryOperands& operands) -> absl::StatusOr<Tensor> { return operands.x; });
  }
  const std::optional<DType> dtype = ResultOf(*x_dtype, *y_dtype, is_difference);
  if (!dtype.has_value()) {
    const bool units = IsTime(*x_dtype) && IsTime(*y_dtype) && TimeUnitOf(*x_dtype) != TimeUnitOf(*y_dtype);
    return absl::InvalidArgumentError(absl::StrCat(
        ToAbsl(op), "(): x is ", ToAbsl(DTypeName(*x_dtype)), " and y is ", ToAbsl(DTypeName(*y_dtype)), "; ",
        units           ? "times of two units do not mix: cast to int64 and change the unit there"
        : is_difference ? "a timestamp or a duration is subtracted from a timestamp, and a duration from a duration"
                        : "a duration is added to a timestamp or to a duration"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value x_counts, Cast(x, DType::kInt64));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value y_counts, Cast(y, DType::kInt64));
  return ApplyBinary(op, x_counts, y_counts, [&](const BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    bool all_fit = true;  // also for absent ones, which may be anything
    STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<int64_t> counts, (ComputeBinary<int64_t, int64_t>(operands, [&](int64_t a, int64_t b) {
                                    int64_t count;
                                    all_fit &= f(a, b, &count);
                                    return count;
                                  })));
    int64_t beyond = -1;
    if (!all_fit) {
      const int64_t* const all_x = operands.x.values<int64_t>().data();
      const int64_t* const all_y = operands.y.values<int64_t>().data();
      operands.runs.ForEach([&](const BroadcastRun& run) {
        for (int64_t i = 0; i < run.size && beyond < 0; ++i) {
          int64_t count;
          const bool fits = f(all_x[run.in[0] + i * run.step[0]], all_y[run.in[1] + i * run.step[1]], &count);
          if (!fits && operands.validity.is_valid(run.out + i)) beyond = run.out + i;
        }
      });
    }
    if (beyond >= 0) {
      return absl::InvalidArgumentError(absl::StrCat(ToAbsl(op), "(): ", ToAbsl(DTypeName(*dtype)), " cannot hold element ",
                                                     beyond, " of the result, counted through all rows"));
    }
    return Tensor::FromBuffer(std::move(counts), operands.shape, *dtype, operands.validity);
  });
}

}  // namespace

bool HasTimes(const Value& x, const Value& y) { return IsTimeValue(x) || IsTimeValue(y); }

absl::StatusOr<Value> AddTimes(const Value& x, const Value& y) {
  return ComputeTimes("Add", false, x, y,
                      [](int64_t a, int64_t b, int64_t* sum) { return !__builtin_add_overflow(a, b, sum); });
}

absl::StatusOr<Value> SubtractTimes(const Value& x, const Value& y) {
  return ComputeTimes("Subtract", true, x, y,
                      [](int64_t a, int64_t b, int64_t* difference) { return !__builtin_sub_overflow(a, b, difference); });
}

}  // namespace structtensor::math_internal
