#include "structtensor/ops/internal/visit_leaves.h"

#include <utility>
#include <vector>

#include "structtensor/base/internal/status.h"

namespace structtensor::ops_internal {
namespace {

using VisitLeaf = absl::FunctionRef<absl::Status(const FieldPath&, const Tensor&)>;
using VisitPartition = absl::FunctionRef<absl::Status(const FieldPath&, const RowPartition&)>;
using MapLeaf = absl::FunctionRef<absl::StatusOr<Tensor>(const FieldPath&, const Tensor&)>;

absl::Status Visit(const FieldPath& path, const Value& value, VisitLeaf visit_leaf, VisitPartition visit_partition) {
  if (value.tensor() != nullptr) return visit_leaf(path, *value.tensor());
  if (const RaggedTensor* ragged = value.ragged()) {
    for (const RowPartition& partition : ragged->row_partitions()) {
      STRUCTTENSOR_RETURN_IF_ERROR(visit_partition(path, partition));
    }
    return visit_leaf(path, ragged->flat_values());
  }
  const StructuredTensor* structs = value.structured();
  if (structs == nullptr) return absl::OkStatus();
  for (const RowPartition& partition : structs->row_partitions()) {
    STRUCTTENSOR_RETURN_IF_ERROR(visit_partition(path, partition));
  }
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    const FieldPath field(path, structs->field_names()[i]);
    STRUCTTENSOR_RETURN_IF_ERROR(Visit(field, structs->flat_field(i), visit_leaf, visit_partition));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Map(const FieldPath& path, const Value& value, MapLeaf map) {
  if (value.tensor() != nullptr) return map(path, *value.tensor());
  if (const RaggedTensor* ragged = value.ragged()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor flat_values, map(path, ragged->flat_values()));
    return RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(), std::move(flat_values));
  }
  const StructuredTensor* structs = value.structured();
  if (structs == nullptr) return value;
  std::vector<Field> fields;
  fields.reserve(structs->num_fields());
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    const std::string& name = structs->field_names()[i];
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value field, Map(FieldPath(path, name), structs->flat_field(i), map));
    fields.push_back({name, field});
  }
  return structs->WithFlatFields(std::move(fields));
}

}  // namespace

absl::Status VisitLeaves(const Value& value, VisitLeaf visit) {
  return Visit(FieldPath(), value, visit, [](const FieldPath&, const RowPartition&) { return absl::OkStatus(); });
}

absl::Status VisitPartitions(const Value& value, VisitPartition visit) {
  return Visit(
      FieldPath(), value, [](const FieldPath&, const Tensor&) { return absl::OkStatus(); }, visit);
}

absl::StatusOr<Value> MapLeaves(const Value& value, MapLeaf map) { return Map(FieldPath(), value, map); }

}  // namespace structtensor::ops_internal
