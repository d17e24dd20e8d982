#include "absl/status/status.h"
#include "structtensor/tensor/ops/gather.h"

namespace structtensor {

absl::StatusOr<Value> BatchGather(const Value& params, const Value& indices, RowBounds bounds) {
  if (indices.rank() == 0) {
    return absl::InvalidArgumentError("indices are a scalar; they need at least one axis, whose elements select from a row");
  }
  return Gather(params, indices, {.axis = std::nullopt, .batch_dims = indices.rank() - 1, .bounds = bounds});
}

}  // namespace structtensor
