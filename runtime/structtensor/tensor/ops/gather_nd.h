// Elements chosen by coordinates.
#ifndef STRUCTTENSOR_TENSOR_OPS_GATHER_ND_H_
#define STRUCTTENSOR_TENSOR_OPS_GATHER_ND_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the parts of `params` at coordinates: row i of the last axis of `indices`, [i0, i1, ...], means params[i0, i1, ...].
// Shapes: indices [..., k] may be ragged, but the last axis is dense with k <= params.rank(); the result has shape
//   indices.shape[:-1] + params.shape[k:]. With k = 0, every point is the whole of `params`, and indices may have any dtype, as
//   [] has.
// Errors: OutOfRange if a coordinate is negative or not below the size of its axis (on a ragged axis: of its row, or as
//   `bounds` says); InvalidArgument if indices are not integers, are a scalar, or have more coordinates than `params` has axes;
//   ResourceExhausted as in TakeRowsChecked; Unimplemented for inner axes of extension types.
// Cost: O(indices + result). Source: tf.gather_nd.
absl::StatusOr<Value> GatherNd(const Value& params, const Value& indices, RowBounds bounds = RowBounds::kRow);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_GATHER_ND_H_
