// What generated decode functions are made of: one function per archetype (kind x cardinality), each reading one field's value
// and appending it to the field's column.
//
// Common to all of them:
//   p        position after the field's tag. The result is the position after the value, or null after an error.
//   end      end of the enclosing message. Only length prefixes are checked against it here; the function that loops over the
//            fields checks whether p has passed it before it trusts anything else (core/wire/abi/varint.h has the bounds rule).
//   field    index of the field in its node's plan
//   row      the row of the node to append to
// The fast path is inline; whatever happens once per column or never is out of line, in fields.cc.
#ifndef STRUCTTENSOR_CORE_DECODE_ABI_FIELDS_H_
#define STRUCTTENSOR_CORE_DECODE_ABI_FIELDS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/decode/abi/context.h"
#include "structtensor/core/wire/abi/kinds.h"
#include "structtensor/core/wire/abi/packed.h"
#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/core/wire/abi/varint.h"

#define STRUCTTENSOR_INLINE inline __attribute__((always_inline))

#pragma GCC visibility push(default)

namespace structtensor::decode_internal {

// The second byte of a two-byte tag.
constexpr uint8_t SecondByte(uint32_t tag) { return static_cast<uint8_t>(tag >> 7); }

#define STRUCTTENSOR_USE(prefix, name) using wire_internal::name;
STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_USE, ~)
#undef STRUCTTENSOR_USE
using wire_internal::Tag;

// --- Out of line

// Makes `row` the last row of a node with presence words. Rows that were skipped get zero words, and so does `row` if it is
// new. A word that `row` already has, from an earlier part of the same message, stays.
bool EnterRow(TreeNode* node, uint32_t row, DecodeContext* context);
// Makes room for `row`.
bool GrowRows(DecodeContext* context, TreeNode* node, uint32_t field, uint32_t row);
bool GrowSingular(DecodeContext* context, TreeNode* node, uint32_t field);
bool GrowRepeated(DecodeContext* context, TreeNode* node, uint32_t field, size_t additional);
// Also false, without an error, for a field that is skipped.
bool StartRow(DecodeContext* context, TreeNode* node, uint32_t field, uint32_t row);
// Returns `next` if a value was not stored because its field is skipped, or null if it was not stored because of an error.
[[gnu::cold]] const uint8_t* IfNoError(const uint8_t* next, DecodeContext* context);
// Reads an element of a repeated message field whose row StartRow did not start. The element is skipped, or the value of a
// chosen key is read from it. Returns the position after the element, or null for an error. `p` and `end` as for StartElement.
const uint8_t* NotStarted(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node, uint32_t field,
                          uint32_t row, uint32_t nesting, DecodeContext* context);
const uint8_t* ReadEntryByKey(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node, uint32_t field,
                              uint32_t row, uint32_t nesting, DecodeContext* context);
// Clears the members of a oneof (given as presence bits) that another member replaces in `row`. Returns `present` without them.
[[gnu::cold]] uint64_t ClearMembers(TreeNode* node, uint32_t row, uint64_t members, uint64_t present, DecodeContext* context);
// Clears the replaced member of a oneof without presence words.
void ClearOneof(DecodeContext* context, TreeNode* node, uint32_t case_field, uint32_t row);
// Makes room in a singular message column. `p` is after the length prefix, or after the START_GROUP tag. Returns the position
// after the value if the column is opaque (the value is stored) or the field is skipped. Null with `*ok`: decode the value.
// Null without `*ok`: an error.
const uint8_t* StartMessage(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context);
// Like StartMessage, for one element of a repeated message column whose row has been started.
const uint8_t* StartElement(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context);
// Removes the numbers that the enum does not know from the elements [first, size), which came from the packed run at [p, end).
bool KeepKnownEnums(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, uint32_t first, TreeNode* node, uint32_t field,
                    uint32_t row, DecodeContext* context);
[[gnu::cold]] const uint8_t* FailAtEnd(const uint8_t* p, const uint8_t* end, DecodeContext* context);

// Keeps the enum value at [p, next), a number that its closed enum lacks, as an unknown field. If unknown fields are dropped,
// only counts it.
[[gnu::cold]] bool KeepUnknownEnum(const uint8_t* p, const uint8_t* next, TreeNode* node, uint32_t field, uint32_t row,
                                   DecodeContext* context);

// Counts a field that is dropped because the plan does not know its number.
void CountUnknownField(uint32_t number, TreeNode* node, DecodeContext* context);

// Skips a field that the plan does not know, or whose wire type is not the declared one, and keeps it if unknown fields are
// kept. `p` is at the tag, as PeekTag left it. An END_GROUP is noted in the context for the caller of the decode function,
// which then returns.
const uint8_t* SkipField(const uint8_t* p, const uint8_t* end, uint32_t tag, TreeNode* node, uint32_t row, uint32_t nesting,
                         DecodeContext* context);

// Add to the unknown fields of `row`: bytes of the input, or a tag that is not in the input (or not in its shortest form).
bool KeepRange(const uint8_t* begin, const uint8_t* end, TreeNode* node, uint32_t row, DecodeContext* context);
bool KeepTag(uint32_t tag, TreeNode* node, uint32_t row, DecodeContext* context);

// Reads a field whose tag has no case in the decode function: an unknown field, or a field whose tag is longer than necessary.
// `decode` is the decode function itself. `stop` is 1 if the decode function must return `next`: after an error, or at the end
// of a group.
struct OtherField {
  const uint8_t* next;
  uint64_t stop;
};
OtherField ReadOtherField(const uint8_t* p, const uint8_t* end, plan::DecodeFunction decode, TreeNode* node, uint32_t row,
                          uint32_t nesting, DecodeContext* context);

// The tag at `p` if it has three or more bytes and is in its shortest form; else 0.
uint32_t LongTag(const uint8_t* p);

// Records the error of wire::SkipValue.
[[gnu::cold]] const uint8_t* FailSkip(DecodeContext* context, DecodeError error, const uint8_t* tag, const uint8_t* value);

// Reads an item of a MessageSet (a group with a field number and a message) as the singular message field with this number. `p`
// is after the START_GROUP tag.
const uint8_t* MessageSetItem(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t row, uint32_t nesting,
                              DecodeContext* context);

// wire::PeekTag with its error recorded.
STRUCTTENSOR_INLINE const uint8_t* PeekTag(const uint8_t* p, uint32_t* tag, DecodeContext* context) {
  const uint8_t* next = wire_internal::PeekTag(p, tag);
  return next != nullptr ? next : Fail(context, DecodeError::kMalformedTag, p);
}

// What a decode function returns at the END_GROUP `tag`, which is at `p`.
STRUCTTENSOR_INLINE const uint8_t* EndGroup(const uint8_t* p, const uint8_t* end, uint32_t tag, uint32_t nesting,
                                            DecodeContext* context);

constexpr bool EndsGroup(uint32_t tag) { return (tag & 7) == wire_internal::kEgroup; }

// --- Storing

// How a singular field notes the row of its value (core/column/abi/column.h), as the second to last argument of the functions
// below.

// In the presence word of the row. A value is stored at its row: the last one wins. Bit: a number, or a type that converts to
// one on use.
template <typename Bit = uint64_t>
struct PresentAt {
  uint64_t& word;  // of the row
  Bit bit;

  STRUCTTENSOR_INLINE void Mark(ColumnBuffer&, uint32_t) const { word |= bit; }
  STRUCTTENSOR_INLINE bool HasRoom(const ColumnBuffer& column, uint32_t row) const { return row < column.limit; }

  template <typename T>
  STRUCTTENSOR_INLINE bool Put(ColumnBuffer& column, T value, TreeNode* node, auto field, uint32_t row,
                               DecodeContext* context) const {
    if (row >= column.limit && !GrowRows(context, node, field, row)) [[unlikely]]
      return false;
    static_cast<T*>(column.values)[row] = value;
    word |= bit;
    return true;
  }

  // Clears the other members of the field's oneof, by their bits.
  STRUCTTENSOR_INLINE void ClearOthers(uint64_t members, TreeNode* node, uint32_t row, DecodeContext* context) const {
    if ((word & members) != 0) [[unlikely]]
      word = ClearMembers(node, row, members, word, context);
  }
};
template <int kPresenceBit>
struct Present : PresentAt<> {
  STRUCTTENSOR_INLINE explicit Present(uint64_t& word_of_row) : PresentAt{word_of_row, uint64_t{1} << kPresenceBit} {}
};

// As a row number next to the value.
struct Appended {
  STRUCTTENSOR_INLINE bool HasRoom(const ColumnBuffer& column, uint32_t) const { return column.size < column.limit; }

  // A second occurrence of a message continues in the row of the first: that is protobuf's merge.
  STRUCTTENSOR_INLINE void Mark(ColumnBuffer& column, uint32_t row) const {
    const uint32_t size = column.size;
    if (column.rows[static_cast<ptrdiff_t>(size) - 1] != row) {
      column.rows[size] = row;
      column.size = size + 1;
    }
  }

  // Appends `value`, or replaces the value that the row already has: the last one wins.
  template <typename T>
  STRUCTTENSOR_INLINE bool Put(ColumnBuffer& column, T value, TreeNode* node, auto field, uint32_t row,
                               DecodeContext* context) const {
    if (column.size >= column.limit && !GrowSingular(context, node, field)) [[unlikely]]
      return false;
    const uint32_t size = column.size;
    T* const values = static_cast<T*>(column.values);
    uint32_t* const rows = column.rows;
    if (rows[static_cast<ptrdiff_t>(size) - 1] == row) [[unlikely]] {
      values[size - 1] = value;
      return true;
    }
    values[size] = value;
    rows[size] = row;
    column.size = size + 1;
    return true;
  }
};

// Notes the row's start in row_splits of a repeated field, unless an element of the row has done so.
STRUCTTENSOR_INLINE bool NoteRow(ColumnBuffer& column, TreeNode* node, auto field, uint32_t row, DecodeContext* context) {
  if (row < column.filled) return true;
  if (row != column.filled || row >= column.splits_limit) [[unlikely]]
    return StartRow(context, node, field, row);
  column.row_splits[row] = column.size;
  column.filled = row + 1;
  return true;
}

template <typename T>
STRUCTTENSOR_INLINE bool Append(ColumnBuffer& column, T value, TreeNode* node, auto field, uint32_t row,
                                DecodeContext* context) {
  if (!NoteRow(column, node, field, row, context)) [[unlikely]]
    return false;
  if (column.size >= column.limit && !GrowRepeated(context, node, field, 1)) [[unlikely]]
    return false;
  static_cast<T*>(column.values)[column.size++] = value;
  return true;
}

// Without presence words: notes in a oneof's case column that the member with this number is set, and clears the old member.
STRUCTTENSOR_INLINE bool SetOneof(ColumnBuffer& case_column, int32_t number, TreeNode* node, uint32_t case_field, uint32_t row,
                                  DecodeContext* context) {
  if (case_column.size >= case_column.limit && !GrowSingular(context, node, case_field)) [[unlikely]]
    return false;
  const uint32_t size = case_column.size;
  int32_t* const values = static_cast<int32_t*>(case_column.values);
  if (case_column.rows[static_cast<ptrdiff_t>(size) - 1] == row) [[unlikely]] {
    if (values[size - 1] != number) ClearOneof(context, node, case_field, row);
    values[size - 1] = number;
    return true;
  }
  values[size] = number;
  case_column.rows[size] = row;
  case_column.size = size + 1;
  return true;
}

// --- Scalars

// wire::ReadVarint with its error recorded.
STRUCTTENSOR_INLINE wire_internal::Varint ReadVarint(const uint8_t* p, DecodeContext* context) {
  const wire_internal::Varint varint = wire_internal::ReadVarint(p);
  if (varint.next == nullptr) [[unlikely]]
    Fail(context, DecodeError::kMalformedVarint, p);
  return varint;
}

template <typename Kind, typename At>
STRUCTTENSOR_INLINE const uint8_t* SingularVarint(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                  uint32_t row, At at, DecodeContext* context) {
  const auto [next, value] = ReadVarint(p, context);
  if (next == nullptr) [[unlikely]]
    return nullptr;
  return at.Put(column, Kind::From(value), node, field, row, context) ? next : nullptr;
}

template <typename Kind>
STRUCTTENSOR_INLINE const uint8_t* RepeatedVarint(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                  uint32_t row, DecodeContext* context) {
  const auto [next, value] = ReadVarint(p, context);
  if (next == nullptr) [[unlikely]]
    return nullptr;
  return Append(column, Kind::From(value), node, field, row, context) ? next : IfNoError(next, context);
}

// A number that a closed enum does not know is an unknown field.
template <typename At>
STRUCTTENSOR_INLINE const uint8_t* SingularClosedEnum(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                      uint32_t row, At at, DecodeContext* context) {
  const auto [next, value] = ReadVarint(p, context);
  if (next == nullptr) [[unlikely]]
    return nullptr;
  const int32_t number = static_cast<int32_t>(value);
  if (!node->plan->fields[field].enumeration->Has(number)) [[unlikely]]
    return KeepUnknownEnum(p, next, node, field, row, context) ? next : nullptr;
  return at.Put(column, number, node, field, row, context) ? next : nullptr;
}

// The value of a map entry: a number that its enum does not know drops the entry.
template <typename At>
STRUCTTENSOR_INLINE const uint8_t* MapValueClosedEnum(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                      uint32_t row, At at, DecodeContext* context) {
  const auto [next, value] = ReadVarint(p, context);
  if (next == nullptr) [[unlikely]]
    return nullptr;
  const int32_t number = static_cast<int32_t>(value);
  context->drop_map_entry = !node->plan->fields[field].enumeration->Has(number);
  return at.Put(column, number, node, field, row, context) ? next : nullptr;
}

// A member of a oneof: an unknown number leaves the oneof as it is. `set` notes that the member is the one that is set.
template <typename At, typename Set>
STRUCTTENSOR_INLINE const uint8_t* OneofClosedEnum(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                   uint32_t row, At at, Set set, DecodeContext* context) {
  const auto [next, value] = ReadVarint(p, context);
  if (next == nullptr) [[unlikely]]
    return nullptr;
  const int32_t number = static_cast<int32_t>(value);
  if (!node->plan->fields[field].enumeration->Has(number)) [[unlikely]]
    return KeepUnknownEnum(p, next, node, field, row, context) ? next : nullptr;
  if (!set()) return nullptr;
  return at.Put(column, number, node, field, row, context) ? next : nullptr;
}

STRUCTTENSOR_INLINE const uint8_t* RepeatedClosedEnum(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                      uint32_t row, DecodeContext* context) {
  const auto [next, value] = ReadVarint(p, context);
  if (next == nullptr) [[unlikely]]
    return nullptr;
  const int32_t number = static_cast<int32_t>(value);
  if (!node->plan->fields[field].enumeration->Has(number)) [[unlikely]]
    return KeepUnknownEnum(p, next, node, field, row, context) ? next : nullptr;
  return Append(column, number, node, field, row, context) ? next : IfNoError(next, context);
}

template <typename T, typename At>
STRUCTTENSOR_INLINE const uint8_t* SingularFixed(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                 uint32_t row, At at, DecodeContext* context) {
  return at.Put(column, wire_internal::Load<T>(p), node, field, row, context) ? p + sizeof(T) : nullptr;
}

template <typename T>
STRUCTTENSOR_INLINE const uint8_t* RepeatedFixed(const uint8_t* p, ColumnBuffer& column, TreeNode* node, auto field,
                                                 uint32_t row, DecodeContext* context) {
  return Append(column, wire_internal::Load<T>(p), node, field, row, context) ? p + sizeof(T)
                                                                              : IfNoError(p + sizeof(T), context);
}

// --- Length-delimited values

// Reads a length prefix and checks that the value is within the message.
STRUCTTENSOR_INLINE wire_internal::Length ReadLength(const uint8_t* p, const uint8_t* end, DecodeContext* context) {
  const wire_internal::Length length = wire_internal::ReadLength(p);
  if (length.next == nullptr) [[unlikely]] {
    Fail(context, DecodeError::kMalformedLength, p);
    return {nullptr, 0};
  }
  if (length.next + length.size_bytes > end) [[unlikely]] {
    Fail(context, DecodeError::kTruncated, p);
    return {nullptr, 0};
  }
  return length;
}

// How a string or bytes value is stored: as a StringRef, written as two words.
struct NewStringRef {
  const uint8_t* data;
  uint64_t size_bytes;
};
static_assert(sizeof(NewStringRef) == sizeof(StringRef) && std::endian::native == std::endian::little);

// What a string or bytes value must be.
enum TextCheck : uint8_t {
  kBytes,      // anything
  kUtf8,       // valid UTF-8
  kFixedSize,  // as long as the field's annotation says
};

// Returns `p` if the value at [p, p + size_bytes) passes the check, else null.
template <TextCheck kCheck>
STRUCTTENSOR_INLINE const uint8_t* CheckText(const uint8_t* p, size_t size_bytes, TreeNode* node, uint32_t field,
                                             DecodeContext* context) {
  if constexpr (kCheck == kUtf8) {
    if (!wire_internal::IsUtf8(p, size_bytes)) [[unlikely]]
      return Fail(context, DecodeError::kInvalidUtf8, p);
  }
  if constexpr (kCheck == kFixedSize) {
    const plan::FieldPlan& of = node->plan->fields[field];
    const uint32_t expected_bytes = plan::FixedSizeBytesOf(of);
    if (size_bytes != expected_bytes && (size_bytes != 0 || !plan::MayBeEmpty(*node->plan, of))) [[unlikely]] {
      context->sizes = {.found_bytes = size_bytes, .expected_bytes = expected_bytes};
      return Fail(context, DecodeError::kFixedSize, size_bytes == 0 ? p - 1 : p);  // a byte of the field
    }
  }
  return p;
}

template <TextCheck kCheck, typename At>
STRUCTTENSOR_INLINE const uint8_t* SingularString(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node,
                                                  auto field, uint32_t row, At at, DecodeContext* context) {
  const wire_internal::Length length = ReadLength(p, end, context);
  p = length.next;
  if (p == nullptr || CheckText<kCheck>(p, length.size_bytes, node, field, context) == nullptr) [[unlikely]]
    return nullptr;
  const NewStringRef ref{p, length.size_bytes};
  return at.Put(column, ref, node, field, row, context) ? p + length.size_bytes : nullptr;
}

template <TextCheck kCheck>
STRUCTTENSOR_INLINE const uint8_t* RepeatedString(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node,
                                                  auto field, uint32_t row, DecodeContext* context) {
  const wire_internal::Length length = ReadLength(p, end, context);
  p = length.next;
  if (p == nullptr || CheckText<kCheck>(p, length.size_bytes, node, field, context) == nullptr) [[unlikely]]
    return nullptr;
  const NewStringRef ref{p, length.size_bytes};
  return Append(column, ref, node, field, row, context) ? p + length.size_bytes : IfNoError(p + length.size_bytes, context);
}

static_assert(column_internal::kValuesSlackBytes >= wire_internal::kWritableSlackBytes,
              "packed runs are stored by whole vectors");

// Makes room for the values of a packed run at [p, p + length_bytes). Each value takes at least one byte. The values are
// counted only if this estimate does not fit.
template <bool kVarints>
STRUCTTENSOR_INLINE bool ReservePacked(const uint8_t* p, size_t length_bytes, size_t value_bytes, ColumnBuffer& column,
                                       TreeNode* node, auto field, uint32_t row, DecodeContext* context) {
  if (!NoteRow(column, node, field, row, context)) [[unlikely]]
    return false;
  const size_t count = kVarints ? length_bytes : length_bytes / value_bytes;
  if (count >= column.limit - column.size) [[unlikely]] {
    // One more than needed: an empty run, too, leaves the column with memory to point into.
    return GrowRepeated(context, node, field, (kVarints ? wire_internal::CountVarints(p, length_bytes) : count) + 1);
  }
  return true;
}

template <typename Kind>
STRUCTTENSOR_INLINE const uint8_t* PackedVarint(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node,
                                                auto field, uint32_t row, DecodeContext* context) {
  const wire_internal::Length length = ReadLength(p, end, context);
  p = length.next;
  if (p == nullptr) [[unlikely]]
    return nullptr;
  if (!ReservePacked<true>(p, length.size_bytes, 1, column, node, field, row, context)) [[unlikely]]
    return IfNoError(p + length.size_bytes, context);
  using T = typename Kind::Type;
  T* const begin = static_cast<T*>(column.values);
  T* const out = Kind::Unpack(p, p + length.size_bytes, begin + column.size);
  if (out == nullptr) [[unlikely]]
    return Fail(context, DecodeError::kMalformedPacked, p);
  column.size = static_cast<uint32_t>(out - begin);
  return p + length.size_bytes;
}

STRUCTTENSOR_INLINE const uint8_t* PackedClosedEnum(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node,
                                                    auto field, uint32_t row, DecodeContext* context) {
  const uint8_t* const begin = p;
  const uint32_t first = column.size;
  p = PackedVarint<Int32>(p, end, column, node, field, row, context);
  if (p == nullptr) [[unlikely]]
    return nullptr;
  return KeepKnownEnums(begin, p, column, first, node, field, row, context) ? p : nullptr;
}

template <typename T>
STRUCTTENSOR_INLINE const uint8_t* PackedFixed(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node,
                                               auto field, uint32_t row, DecodeContext* context) {
  const wire_internal::Length length = ReadLength(p, end, context);
  p = length.next;
  if (p == nullptr) [[unlikely]]
    return nullptr;
  if (length.size_bytes % sizeof(T) != 0) [[unlikely]]
    return Fail(context, DecodeError::kMalformedPacked, p);
  if (!ReservePacked<false>(p, length.size_bytes, sizeof(T), column, node, field, row, context)) [[unlikely]]
    return IfNoError(p + length.size_bytes, context);
  std::memcpy(static_cast<T*>(column.values) + column.size, p, length.size_bytes);
  column.size += static_cast<uint32_t>(length.size_bytes / sizeof(T));
  return p + length.size_bytes;
}

// --- Messages

inline constexpr uint32_t kInGroup = 1;  // bit of `nesting`
inline constexpr uint32_t kOneLevel = 2;

// Decodes the LEN value at [p, p + length_bytes) into row `row` of `child`.
template <typename Decode>
STRUCTTENSOR_INLINE const uint8_t* Descend(const uint8_t* p, size_t length_bytes, Decode decode, TreeNode* child, uint32_t row,
                                           uint32_t nesting, DecodeContext* context) {
  if (nesting < kOneLevel) [[unlikely]]
    return Fail(context, DecodeError::kDepth, p);
  return decode(p, p + length_bytes, child, row, (nesting & ~kInGroup) - kOneLevel, context);
}

// Decodes the group at `p`, which ends at its END_GROUP, into row `row` of `child`.
template <typename Decode>
STRUCTTENSOR_INLINE const uint8_t* DescendGroup(const uint8_t* p, const uint8_t* end, uint32_t number, Decode decode,
                                                TreeNode* child, uint32_t row, uint32_t nesting, DecodeContext* context) {
  if (nesting < kOneLevel) [[unlikely]]
    return Fail(context, DecodeError::kDepth, p);
  const uint8_t* next = decode(p, end, child, row, (nesting | kInGroup) - kOneLevel, context);
  if (next != nullptr && context->end_group_tag != Tag(number, wire_internal::kEgroup)) [[unlikely]] {
    return Fail(context, DecodeError::kEndGroup, next - 1);
  }
  return next;
}

template <typename Decode, typename At>
STRUCTTENSOR_INLINE const uint8_t* SingularMessage(const uint8_t* p, const uint8_t* end, Decode decode, ColumnBuffer& column,
                                                   TreeNode* node, auto field, uint32_t row, At at, uint32_t nesting,
                                                   DecodeContext* context) {
  const wire_internal::Length length = ReadLength(p, end, context);
  p = length.next;
  if (p == nullptr) [[unlikely]]
    return nullptr;
  if (!at.HasRoom(column, row)) [[unlikely]] {
    bool ok;
    const uint8_t* next = StartMessage(p, p + length.size_bytes, node, field, row, &ok, context);
    if (next != nullptr || !ok) {
      if constexpr (!std::is_same_v<At, Appended>) at.Mark(column, row);
      return next;
    }
  }
  at.Mark(column, row);
  return Descend(p, length.size_bytes, decode, column.child, row, nesting, context);
}

template <typename Decode, typename At>
STRUCTTENSOR_INLINE const uint8_t* SingularGroup(const uint8_t* p, const uint8_t* end, uint32_t number, Decode decode,
                                                 ColumnBuffer& column, TreeNode* node, auto field, uint32_t row, At at,
                                                 uint32_t nesting, DecodeContext* context) {
  if (!at.HasRoom(column, row)) [[unlikely]] {
    bool ok;
    const uint8_t* next = StartMessage(p, end, node, field, row, &ok, context);
    if (next != nullptr || !ok) {
      if constexpr (!std::is_same_v<At, Appended>) at.Mark(column, row);
      return next;
    }
  }
  at.Mark(column, row);
  return DescendGroup(p, end, number, decode, column.child, row, nesting, context);
}

template <typename Decode>
STRUCTTENSOR_INLINE const uint8_t* RepeatedMessage(const uint8_t* p, const uint8_t* end, Decode decode, ColumnBuffer& column,
                                                   TreeNode* node, auto field, uint32_t row, uint32_t nesting,
                                                   DecodeContext* context) {
  const wire_internal::Length length = ReadLength(p, end, context);
  p = length.next;
  if (p == nullptr) [[unlikely]]
    return nullptr;
  if (!NoteRow(column, node, field, row, context)) [[unlikely]]
    return NotStarted(p, p + length.size_bytes, column, node, field, row, nesting, context);
  if (column.size >= column.limit) [[unlikely]] {
    bool ok;
    const uint8_t* next = StartElement(p, p + length.size_bytes, node, field, row, &ok, context);
    if (next != nullptr || !ok) return next;
  }
  const uint32_t child_row = column.size++;
  return Descend(p, length.size_bytes, decode, column.child, child_row, nesting, context);
}

template <typename Decode>
STRUCTTENSOR_INLINE const uint8_t* RepeatedGroup(const uint8_t* p, const uint8_t* end, uint32_t number, Decode decode,
                                                 ColumnBuffer& column, TreeNode* node, auto field, uint32_t row,
                                                 uint32_t nesting, DecodeContext* context) {
  if (!NoteRow(column, node, field, row, context)) [[unlikely]]
    return NotStarted(p, end, column, node, field, row, nesting, context);
  if (column.size >= column.limit) [[unlikely]] {
    bool ok;
    const uint8_t* next = StartElement(p, end, node, field, row, &ok, context);
    if (next != nullptr || !ok) return next;
  }
  const uint32_t child_row = column.size++;
  return DescendGroup(p, end, number, decode, column.child, child_row, nesting, context);
}

// For a map with values of a closed enum: removes the entry just read, whose value the enum does not know, and keeps it as an
// unknown field if those are kept.
bool KeepMapEntry(const uint8_t* begin, const uint8_t* end, ColumnBuffer& column, TreeNode* node, uint32_t field, uint32_t row,
                  DecodeContext* context);
template <typename Decode>
STRUCTTENSOR_INLINE const uint8_t* ClosedEnumMap(const uint8_t* p, const uint8_t* end, Decode decode, ColumnBuffer& column,
                                                 TreeNode* node, auto field, uint32_t row, uint32_t nesting,
                                                 DecodeContext* context) {
  context->drop_map_entry = false;
  const uint8_t* const next = RepeatedMessage(p, end, decode, column, node, field, row, nesting, context);
  if (next == nullptr || !context->drop_map_entry) [[likely]]
    return next;
  return KeepMapEntry(p, next, column, node, field, row, context) ? next : nullptr;
}

STRUCTTENSOR_INLINE const uint8_t* EndGroup(const uint8_t* p, const uint8_t* end, uint32_t tag, uint32_t nesting,
                                            DecodeContext* context) {
  p += wire_internal::TagSizeBytes(tag);
  if ((nesting & kInGroup) == 0) [[unlikely]]
    return Fail(context, DecodeError::kEndGroup, p - 1);
  context->end_group_tag = tag;
  return p <= end ? p : Fail(context, DecodeError::kTruncated, end);
}

// What a decode function returns when its loop has ended at `p`.
STRUCTTENSOR_INLINE const uint8_t* AtEnd(const uint8_t* p, const uint8_t* end, uint32_t nesting, DecodeContext* context) {
  if (p == end && (nesting & kInGroup) == 0) [[likely]]
    return p;
  return FailAtEnd(p, end, context);
}

}  // namespace structtensor::decode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_DECODE_ABI_FIELDS_H_
