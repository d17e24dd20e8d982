#include "structtensor/tensor/take_rows.h"

#include <cassert>
#include <utility>
#include <vector>

namespace structtensor {
namespace {

bool IsRun(std::span<const int64_t> rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return true;
}

Validity TakeValidity(const Validity& validity, std::span<const int64_t> elements) {
  if (!validity.has_bits()) return {};
  // At least one byte, since no bits at all would mean that everything is present.
  std::vector<uint8_t> bits(elements.size() / 8 + 1);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (validity.is_valid(elements[i])) bits[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

// `tensor` is a vector, so that rows are elements.
Tensor TakeElements(const Tensor& tensor, std::span<const int64_t> elements) {
  Validity validity = TakeValidity(tensor.validity(), elements);
  if (IsStringLike(tensor.dtype())) {
    std::vector<int32_t> offsets = {0};
    offsets.reserve(elements.size() + 1);
    std::vector<char> bytes;
    for (int64_t element : elements) {
      const std::string_view text = tensor.string_at(element);
      bytes.insert(bytes.end(), text.begin(), text.end());
      offsets.push_back(static_cast<int32_t>(bytes.size()));
    }
    return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)),
                               tensor.dtype(), std::move(validity));
  }
  return VisitStoredType(tensor.dtype(), [&]<typename T>() {
    const std::span<const T> values = tensor.values<T>();
    std::vector<T> taken;
    taken.reserve(elements.size());
    for (int64_t element : elements) taken.push_back(values[static_cast<size_t>(element)]);
    return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(taken)), tensor.dtype(), std::move(validity));
  });
}

Tensor Take(const Tensor& tensor, std::span<const int64_t> rows) {
  if (tensor.rank() == 1) return TakeElements(tensor, rows);
  const Shape row_shape = tensor.shape().DropOuter(1);
  const int64_t row_size_elements = row_shape.num_elements();
  std::vector<int64_t> elements;
  elements.reserve(rows.size() * static_cast<size_t>(row_size_elements));
  for (int64_t row : rows) {
    for (int64_t i = 0; i < row_size_elements; ++i) elements.push_back(row * row_size_elements + i);
  }
  const Tensor flat = tensor.Reshape(Shape({tensor.size_elements()}));
  return TakeElements(flat, elements).Reshape(row_shape.Prepend(static_cast<int64_t>(rows.size())));
}

// The partition of those rows of `partition`; `values` receives the values that they have, in order.
RowPartition Take(const RowPartition& partition, std::span<const int64_t> rows, std::vector<int64_t>* values) {
  const auto optional = partition.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  std::vector<int64_t> splits = {0};
  splits.reserve(rows.size() + 1);
  values->clear();
  for (int64_t row : rows) {
    const RowRange range = partition.row(row);
    for (int64_t value = range.begin; value < range.end; ++value) values->push_back(value);
    splits.push_back(static_cast<int64_t>(values->size()));
  }
  if (partition.uniform_row_length()) {
    // Fewer rows of the same length: cannot fail.
    return RowPartition::FromUniformRowLength(*partition.uniform_row_length(), static_cast<int64_t>(rows.size()), optional)
        ->WithDtype(partition.dtype());
  }
  return RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)), optional)
      .WithDtype(partition.dtype());
}

// Of a stack of partitions, outermost first; `rows` becomes the innermost values.
std::vector<RowPartition> Take(const std::vector<RowPartition>& partitions, std::vector<int64_t>* rows) {
  std::vector<RowPartition> taken;
  for (const RowPartition& partition : partitions) {
    std::vector<int64_t> values;
    taken.push_back(Take(partition, *rows, &values));
    *rows = std::move(values);
  }
  return taken;
}

Value Take(const RaggedTensor& ragged, std::span<const int64_t> rows) {
  std::vector<int64_t> flat_rows(rows.begin(), rows.end());
  std::vector<RowPartition> partitions = Take(ragged.row_partitions(), &flat_rows);
  return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), *TakeRows(ragged.flat_values(), flat_rows).tensor());
}

Value Take(const StructuredTensor& structs, std::span<const int64_t> rows) {
  std::vector<int64_t> flat_rows(rows.begin(), rows.end());
  std::vector<RowPartition> partitions = Take(structs.row_partitions(), &flat_rows);
  std::vector<Value> fields;
  fields.reserve(structs.num_fields());
  for (size_t i = 0; i < structs.num_fields(); ++i) fields.push_back(TakeRows(structs.flat_field(i), flat_rows));
  return structs.WithFlatRows(std::move(partitions), static_cast<int64_t>(flat_rows.size()), std::move(fields),
                              TakeValidity(structs.validity(), flat_rows));
}

}  // namespace

Value TakeRows(const Value& value, std::span<const int64_t> rows) {
  assert(value.rank() >= 1);
  if (rows.empty()) return value.SliceRows(0, 0);
  if (IsRun(rows)) return value.SliceRows(rows.front(), rows.back() + 1);
  if (value.tensor() != nullptr) return Take(*value.tensor(), rows);
  if (value.ragged() != nullptr) return Take(*value.ragged(), rows);
  if (value.structured() != nullptr) return Take(*value.structured(), rows);
  return value.extension()->TakeRows(rows);
}

}  // namespace structtensor
