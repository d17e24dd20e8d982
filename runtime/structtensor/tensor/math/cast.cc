#include "structtensor/tensor/math/cast.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/internal/flat_values.h"

namespace structtensor {
namespace {

template <typename To, typename From>
To CastFloatingPoint(From value) {
  // The bounds of To as From. The upper bound may have been rounded up to the first number that is out of range.
  constexpr From kLowest = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From kHighest = static_cast<From>(std::numeric_limits<To>::max());
  if (!(value > kLowest)) return value != value ? To{0} : std::numeric_limits<To>::min();
  return value >= kHighest ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

template <typename To, typename From>
To CastNumber(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return CastFloatingPoint<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// 16-bit floating point numbers are computed as floats: floats hold them exactly, and results are rounded from floats.
template <typename T>
using ArithmeticType = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <typename From, typename To, typename Convert>
absl::StatusOr<Tensor> ConvertElements(const Tensor& tensor, DType dtype, Convert convert) {
  const std::span<const From> from = tensor.values<From>();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<To> to, NewBuffer<To>::Allocate(tensor.size_elements()));
  To* const out = to.data();
  for (size_t i = 0; i < from.size(); ++i) out[i] = convert(from[i]);
  return Tensor::FromBuffer(std::move(to).Finish(), tensor.shape(), dtype, tensor.validity());
}

template <typename From, typename To>
absl::StatusOr<Tensor> CastElements(const Tensor& tensor, DType dtype) {
  if constexpr (std::is_same_v<From, To>) {
    // The same storage under another dtype. Neither dtype is kBool, which has a storage of its own.
    return Tensor::FromBuffer(tensor.buffer<From>(), tensor.shape(), dtype, tensor.validity());
  } else {
    return ConvertElements<From, To>(tensor, dtype, [](From value) {
      using Wide = ArithmeticType<To>;
      return static_cast<To>(CastNumber<Wide>(static_cast<ArithmeticType<From>>(value)));
    });
  }
}

template <typename From>
absl::StatusOr<Tensor> CastToBool(const Tensor& tensor) {
  return ConvertElements<From, uint8_t>(
      tensor, DType::kBool, [](From value) { return static_cast<uint8_t>(static_cast<ArithmeticType<From>>(value) != 0); });
}

}  // namespace

absl::StatusOr<Tensor> CastTensor(const Tensor& tensor, DType dtype) {
  const DType from = tensor.dtype();
  if (from == dtype) return tensor;
  if (IsStringLike(from) || IsStringLike(dtype)) {
    if (from == DType::kString && dtype == DType::kBytes) {
      return Tensor::FromStrings(tensor.string_offsets(), tensor.string_bytes(), dtype, tensor.validity())
          .Reshape(tensor.shape());
    }
    return absl::InvalidArgumentError(absl::StrCat("Cast(): ", ToAbsl(DTypeName(from)), " cannot become ",
                                                   ToAbsl(DTypeName(dtype)), "; AsString converts numbers to strings"));
  }
  if (IsTime(from) && IsTime(dtype) && TimeUnitOf(from) != TimeUnitOf(dtype)) {
    return absl::InvalidArgumentError(absl::StrCat("Cast(): ", ToAbsl(DTypeName(from)), " cannot become ",
                                                   ToAbsl(DTypeName(dtype)), "; cast to int64 and change the unit there"));
  }
  return VisitStoredType(from, [&]<typename From>() -> absl::StatusOr<Tensor> {
    if (dtype == DType::kBool) return CastToBool<From>(tensor);
    return VisitStoredType(dtype, [&]<typename To>() { return CastElements<From, To>(tensor, dtype); });
  });
}

absl::StatusOr<Value> Cast(const Value& value, DType dtype) {
  return math_internal::MapFlatValues("Cast", value, [dtype](const Tensor& flat) { return CastTensor(flat, dtype); });
}

}  // namespace structtensor
