// What generated encode functions are made of: one function per archetype, each writing what one field has in one row.
//
// Common to all of them: what is written ends at `p`, and the result is where it begins. The memory in front of `p` is large
// enough for the whole batch (encoder.cc reserves it), so nothing is checked here.
#ifndef STRUCTTENSOR_ENCODE_FIELDS_H_
#define STRUCTTENSOR_ENCODE_FIELDS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "structtensor/encode/node.h"
#include "structtensor/plan/plan.h"
#include "structtensor/wire/varint.h"

#define STRUCTTENSOR_ENCODE_INLINE inline __attribute__((always_inline))

namespace structtensor::encode {

constexpr uint32_t Tag(uint32_t number, wire::WireType type) { return number << 3 | type; }

// Which values of a singular field are written.
enum Write {
  kPresent,
  kNonZero,  // fields with implicit presence: their default is not written, as the specification says
  kAlways,   // keys and values of map entries, which libprotobuf writes even if they are the default
};

// --- Kinds of varints: the value type of the column, and what stands on the wire for it.

struct Int32 {
  using Type = int32_t;
  static uint64_t ToWire(Type v) { return static_cast<uint64_t>(int64_t{v}); }
};
struct Uint32 {
  using Type = uint32_t;
  static uint64_t ToWire(Type v) { return v; }
};
struct Sint32 {
  using Type = int32_t;
  static uint64_t ToWire(Type v) { return static_cast<uint32_t>(v) << 1 ^ static_cast<uint32_t>(v >> 31); }
};
struct Int64 {
  using Type = int64_t;
  static uint64_t ToWire(Type v) { return static_cast<uint64_t>(v); }
};
struct Uint64 {
  using Type = uint64_t;
  static uint64_t ToWire(Type v) { return v; }
};
struct Sint64 {
  using Type = int64_t;
  static uint64_t ToWire(Type v) { return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63); }
};
struct Bool {
  using Type = uint8_t;
  static uint64_t ToWire(Type v) { return v; }
};

// --- Primitives

// A varint of more than one byte.
uint8_t* WriteLongVarint(uint8_t* p, uint64_t value);

STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteVarint(uint8_t* p, uint64_t value) {
  if (value < 0x80) [[likely]] {
    *--p = static_cast<uint8_t>(value);
    return p;
  }
  return WriteLongVarint(p, value);
}

template <uint32_t kTag>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteTag(uint8_t* p) {
  constexpr uint32_t kSize = wire::TagSizeBytes(kTag);
  p -= kSize;
  uint32_t rest = kTag;
  for (uint32_t i = 0; i + 1 < kSize; ++i, rest >>= 7) p[i] = static_cast<uint8_t>(rest | 0x80);
  p[kSize - 1] = static_cast<uint8_t>(rest);
  return p;
}

STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteBytes(uint8_t* p, const char* bytes, size_t size_bytes) {
  p -= size_bytes;
  std::memcpy(p, bytes, size_bytes);
  return p;
}

// Value `i` of a column of strings, with its length in front.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteString(uint8_t* p, const Column& column, uint32_t i) {
  const size_t size_bytes = static_cast<size_t>(column.offsets[i + 1] - column.offsets[i]);
  p = WriteBytes(p, column.bytes + column.offsets[i], size_bytes);
  return WriteVarint(p, size_bytes);
}

// Whether the field has a value in `row` that is not written yet; the cursor then stands on it.
STRUCTTENSOR_ENCODE_INLINE bool Take(Column& column, uint32_t row) {
  const uint32_t left = column.left;
  if (left == 0 || column.rows[left - 1] != row) return false;
  column.left = left - 1;
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
  column.left = begin;
  return {begin, end};
}

// --- Scalars

template <typename Kind, uint32_t kNumber, Write kWrite>
STRUCTTENSOR_ENCODE_INLINE uint8_t* SingularVarint(uint8_t* p, Column& column, uint32_t row) {
  typename Kind::Type value = 0;
  if (Take(column, row)) {
    value = static_cast<const typename Kind::Type*>(column.values)[column.left];
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
    bits = wire::Load<Bits>(static_cast<const uint8_t*>(column.values) + column.left * sizeof(Bits));
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

// Elements [begin, end), each with `tag` in front, or all in one run. Defined for the kinds above, and for uint32_t and uint64_t.
template <typename Kind>
uint8_t* WriteVarints(uint8_t* p, const Column& column, Elements elements, uint32_t tag);
template <typename Kind>
uint8_t* WritePackedVarints(uint8_t* p, const Column& column, Elements elements, uint32_t tag);
template <typename Bits>
uint8_t* WriteFixed(uint8_t* p, const Column& column, Elements elements, uint32_t tag);
uint8_t* WritePackedFixed(uint8_t* p, const Column& column, Elements elements, uint32_t tag, uint32_t value_bytes);
uint8_t* WriteStrings(uint8_t* p, const Column& column, Elements elements, uint32_t tag);

template <typename Kind, uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* RepeatedVarint(uint8_t* p, Column& column, uint32_t row) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WriteVarints<Kind>(p, column, elements, Tag(kNumber, wire::kVarint));
}

template <typename Kind, uint32_t kNumber>
STRUCTTENSOR_ENCODE_INLINE uint8_t* PackedVarint(uint8_t* p, Column& column, uint32_t row) {
  const Elements elements = TakeElements(column, row);
  return elements.begin == elements.end ? p : WritePackedVarints<Kind>(p, column, elements, Tag(kNumber, wire::kLen));
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
  if (column.child != nullptr) [[likely]]
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
