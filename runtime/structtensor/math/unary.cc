#include "structtensor/math/unary.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "structtensor/base/internal/new_buffer.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/math/cast.h"
#include "structtensor/math/internal/binary.h"
#include "structtensor/math/internal/flat_values.h"
#include "structtensor/math/internal/number_types.h"

namespace structtensor {
namespace {

template <typename In, typename Out, typename F>
absl::StatusOr<Tensor> MapStored(const Tensor& x, DType dtype, F f) {
  const std::span<const In> values = x.values<In>();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<Out> buffer, NewBuffer<Out>::Allocate(x.size_elements()));
  Out* const out = buffer.data();
  for (size_t i = 0; i < values.size(); ++i) out[i] = f(values[i]);
  return Tensor::FromBuffer(std::move(buffer).Finish(), x.shape(), dtype, x.validity());
}

// f<T>(T) for each type of numbers.
template <typename F>
absl::StatusOr<Tensor> MapNumbers(const Tensor& x, F f) {
  if (!math_internal::IsFloat16(x.dtype())) {
    return math_internal::VisitNumberType(x.dtype(), [&]<typename T>() { return MapStored<T, T>(x, x.dtype(), f); });
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor floats, CastTensor(x, DType::kFloat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor mapped, (MapStored<float, float>(floats, DType::kFloat, f)));
  return CastTensor(mapped, x.dtype());
}

// The same for floating point types only.
template <typename F>
absl::StatusOr<Tensor> MapFractions(const Tensor& x, F f) {
  if (x.dtype() == DType::kDouble) return MapStored<double, double>(x, x.dtype(), f);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor floats, CastTensor(x, DType::kFloat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor mapped, (MapStored<float, float>(floats, DType::kFloat, f)));
  return CastTensor(mapped, x.dtype());
}

template <typename F>
absl::StatusOr<Value> OfNumbers(std::string_view op, const Value& x, F f) {
  return math_internal::MapFlatValues(op, x, [&](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber(op, flat.dtype()));
    return MapNumbers(flat, f);
  });
}

absl::Status CheckFloating(std::string_view op, DType dtype) {
  if (IsFloating(dtype)) return absl::OkStatus();
  return math_internal::WrongDType(op, dtype, "it needs floating point numbers; cast to double first");
}

template <typename F>
absl::StatusOr<Value> OfFractions(std::string_view op, const Value& x, F f) {
  return math_internal::MapFlatValues(op, x, [&](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFloating(op, flat.dtype()));
    return MapFractions(flat, f);
  });
}

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
  return OfFractions("Sqrt", x, []<typename T>(T value) { return std::sqrt(value); });
}

absl::StatusOr<Value> Exp(const Value& x) {
  return OfFractions("Exp", x, []<typename T>(T value) { return std::exp(value); });
}

absl::StatusOr<Value> Log(const Value& x) {
  return OfFractions("Log", x, []<typename T>(T value) { return std::log(value); });
}

absl::StatusOr<Value> IsNan(const Value& x) {
  return math_internal::MapFlatValues("IsNan", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFloating("IsNan", flat.dtype()));
    const auto is_nan = [](auto value) { return static_cast<uint8_t>(value != value); };
    if (flat.dtype() == DType::kDouble) return MapStored<double, uint8_t>(flat, DType::kBool, is_nan);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor floats, CastTensor(flat, DType::kFloat));
    return MapStored<float, uint8_t>(floats, DType::kBool, is_nan);
  });
}

absl::StatusOr<Value> Floor(const Value& x) {
  return OfFractions("Floor", x, []<typename T>(T value) { return std::floor(value); });
}

absl::StatusOr<Value> Ceil(const Value& x) {
  return OfFractions("Ceil", x, []<typename T>(T value) { return std::ceil(value); });
}

absl::StatusOr<Value> Round(const Value& x) {
  return math_internal::MapFlatValues("Round", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber("Round", flat.dtype()));
    if (IsInteger(flat.dtype())) return flat;
    // In the rounding mode that programs start with, ties go to the even number.
    return MapFractions(flat, []<typename T>(T value) { return std::nearbyint(value); });
  });
}

}  // namespace structtensor
