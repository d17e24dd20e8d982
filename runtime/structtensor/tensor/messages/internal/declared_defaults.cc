#include "structtensor/tensor/messages/internal/declared_defaults.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "structtensor/core/plan/plan.h"

namespace structtensor::messages_internal {
namespace {

template <typename T>
Tensor Fill(const ColumnView& column, DType dtype) {
  // `bits` has integers sign-extended, and floating point numbers as their bits. In both cases the low bytes are the value.
  T otherwise;
  std::memcpy(&otherwise, &column.field->default_value.bits, sizeof(T));
  const T* values = static_cast<const T*>(column.values);
  std::vector<T> filled(column.nrows);
  for (uint32_t row = 0; row < column.nrows; ++row) filled[row] = column.has(row) ? values[row] : otherwise;
  return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(filled)), dtype);
}

// The bytes of all strings, with the default in rows that have no string.
size_t TextBytes(const ColumnView& column) {
  size_t bytes = 0;
  for (uint32_t row = 0; row < column.nrows; ++row) {
    bytes += column.has(row) ? column.text(row).size() : column.field->default_value.text.size();
  }
  return bytes;
}

Tensor FillText(const ColumnView& column, DType dtype) {
  const std::string_view otherwise = column.field->default_value.text;
  std::vector<int32_t> offsets = {0};
  offsets.reserve(size_t{column.nrows} + 1);
  std::vector<char> bytes;
  bytes.reserve(TextBytes(column));
  for (uint32_t row = 0; row < column.nrows; ++row) {
    const std::string_view text = column.has(row) ? column.text(row) : otherwise;
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<int32_t>(bytes.size()));
  }
  return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)),
                             dtype);
}

}  // namespace

size_t FilledBytes(const ColumnView& column) {
  if (!column.is_text()) return column.nrows * plan::ElementSizeBytes(column.field->element);
  constexpr size_t kMaxTextBytes = 0x7fffffff;
  const size_t text_bytes = TextBytes(column);
  if (text_bytes > kMaxTextBytes) return ~size_t{0};
  return text_bytes + (size_t{column.nrows} + 1) * sizeof(int32_t);
}

Tensor FillDeclaredDefault(const ColumnView& column, DType dtype) {
  if (column.is_text()) return FillText(column, dtype);
  return plan::VisitElement(column.field->element, [&]<typename T>() { return Fill<T>(column, dtype); });
}

}  // namespace structtensor::messages_internal
