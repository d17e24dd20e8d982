// Shared code of functions of one value's elements. Each family of functions has a file that instantiates these templates.
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_MAP_ELEMENTS_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_MAP_ELEMENTS_H_

#include <span>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/number_types.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::math_internal {

// f(element) for all elements, in the shape and with the validity of x. Requires: x is stored as In, dtype as Out.
template <typename In, typename Out, typename F>
absl::StatusOr<Tensor> MapStored(const Tensor& x, DType dtype, F f) {
  const std::span<const In> values = x.values<In>();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<Out> buffer, NewBuffer<Out>::Allocate(x.size_elements()));
  Out* const out = buffer.data();
  for (size_t i = 0; i < values.size(); ++i) out[i] = f(values[i]);
  return Tensor::FromBuffer(std::move(buffer).Finish(), x.shape(), dtype, x.validity());
}

// f<T>(element) for each element, where T is the type of the numbers; float16 and bfloat16 are computed as float.
template <typename F>
absl::StatusOr<Tensor> MapNumbers(const Tensor& x, F f) {
  if (!IsFloat16(x.dtype())) {
    return VisitNumberType(x.dtype(), [&]<typename T>() { return MapStored<T, T>(x, x.dtype(), f); });
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor floats, CastTensor(x, DType::kFloat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor mapped, (MapStored<float, float>(floats, DType::kFloat, f)));
  return CastTensor(mapped, x.dtype());
}

// As MapNumbers, for floating point numbers only.
template <typename F>
absl::StatusOr<Tensor> MapFloatingPoint(const Tensor& x, F f) {
  if (x.dtype() == DType::kDouble) return MapStored<double, double>(x, x.dtype(), f);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor floats, CastTensor(x, DType::kFloat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor mapped, (MapStored<float, float>(floats, DType::kFloat, f)));
  return CastTensor(mapped, x.dtype());
}

// f<T>(element) of each number of a value, in the value's dtype.
// Errors: InvalidArgument if the value is a struct or of an extension type, or elements are not numbers; ResourceExhausted if
//   there is no memory. Messages begin with `op`.
template <typename F>
absl::StatusOr<Value> OfNumbers(std::string_view op, const Value& x, F f) {
  return MapFlatValues(op, x, [&](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckNumber(op, flat.dtype()));
    return MapNumbers(flat, f);
  });
}

// As OfNumbers, for floating point numbers only.
template <typename F>
absl::StatusOr<Value> OfFloatingPoint(std::string_view op, const Value& x, F f) {
  return MapFlatValues(op, x, [&](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFloating(op, flat.dtype()));
    return MapFloatingPoint(flat, f);
  });
}

// f(element) -> bool of each floating point number, as booleans. Errors: as OfFloatingPoint.
template <typename F>
absl::StatusOr<Value> TestFloatingPoint(std::string_view op, const Value& x, F f) {
  return MapFlatValues(op, x, [&](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFloating(op, flat.dtype()));
    const auto test = [f](auto value) { return static_cast<uint8_t>(f(value)); };
    if (flat.dtype() == DType::kDouble) return MapStored<double, uint8_t>(flat, DType::kBool, test);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor floats, CastTensor(flat, DType::kFloat));
    return MapStored<float, uint8_t>(floats, DType::kBool, test);
  });
}

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_MAP_ELEMENTS_H_
