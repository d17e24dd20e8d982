#include "structtensor/ops/with_shape_dtype.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/ops/internal/axis_stack.h"
#include "structtensor/ops/internal/visit_leaves.h"

namespace structtensor {
namespace {

// Structs keep their dtype also without partitions. Requires: partitions can be counted in it.
Value Cast(const Value& value, DType dtype) {
  if (const RaggedTensor* ragged = value.ragged()) {
    std::vector<RowPartition> partitions;
    partitions.reserve(ragged->row_partitions().size());
    for (const RowPartition& partition : ragged->row_partitions()) partitions.push_back(partition.WithDtype(dtype));
    return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), ragged->flat_values());
  }
  const StructuredTensor* structs = value.structured();
  if (structs == nullptr) return value;
  std::vector<Field> fields;
  fields.reserve(structs->num_fields());
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    fields.push_back({structs->field_names()[i], Cast(structs->flat_field(i), dtype)});
  }
  return structs->WithFlatFields(std::move(fields)).WithShapeDtype(dtype);
}

}  // namespace

absl::StatusOr<Value> WithShapeDtype(const Value& value, DType dtype) {
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("the dtype of row partitions is ", ToAbsl(DTypeName(dtype)), "; it must be int32 or int64"));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(VisitPartitions(value, [dtype](const FieldPath& path, const RowPartition& partition) {
    const absl::Status status = CastPartition(partition, dtype).status();
    return status.ok() ? status : absl::Status(status.code(), absl::StrCat(path.Prefix(), status.message()));
  }));
  return Cast(value, dtype);
}

}  // namespace structtensor
