#include "structtensor/tensor/values/shared/cast_row_splits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace structtensor::values_internal {

int64_t MaxPartitionNvals(const Value& value) {
  int64_t most = 0;
  const auto see = [&](const std::vector<RowPartition>& partitions) {
    for (const RowPartition& partition : partitions) most = std::max(most, partition.nvals());
  };
  if (value.ragged() != nullptr) see(value.ragged()->row_partitions());
  if (const StructuredTensor* structs = value.structured()) {
    see(structs->row_partitions());
    for (size_t i = 0; i < structs->num_fields(); ++i) most = std::max(most, MaxPartitionNvals(structs->flat_field(i)));
  }
  return most;
}

Value CastRowSplits(const Value& value, DType dtype) {
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
    fields.push_back({structs->field_names()[i], CastRowSplits(structs->flat_field(i), dtype)});
  }
  return structs->WithFlatFields(std::move(fields)).WithShapeDtype(dtype);
}

}  // namespace structtensor::values_internal
