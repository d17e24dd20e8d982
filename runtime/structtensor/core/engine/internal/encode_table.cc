#include "structtensor/core/engine/internal/encode_table.h"

#include "structtensor/core/plan/steps.h"

namespace structtensor::engine_internal {
namespace {

// The op for values of `kind` among those of one form, which begin with `first`. Requires: strings come after the scalars.
EncodeOp ScalarOp(EncodeOp first, plan::Kind kind) {
  return static_cast<EncodeOp>(static_cast<int>(first) + static_cast<int>(plan::ScalarOf(kind)));
}
constexpr bool IsAt(EncodeOp op, EncodeOp first, plan::Scalar scalar) {
  return static_cast<int>(op) - static_cast<int>(first) == static_cast<int>(scalar);
}
static_assert(IsAt(EncodeOp::kSingularFixed64, EncodeOp::kSingularInt32, plan::Scalar::kFixed64));
static_assert(IsAt(EncodeOp::kSingularString, EncodeOp::kSingularInt32, plan::Scalar::kNone));
static_assert(IsAt(EncodeOp::kNonZeroString, EncodeOp::kNonZeroInt32, plan::Scalar::kNone));
static_assert(IsAt(EncodeOp::kEntryString, EncodeOp::kEntryInt32, plan::Scalar::kNone));
static_assert(IsAt(EncodeOp::kRepeatedString, EncodeOp::kRepeatedInt32, plan::Scalar::kNone));

EncodeOp FirstOf(plan::WriteForm form) {
  switch (form) {
    case plan::WriteForm::kSingular:
      return EncodeOp::kSingularInt32;
    case plan::WriteForm::kNonZero:
      return EncodeOp::kNonZeroInt32;
    case plan::WriteForm::kRepeated:
      return EncodeOp::kRepeatedInt32;
    case plan::WriteForm::kPacked:
      return EncodeOp::kPackedInt32;
    case plan::WriteForm::kEntry:
      return EncodeOp::kEntryInt32;
  }
  return EncodeOp::kNone;
}

EncodeOp OpOf(const plan::WriteStep& step) {
  const bool repeated = step.form == plan::WriteForm::kRepeated;
  switch (step.writes) {
    case plan::Writes::kVarint:
    case plan::Writes::kFixed:
    case plan::Writes::kText:
      return ScalarOp(FirstOf(step.form), step.kind);
    case plan::Writes::kMessage:
      return step.form == plan::WriteForm::kEntry ? EncodeOp::kEntryMessage
             : repeated                           ? EncodeOp::kRepeatedMessage
                                                  : EncodeOp::kSingularMessage;
    case plan::Writes::kGroup:
      return repeated ? EncodeOp::kRepeatedGroup : EncodeOp::kSingularGroup;
    case plan::Writes::kMap:
      return EncodeOp::kMap;
    case plan::Writes::kMessageSetItem:
      return EncodeOp::kMessageSetItem;
  }
  return EncodeOp::kNone;
}

}  // namespace

EncodeTable MakeEncodeTable(const plan::MessagePlan& message) {
  EncodeTable table;
  table.steps.resize(message.fields.size());
  for (const plan::WriteStep& write : plan::WriteSteps(message)) {
    const plan::FieldPlan& field = message.fields[write.field];
    EncodeStep& step = table.steps[write.field];
    step.op = OpOf(write);
    step.column_offset = field.column_offset;
    step.tag = encode_internal::VariableTag(write.tag);
    if (write.writes == plan::Writes::kGroup) {
      step.end_tag = encode_internal::VariableTag(plan::Tag(write.number(), plan::kEgroup));
    }
    if (field.message != nullptr) step.encode = field.message->encode;
    step.taken = write.taken;
    if (write.presence_bit >= 0) step.presence = uint64_t{1} << write.presence_bit;
  }
  return table;
}

}  // namespace structtensor::engine_internal
