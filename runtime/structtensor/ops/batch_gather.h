// Rows chosen by index, from each batch element its own.
#ifndef STRUCTTENSOR_OPS_BATCH_GATHER_H_
#define STRUCTTENSOR_OPS_BATCH_GATHER_H_

#include "absl/status/statusor.h"
#include "structtensor/ops/gather.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Gather() where all axes of `indices` but the last are batch axes: result[i, j] is params[i, indices[i, j]].
// Shapes: params and indices agree in the axes before the last one of indices, whose shape + params.shape[rank of indices:] is
// that of the result.
// Errors: as Gather; InvalidArgument if indices are a scalar. Source: tf.ragged.batch_gather, tf.batch_gather.
absl::StatusOr<Value> BatchGather(const Value& params, const Value& indices, RowBounds bounds = RowBounds::kRow);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_BATCH_GATHER_H_
