#include "structtensor/tensor/ops/internal/visit_partitions.h"

#include <cstddef>

#include "structtensor/core/base/shared/status.h"

namespace structtensor::ops_internal {
namespace {

using VisitPartition = absl::FunctionRef<absl::Status(const FieldPath&, const RowPartition&)>;

absl::Status Visit(const FieldPath& path, const Value& value, VisitPartition visit) {
  const StructuredTensor* const structs = value.structured();
  if (structs == nullptr && value.ragged() == nullptr) return absl::OkStatus();
  for (const RowPartition& partition : structs != nullptr ? structs->row_partitions() : value.ragged()->row_partitions()) {
    STRUCTTENSOR_RETURN_IF_ERROR(visit(path, partition));
  }
  if (structs == nullptr) return absl::OkStatus();
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    STRUCTTENSOR_RETURN_IF_ERROR(Visit(FieldPath(path, structs->field_names()[i]), structs->flat_field(i), visit));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VisitPartitions(const Value& value, VisitPartition visit) { return Visit(FieldPath(), value, visit); }

}  // namespace structtensor::ops_internal
