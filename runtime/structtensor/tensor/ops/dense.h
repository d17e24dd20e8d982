// Converts between ragged, dense and sparse arrays.
#ifndef STRUCTTENSOR_TENSOR_OPS_DENSE_H_
#define STRUCTTENSOR_TENSOR_OPS_DENSE_H_

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

// Shapes: indices int64 [n, rank], in row-major order; values [n]; dense_shape int64 [rank].
struct SparseParts {
  Tensor indices;
  Tensor values;
  Tensor dense_shape;
};

// Returns each value with its coordinates, and the bounding shape. values shares the memory of ragged.flat_values().
// Errors: ResourceExhausted if there is no memory. Cost: O(rank * values). Source: tf.RaggedTensor.to_sparse.
absl::StatusOr<SparseParts> ToSparse(const RaggedTensor& ragged);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_DENSE_H_
