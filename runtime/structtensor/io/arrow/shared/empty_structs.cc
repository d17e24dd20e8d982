#include "structtensor/io/arrow/shared/empty_structs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/value.h"

namespace structtensor::arrow_internal {
namespace {

TypeSpec Replace(const TypeSpec& spec) {
  const StructuredTensorSpec* structs = spec.structured();
  if (structs == nullptr) return spec;
  if (!structs->flat_fields().empty()) return EmptyStructsToBools(*structs);
  TensorSpec flat(Shape({structs->flat_nrows()}), DType::kBool, structs->nullable());
  if (structs->row_partitions().empty()) return flat;
  return RaggedTensorSpec(structs->row_partitions(), std::move(flat));
}

Value Replace(const Value& value) {
  const StructuredTensor* structs = value.structured();
  if (structs == nullptr) return value;
  if (structs->num_fields() > 0) return EmptyStructsToBools(*structs);
  std::vector<uint8_t> present(static_cast<size_t>(structs->flat_nrows()), 1);
  Tensor flat = Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(present)), DType::kBool, structs->validity());
  if (structs->row_partitions().empty()) return flat;
  return RaggedTensor::FromRowPartitionsUnchecked(structs->row_partitions(), std::move(flat));
}

}  // namespace

bool HasEmptyStructs(const StructuredTensorSpec& spec) {
  const std::span<const FieldSpec> fields = spec.flat_fields();
  return fields.empty() || std::any_of(fields.begin(), fields.end(), [](const FieldSpec& field) {
           return field.spec.structured() != nullptr && HasEmptyStructs(*field.spec.structured());
         });
}

StructuredTensorSpec EmptyStructsToBools(const StructuredTensorSpec& spec) {
  std::vector<FieldSpec> fields;
  for (const FieldSpec& field : spec.flat_fields()) fields.push_back({field.name, Replace(field.spec)});
  return StructuredTensorSpec(spec.shape(), std::move(fields), spec.kind(), spec.nullable(), spec.row_partitions());
}

StructuredTensor EmptyStructsToBools(const StructuredTensor& batch) {
  std::vector<Field> fields;
  for (size_t i = 0; i < batch.num_fields(); ++i) fields.push_back({batch.field_names()[i], Replace(batch.flat_field(i))});
  return StructuredTensor::Create(batch.row_partitions(), batch.flat_nrows(), std::move(fields), batch.kind(),
                                  batch.validity());
}

}  // namespace structtensor::arrow_internal
