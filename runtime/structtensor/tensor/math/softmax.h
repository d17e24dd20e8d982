// Scores as probabilities.
#ifndef STRUCTTENSOR_TENSOR_MATH_SOFTMAX_H_
#define STRUCTTENSOR_TENSOR_MATH_SOFTMAX_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns exp(x) / sum of exp(x) along `axis`: positive numbers that add up to 1 in each row. A negative axis counts from the
// end. The greatest element of each row is subtracted first, so that exp does not overflow. An empty row stays empty.
// Shapes, dtype: as x, a tensor or ragged tensor of floating point numbers; float16 and bfloat16 are computed as float. Absent
//   elements do not count and stay absent.
// Errors: InvalidArgument if x is a struct, of an extension type, or not of floating point numbers, there is no such axis, or
//   the rows along the axis have different lengths; ResourceExhausted if there is no memory.
// Cost: O(elements). Source: tf.nn.softmax.
absl::StatusOr<Value> Softmax(const Value& x, int64_t axis = -1);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_SOFTMAX_H_
