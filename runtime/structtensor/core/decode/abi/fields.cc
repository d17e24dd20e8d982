#include "structtensor/core/decode/abi/fields.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace structtensor::decode_internal {
namespace {

bool MemoryOrFail(bool ok, DecodeContext* context) {
  if (!ok) Fail(context, DecodeError::kMemoryLimit, nullptr);
  return ok;
}

}  // namespace

bool EnterRow(TreeNode* node, uint32_t row, DecodeContext* context) {
  return MemoryOrFail(row < node->rows_entered || context->tree->EnterRow(node, row), context);
}

const uint8_t* IfNoError(const uint8_t* next, DecodeContext* context) {
  return context->error == DecodeError::kNone ? next : nullptr;
}

bool GrowRows(DecodeContext* context, TreeNode* node, uint32_t field, uint32_t row) {
  return MemoryOrFail(context->tree->GrowRows(node, field, row), context);
}

uint64_t ClearMembers(TreeNode* node, uint32_t row, uint64_t members, uint64_t present, DecodeContext* context) {
  for (const plan::FieldPlan& field : node->plan->fields) {
    if (field.presence_bit < 0 || !field.is_message() || ((present & members) >> field.presence_bit & 1) == 0) continue;
    context->tree->TruncateColumn(node, field, row);
  }
  return present & ~members;
}

bool GrowSingular(DecodeContext* context, TreeNode* node, uint32_t field) {
  return MemoryOrFail(context->tree->GrowSingular(node, field), context);
}

bool GrowRepeated(DecodeContext* context, TreeNode* node, uint32_t field, size_t additional) {
  return MemoryOrFail(context->tree->GrowRepeated(node, field, additional), context);
}

bool StartRow(DecodeContext* context, TreeNode* node, uint32_t field, uint32_t row) {
  if (field < node->plan->fields.size() && node->plan->fields[field].skipped) return false;
  return MemoryOrFail(context->tree->StartRow(node, field, row), context);
}

void ClearOneof(DecodeContext* context, TreeNode* node, uint32_t case_field, uint32_t row) {
  const ColumnBuffer& case_column = ColumnAt(node, node->plan->fields[case_field]);
  const int32_t number = static_cast<const int32_t*>(case_column.values)[case_column.size - 1];
  context->tree->TruncateColumn(node, *node->plan->FindByNumber(number), row);
}

namespace {

// How deep groups may be nested in messages that are skipped or kept as bytes.
constexpr int kMaxSkippedDepth = 100;

// Returns the position of the END_GROUP tag that ends the group whose contents start at `p`. Sets `*next` to the position
// after that tag.
const uint8_t* FindEndGroup(const uint8_t* p, const uint8_t* end, uint32_t number, int max_depth, const uint8_t** next,
                            DecodeContext* context) {
  while (p < end) {
    uint32_t tag;
    const uint8_t* tag_begin = p;
    p = wire_internal::PeekTag(p, &tag);
    if (p == nullptr) return Fail(context, DecodeError::kMalformedTag, tag_begin);
    p += wire_internal::TagSizeBytes(tag);
    if ((tag & 7) == wire_internal::kEgroup) {
      *next = p;
      return tag == Tag(number, wire_internal::kEgroup) && p <= end ? tag_begin
                                                                    : Fail(context, DecodeError::kEndGroup, tag_begin);
    }
    DecodeError error = DecodeError::kNone;
    p = wire_internal::SkipValue(p, end, tag, max_depth, &error);
    if (p == nullptr) return Fail(context, error, tag_begin);
  }
  return Fail(context, DecodeError::kUnterminatedGroup, end);
}

// Adds the bytes of an opaque message. They reach up to `end` or, if the field is a group, up to its END_GROUP.
const uint8_t* AddOpaque(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t field, uint32_t row, bool* ok,
                         DecodeContext* context) {
  const plan::FieldPlan& plan_field = node->plan->fields[field];
  const uint8_t* next = end;
  const uint8_t* content_end = end;
  *ok = false;
  if (plan_field.kind == plan::Kind::kGroup) {
    content_end = FindEndGroup(p, end, static_cast<uint32_t>(plan_field.number), kMaxSkippedDepth, &next, context);
    if (content_end == nullptr) return nullptr;
  }
  *ok = MemoryOrFail(context->tree->AppendOpaque(node, field, row, p, static_cast<uint32_t>(content_end - p)), context);
  return *ok ? next : nullptr;
}

// Returns the error for a field with messages of type `message` that has as many rows as the limits allow.
DecodeError LimitThatIsReached(const plan::MessagePlan& message, const ColumnTree& tree) {
  return tree.RowLimit(message) < tree.limits().rows ? DecodeError::kCellLimit : DecodeError::kRowLimit;
}

}  // namespace

namespace {

// Skips a message. It reaches up to `end` or, if the field is a group, up to its END_GROUP.
const uint8_t* SkipMessage(const uint8_t* p, const uint8_t* end, const plan::FieldPlan& field, DecodeContext* context) {
  if (field.kind != plan::Kind::kGroup) return end;
  const uint8_t* next = nullptr;
  return FindEndGroup(p, end, static_cast<uint32_t>(field.number), kMaxSkippedDepth, &next, context) != nullptr ? next
                                                                                                                : nullptr;
}

}  // namespace

const uint8_t* NotStarted(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node, uint32_t field,
                          uint32_t row, uint32_t nesting, DecodeContext* context) {
  const plan::FieldPlan& plan_field = node->plan->fields[field];
  if (!plan_field.skipped) return nullptr;
  if (plan_field.by_key >= 0) return ReadEntryByKey(p, end, column, node, field, row, nesting, context);
  return SkipMessage(p, end, plan_field, context);
}

const uint8_t* StartMessage(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context) {
  const plan::FieldPlan& plan_field = node->plan->fields[field];
  if (plan_field.skipped) {
    *ok = false;
    return SkipMessage(p, end, plan_field, context);
  }
  const ColumnBuffer& column = ColumnAt(node, plan_field);
  const ColumnTree& tree = *context->tree;
  const uint32_t size = plan_field.layout == plan::Layout::kAppendedMessage ? column.size : row;
  if (!tree.IsInBatchRows(node) && !ColumnTree::IsOpaque(column) && size >= tree.RowLimit(*plan_field.message)) {
    *ok = false;
    return Fail(context, LimitThatIsReached(*plan_field.message, tree), p);
  }
  *ok = MemoryOrFail(context->tree->GrowMessage(node, field), context);
  if (!*ok || !ColumnTree::IsOpaque(ColumnAt(node, node->plan->fields[field]))) return nullptr;
  return AddOpaque(p, end, node, field, row, ok, context);
}

const uint8_t* StartElement(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context) {
  if (ColumnTree::IsOpaque(ColumnAt(node, node->plan->fields[field]))) return AddOpaque(p, end, node, field, row, ok, context);
  *ok = false;
  return Fail(context, LimitThatIsReached(*node->plan->fields[field].message, *context->tree), p);
}

bool KeepRange(const uint8_t* begin, const uint8_t* end, TreeNode* node, uint32_t row, DecodeContext* context) {
  return MemoryOrFail(context->tree->AppendUnknown(node, row, begin, static_cast<uint32_t>(end - begin)), context);
}

bool KeepTag(uint32_t tag, TreeNode* node, uint32_t row, DecodeContext* context) {
  uint8_t bytes[5];
  const uint8_t* end = wire_internal::WriteTag(tag, bytes);
  const uint8_t* kept = context->tree->KeepBytes(bytes, static_cast<uint32_t>(end - bytes));
  if (kept == nullptr) return MemoryOrFail(false, context);
  return KeepRange(kept, kept + (end - bytes), node, row, context);
}

namespace {

// The counts of the type of `node`. If there are none yet, the value that is counted now is the first one.
UnknownOfType& UnknownOf(TreeNode* node, uint32_t number, const plan::FieldPlan* enum_field, DecodeContext* context) {
  std::vector<UnknownOfType>& types = context->unknown_of_types;
  if (types.empty() || types.back().type != node->plan) {
    const auto known =
        std::find_if(types.begin(), types.end(), [node](const UnknownOfType& each) { return each.type == node->plan; });
    if (known != types.end()) {
      std::swap(*known, types.back());
    } else {
      types.push_back({.type = node->plan,
                       .first_node = node,
                       .enum_field = enum_field,
                       .first_number = number,
                       .first_message = context->message_index,
                       .last_message = context->message_index});
    }
  }
  UnknownOfType& unknown = types.back();
  if (unknown.last_message != context->message_index) {
    unknown.last_message = context->message_index;
    unknown.fields_before = unknown.fields;
    unknown.enum_numbers_before = unknown.enum_numbers;
  }
  return unknown;
}

void CountUnknownEnums(int64_t count, TreeNode* node, uint32_t field, DecodeContext* context) {
  const plan::FieldPlan& plan_field = node->plan->fields[field];
  if (plan_field.skipped) return;
  UnknownOf(node, static_cast<uint32_t>(plan_field.number), &plan_field, context).enum_numbers += count;
}

}  // namespace

void CountUnknownField(uint32_t number, TreeNode* node, DecodeContext* context) {
  ++UnknownOf(node, number, nullptr, context).fields;
}

namespace {

// Keeps a field as unknown. Its tag is at `p`, as PeekTag left it. Its value ends at `next`.
bool KeepField(const uint8_t* p, uint32_t tag, const uint8_t* next, TreeNode* node, uint32_t row, DecodeContext* context) {
  uint8_t bytes[5];
  const size_t tag_bytes = static_cast<size_t>(wire_internal::WriteTag(tag, bytes) - bytes);
  if (std::memcmp(bytes, p, tag_bytes) == 0) return KeepRange(p, next, node, row, context);
  return KeepTag(tag, node, row, context) && KeepRange(p + tag_bytes, next, node, row, context);
}

}  // namespace

bool KeepUnknownEnum(const uint8_t* p, const uint8_t* next, TreeNode* node, uint32_t field, uint32_t row,
                     DecodeContext* context) {
  const plan::FieldPlan& plan_field = node->plan->fields[field];
  if (plan_field.skipped) return true;
  if (!context->keep_unknown_fields) {
    CountUnknownEnums(1, node, field, context);
    return true;
  }
  const uint32_t number = static_cast<uint32_t>(plan_field.number);
  return KeepTag(Tag(number, wire_internal::kVarint), node, row, context) && KeepRange(p, next, node, row, context);
}

bool KeepKnownEnums(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, uint32_t first, TreeNode* node, uint32_t field,
                    uint32_t row, DecodeContext* context) {
  const plan::EnumPlan& enumeration = *node->plan->fields[field].enumeration;
  int32_t* values = static_cast<int32_t*>(column.values);
  uint32_t out = first;
  for (uint32_t i = first; i < column.size; ++i) {
    if (enumeration.Has(values[i])) values[out++] = values[i];
  }
  const uint32_t unknown = column.size - out;
  column.size = out;
  if (unknown == 0) return true;
  if (!context->keep_unknown_fields) {
    CountUnknownEnums(unknown, node, field, context);
    return true;
  }
  // Reads the run again to keep the bytes of the unknown numbers. They may say more than the 32 bits that a column holds.
  p = wire_internal::ReadLength(p).next;
  while (p < end) {
    const auto [next, value] = wire_internal::ReadVarint(p);
    if (!enumeration.Has(static_cast<int32_t>(value)) && !KeepUnknownEnum(p, next, node, field, row, context)) return false;
    p = next;
  }
  return true;
}

bool KeepMapEntry(const uint8_t* begin, const uint8_t* end, ColumnBuffer& column, TreeNode* node, uint32_t field, uint32_t row,
                  DecodeContext* context) {
  --column.size;
  context->tree->Truncate(column.child, column.size);
  if (!context->keep_unknown_fields) {
    CountUnknownEnums(1, node, field, context);
    return true;
  }
  const uint32_t number = static_cast<uint32_t>(node->plan->fields[field].number);
  return KeepTag(Tag(number, wire_internal::kLen), node, row, context) && KeepRange(begin, end, node, row, context);
}

const uint8_t* FailAtEnd(const uint8_t* p, const uint8_t* end, DecodeContext* context) {
  if (p > end) return Fail(context, DecodeError::kTruncated, end);
  return Fail(context, DecodeError::kUnterminatedGroup, p);
}

const uint8_t* FailSkip(DecodeContext* context, DecodeError error, const uint8_t* tag, const uint8_t* value) {
  return Fail(context, error, error == DecodeError::kMalformedTag ? tag : value);
}

namespace {

// A new version of a schema may have changed a field's type. libprotobuf silently reads the old values as unknown fields.
void NoteOtherWireType(uint32_t tag, TreeNode* node, const plan::FieldPlan* field, DecodeContext* context) {
  for (OtherWireType& each : context->other_wire_types) {
    if (each.node != node || each.field != field || each.wire_type != (tag & 7)) continue;
    ++each.count;
    return;
  }
  // Each value searches the list, so no message may make the list long.
  constexpr size_t kMaxListed = 64;
  if (context->other_wire_types.size() == kMaxListed) return;
  context->other_wire_types.push_back({node, field, tag & 7, 1, context->message_index});
}

// Counts the field for the reports: as an unknown field, or as one whose type has changed.
[[gnu::noinline]] void NoteOtherField(uint32_t tag, TreeNode* node, DecodeContext* context) {
  const plan::FieldPlan* const field = node->plan->FindByNumber(static_cast<int32_t>(tag >> 3));
  if (field == nullptr || node->plan->message_set) {
    if (!context->keep_unknown_fields) CountUnknownField(tag >> 3, node, context);
  } else if (!field->skipped) {
    NoteOtherWireType(tag, node, field, context);
  }
}

}  // namespace

const uint8_t* SkipField(const uint8_t* p, const uint8_t* end, uint32_t tag, TreeNode* node, uint32_t row, uint32_t nesting,
                         DecodeContext* context) {
  if (EndsGroup(tag)) return EndGroup(p, end, tag, nesting, context);
  DecodeError error = DecodeError::kNone;
  const uint8_t* next =
      wire_internal::SkipValue(p + wire_internal::TagSizeBytes(tag), end, tag, static_cast<int>(nesting >> 1), &error);
  if (next != nullptr) {
    NoteOtherField(tag, node, context);
    if (!context->keep_unknown_fields) [[likely]]
      return next;
    return KeepField(p, tag, next, node, row, context) ? next : nullptr;
  }
  return FailSkip(context, error, p, p + wire_internal::TagSizeBytes(tag));
}

uint32_t LongTag(const uint8_t* p) {
  uint32_t tag;
  return wire_internal::PeekTag(p, &tag) == p && wire_internal::TagSizeBytes(tag) > 2 ? tag : 0;
}

namespace {

// Reads the field again from a copy that has its tag in the shortest form, the only form that the cases of `decode` know.
// Writers do not use longer tags, so this may be slow. `p` is at the tag, as PeekTag left it.
const uint8_t* ReadFromCopy(const uint8_t* p, const uint8_t* end, uint32_t tag, plan::DecodeFunction decode, TreeNode* node,
                            uint32_t row, uint32_t nesting, DecodeContext* context) {
  const uint8_t* const value = p + wire_internal::TagSizeBytes(tag);
  DecodeError error = DecodeError::kNone;
  const uint8_t* const next = wire_internal::SkipValue(value, end, tag, static_cast<int>(nesting >> 1), &error);
  if (next == nullptr) return FailSkip(context, error, p, value);
  const size_t size_bytes = wire_internal::TagSizeBytes(tag) + static_cast<size_t>(next - value);
  // Also copies some bytes from after the field, so that a varint that the end cuts off is the same error in the copy.
  constexpr size_t kMaxVarintBytes = 10;
  uint8_t* const copy = context->tree->KeepRoom(size_bytes + kMaxVarintBytes);
  if (copy == nullptr) return Fail(context, DecodeError::kMemoryLimit, nullptr);
  std::memcpy(wire_internal::WriteTag(tag, copy), value, static_cast<size_t>(next - value) + kMaxVarintBytes);
  if (decode(copy, copy + size_bytes, node, row, nesting & ~kInGroup, context) != nullptr) return next;
  if (context->error_position != nullptr) context->error_position = p + (context->error_position - copy);
  return nullptr;
}

}  // namespace

OtherField ReadOtherField(const uint8_t* p, const uint8_t* end, plan::DecodeFunction decode, TreeNode* node, uint32_t row,
                          uint32_t nesting, DecodeContext* context) {
  uint32_t tag;
  const uint8_t* next = PeekTag(p, &tag, context);
  if (next == nullptr) return {nullptr, 1};
  const bool shortest = next == p;
  p = next;
  if (shortest || EndsGroup(tag)) {
    next = SkipField(p, end, tag, node, row, nesting, context);
  } else {
    next = ReadFromCopy(p, end, tag, decode, node, row, nesting, context);
  }
  return {next, next == nullptr || EndsGroup(tag)};
}

}  // namespace structtensor::decode_internal
