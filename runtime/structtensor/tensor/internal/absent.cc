#include "structtensor/path/internal/absent.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "structtensor/tensor/internal/with_validity.h"

namespace structtensor::path_internal {
namespace {

// Bits for nrows x row_size elements. An element is present if its row is present and the element was present.
Validity Combine(const Validity& rows, const Validity& elements, int64_t nrows, int64_t row_size) {
  // At least one byte: an empty buffer would mean that everything is present.
  std::vector<uint8_t> bits(static_cast<size_t>(nrows * row_size) / 8 + 1);
  for (int64_t row = 0; row < nrows; ++row) {
    if (!rows.is_valid(row)) continue;
    for (int64_t i = row * row_size; i < (row + 1) * row_size; ++i) {
      if (elements.is_valid(i)) bits[static_cast<size_t>(i) / 8] |= static_cast<uint8_t>(1 << (i % 8));
    }
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

}  // namespace

bool AllPresent(const Validity& validity, int64_t n) {
  if (!validity.has_bits()) return true;
  int64_t i = 0;
  for (; i < n && (validity.bit_offset() + i) % 8 != 0; ++i) {
    if (!validity.is_valid(i)) return false;
  }
  const uint8_t* const bytes = validity.bits().data() + (validity.bit_offset() + i) / 8;
  int64_t byte = 0;
  for (; n - i >= 64; i += 64, byte += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + byte, sizeof(word));
    if (word != ~uint64_t{0}) return false;
  }
  for (; i < n; ++i) {
    if (!validity.is_valid(i)) return false;
  }
  return true;
}

Value AbsentWhere(const Validity& structs, Value flat) {
  const int64_t nrows = flat.nrows();
  if (AllPresent(structs, nrows)) return flat;
  if (const Tensor* tensor = flat.tensor()) {
    return tensor_internal::WithValidity(*tensor, Combine(structs, tensor->validity(), nrows, tensor->size_elements() / nrows));
  }
  const StructuredTensor* nested = flat.structured();
  if (nested == nullptr || nested->rank() != 1) return flat;
  std::vector<Value> fields;
  fields.reserve(nested->num_fields());
  for (size_t i = 0; i < nested->num_fields(); ++i) fields.push_back(nested->flat_field(i));
  return nested->WithFlatRows({}, nrows, std::move(fields), Combine(structs, nested->validity(), nrows, 1));
}

}  // namespace structtensor::path_internal
