// Categories as vectors.
#ifndef STRUCTTENSOR_TENSOR_MATH_ONE_HOT_H_
#define STRUCTTENSOR_TENSOR_MATH_ONE_HOT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct OneHotOptions {
  // The element at the index, and the element everywhere else: scalars of one dtype. Defaults: 1 and 0.
  std::optional<Tensor> on_value = std::nullopt;
  std::optional<Tensor> off_value = std::nullopt;
  // The dtype of the result. Default: the dtype of on_value or off_value, or else float.
  std::optional<DType> dtype = std::nullopt;
  // Which axis of the result is the new one; -1 for the last one. It must come after all ragged axes.
  int64_t axis = -1;
};

// Returns for each index i of `indices` a vector of `depth` elements that has on_value at i and off_value elsewhere:
//
//   OneHot([[1], [], [0, 2]], 3)      [[[0, 1, 0]], [], [[1, 0, 0], [0, 0, 1]]]
//
// An index that is negative, not below depth, or absent gives off_value everywhere.
// Shapes: `indices` is a tensor or ragged tensor of integers; the result has one more axis, which is dense and of size depth.
// Errors: InvalidArgument if indices are not integers, are a struct or of an extension type, depth is negative, there is no
//   such axis, a ragged axis is at or after it, values are not scalars or are absent, dtypes differ, or a default value (1 or
//   0) is needed for a dtype that is not a number or boolean; ResourceExhausted if there is no memory for the result.
// Cost: O(elements of the result). Source: tf.one_hot.
absl::StatusOr<Value> OneHot(const Value& indices, int64_t depth, const OneHotOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_ONE_HOT_H_
