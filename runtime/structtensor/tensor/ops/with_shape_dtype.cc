#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/internal/visit_partitions.h"
#include "structtensor/tensor/ops/row_partitions.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/values/shared/cast_row_splits.h"

namespace structtensor {
absl::StatusOr<Value> WithShapeDtype(const Value& value, DType dtype) {
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("the dtype of row partitions is ", ToAbsl(DTypeName(dtype)), "; it must be int32 or int64"));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(
      ops_internal::VisitPartitions(value, [dtype](const ops_internal::FieldPath& path, const RowPartition& partition) {
        const absl::Status status = ops_internal::CastPartition(partition, dtype).status();
        return status.ok() ? status : absl::Status(status.code(), absl::StrCat(path.Prefix(), status.message()));
      }));
  return values_internal::CastRowSplits(value, dtype);
}

}  // namespace structtensor
