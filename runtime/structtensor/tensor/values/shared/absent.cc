#include "structtensor/tensor/values/shared/absent.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/shared/take_rows.h"
#include "structtensor/tensor/values/shared/with_validity.h"

namespace structtensor::values_internal {
namespace {

// Returns eight bits; only the first `count` are valid. Reads no byte that has none of them. Requires: 0 < count <= 8.
uint8_t BitsAt(const Validity& validity, int64_t i, int64_t count) {
  const int64_t bit_index = validity.bit_offset() + i;
  const uint8_t* const bytes = validity.bits().data() + (bit_index >> 3);
  const int64_t shift = bit_index & 7;
  unsigned bits = static_cast<unsigned>(bytes[0]) >> shift;
  if (shift + count > 8) bits |= static_cast<unsigned>(bytes[1]) << (8 - shift);
  return static_cast<uint8_t>(bits);
}

// A bit for each of the `row_length` values of each row. Returns `rows` if that is the same.
Validity OfValues(const Validity& rows, int64_t nrows, int64_t row_length) {
  if (!rows.has_bits() || row_length == 1) return rows;
  // At least one byte, because an empty buffer would mean that everything is present.
  std::vector<uint8_t> bits(static_cast<size_t>(nrows * row_length) / 8 + 1, 0xff);
  for (int64_t row = 0; row < nrows; ++row) {
    if (rows.is_valid(row)) continue;
    for (int64_t i = row * row_length; i < (row + 1) * row_length; ++i) {
      bits[static_cast<size_t>(i) / 8] &= static_cast<uint8_t>(~(1u << (i % 8)));
    }
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

// The outermost partition of a value below its rows; null for tensors and for structs of rank 1.
const RowPartition* OuterPartition(const Value& value) {
  if (const RaggedTensor* ragged = value.ragged()) return &ragged->row_partitions().front();
  const StructuredTensor* structs = value.structured();
  return structs == nullptr || structs->row_partitions().empty() ? nullptr : &structs->row_partitions().front();
}

Value WithoutOuterPartition(const Value& value) {
  return value.ragged() != nullptr ? value.ragged()->values() : Value(value.structured()->MergeOuterAxes());
}

// The rows `partition` of `inner`, as a value of the kind of `like`: a ragged tensor stays one, also if no axis is ragged.
Value WithOuterPartitionLike(const Value& like, const RowPartition& partition, const Value& inner) {
  if (like.ragged() != nullptr && inner.tensor() != nullptr) {
    return RaggedTensor::FromRowPartitionsUnchecked({partition}, *inner.tensor());
  }
  return structtensor::WithOuterPartition(partition, inner);
}

// `value` with empty rows on its outermost axis where rows are absent. Requires: that axis is ragged.
Value DropAbsentRows(const Validity& rows, const Value& value) {
  const RowPartition& partition = *OuterPartition(value);
  if (AllPresent(rows, partition.nrows())) return value;
  // Which rows are absent is often random, so there is a branch only for each block of rows.
  constexpr int64_t kBlock = 256;
  int hidden = 0;
  for (int64_t begin = 0; begin < partition.nrows() && hidden == 0; begin += kBlock) {
    for (int64_t row = begin; row < std::min(begin + kBlock, partition.nrows()); ++row) {
      hidden |= static_cast<int>(!rows.is_valid(row)) & static_cast<int>(partition.row_length(row) > 0);
    }
  }
  if (hidden == 0) return value;
  RowPieces pieces;
  std::vector<int64_t> splits = {0};
  splits.reserve(static_cast<size_t>(partition.nrows()) + 1);
  for (int64_t row = 0; row < partition.nrows(); ++row) {
    const RowRange values = partition.row(row);
    if (rows.is_valid(row)) pieces.Append(values.begin, values.end);
    splits.push_back(pieces.nrows());
  }
  const auto optional = partition.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  // No row is taken twice, so the result cannot be too big.
  return WithOuterPartitionLike(value,
                                RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)), optional)
                                    .WithDtype(partition.dtype()),
                                *TakePieces(WithoutOuterPartition(value), pieces));
}

// Whether there are nullable structs in the value, which alone can have hidden rows.
bool HasNullableStructs(const Value& value) {
  const StructuredTensor* const structs = value.structured();
  if (structs == nullptr) return false;
  bool found = structs->nullable();
  for (size_t i = 0; i < structs->num_fields() && !found; ++i) found = HasNullableStructs(structs->flat_field(i));
  return found;
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

Validity PresentInBoth(const Validity& a, const Validity& b, int64_t n) {
  if (!a.has_bits()) return b;
  if (!b.has_bits() || (a.bits().data() == b.bits().data() && a.bit_offset() == b.bit_offset())) return a;
  std::vector<uint8_t> bits(static_cast<size_t>(n) / 8 + 1);
  for (int64_t i = 0; i < n; i += 8) {
    const int64_t count = std::min<int64_t>(8, n - i);
    bits[static_cast<size_t>(i / 8)] = BitsAt(a, i, count) & BitsAt(b, i, count);
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

Value AbsentWhere(const Validity& structs, Value flat) {
  assert(flat.rank() >= 1);
  if (!structs.has_bits()) return flat;
  if (const Tensor* tensor = flat.tensor()) {
    const int64_t row_length = tensor->shape().DropOuter(1).num_elements();
    const Validity elements = OfValues(structs, tensor->nrows(), row_length);
    return WithValidity(*tensor, PresentInBoth(elements, tensor->validity(), tensor->size_elements()));
  }
  if (const RowPartition* partition = OuterPartition(flat)) {
    if (!partition->is_uniform()) return DropAbsentRows(structs, flat);
    const Validity values = OfValues(structs, partition->nrows(), *partition->uniform_row_length());
    return WithOuterPartitionLike(flat, *partition, AbsentWhere(values, WithoutOuterPartition(flat)));
  }
  if (flat.structured() == nullptr) return flat;
  return WithValidity(*flat.structured(), PresentInside(structs, *flat.structured()));
}

Validity PresentInside(const Validity& around, const StructuredTensor& nested) {
  Validity present = around;
  for (const RowPartition& partition : nested.row_partitions()) {
    // Absent rows of a ragged axis have no values.
    present = partition.is_uniform() ? OfValues(present, partition.nrows(), *partition.uniform_row_length()) : Validity();
  }
  return PresentInBoth(present, nested.validity(), nested.flat_nrows());
}

Value WithoutHiddenRows(const Validity& rows, const Value& flat) {
  assert(flat.rank() >= 1);
  if (!rows.has_bits() && !HasNullableStructs(flat)) return flat;
  if (const RowPartition* const partition = OuterPartition(flat)) {
    const bool uniform = partition->is_uniform();
    const Validity values = uniform ? OfValues(rows, partition->nrows(), *partition->uniform_row_length()) : Validity();
    const Value inner = WithoutHiddenRows(values, WithoutOuterPartition(flat));
    const Value value = WithOuterPartitionLike(flat, *partition, inner);
    return uniform ? value : DropAbsentRows(rows, value);
  }
  const StructuredTensor* const structs = flat.structured();
  if (structs == nullptr) return flat;
  const Validity present = PresentInBoth(rows, structs->validity(), structs->flat_nrows());
  std::vector<Value> fields;
  fields.reserve(structs->num_fields());
  for (size_t i = 0; i < structs->num_fields(); ++i) fields.push_back(WithoutHiddenRows(present, structs->flat_field(i)));
  return structs->WithFlatRows({}, structs->flat_nrows(), std::move(fields), structs->validity());
}

StructuredTensor WithoutHiddenRows(const StructuredTensor& structs) {
  if (structs.rank() > 0) return *WithoutHiddenRows(Validity(), structs).structured();
  return WithoutHiddenRows(Validity(), structs.WithRowPartitions({})).structured()->Row(0);
}

}  // namespace structtensor::values_internal
