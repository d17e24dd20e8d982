#include "structtensor/tensor/extension_types/internal/spec_axes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/shared/compose_rows.h"

namespace structtensor::extension_types_internal {
namespace {

// Whether every row of `partition` has `length` values.
bool IsUniform(const RowPartition& partition, int64_t length) {
  if (partition.is_uniform()) return *partition.uniform_row_length() == length || partition.nrows() == 0;
  for (int64_t i = 0; i < partition.nrows(); ++i) {
    if (partition.row_length(i) != length) return false;
  }
  return true;
}

// A partition of nrows rows of `length` values each, with row splits: the rows have one length only by chance.
RowPartition EqualRows(int64_t nrows, int64_t length, DType dtype) {
  std::vector<int64_t> splits(static_cast<size_t>(nrows) + 1);
  for (size_t i = 0; i < splits.size(); ++i) splits[i] = static_cast<int64_t>(i) * length;
  return RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits))).WithDtype(dtype);
}

// Returns `partition` with the uniform row length of `spec`, if its rows have that length.
RowPartition WithLengthOf(const RowPartitionSpec& spec, const RowPartition& partition) {
  if (spec.uniform_row_length == kUnknownDimension || partition.is_uniform()) return partition;
  if (!IsUniform(partition, spec.uniform_row_length)) return partition;
  const auto optional = partition.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  // Cannot overflow: there are as many values already.
  return RowPartition::FromUniformRowLength(spec.uniform_row_length, partition.nrows(), optional)->WithDtype(partition.dtype());
}

Value MakeRagged(const RaggedTensorSpec& spec, std::vector<RowPartition> partitions, const Tensor& flat_values) {
  const size_t ragged_rank = static_cast<size_t>(spec.ragged_rank());
  for (size_t i = 0; i < std::min(partitions.size(), ragged_rank); ++i) {
    partitions[i] = WithLengthOf(spec.row_partitions()[i], partitions[i]);
  }
  if (partitions.size() >= ragged_rank) {
    if (partitions.empty()) return flat_values;
    return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), flat_values);
  }
  int64_t nrows = flat_values.nrows();
  int axis = 1;
  while (partitions.size() < ragged_rank) {
    partitions.push_back(EqualRows(nrows, flat_values.shape()[axis], spec.row_splits_dtype()));
    nrows = partitions.back().nvals();
    ++axis;
  }
  Tensor flat = flat_values.Reshape(flat_values.shape().DropOuter(axis).Prepend(nrows));
  return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), std::move(flat));
}

Shape WithoutRows(const Shape& shape) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  std::replace(dims.begin(), dims.end(), kUnknownDimension, int64_t{0});
  dims[0] = 0;
  return Shape(dims);
}

RowPartition NoRows(const RowPartitionSpec& spec) {
  const auto optional = spec.optional ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  // Without a single row, no size can be too large.
  const RowPartition partition = spec.uniform_row_length != kUnknownDimension
                                     ? *RowPartition::FromUniformRowLength(spec.uniform_row_length, 0, optional)
                                     : RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector({0}), optional);
  return partition.WithDtype(spec.dtype);
}

std::vector<RowPartition> NoRows(const std::vector<RowPartitionSpec>& specs) {
  std::vector<RowPartition> partitions;
  partitions.reserve(specs.size());
  for (const RowPartitionSpec& spec : specs) partitions.push_back(NoRows(spec));
  return partitions;
}

}  // namespace

Value WithAxesOf(const TypeSpec& spec, const Value& value) {
  if (spec.ragged() != nullptr && value.tensor() != nullptr) return MakeRagged(*spec.ragged(), {}, *value.tensor());
  if (spec.ragged() != nullptr && value.ragged() != nullptr) {
    return MakeRagged(*spec.ragged(), value.ragged()->row_partitions(), value.ragged()->flat_values());
  }
  const StructuredTensor* structs = value.structured();
  if (spec.structured() == nullptr || structs == nullptr) return value;
  std::vector<RowPartition> partitions;
  partitions.reserve(structs->row_partitions().size());
  for (size_t i = 0; i < structs->row_partitions().size(); ++i) {
    const RowPartition& partition = structs->row_partitions()[i];
    const RowPartitionSpec& partition_spec = spec.structured()->row_partitions()[i];
    const bool ragged = partition_spec.uniform_row_length == kUnknownDimension;
    partitions.push_back(ragged && partition.is_uniform() && !partition.is_optional()
                             ? EqualRows(partition.nrows(), *partition.uniform_row_length(), partition.dtype())
                             : WithLengthOf(partition_spec, partition));
  }
  std::vector<Field> fields;
  fields.reserve(structs->num_fields());
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    const FieldSpec* field = spec.structured()->FindFlatField(structs->field_names()[i]);
    fields.push_back({structs->field_names()[i],
                      field == nullptr ? structs->flat_field(i) : WithAxesOf(field->spec, structs->flat_field(i))});
  }
  const StructuredTensor result = structs->WithFlatFields(std::move(fields));
  return structs->rank() == 0 ? result : result.WithRowPartitions(std::move(partitions));
}

absl::StatusOr<Value> NoRows(const TypeSpec& spec) {
  const Shape shape = spec.shape();
  if (!shape.rank_known() || shape.rank() == 0 || spec.row_partition() != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(spec.DebugString(), " has no empty value; that needs axes, of a known number"));
  }
  if (const TensorSpec* tensor = spec.tensor()) return Value(Tensor::Empty(WithoutRows(shape), tensor->dtype()));
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    const Tensor flat_values = Tensor::Empty(WithoutRows(ragged->flat_values().shape()), ragged->dtype());
    if (ragged->ragged_rank() == 0) return Value(flat_values);
    return Value(RaggedTensor::FromRowPartitionsUnchecked(NoRows(ragged->row_partitions()), flat_values));
  }
  if (const StructuredTensorSpec* structs = spec.structured()) {
    std::vector<Field> fields;
    for (const FieldSpec& field : structs->flat_fields()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, NoRows(field.spec));
      fields.push_back({field.name, std::move(value)});
    }
    return Value(StructuredTensor::Create(NoRows(structs->row_partitions()), 0, std::move(fields), structs->kind())
                     .WithShapeDtype(structs->shape_dtype()));
  }
  const TypeSpec empty = WithNrows(spec, 0);
  const Nest<TypeSpec> component_specs = empty.extension()->ComponentSpecs();
  std::vector<Value> components;
  for (const TypeSpec& component : Flatten(component_specs)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, NoRows(component));
    components.push_back(std::move(value));
  }
  return values_internal::ComposeRows(empty, *PackSequenceAs(component_specs, components), shape.rank(), 0);
}

}  // namespace structtensor::extension_types_internal
