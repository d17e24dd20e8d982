// The engine's encode function: it takes the steps of a table from the last to the first. Each step is one of the archetypes
// that generated code is made of.
#include <cstdint>

#include "structtensor/core/encode/abi/fields.h"
#include "structtensor/core/engine/internal/encode_table.h"

namespace structtensor::engine_internal {
namespace {

using namespace encode_internal;  // NOLINT: the archetypes, whose names the ops have

// Writes the field's values in `row` so that they end at `p`. `i` is the index of the value if the field is singular.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteField(uint8_t* p, const EncodeStep& step, EncodeColumn& column, uint32_t i,
                                               uint32_t row, EncodeContext* context) {
  switch (step.op) {
    case EncodeOp::kNone:
      return p;
#define STRUCTTENSOR_ENGINE_VARINT(ignored, kind)                  \
  case EncodeOp::kSingular##kind:                                  \
    return SingularVarint<kind, kPresent>(p, column, i, step.tag); \
  case EncodeOp::kNonZero##kind:                                   \
    return SingularVarint<kind, kNonZero>(p, column, i, step.tag); \
  case EncodeOp::kEntry##kind:                                     \
    return EntryVarint<kind>(p, column, row, step.tag);            \
  case EncodeOp::kRepeated##kind:                                  \
    return RepeatedVarint<kind>(p, column, row, step.tag);         \
  case EncodeOp::kPacked##kind:                                    \
    return PackedVarint<kind>(p, column, row, step.tag);
      STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_ENGINE_VARINT, )
#undef STRUCTTENSOR_ENGINE_VARINT
#define STRUCTTENSOR_ENGINE_FIXED(ignored, bits)                            \
  case EncodeOp::kSingularFixed##bits:                                      \
    return SingularFixed<uint##bits##_t, kPresent>(p, column, i, step.tag); \
  case EncodeOp::kNonZeroFixed##bits:                                       \
    return SingularFixed<uint##bits##_t, kNonZero>(p, column, i, step.tag); \
  case EncodeOp::kEntryFixed##bits:                                         \
    return EntryFixed<uint##bits##_t>(p, column, row, step.tag);            \
  case EncodeOp::kRepeatedFixed##bits:                                      \
    return RepeatedFixed<uint##bits##_t>(p, column, row, step.tag);         \
  case EncodeOp::kPackedFixed##bits:                                        \
    return PackedFixed<uint##bits##_t>(p, column, row, step.tag);
      STRUCTTENSOR_FIXED_SIZES(STRUCTTENSOR_ENGINE_FIXED, )
#undef STRUCTTENSOR_ENGINE_FIXED
    case EncodeOp::kSingularString:
      return SingularString<kPresent>(p, column, i, step.tag);
    case EncodeOp::kNonZeroString:
      return SingularString<kNonZero>(p, column, i, step.tag);
    case EncodeOp::kEntryString:
      return EntryString(p, column, row, step.tag);
    case EncodeOp::kRepeatedString:
      return RepeatedString(p, column, row, step.tag);
    case EncodeOp::kSingularMessage:
      return WriteMessage(p, step.encode, column, i, row, context, step.tag);
    case EncodeOp::kEntryMessage:
      return EntryMessage(p, step.encode, column, row, context, step.tag);
    case EncodeOp::kRepeatedMessage:
      return RepeatedMessage(p, step.encode, column, row, context, step.tag);
    case EncodeOp::kMap:
      return Map(p, step.encode, column, row, context, step.tag);
    case EncodeOp::kSingularGroup:
      return WriteGroup(p, step.encode, column, i, row, context, step.tag, step.end_tag);
    case EncodeOp::kRepeatedGroup:
      return RepeatedGroup(p, step.encode, column, row, context, step.tag, step.end_tag);
    case EncodeOp::kMessageSetItem:
      return MessageSetItem(p, step.encode, column, i, row, context, step.tag.value());
  }
  return p;
}

}  // namespace

uint8_t* Encode(uint8_t* p, plan::EncodeSource* source, uint32_t row, plan::EncodeState* state) {
  EncodeNode* const node = NodeOf(source);
  EncodeContext* const context = ContextOf(state);
  const EncodeTable& table = *static_cast<const EncodeTable*>(node->plan->encode_program);
  p = UnknownFields(p, node, row);
  if (node->plan->map_entry) {
    // Entries are written whole, with default keys and values that no data reached.
    for (size_t i = table.steps.size(); i-- > 0;) {
      const EncodeStep& step = table.steps[i];
      p = WriteField(p, step, At(node, step.column_offset), row, row, context);
    }
    return p;
  }
  const uint64_t present = node->plan->presence_words ? PresenceOf(node, row) : 0;
  FieldsOfRow fields(node, row);
  while (fields.Next(p)) {
    const EncodeStep& step = table.steps[fields.index()];
    if ((present & step.presence) != step.presence) continue;
    EncodeColumn& column = At(node, step.column_offset);
    uint32_t i = row;
    if (step.taken) {
      if (!Take(column, row)) continue;
      i = column.left;
    }
    p = WriteField(p, step, column, i, row, context);
  }
  return p;
}

}  // namespace structtensor::engine_internal
