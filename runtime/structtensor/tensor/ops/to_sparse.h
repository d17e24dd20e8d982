// Ragged arrays as coordinates and values.
#ifndef STRUCTTENSOR_TENSOR_OPS_TO_SPARSE_H_
#define STRUCTTENSOR_TENSOR_OPS_TO_SPARSE_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

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

#endif  // STRUCTTENSOR_TENSOR_OPS_TO_SPARSE_H_
