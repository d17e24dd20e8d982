// Ragged arrays padded to dense ones.
#ifndef STRUCTTENSOR_TENSOR_OPS_TO_TENSOR_H_
#define STRUCTTENSOR_TENSOR_OPS_TO_TENSOR_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct ToTensorOptions {
  // The padding: a scalar, or an array of the shape of the dense inner dimensions. Default: zero, false or the empty string.
  std::optional<Tensor> default_value = {};
  // The outer dimensions of the result: longer rows are cut, shorter rows are padded. A dimension that is -1 or left out is as
  // large as needed. Dense inner dimensions cannot be changed.
  std::span<const int64_t> shape = {};
};

// Returns the values of `ragged` in a dense array, rows beginning at 0 and padded at their end.
//   [[1, 2], [], [3]]   ->   [[1, 2], [0, 0], [3, 0]]
// Errors: InvalidArgument if the default value has the wrong dtype or shape, or `shape` is longer than the rank, has a number
//   below -1, or differs from a dense dimension; ResourceExhausted if the result is too big. Padding is always present, even if
//   some values are absent.
// Cost: O(result). Source: tf.RaggedTensor.to_tensor.
absl::StatusOr<Tensor> ToTensor(const RaggedTensor& ragged, const ToTensorOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_TO_TENSOR_H_
