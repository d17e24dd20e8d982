// Ragged arrays from dense ones.
#ifndef STRUCTTENSOR_TENSOR_OPS_FROM_TENSOR_H_
#define STRUCTTENSOR_TENSOR_OPS_FROM_TENSOR_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct FromTensorOptions {
  // How many axes become partitions. Default: 1.
  int ragged_rank = 1;
  // The value to cut off at the end of the rows of axis `ragged_rank`: a scalar, or an array of the shape of one element of
  // that axis. Default: nothing is cut off.
  std::optional<Tensor> padding = {};
  // How many elements to keep of each row of axis `ragged_rank`, instead of padding. One number for each row. Default: all.
  std::optional<std::span<const int64_t>> lengths = {};
  DType row_splits_dtype = DType::kInt64;
};

// Returns the rows of `tensor` as ragged rows. Without padding and lengths, all partitions are uniform and the values share the
// tensor's memory.
//   [[1, 2, 0], [3, 0, 0]]   padding 0:  [[1, 2], [3]]      lengths {2, 0}:  [[1, 2], []]
// Errors: InvalidArgument if ragged_rank is not in [1, tensor.rank()), padding has the wrong dtype or shape, the number of
//   lengths is not the number of rows, a length is negative or exceeds its axis, or both padding and lengths are given;
//   ResourceExhausted if row_splits_dtype cannot count the values, or there is no memory.
// Cost: O(rank), or O(tensor) with padding or lengths. Source: tf.RaggedTensor.from_tensor.
absl::StatusOr<RaggedTensor> FromTensor(const Tensor& tensor, const FromTensorOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_FROM_TENSOR_H_
