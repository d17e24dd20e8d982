// Checks for integers that are not allowed as the right operand of an operation, such as a divisor of 0.
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_CHECK_INTEGERS_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_CHECK_INTEGERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/number_types.h"

namespace structtensor::math_internal {

// The first element of the result that is present and whose y is `refused`, or -1.
template <typename T, typename Refused>
int64_t FindRefused(const BinaryOperands& operands, Refused refused) {
  // Most often y has none. One pass over y is enough to know.
  bool any = false;
  const std::span<const T> y = operands.y.values<T>();
  for (const T value : y) any = any || refused(value);
  if (!any) return -1;
  int64_t found = -1;
  operands.runs.ForEach([&](const BroadcastRun& run) {
    for (int64_t i = 0; i < run.size && found < 0; ++i) {
      const size_t y_index = static_cast<size_t>(run.in[1] + i * run.step[1]);
      if (refused(y[y_index]) && operands.validity.is_valid(run.out + i)) found = run.out + i;
    }
  });
  return found;
}

// Errors: InvalidArgument if the y of a present element is an integer for which refused(y) is true; the message has the element
// and `advice`. Floating point numbers are not checked.
template <typename Refused>
absl::Status CheckIntegers(const BinaryOperands& operands, std::string_view problem, Refused refused,
                           std::string_view advice = "cast to double first") {
  if (!IsInteger(operands.dtype())) return absl::OkStatus();
  return VisitNumberType(operands.dtype(), [&]<typename T>() -> absl::Status {
    const int64_t element = FindRefused<T>(operands, refused);
    if (element < 0) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(operands.op), "(): ", ToAbsl(problem), " at element ", element,
                                                   " of the result, counted through all rows; ", ToAbsl(advice)));
  });
}

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_CHECK_INTEGERS_H_
