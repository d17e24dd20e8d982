#include "structtensor/io/column_files/internal/timestamp_seconds.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/value.h"

namespace structtensor::column_files_internal {
namespace {

bool IsSeconds(const TensorSpec& spec) { return spec.dtype() == DType::kTimestampS; }

TensorSpec Milliseconds(const TensorSpec& spec) {
  return IsSeconds(spec) ? TensorSpec(spec.shape(), DType::kTimestampMs, /*nullable=*/true) : spec;
}

Tensor Milliseconds(const Tensor& tensor) {
  if (tensor.dtype() != DType::kTimestampS) return tensor;
  const std::span<const int64_t> seconds = tensor.values<int64_t>();
  std::vector<int64_t> milliseconds(seconds.size());
  std::vector<uint8_t> bits(seconds.size() / 8 + 1);
  for (size_t i = 0; i < seconds.size(); ++i) {
    if (!tensor.is_valid(static_cast<int64_t>(i))) continue;
    if (__builtin_mul_overflow(seconds[i], int64_t{1000}, &milliseconds[i])) {
      milliseconds[i] = 0;
    } else {
      bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
    }
  }
  return Tensor::FromBuffer(Buffer<int64_t>::FromVector(std::move(milliseconds)), tensor.shape(), DType::kTimestampMs,
                            Validity(Buffer<uint8_t>::FromVector(std::move(bits))));
}

TypeSpec ReplaceSeconds(const TypeSpec& spec) {
  if (const StructuredTensorSpec* structs = spec.structured()) return TimestampSecondsToMilliseconds(*structs);
  if (const TensorSpec* tensor = spec.tensor()) return Milliseconds(*tensor);
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    return RaggedTensorSpec(ragged->row_partitions(), Milliseconds(ragged->flat_values()));
  }
  return spec;
}

Value ReplaceSeconds(const Value& value) {
  if (const StructuredTensor* structs = value.structured()) return TimestampSecondsToMilliseconds(*structs);
  if (const Tensor* tensor = value.tensor()) return Milliseconds(*tensor);
  if (const RaggedTensor* ragged = value.ragged()) {
    return RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(), Milliseconds(ragged->flat_values()));
  }
  return value;
}

}  // namespace

bool HasTimestampSeconds(const StructuredTensorSpec& spec) {
  const std::span<const FieldSpec> fields = spec.flat_fields();
  return std::any_of(fields.begin(), fields.end(), [](const FieldSpec& field) {
    if (const StructuredTensorSpec* structs = field.spec.structured()) return HasTimestampSeconds(*structs);
    if (const TensorSpec* tensor = field.spec.tensor()) return IsSeconds(*tensor);
    return field.spec.ragged() != nullptr && IsSeconds(field.spec.ragged()->flat_values());
  });
}

StructuredTensorSpec TimestampSecondsToMilliseconds(const StructuredTensorSpec& spec) {
  std::vector<FieldSpec> fields;
  for (const FieldSpec& field : spec.flat_fields()) fields.push_back({field.name, ReplaceSeconds(field.spec)});
  return StructuredTensorSpec(spec.shape(), std::move(fields), spec.kind(), spec.nullable(), spec.row_partitions());
}

StructuredTensor TimestampSecondsToMilliseconds(const StructuredTensor& batch) {
  std::vector<Field> fields;
  for (size_t i = 0; i < batch.num_fields(); ++i)
    fields.push_back({batch.field_names()[i], ReplaceSeconds(batch.flat_field(i))});
  return StructuredTensor::Create(batch.row_partitions(), batch.flat_nrows(), std::move(fields), batch.kind(),
                                  batch.validity());
}

}  // namespace structtensor::column_files_internal
