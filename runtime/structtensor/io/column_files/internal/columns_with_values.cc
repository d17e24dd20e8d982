#include "structtensor/io/column_files/internal/columns_with_values.h"

#include <cstddef>
#include <span>
#include <utility>

#include "structtensor/tensor/values/value.h"

namespace structtensor::column_files_internal {
namespace {

// The structs of a field whose columns may be left out, or null.
const StructuredTensorSpec* StructsOf(const FieldSpec& field) {
  const StructuredTensorSpec* const structs = field.spec.structured();
  return structs != nullptr && structs->kind() == StructKind::kStruct ? structs : nullptr;
}

// Whether a column of this type may have no value at all.
bool MayBeEmpty(const TypeSpec& spec) {
  if (const TensorSpec* const tensor = spec.tensor(); tensor != nullptr)
    return tensor->nullable() && tensor->shape().rank() == 1;
  if (const RaggedTensorSpec* const ragged = spec.ragged(); ragged != nullptr) return ragged->shape()[1] == kUnknownDimension;
  const StructuredTensorSpec* const structs = spec.structured();
  if (structs == nullptr) return false;
  return structs->rank() == 1 ? structs->nullable() : structs->shape()[1] == kUnknownDimension;
}

// Appends to `kept`.
std::optional<StructuredTensor> Kept(const StructuredTensor& structs, const StructuredTensorSpec& spec, KeptFields& kept) {
  const std::span<const FieldSpec> field_specs = spec.flat_fields();
  if (structs.num_fields() != field_specs.size()) return std::nullopt;
  std::vector<Field> fields;
  for (size_t i = 0; i < field_specs.size(); ++i) {
    if (structs.field_names()[i] != field_specs[i].name) return std::nullopt;
    kept.push_back(structs.may_have_values(i));
    if (!kept.back()) {
      if (!MayBeEmpty(field_specs[i].spec)) return std::nullopt;
      continue;
    }
    const Value& value = structs.flat_field(i);
    const StructuredTensorSpec* const below = StructsOf(field_specs[i]);
    if (below == nullptr) {
      fields.push_back({field_specs[i].name, value});
      continue;
    }
    if (value.structured() == nullptr) return std::nullopt;
    std::optional<StructuredTensor> kept_below = Kept(*value.structured(), *below, kept);
    if (!kept_below.has_value()) return std::nullopt;
    fields.push_back({field_specs[i].name, *std::move(kept_below)});
  }
  return structs.WithFlatFields(std::move(fields));
}

StructuredTensorSpec SpecOf(const StructuredTensorSpec& spec, KeptFields::const_iterator& kept) {
  std::vector<FieldSpec> fields;
  for (const FieldSpec& field : spec.flat_fields()) {
    if (!*kept++) continue;
    const StructuredTensorSpec* const below = StructsOf(field);
    fields.push_back({field.name, below == nullptr ? field.spec : TypeSpec(SpecOf(*below, kept))});
  }
  return {spec.shape(), std::move(fields), spec.kind(), spec.nullable(), spec.row_partitions(), spec.shape_dtype()};
}

}  // namespace

std::optional<StructuredTensor> WithoutEmptyColumns(const StructuredTensor& rows, const StructuredTensorSpec& spec,
                                                    KeptFields& kept) {
  kept.clear();
  return Kept(rows, spec, kept);
}

StructuredTensorSpec SpecOfKept(const StructuredTensorSpec& spec, const KeptFields& kept) {
  auto next = kept.begin();
  return SpecOf(spec, next);
}

}  // namespace structtensor::column_files_internal
