// The parts of generated encode functions: one function per archetype, each writing one field's value in one row. Functions for
// singular fields take the index of the value: the row if the message type has presence words, else the index that Take finds.
//
// Common to all of them: the written bytes end at `p`, and the result is where they begin. The memory before `p` is large
// enough for the whole batch (encoder.cc reserves it), so nothing is checked here. `tag`: the tag before the value, a
// ConstantTag or a VariableTag (varint.h).
#ifndef STRUCTTENSOR_CORE_ENCODE_ABI_FIELDS_H_
#define STRUCTTENSOR_CORE_ENCODE_ABI_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "structtensor/core/encode/abi/node.h"
#include "structtensor/core/encode/abi/packed.h"
#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/core/wire/abi/kinds.h"
#include "structtensor/core/wire/abi/varint.h"

#pragma GCC visibility push(default)

namespace structtensor::encode_internal {

#define STRUCTTENSOR_USE(prefix, name) using wire_internal::name;
STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_USE, ~)
#undef STRUCTTENSOR_USE
using wire_internal::Tag;

// Which values of a singular field are written.
enum Write {
  kPresent,
  kNonZero,  // fields with implicit presence: their default is not written, as the specification says
};

// Prefetches what is read some values later. Columns are read from end to beginning, which processors do not predict well
// (measured: 1.5 times as fast on OTLP traces, 1.9 on GTFS feeds).
STRUCTTENSOR_ENCODE_INLINE void PrefetchBefore(const void* p) { __builtin_prefetch(static_cast<const char*>(p) - 512); }

// Writes value `i` of a column of strings, without its length and tag.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteString(uint8_t* p, const EncodeColumn& column, uint32_t i) {
  const uint32_t begin = static_cast<uint32_t>(column.offsets[i]);
  const uint32_t end = static_cast<uint32_t>(column.offsets[size_t{i} + 1]);
  PrefetchBefore(column.offsets + i);
  PrefetchBefore(column.bytes + begin);
  return WriteText(p, column.bytes, begin, end);
}

// The presence word of `row`.
STRUCTTENSOR_ENCODE_INLINE uint64_t PresenceOf(const EncodeNode* node, uint32_t row) {
  return node->presence[row] & node->presence_mask;
}

// Whether any field with a bit in [kFirst, kLast] is present. One instruction can test half of the word.
template <int kFirst, int kLast = kFirst>
STRUCTTENSOR_ENCODE_INLINE bool Has(uint64_t present) {
  constexpr uint64_t kMask = (~uint64_t{0} >> (63 - (kLast - kFirst))) << kFirst;
  if constexpr (kFirst >= 32) return (static_cast<uint32_t>(present >> 32) & static_cast<uint32_t>(kMask >> 32)) != 0;
  return (present & kMask) != 0;
}

// Without presence words: whether the field has a value in `row` that is not written yet. If so, it is value `left`.
STRUCTTENSOR_ENCODE_INLINE bool Take(EncodeColumn& column, uint32_t row) {
  if (column.next_row != row + 1) return false;
  const uint32_t left = column.left - 1;
  column.left = left;
  column.next_row = left;
  if (column.rows != nullptr) [[unlikely]] {
    column.next_row = left == 0 ? 0 : column.rows[left - 1] + 1;
    PrefetchBefore(column.rows + left);
  }
  return true;
}

// The elements of a repeated field in `row`: [begin, end).
struct Elements {
  uint32_t begin;
  uint32_t end;
};
STRUCTTENSOR_ENCODE_INLINE Elements TakeElements(EncodeColumn& column, uint32_t row) {
  const uint32_t end = column.left;
  if (end == 0) return {0, 0};
  const uint32_t begin = static_cast<uint32_t>(column.row_splits[row]);
  PrefetchBefore(column.row_splits + row);
  column.left = begin;
  return {begin, end};
}

// --- Scalars

template <typename Kind, Write kWrite, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularVarint(uint8_t* p, const EncodeColumn& column, uint32_t i, TagType tag) {
  const auto* at = static_cast<const typename Kind::Type*>(column.values) + i;
  PrefetchBefore(at);
  if (kWrite == kNonZero && *at == 0) return p;
  return WriteTagAndVarint(p, tag, Kind::ToWire(*at));
}

template <typename Bits>
inline constexpr wire_internal::WireType kFixedWireType = sizeof(Bits) == 8 ? wire_internal::kI64 : wire_internal::kI32;

template <typename Bits>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteBits(uint8_t* p, Bits bits) {
  p -= sizeof(Bits);
  std::memcpy(p, &bits, sizeof(Bits));
  return p;
}

// Bits: uint32_t or uint64_t, for every type of field. Compares bits, because negative zero is not the default.
template <typename Bits, Write kWrite, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularFixed(uint8_t* p, const EncodeColumn& column, uint32_t i, TagType tag) {
  const auto* at = static_cast<const Bits*>(column.values) + i;
  PrefetchBefore(at);
  if (kWrite == kNonZero && *at == 0) return p;
  return WriteTag(WriteBits(p, *at), tag);
}

template <Write kWrite, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularString(uint8_t* p, const EncodeColumn& column, uint32_t i, TagType tag) {
  if (kWrite == kNonZero && column.offsets[i] == column.offsets[i + 1]) return p;
  uint8_t* const end = p;
  p = WriteString(p, column, i);
  return WriteTagAndVarint(p, tag, static_cast<uint64_t>(end - p));
}

// Keys and values of map entries, which libprotobuf writes even if they are the default. Absent keys and values are zero or
// empty. A column without data does not exist.
template <typename Kind, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* EntryVarint(uint8_t* p, const EncodeColumn& column, uint32_t row, TagType tag) {
  if (column.values != nullptr) [[likely]]
    return SingularVarint<Kind, kPresent>(p, column, row, tag);
  *--p = 0;
  return WriteTag(p, tag);
}

template <typename Bits, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* EntryFixed(uint8_t* p, const EncodeColumn& column, uint32_t row, TagType tag) {
  if (column.values != nullptr) [[likely]]
    return SingularFixed<Bits, kPresent>(p, column, row, tag);
  return WriteTag(WriteBits(p, Bits{0}), tag);
}

template <typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* EntryString(uint8_t* p, const EncodeColumn& column, uint32_t row, TagType tag) {
  if (column.values != nullptr) [[likely]]
    return SingularString<kPresent>(p, column, row, tag);
  *--p = 0;
  return WriteTag(p, tag);
}

// Write elements [begin, end), each with `tag` before it, or all in one packed run. Defined for all kinds, and for uint32_t and
// uint64_t.
template <typename Kind>
uint8_t* WriteVarints(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag);
template <typename Bits>
uint8_t* WriteFixed(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag);
uint8_t* WritePackedFixed(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag, uint32_t value_bytes);
uint8_t* WriteStrings(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag);

template <typename Kind, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedVarint(uint8_t* p, EncodeColumn& column, uint32_t row, TagType tag) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteVarints<Kind>(p, column, elements, tag.value());
}

template <typename Kind>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteRun(uint8_t* p, const typename Kind::Type* begin, const typename Kind::Type* end) {
  const PackedWriters& writers = ChosenPackedWriters();
  if constexpr (std::is_same_v<Kind, Int32>) {
    return writers.int32(p, begin, end);
  } else if constexpr (std::is_same_v<Kind, Uint32>) {
    return writers.uint32(p, begin, end);
  } else if constexpr (std::is_same_v<Kind, Sint32>) {
    return writers.sint32(p, begin, end);
  } else if constexpr (std::is_same_v<Kind, Int64>) {
    return writers.uint64(p, reinterpret_cast<const uint64_t*>(begin), reinterpret_cast<const uint64_t*>(end));
  } else if constexpr (std::is_same_v<Kind, Uint64>) {
    return writers.uint64(p, begin, end);
  } else if constexpr (std::is_same_v<Kind, Sint64>) {
    return writers.sint64(p, begin, end);
  } else {
    static_assert(std::is_same_v<Kind, Bool>);
    return WriteBytes(p, reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin));
  }
}

template <typename Kind, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* PackedVarint(uint8_t* p, EncodeColumn& column, uint32_t row, TagType tag) {
  const Elements elements = TakeElements(column, row);
  if (elements.begin == elements.end) return p;
  uint8_t* const end = p;
  const auto* values = static_cast<const typename Kind::Type*>(column.values);
  p = WriteRun<Kind>(p, values + elements.begin, values + elements.end);
  return WriteTagAndVarint(p, tag, static_cast<uint64_t>(end - p));
}

template <typename Bits, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedFixed(uint8_t* p, EncodeColumn& column, uint32_t row, TagType tag) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteFixed<Bits>(p, column, elements, tag.value());
}

template <typename Bits, typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* PackedFixed(uint8_t* p, EncodeColumn& column, uint32_t row, TagType tag) {
  const Elements elements = TakeElements(column, row);
  if (elements.begin == elements.end) return p;
  return WritePackedFixed(p, column, elements, tag.value(), sizeof(Bits));
}

template <typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedString(uint8_t* p, EncodeColumn& column, uint32_t row, TagType tag) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteStrings(p, column, elements, tag.value());
}

// --- Messages

// Writes the contents of a message. If it was kept as bytes, they are value `i` of its column.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteContents(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column,
                                                  uint32_t i, uint32_t row, EncodeContext* context) {
  if (column.bytes == nullptr) [[likely]]
    return encode(p, column.child, row, context);
  return WriteBytes(p, column.bytes + column.offsets[i], static_cast<size_t>(column.offsets[i + 1] - column.offsets[i]));
}

template <typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteMessage(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column,
                                                 uint32_t i, uint32_t row, EncodeContext* context, TagType tag) {
  uint8_t* const end = p;
  p = WriteContents(p, encode, column, i, row, context);
  return WriteTagAndVarint(p, tag, static_cast<uint64_t>(end - p));
}

// `end_tag`, here and below: the END_GROUP tag.
template <typename TagType, typename EndTagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteGroup(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column, uint32_t i,
                                               uint32_t row, EncodeContext* context, TagType tag, EndTagType end_tag) {
  p = WriteTag(p, end_tag);
  p = WriteContents(p, encode, column, i, row, context);
  return WriteTag(p, tag);
}

// The value of a map entry. An absent value has no fields, so it is empty.
template <typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* EntryMessage(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column,
                                                 uint32_t row, EncodeContext* context, TagType tag) {
  if (column.values != nullptr) [[likely]]
    return WriteMessage(p, encode, column, row, row, context, tag);
  *--p = 0;
  return WriteTag(p, tag);
}

template <typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedMessage(uint8_t* p, plan::EncodeFunction encode, EncodeColumn& column, uint32_t row,
                                                    EncodeContext* context, TagType tag) {
  const Elements elements = TakeElements(column, row);
  for (uint32_t i = elements.end; i-- > elements.begin;) p = WriteMessage(p, encode, column, i, i, context, tag);
  return p;
}

template <typename TagType, typename EndTagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedGroup(uint8_t* p, plan::EncodeFunction encode, EncodeColumn& column, uint32_t row,
                                                  EncodeContext* context, TagType tag, EndTagType end_tag) {
  const Elements elements = TakeElements(column, row);
  for (uint32_t i = elements.end; i-- > elements.begin;) p = WriteGroup(p, encode, column, i, i, context, tag, end_tag);
  return p;
}

// Writes the entries of a map in the order of their keys.
uint8_t* WriteSortedEntries(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column, Elements elements,
                            uint32_t tag, EncodeContext* context);

template <typename TagType>
STRUCTTENSOR_ENCODE_INLINE uint8_t* Map(uint8_t* p, plan::EncodeFunction encode, EncodeColumn& column, uint32_t row,
                                        EncodeContext* context, TagType tag) {
  if (!context->sort_map_keys) return RepeatedMessage(p, encode, column, row, context, tag);
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteSortedEntries(p, encode, column, elements, tag.value(), context);
}

// An extension of a MessageSet: a group with its number and its message (core/decode/internal/message_set.cc).
uint8_t* MessageSetItem(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column, uint32_t i, uint32_t row,
                        EncodeContext* context, uint32_t number);

// Come after all other fields, as libprotobuf writes them.
STRUCTTENSOR_ENCODE_INLINE uint8_t* UnknownFields(uint8_t* p, const EncodeNode* node, uint32_t row) {
  const EncodeColumn& column = node->unknown_fields;
  if (column.offsets == nullptr) [[likely]]
    return p;
  return WriteBytes(p, column.bytes + column.offsets[row], static_cast<size_t>(column.offsets[row + 1] - column.offsets[row]));
}

// --- Messages of many fields, most of them absent

// Visits the fields that a row may have, from last to first. Fields of a list that are already written are copied.
//
//   encode::FieldsOfRow fields(node, row);
//   while (fields.Next(p)) switch (fields.index()) ...
class FieldsOfRow {
 public:
  STRUCTTENSOR_ENCODE_INLINE FieldsOfRow(EncodeNode* node, uint32_t row)
      : node_(node),
        row_(row),
        values_(node->row_values),
        left_(values_ == nullptr ? node->present_size : node->last_value[row]) {}

  STRUCTTENSOR_ENCODE_INLINE bool Next(uint8_t*& p) {
    if (values_ == nullptr) {
      if (left_ == 0) return false;
      index_ = node_->present[--left_];
      return true;
    }
    while (left_ != 0) {
      const RowValue& value = values_[left_ - 1];
      left_ = value.next;
      if (value.size_bytes == RowValue::kUnwritten) {
        SetCursor(value);
        return true;
      }
      std::memcpy(p - sizeof(RowValue), &value, sizeof(RowValue));
      p -= value.size_bytes;
    }
    return false;
  }

  // The field's index in the plan.
  uint32_t index() const { return index_; }

 private:
  void SetCursor(const RowValue& value) {
    Unwritten unwritten;
    std::memcpy(&unwritten, std::end(value.bytes) - sizeof(Unwritten), sizeof(Unwritten));
    index_ = unwritten.field;
    EncodeColumn& column = At(node_, node_->plan->fields[index_].column_offset);
    column.left = unwritten.left;
    column.next_row = row_ + 1;
  }

  EncodeNode* const node_;
  const uint32_t row_;
  const RowValue* const values_;
  uint64_t left_;
  uint32_t index_ = 0;
};

}  // namespace structtensor::encode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_ENCODE_ABI_FIELDS_H_
