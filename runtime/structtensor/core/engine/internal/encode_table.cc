#include "structtensor/core/engine/internal/encode_table.h"

#include "structtensor/core/engine/internal/value_index.h"

namespace structtensor::engine_internal {
namespace {

// The order that InFamily() depends on.
static_assert(static_cast<int>(EncodeOp::kSingularFixed64) - static_cast<int>(EncodeOp::kSingularInt32) == kFixed64Index);
static_assert(static_cast<int>(EncodeOp::kNonZeroFixed64) - static_cast<int>(EncodeOp::kNonZeroInt32) == kFixed64Index);
static_assert(static_cast<int>(EncodeOp::kEntryFixed64) - static_cast<int>(EncodeOp::kEntryInt32) == kFixed64Index);
static_assert(static_cast<int>(EncodeOp::kRepeatedFixed64) - static_cast<int>(EncodeOp::kRepeatedInt32) == kFixed64Index);
static_assert(static_cast<int>(EncodeOp::kPackedFixed64) - static_cast<int>(EncodeOp::kPackedInt32) == kFixed64Index);
static_assert(static_cast<int>(EncodeOp::kSingularString) - static_cast<int>(EncodeOp::kSingularInt32) == kTextIndex);
static_assert(static_cast<int>(EncodeOp::kNonZeroString) - static_cast<int>(EncodeOp::kNonZeroInt32) == kTextIndex);
static_assert(static_cast<int>(EncodeOp::kEntryString) - static_cast<int>(EncodeOp::kEntryInt32) == kTextIndex);
static_assert(static_cast<int>(EncodeOp::kRepeatedString) - static_cast<int>(EncodeOp::kRepeatedInt32) == kTextIndex);

EncodeOp MessageOp(const plan::MessagePlan& message, const plan::FieldPlan& field) {
  if (message.message_set) return EncodeOp::kMessageSetItem;
  if (message.map_entry) return EncodeOp::kEntryMessage;
  if (field.cardinality == plan::Cardinality::kMap) return EncodeOp::kMap;
  if (field.kind == plan::Kind::kGroup) return field.is_repeated() ? EncodeOp::kRepeatedGroup : EncodeOp::kSingularGroup;
  return field.is_repeated() ? EncodeOp::kRepeatedMessage : EncodeOp::kSingularMessage;
}

EncodeOp ScalarOp(const plan::MessagePlan& message, const plan::FieldPlan& field) {
  const EncodeOp family = message.map_entry                             ? EncodeOp::kEntryInt32
                          : field.is_repeated() && field.packed         ? EncodeOp::kPackedInt32
                          : field.is_repeated()                         ? EncodeOp::kRepeatedInt32
                          : field.presence == plan::Presence::kImplicit ? EncodeOp::kNonZeroInt32
                                                                        : EncodeOp::kSingularInt32;
  return InFamily(family, field.kind);
}

EncodeStep StepOf(const plan::MessagePlan& message, const plan::FieldPlan& field) {
  EncodeStep step;
  if (field.cardinality == plan::Cardinality::kOneofCase) return step;
  const auto number = static_cast<uint32_t>(field.number);
  step.op = field.is_message() ? MessageOp(message, field) : ScalarOp(message, field);
  step.column_offset = field.column_offset;
  const bool packed = field.is_repeated() && field.packed && !field.is_message();
  // The tag of a MessageSet's item has another form: it is made from the number alone.
  step.tag = encode_internal::VariableTag(
      message.message_set ? number : plan::Tag(number, packed ? plan::kLen : plan::WireTypeOf(field.kind)));
  if (field.kind == plan::Kind::kGroup) step.end_tag = encode_internal::VariableTag(plan::Tag(number, plan::kEgroup));
  if (field.message != nullptr) step.encode = field.message->encode;
  const bool singular = field.cardinality == plan::Cardinality::kSingular && !message.map_entry;
  step.taken = singular && !message.presence_words;
  if (singular && message.presence_words) step.presence = uint64_t{1} << field.presence_bit;
  return step;
}

}  // namespace

EncodeTable MakeEncodeTable(const plan::MessagePlan& message) {
  EncodeTable table;
  for (const plan::FieldPlan& field : message.fields) table.steps.push_back(StepOf(message, field));
  return table;
}

}  // namespace structtensor::engine_internal
