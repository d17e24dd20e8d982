// The types that arithmetic is instantiated for. The 16-bit floating point types go through float.
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_NUMBER_TYPES_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_NUMBER_TYPES_H_

#include <cassert>
#include <cstdint>
#include <type_traits>

#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor::math_internal {

constexpr bool IsFloat16(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBfloat16; }
// Integers and floating point numbers: not booleans, timestamps and durations.
constexpr bool IsNumber(DType dtype) { return IsInteger(dtype) || IsFloating(dtype); }
// Numbers, timestamps and durations; timestamps and durations are stored as int64.
constexpr bool IsOrderedNumber(DType dtype) { return IsNumber(dtype) || IsTime(dtype); }

// Returns visitor.operator()<T>(); T is the type of stored numbers. Requires: IsOrderedNumber(dtype) && !IsFloat16(dtype).
template <typename Visitor>
decltype(auto) VisitNumberType(DType dtype, Visitor&& visitor) {
  return VisitStoredType(dtype, [&]<typename T>() -> decltype(auto) {
    if constexpr (std::is_same_v<T, uint8_t> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      assert(false && "not a number, or one of 16 bits");
      return visitor.template operator()<int64_t>();
    } else {
      return visitor.template operator()<T>();
    }
  });
}

// The type to compute with so that integers wrap around: C++ defines this only for unsigned integers.
template <typename T, bool = std::is_integral_v<T>>
struct WrappingType {
  using type = T;
};
template <typename T>
struct WrappingType<T, true> {
  using type = std::make_unsigned_t<T>;
};
template <typename T>
using Wrapping = typename WrappingType<T>::type;

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_NUMBER_TYPES_H_
