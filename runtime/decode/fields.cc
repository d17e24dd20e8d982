#include "structtensor/decode/fields.h"

namespace structtensor::decode {
namespace {

bool MemoryOrFail(bool ok, DecodeContext* context) {
  if (!ok) Fail(context, DecodeError::kMemoryLimit, nullptr);
  return ok;
}

DecodeError FromSkipError(wire::SkipError error) {
  switch (error) {
    case wire::SkipError::kNone:
      return DecodeError::kNone;
    case wire::SkipError::kMalformedVarint:
      return DecodeError::kMalformedVarint;
    case wire::SkipError::kTruncated:
      return DecodeError::kTruncated;
    case wire::SkipError::kMalformedTag:
      return DecodeError::kMalformedTag;
    case wire::SkipError::kEndGroup:
      return DecodeError::kEndGroup;
    case wire::SkipError::kDepth:
      return DecodeError::kDepth;
  }
  return DecodeError::kMalformedTag;
}

}  // namespace

bool GrowSingular(DecodeContext* context, Node* node, uint32_t field) {
  return MemoryOrFail(context->tree->GrowSingular(node, field), context);
}

bool GrowRepeated(DecodeContext* context, Node* node, uint32_t field, size_t additional) {
  return MemoryOrFail(context->tree->GrowRepeated(node, field, additional), context);
}

bool StartRow(DecodeContext* context, Node* node, uint32_t field, uint32_t row) {
  return MemoryOrFail(context->tree->StartRow(node, field, row), context);
}

void ClearOneof(DecodeContext* context, Node* node, uint32_t case_field, uint32_t row) {
  const Column& case_column = ColumnAt(node, node->plan->fields[case_field]);
  const int32_t number = static_cast<const int32_t*>(case_column.values)[case_column.size - 1];
  context->tree->TruncateColumn(node, *node->plan->FindByNumber(number), row);
}

namespace {

// The position of the END_GROUP tag that ends the group whose contents start at `p`, and at `*next` the position behind it.
const uint8_t* FindEndGroup(const uint8_t* p, const uint8_t* end, uint32_t number, int max_depth, const uint8_t** next,
                            DecodeContext* context) {
  while (p < end) {
    uint32_t tag;
    const uint8_t* tag_begin = p;
    p = wire::PeekTag(p, &tag);
    if (p == nullptr) return Fail(context, DecodeError::kMalformedTag, tag_begin);
    p += wire::TagSizeBytes(tag);
    if ((tag & 7) == wire::kEgroup) {
      *next = p;
      return tag == Tag(number, wire::kEgroup) && p <= end ? tag_begin : Fail(context, DecodeError::kEndGroup, tag_begin);
    }
    wire::SkipError error = wire::SkipError::kNone;
    p = wire::SkipValue(p, end, tag, max_depth, &error);
    if (p == nullptr) return Fail(context, FromSkipError(error), tag_begin);
  }
  return Fail(context, DecodeError::kUnterminatedGroup, end);
}

// Adds an opaque message's bytes, which reach up to `end` or, in a group, to its END_GROUP.
const uint8_t* AddOpaque(const uint8_t* p, const uint8_t* end, Node* node, uint32_t field, uint32_t row, bool* ok,
                         DecodeContext* context) {
  const plan::Field& plan_field = node->plan->fields[field];
  const uint8_t* next = end;
  const uint8_t* content_end = end;
  *ok = false;
  if (plan_field.kind == plan::Kind::kGroup) {
    constexpr int kMaxDepth = 100;
    content_end = FindEndGroup(p, end, static_cast<uint32_t>(plan_field.number), kMaxDepth, &next, context);
    if (content_end == nullptr) return nullptr;
  }
  *ok = MemoryOrFail(context->tree->AppendOpaque(node, field, row, p, static_cast<uint32_t>(content_end - p)), context);
  return *ok ? next : nullptr;
}

}  // namespace

const uint8_t* StartMessage(const uint8_t* p, const uint8_t* end, Node* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context) {
  *ok = MemoryOrFail(context->tree->GrowMessage(node, field), context);
  if (!*ok || !ColumnTree::IsOpaque(ColumnAt(node, node->plan->fields[field]))) return nullptr;
  return AddOpaque(p, end, node, field, row, ok, context);
}

const uint8_t* StartElement(const uint8_t* p, const uint8_t* end, Node* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context) {
  if (ColumnTree::IsOpaque(ColumnAt(node, node->plan->fields[field]))) return AddOpaque(p, end, node, field, row, ok, context);
  *ok = false;
  return Fail(context, DecodeError::kRowLimit, p);
}

void KeepKnownEnums(Column& column, uint32_t first, const plan::Enum& enumeration) {
  int32_t* values = static_cast<int32_t*>(column.values);
  uint32_t out = first;
  for (uint32_t i = first; i < column.size; ++i) {
    if (enumeration.Has(values[i])) values[out++] = values[i];
  }
  column.size = out;
}

const uint8_t* ClosedEnumMap(const uint8_t* p, const uint8_t* end, plan::DecodeFunction decode, Column& column, Node* node,
                             uint32_t field, uint32_t row, uint32_t nesting, DecodeContext* context) {
  context->drop_map_entry = false;
  p = RepeatedMessage(p, end, decode, column, node, field, row, nesting, context);
  if (p != nullptr && context->drop_map_entry) {
    --column.size;
    context->tree->Truncate(column.child, column.size);
  }
  return p;
}

const uint8_t* FailAtEnd(const uint8_t* p, const uint8_t* end, DecodeContext* context) {
  if (p > end) return Fail(context, DecodeError::kTruncated, end);
  return Fail(context, DecodeError::kUnterminatedGroup, p);
}

const uint8_t* SkipField(const uint8_t* p, const uint8_t* end, uint32_t tag, uint32_t nesting, DecodeContext* context) {
  if ((tag & 7) == wire::kEgroup) {
    p += wire::TagSizeBytes(tag);
    if ((nesting & kInGroup) == 0) return Fail(context, DecodeError::kEndGroup, p - 1);
    context->end_group_tag = tag;
    return p <= end ? p : Fail(context, DecodeError::kTruncated, end);
  }
  wire::SkipError error = wire::SkipError::kNone;
  const uint8_t* next = wire::SkipValue(p + wire::TagSizeBytes(tag), end, tag, static_cast<int>(nesting >> 1), &error);
  if (next != nullptr) return next;
  return Fail(context, FromSkipError(error), error == wire::SkipError::kMalformedTag ? p : p + wire::TagSizeBytes(tag));
}

}  // namespace structtensor::decode
