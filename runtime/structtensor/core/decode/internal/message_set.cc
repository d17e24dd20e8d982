// MessageSet, the wire format of `option message_set_wire_format = true`: a group for each extension.
//
//     repeated group Item = 1 { required int32 type_id = 2; required bytes message = 3; }
//
// No one writes new schemas with it, so this code favours clarity. If an item has several type_ids or messages, the first one
// counts. A message in front of its type_id is read once the type_id is known. The tags of both count only in their shortest
// form. Source: libprotobuf's parser.
#include <optional>

#include "structtensor/core/decode/abi/fields.h"

namespace structtensor::decode_internal {
namespace {

constexpr uint32_t kItemBeginTag = Tag(1, wire_internal::kSgroup);
constexpr uint32_t kItemEndTag = Tag(1, wire_internal::kEgroup);
constexpr uint32_t kTypeIdTag = Tag(2, wire_internal::kVarint);
constexpr uint32_t kMessageTag = Tag(3, wire_internal::kLen);

struct Item {
  std::optional<uint32_t> type_id;
  const uint8_t* length = nullptr;  // the message's length prefix; null for no message
  const uint8_t* message_end = nullptr;
  bool has_others = false;  // fields other than these two
};

// Reads an item, including its END_GROUP.
const uint8_t* ReadItem(const uint8_t* p, const uint8_t* end, uint32_t nesting, Item* item, DecodeContext* context) {
  while (p < end) {
    uint32_t tag;
    const uint8_t* const tag_begin = p;
    p = PeekTag(p, &tag, context);
    if (p == nullptr) return nullptr;
    if (tag == kItemEndTag) return p + 1 <= end ? p + 1 : Fail(context, DecodeError::kTruncated, end);
    if (EndsGroup(tag)) return Fail(context, DecodeError::kEndGroup, p + wire_internal::TagSizeBytes(tag) - 1);
    if (*tag_begin == kTypeIdTag) {
      const wire_internal::Varint type_id = ReadVarint(p + 1, context);
      p = type_id.next;
      if (p == nullptr) return nullptr;
      if (p > end) return Fail(context, DecodeError::kTruncated, end);
      if (!item->type_id.has_value()) item->type_id = static_cast<uint32_t>(type_id.value);
    } else if (*tag_begin == kMessageTag) {
      const uint8_t* const length = p + 1;
      const wire_internal::Length message = ReadLength(length, end, context);
      if (message.next == nullptr) return nullptr;
      p = message.next + message.size_bytes;
      if (item->length == nullptr) {
        if (item->type_id == 0u) return Fail(context, DecodeError::kMalformedTag, tag_begin);  // no field has this number
        item->length = length;
        item->message_end = p;
      }
    } else {
      DecodeError error = DecodeError::kNone;
      const uint8_t* const value = p + wire_internal::TagSizeBytes(tag);
      p = wire_internal::SkipValue(value, end, tag, static_cast<int>(nesting >> 1), &error);
      if (p == nullptr) return FailSkip(context, error, tag_begin, value);
      item->has_others = true;
    }
  }
  return FailAtEnd(p, end, context);
}

// Keeps the other fields of the item at [p, end), which ReadItem has read, as unknown fields of the MessageSet, or counts them
// if unknown fields are dropped. Each field is kept as it was written, in an item of its own: outside an item it might mean
// something.
bool KeepOthers(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t row, DecodeContext* context) {
  constexpr int kAnyDepth = 1 << 30;
  while (true) {
    uint32_t tag;
    const uint8_t* const begin = p;
    p = wire_internal::PeekTag(p, &tag);
    if (tag == kItemEndTag) return true;
    DecodeError error = DecodeError::kNone;
    p = wire_internal::SkipValue(p + wire_internal::TagSizeBytes(tag), end, tag, kAnyDepth, &error);
    if (*begin == kTypeIdTag || *begin == kMessageTag) continue;
    if (!context->keep_unknown_fields) {
      CountUnknownField(tag >> 3, node, context);
      continue;
    }
    if (!KeepTag(kItemBeginTag, node, row, context) || !KeepRange(begin, p, node, row, context) ||
        !KeepTag(kItemEndTag, node, row, context)) {
      return false;
    }
  }
}

const plan::FieldPlan* FieldOfItem(const Item& item, const plan::MessagePlan& plan) {
  if (!item.type_id.has_value() || item.length == nullptr || *item.type_id > 0x7fffffff) return nullptr;
  const plan::FieldPlan* field = plan.FindByNumber(static_cast<int32_t>(*item.type_id));
  return field != nullptr && field->kind == plan::Kind::kMessage && !field->is_repeated() ? field : nullptr;
}

}  // namespace

const uint8_t* MessageSetItem(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t row, uint32_t nesting,
                              DecodeContext* context) {
  if (nesting < kOneLevel) return Fail(context, DecodeError::kDepth, p);
  const uint8_t* const begin = p;
  Item item;
  p = ReadItem(p, end, nesting - kOneLevel, &item, context);
  if (p == nullptr) return nullptr;
  const plan::FieldPlan* field = FieldOfItem(item, *node->plan);
  if (field == nullptr) {
    if (!context->keep_unknown_fields) {
      CountUnknownField(item.type_id.value_or(0), node, context);
      return p;
    }
    return KeepTag(kItemBeginTag, node, row, context) && KeepRange(begin, p, node, row, context) ? p : nullptr;
  }
  const uint32_t index = static_cast<uint32_t>(field - node->plan->fields.data());
  if (SingularMessage(item.length, item.message_end, field->message->decode, ColumnAt(node, *field), node, index, row,
                      Appended{}, nesting - kOneLevel, context) == nullptr) {
    return nullptr;
  }
  return !item.has_others || KeepOthers(begin, p, node, row, context) ? p : nullptr;
}

}  // namespace structtensor::decode_internal
