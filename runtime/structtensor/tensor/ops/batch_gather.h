// Rows chosen by index, within each batch element.
#ifndef STRUCTTENSOR_TENSOR_OPS_BATCH_GATHER_H_
#define STRUCTTENSOR_TENSOR_OPS_BATCH_GATHER_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns Gather() where all axes of `indices` except the last are batch axes: result[i, j] is params[i, indices[i, j]].
// Shapes: params and indices have the same axes before the last axis of indices. The result has shape
//   indices.shape + params.shape[rank of indices:].
// Errors: the errors of Gather; InvalidArgument if indices are a scalar. Source: tf.ragged.batch_gather, tf.batch_gather.
absl::StatusOr<Value> BatchGather(const Value& params, const Value& indices, RowBounds bounds = RowBounds::kRow);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_BATCH_GATHER_H_
