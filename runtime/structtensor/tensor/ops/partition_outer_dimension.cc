#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/internal/visit_partitions.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {
namespace {

// Checks that ragged partitions of `value` have the dtype of `partition`.
absl::Status CheckDtype(const Value& value, const RowPartition& partition) {
  return ops_internal::VisitPartitions(
      value, [&](const ops_internal::FieldPath& path, const RowPartition& inner) -> absl::Status {
        if (inner.dtype() == partition.dtype() || inner.uniform_row_length()) return absl::OkStatus();
        return absl::InvalidArgumentError(absl::StrCat(path.Prefix(), "row splits are ", ToAbsl(DTypeName(inner.dtype())),
                                                       " and those of the row partition ", ToAbsl(DTypeName(partition.dtype())),
                                                       "; make them the same with WithShapeDtype or RowPartition::WithDtype"));
      });
}

}  // namespace

absl::StatusOr<Value> PartitionOuterDimension(const Value& value, const RowPartition& partition) {
  if (value.rank() == 0) {
    return absl::InvalidArgumentError("the value is a scalar; only a value with an axis 0 can be partitioned");
  }
  const StructuredTensor* structs = value.structured();
  const bool only_rows = structs != nullptr && structs->rank() == 1 && structs->num_fields() == 0 && !structs->nullable();
  if (only_rows && partition.nvals() != value.nrows()) {
    return structs->WithFlatRows({partition}, partition.nvals(), {});
  }
  if (partition.nvals() != value.nrows()) {
    return absl::InvalidArgumentError(absl::StrCat("the row partition has ", partition.nvals(), " values, but the value has ",
                                                   value.nrows(), " rows; both must be equal"));
  }
  if (value.ragged() != nullptr || (structs != nullptr && structs->num_fields() > 0)) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDtype(value, partition));
  }
  if (structs == nullptr || structs->rank() == 1) return WithOuterPartition(partition, value);
  if (structs->shape_dtype() == partition.dtype()) return structs->WithOuterPartition(partition);
  return structs->WithShapeDtype(DType::kInt64).WithOuterPartition(partition.WithDtype(DType::kInt64));
}

}  // namespace structtensor
