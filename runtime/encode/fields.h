// What generated encode functions are made of: one function per archetype, each writing what one field has in one row.
//
// Common to all of them: what is written ends at `p`, and the result is where it begins. The memory in front of `p` is large
// enough for the whole batch (encoder.cc reserves it), so nothing is checked here.
#ifndef STRUCTTENSOR_ENCODE_FIELDS_H_
#define STRUCTTENSOR_ENCODE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "structtensor/encode/kinds.h"
#include "structtensor/encode/node.h"
#include "structtensor/encode/packed.h"
#include "structtensor/encode/varint.h"
#include "structtensor/plan/plan.h"
#include "structtensor/wire/varint.h"

namespace structtensor::encode {

// Which values of a singular field are written.
enum Write {
  kPresent,
  kNonZero,  // fields with implicit presence: their default is not written, as the specification says
  kAlways,   // keys and values of map entries, which libprotobuf writes even if they are the default
};

// Asks for what is read some values later. Columns are read from their ends to their beginnings, which processors do not foresee
// well (measured: 1.5 times as fast on OTLP traces, 1.9 on GTFS feeds).
STRUCTTENSOR_ENCODE_INLINE void PrefetchBefore(const void* p) { __builtin_prefetch(static_cast<const char*>(p) - 512); }

// Value `i` of a column of strings, with its length in front.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteString(uint8_t* p, const Column& column, uint32_t i) {
  const int32_t begin = column.offsets[i];
  const int32_t end = column.offsets[i + 1];
  PrefetchBefore(column.offsets + i);
  PrefetchBefore(column.bytes + begin);
  p = WriteText(p, column.bytes, begin, end);
  return WriteVarint(p, static_cast<uint32_t>(end - begin));
}

// Whether the field has a value in `row` that is not written yet; the cursor then stands on it.
STRUCTTENSOR_ENCODE_INLINE bool Take(Column& column, uint32_t row) {
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

// The same for a repeated field: its elements in `row` are [begin, end).
struct Elements {
  uint32_t begin;
  uint32_t end;
};
STRUCTTENSOR_ENCODE_INLINE Elements TakeElements(Column& column, uint32_t row) {
  const uint32_t end = column.left;
  if (end == 0) return {0, 0};
  const uint32_t begin = static_cast<uint32_t>(column.row_splits[row]);
  PrefetchBefore(column.row_splits + row);
  column.left = begin;
  return {begin, end};
}

// --- Scalars

template <typename Kind, uint32_t kNumber, Write kWrite>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularVarint(uint8_t* p, Column& column, uint32_t row) {
  typename Kind::Type value = 0;
  if (Take(column, row)) {
    const auto* at = static_cast<const typename Kind::Type*>(column.values) + column.left;
    value = *at;
    PrefetchBefore(at);
    if (kWrite == kNonZero && value == 0) return p;
  } else if (kWrite != kAlways) {
    return p;
  }
  return WriteTag<Tag(kNumber, wire::kVarint)>(WriteVarint(p, Kind::ToWire(value)));
}

template <typename Bits>
inline constexpr wire::WireType kFixedWireType = sizeof(Bits) == 8 ? wire::kI64 : wire::kI32;

// Bits: uint32_t or uint64_t, whatever the type of the field. Negative zero is not the default, so bits are compared.
template <typename Bits, uint32_t kNumber, Write kWrite>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularFixed(uint8_t* p, Column& column, uint32_t row) {
  Bits bits = 0;
  if (Take(column, row)) {
    const auto* at = static_cast<const Bits*>(column.values) + column.left;
    bits = *at;
    PrefetchBefore(at);
    if (kWrite == kNonZero && bits == 0) return p;
  } else if (kWrite != kAlways) {
    return p;
  }
  p -= sizeof(Bits);
  std::memcpy(p, &bits, sizeof(Bits));
  return WriteTag<Tag(kNumber, kFixedWireType<Bits>)>(p);
}

template <uint32_t kNumber, Write kWrite>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularString(uint8_t* p, Column& column, uint32_t row) {
  if (Take(column, row)) {
    if (kWrite == kNonZero && column.offsets[column.left] == column.offsets[column.left + 1]) return p;
    p = WriteString(p, column, column.left);
  } else if (kWrite == kAlways) {
    *--p = 0;
  } else {
    return p;
  }
  return WriteTag<Tag(kNumber, wire::kLen)>(p);
}

// Elements [begin, end), each with `tag` in front, or all in one run. Defined for all kinds, and for uint32_t and uint64_t.
template <typename Kind>
uint8_t* WriteVarints(uint8_t* p, const Column& column, Elements elements, uint32_t tag);
template <typename Bits>
uint8_t* WriteFixed(uint8_t* p, const Column& column, Elements elements, uint32_t tag);
uint8_t* WritePackedFixed(uint8_t* p, const Column& column, Elements elements, uint32_t tag, uint32_t value_bytes);
uint8_t* WriteStrings(uint8_t* p, const Column& column, Elements elements, uint32_t tag);

template <typename Kind, uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedVarint(uint8_t* p, Column& column, uint32_t row) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteVarints<Kind>(p, column, elements, Tag(kNumber, wire::kVarint));
}

template <typename Kind>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteRun(uint8_t* p, const typename Kind::Type* begin, const typename Kind::Type* end) {
  const PackedWriters& writers = BestPackedWriters();
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

template <typename Kind, uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* PackedVarint(uint8_t* p, Column& column, uint32_t row) {
  const Elements elements = TakeElements(column, row);
  if (elements.begin == elements.end) return p;
  uint8_t* const end = p;
  const auto* values = static_cast<const typename Kind::Type*>(column.values);
  p = WriteRun<Kind>(p, values + elements.begin, values + elements.end);
  return WriteTag<Tag(kNumber, wire::kLen)>(WriteVarint(p, static_cast<uint64_t>(end - p)));
}

template <typename Bits, uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedFixed(uint8_t* p, Column& column, uint32_t row) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteFixed<Bits>(p, column, elements, Tag(kNumber, kFixedWireType<Bits>));
}

template <typename Bits, uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* PackedFixed(uint8_t* p, Column& column, uint32_t row) {
  const Elements elements = TakeElements(column, row);
  if (elements.begin == elements.end) return p;
  return WritePackedFixed(p, column, elements, Tag(kNumber, wire::kLen), sizeof(Bits));
}

template <uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedString(uint8_t* p, Column& column, uint32_t row) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteStrings(p, column, elements, Tag(kNumber, wire::kLen));
}

// --- Messages

// What a message that was kept as bytes consists of: value `i` of its column.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteContents(uint8_t* p, plan::EncodeFunction encode, const Column& column, uint32_t i,
                                                  uint32_t row, Context* context) {
  if (column.bytes == nullptr) [[likely]]
    return encode(p, column.child, row, context);
  return WriteBytes(p, column.bytes + column.offsets[i], static_cast<size_t>(column.offsets[i + 1] - column.offsets[i]));
}

template <uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteMessage(uint8_t* p, plan::EncodeFunction encode, const Column& column, uint32_t i,
                                                 uint32_t row, Context* context) {
  uint8_t* const end = p;
  p = WriteContents(p, encode, column, i, row, context);
  return WriteTag<Tag(kNumber, wire::kLen)>(WriteVarint(p, static_cast<uint64_t>(end - p)));
}

template <uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteGroup(uint8_t* p, plan::EncodeFunction encode, const Column& column, uint32_t i,
                                               uint32_t row, Context* context) {
  p = WriteTag<Tag(kNumber, wire::kEgroup)>(p);
  p = WriteContents(p, encode, column, i, row, context);
  return WriteTag<Tag(kNumber, wire::kSgroup)>(p);
}

template <uint32_t kNumber, Write kWrite>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularMessage(uint8_t* p, plan::EncodeFunction encode, Column& column, uint32_t row,
                                                    Context* context) {
  if (Take(column, row)) return WriteMessage<kNumber>(p, encode, column, column.left, row, context);
  if (kWrite != kAlways) return p;
  *--p = 0;
  return WriteTag<Tag(kNumber, wire::kLen)>(p);
}

template <uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularGroup(uint8_t* p, plan::EncodeFunction encode, Column& column, uint32_t row,
                                                  Context* context) {
  return Take(column, row) ? WriteGroup<kNumber>(p, encode, column, column.left, row, context) : p;
}

template <uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedMessage(uint8_t* p, plan::EncodeFunction encode, Column& column, uint32_t row,
                                                    Context* context) {
  const Elements elements = TakeElements(column, row);
  for (uint32_t i = elements.end; i-- > elements.begin;) p = WriteMessage<kNumber>(p, encode, column, i, i, context);
  return p;
}

template <uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedGroup(uint8_t* p, plan::EncodeFunction encode, Column& column, uint32_t row,
                                                  Context* context) {
  const Elements elements = TakeElements(column, row);
  for (uint32_t i = elements.end; i-- > elements.begin;) p = WriteGroup<kNumber>(p, encode, column, i, i, context);
  return p;
}

// The entries of a map in the order of their keys.
uint8_t* WriteSortedEntries(uint8_t* p, plan::EncodeFunction encode, const Column& column, Elements elements, uint32_t tag,
                            Context* context);

template <uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* Map(uint8_t* p, plan::EncodeFunction encode, Column& column, uint32_t row,
                                        Context* context) {
  if (!context->sort_map_keys) return RepeatedMessage<kNumber>(p, encode, column, row, context);
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p
                                        : WriteSortedEntries(p, encode, column, elements, Tag(kNumber, wire::kLen), context);
}

// An extension of a MessageSet: a group with its number and its message (decode/message_set.cc).
uint8_t* MessageSetItem(uint8_t* p, plan::EncodeFunction encode, Column& column, uint32_t number, uint32_t row,
                        Context* context);

// Behind all others, as libprotobuf writes them.
STRUCTTENSOR_ENCODE_INLINE uint8_t* UnknownFields(uint8_t* p, const Node* node, uint32_t row) {
  const Column& column = node->unknown_fields;
  if (column.offsets == nullptr) [[likely]]
    return p;
  return WriteBytes(p, column.bytes + column.offsets[row], static_cast<size_t>(column.offsets[row + 1] - column.offsets[row]));
}

}  // namespace structtensor::encode

#endif  // STRUCTTENSOR_ENCODE_FIELDS_H_
