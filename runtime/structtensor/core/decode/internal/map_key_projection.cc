// Reads the entries of a map with only some keys chosen. The value of a chosen key goes straight to a column of its
// own, in the row of the message that has the map. Other entries are skipped. Writers put keys in the same order again and
// again, so the key that followed last time is tried first.
#include <span>
#include <string_view>

#include "structtensor/core/decode/abi/fields.h"
#include "structtensor/core/wire/shared/number_kinds.h"

namespace structtensor::decode_internal {
namespace {

// The bits of plan::MapKey for the key at `p`.
uint64_t KeyBits(plan::Kind kind, const uint8_t* p) {
  if (kind == plan::Kind::kString) return 0;
  return wire_internal::VisitNumberKind(kind, [p](auto number_kind) {
    using NumberKind = decltype(number_kind);
    uint64_t bits = 0;
    if constexpr (wire_internal::kIsFixed<NumberKind>) {
      bits = wire_internal::Load<typename NumberKind::Bits>(p);
    } else {
      bits = wire_internal::ReadVarint(p).value;
    }
    return static_cast<uint64_t>(NumberKind::From(bits));
  });
}

// Calls visit(tag, value) for each field of the entry at [p, end) until visit returns false. `value` is the position after the
// tag.
template <typename Visit>
bool ForEachField(const uint8_t* p, const uint8_t* end, uint32_t nesting, DecodeContext* context, Visit visit) {
  while (p < end) {
    uint32_t tag;
    const uint8_t* const tag_begin = p;
    p = PeekTag(p, &tag, context);
    if (p == nullptr) return false;
    const uint8_t* const value = p + wire_internal::TagSizeBytes(tag);
    DecodeError error = DecodeError::kNone;
    p = wire_internal::SkipValue(value, end, tag, static_cast<int>(nesting >> 1), &error);
    if (p == nullptr) {
      FailSkip(context, error, tag_begin, value);
      return false;
    }
    if (!visit(tag, value)) return false;
  }
  return true;
}

struct Key {
  std::string_view text;
  uint64_t bits = 0;
};

// Reads the key of the entry. An entry without a key has the default key.
bool ReadKey(const uint8_t* p, const uint8_t* end, const plan::FieldPlan& field, uint32_t nesting, Key* key,
             DecodeContext* context) {
  return ForEachField(p, end, nesting, context, [&](uint32_t tag, const uint8_t* value) {
    if (tag != Tag(1, plan::WireTypeOf(field.kind))) return true;
    if (field.element != plan::Element::kString) {
      key->bits = KeyBits(field.kind, value);
      return true;
    }
    const wire_internal::Length length = wire_internal::ReadLength(value);
    key->text = {reinterpret_cast<const char*>(length.next), length.size_bytes};
    if (!field.validate_utf8 || wire_internal::IsUtf8(length.next, length.size_bytes)) return true;
    Fail(context, DecodeError::kInvalidUtf8, length.next);
    return false;
  });
}

// An entry as nearly all writers write it: a string key, then a message, and nothing else.
struct PlainEntry {
  std::string_view key;
  const uint8_t* value;  // its first byte; it ends where the entry ends
};
bool IsPlain(const uint8_t* p, const uint8_t* end, PlainEntry* entry) {
  if (p == end || *p != Tag(1, wire_internal::kLen)) return false;
  const wire_internal::Length key = wire_internal::ReadLength(p + 1);
  if (key.next == nullptr || key.next + key.size_bytes >= end) return false;
  const uint8_t* const value = key.next + key.size_bytes;
  if (*value != Tag(2, wire_internal::kLen)) return false;
  const wire_internal::Length length = wire_internal::ReadLength(value + 1);
  if (length.next == nullptr || length.next + length.size_bytes != end) return false;
  *entry = {{reinterpret_cast<const char*>(key.next), key.size_bytes}, length.next};
  return true;
}

// Returns the index of the key's field, or the number of fields if the key was not chosen.
size_t FindKey(TreeNode* by_key, const Key& key, bool text) {
  const std::span<const plan::MapKey> keys = by_key->plan->keys;
  size_t at = by_key->next_key;
  for (size_t tries = 0; tries < keys.size(); ++tries, ++at) {
    if (at >= keys.size()) at = 0;
    if (text ? keys[at].text != key.text : keys[at].bits != key.bits) continue;
    by_key->next_key = static_cast<uint32_t>(at + 1);
    return at;
  }
  return keys.size();
}

// Enters `row` in the struct of chosen keys and returns its node. Returns null if memory is short.
TreeNode* EnterStruct(TreeNode* node, ColumnBuffer& map_column, const plan::FieldPlan& map, uint32_t row,
                      DecodeContext* context) {
  if (map_column.child == nullptr || map_column.child->rows_entered == 0) {
    const uint32_t index = static_cast<uint32_t>(map.by_key);
    if (!context->tree->GrowMessage(node, index)) {
      Fail(context, DecodeError::kMemoryLimit, nullptr);
      return nullptr;
    }
    map_column.child = ColumnAt(node, node->plan->fields[index]).child;
  }
  if (row < map_column.child->rows_entered || EnterRow(map_column.child, row, context)) return map_column.child;
  return nullptr;
}

// Reads a value that is not a message.
const uint8_t* ReadScalar(const uint8_t* p, const uint8_t* end, const plan::FieldPlan& field, ColumnBuffer& column,
                          TreeNode* node, uint32_t index, uint32_t row, PresentAt<> at, DecodeContext* context) {
  switch (plan::WireTypeOf(field.kind)) {
    case wire_internal::kI64:
      return SingularFixed<uint64_t>(p, column, node, index, row, at, context);
    case wire_internal::kI32:
      return SingularFixed<uint32_t>(p, column, node, index, row, at, context);
    case wire_internal::kVarint:
      if (field.closed_enum) return SingularClosedEnum(p, column, node, index, row, at, context);
      return wire_internal::VisitVarintKind(
          field.kind, [&](auto kind) { return SingularVarint<decltype(kind)>(p, column, node, index, row, at, context); });
    case wire_internal::kLen:
    case wire_internal::kSgroup:
    case wire_internal::kEgroup:
      break;
  }
  if (field.validate_utf8) return SingularString<kUtf8>(p, end, column, node, index, row, at, context);
  if (plan::FixedSizeBytesOf(field) != 0) return SingularString<kFixedSize>(p, end, column, node, index, row, at, context);
  return SingularString<kBytes>(p, end, column, node, index, row, at, context);
}

// An entry without a value has the default value.
bool PutDefault(const plan::FieldPlan& field, ColumnBuffer& column, TreeNode* node, uint32_t index, uint32_t row,
                PresentAt<> at, DecodeContext* context) {
  switch (plan::ElementSizeBytes(field.element)) {
    case 1:
      return at.Put(column, uint8_t{0}, node, index, row, context);
    case 4:
      return at.Put(column, uint32_t{0}, node, index, row, context);
    case 8:
      return at.Put(column, uint64_t{0}, node, index, row, context);
    default:
      return at.Put(column, NewStringRef{reinterpret_cast<const uint8_t*>(""), 0}, node, index, row, context);
  }
}

}  // namespace

const uint8_t* ReadEntryByKey(const uint8_t* p, const uint8_t* end, ColumnBuffer& map_column, TreeNode* node, uint32_t field,
                              uint32_t row, uint32_t nesting, DecodeContext* context) {
  const plan::FieldPlan& map = node->plan->fields[field];
  if (nesting < kOneLevel) return Fail(context, DecodeError::kDepth, p);
  nesting = (nesting & ~kInGroup) - kOneLevel;
  TreeNode* const by_key = EnterStruct(node, map_column, map, row, context);
  if (by_key == nullptr) return nullptr;
  uint64_t& word = by_key->presence[row];

  PlainEntry plain;
  const plan::FieldPlan* const fields = by_key->plan->fields.data();
  if (fields[0].kind == plan::Kind::kMessage && map.message->fields[0].element == plan::Element::kString &&
      IsPlain(p, end, &plain)) {
    // Chosen keys are valid UTF-8, so a key that equals one of them need not be validated.
    const size_t index = FindKey(by_key, {plain.key}, true);
    if (index == by_key->plan->keys.size() && map.message->fields[0].validate_utf8 &&
        !wire_internal::IsUtf8(reinterpret_cast<const uint8_t*>(plain.key.data()), plain.key.size())) {
      return Fail(context, DecodeError::kInvalidUtf8, reinterpret_cast<const uint8_t*>(plain.key.data()));
    }
    if (index == by_key->plan->keys.size()) return end;
    ColumnBuffer& column = ColumnAt(by_key, fields[index]);
    const uint64_t bit = uint64_t{1} << index;
    if ((word & bit) == 0 && row < column.limit) [[likely]] {
      word |= bit;
      return Descend(plain.value, static_cast<size_t>(end - plain.value), fields[index].message->decode, column.child, row,
                     nesting, context);
    }
  }

  const plan::MessagePlan& entry = *map.message;
  Key key;
  if (!ReadKey(p, end, entry.fields[0], nesting, &key, context)) return nullptr;
  const size_t found = FindKey(by_key, key, entry.fields[0].element == plan::Element::kString);
  if (found == by_key->plan->keys.size()) return end;
  const uint32_t index = static_cast<uint32_t>(found);
  const plan::FieldPlan& value_field = fields[index];
  ColumnBuffer& column = ColumnAt(by_key, value_field);
  const PresentAt<> at{word, uint64_t{1} << index};
  const uint64_t before = word;
  // If entries have equal keys, only the last one counts. Nothing of the earlier entries stays.
  if ((word & at.bit) != 0) word = ClearMembers(by_key, row, at.bit, word, context);
  const bool read = ForEachField(p, end, nesting, context, [&](uint32_t tag, const uint8_t* value) {
    if (tag != Tag(2, plan::WireTypeOf(value_field.kind))) return true;
    if (value_field.is_message()) {
      return SingularMessage(value, end, value_field.message->decode, column, by_key, index, row, at, nesting, context) !=
             nullptr;
    }
    return ReadScalar(value, end, value_field, column, by_key, index, row, at, context) != nullptr;
  });
  if (!read) return nullptr;
  if ((word & at.bit) != 0) return end;
  if (value_field.closed_enum) {  // with a number that the enum does not know: the entry is dropped, and an earlier one stays
    word = before;
    return end;
  }
  if (!value_field.is_message()) return PutDefault(value_field, column, by_key, index, row, at, context) ? end : nullptr;
  if (row >= column.limit && !context->tree->GrowMessage(by_key, index))
    return Fail(context, DecodeError::kMemoryLimit, nullptr);
  at.Mark(column, row);
  return end;
}

}  // namespace structtensor::decode_internal
