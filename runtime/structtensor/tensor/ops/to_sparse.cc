#include <vector>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/dense.h"
#include "structtensor/tensor/ops/internal/coordinates.h"
#include "structtensor/tensor/ops/shape_ops.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

absl::StatusOr<SparseParts> ToSparse(const RaggedTensor& ragged) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor indices, ops_internal::Coordinates(ragged));
  const Shape box = BoundingShape(ragged);
  const Tensor& flat_values = ragged.flat_values();
  return SparseParts{std::move(indices), flat_values.Reshape(Shape({flat_values.size_elements()})),
                     Tensor::FromVector(std::vector<int64_t>(box.dims().begin(), box.dims().end()))};
}

}  // namespace structtensor
