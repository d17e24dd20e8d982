#include "structtensor/core/plan/steps.h"

namespace structtensor::plan {
namespace {

// The largest number that a tag can hold. Extensions of a MessageSet may have larger numbers, which are in its items.
constexpr int32_t kMaxFieldNumber = (1 << 29) - 1;

Reads ReadsOf(const FieldPlan& field) {
  if (field.cardinality == Cardinality::kMap) {
    return field.message->fields[1].closed_enum ? Reads::kClosedEnumMap : Reads::kMessage;
  }
  if (field.kind == Kind::kGroup) return Reads::kGroup;
  if (field.kind == Kind::kMessage) return Reads::kMessage;
  if (field.closed_enum) return Reads::kClosedEnum;
  switch (WireTypeOf(field.kind)) {
    case kVarint:
      return Reads::kVarint;
    case kI32:
    case kI64:
      return Reads::kFixed;
    case kLen:
    case kSgroup:
    case kEgroup:
      break;
  }
  return Reads::kText;
}

ReadForm ReadFormOf(const MessagePlan& message, const FieldPlan& field) {
  if (field.is_repeated()) return ReadForm::kRepeated;
  if (field.oneof_case >= 0) return ReadForm::kOneofMember;
  return message.map_entry && field.closed_enum ? ReadForm::kMapValue : ReadForm::kSingular;
}

TextCheck TextCheckOf(const FieldPlan& field) {
  if (field.validate_utf8) return TextCheck::kUtf8;
  return FixedSizeBytesOf(field) != 0 ? TextCheck::kFixedSize : TextCheck::kBytes;
}

uint64_t OtherMembers(const MessagePlan& message, const FieldPlan& field) {
  uint64_t bits = 0;
  if (field.oneof_case < 0 || !message.presence_words) return bits;
  for (const FieldPlan& other : message.fields) {
    if (&other != &field && other.oneof_case == field.oneof_case) bits |= uint64_t{1} << other.presence_bit;
  }
  return bits;
}

bool MayBePacked(const FieldPlan& field) {
  const WireType wire_type = WireTypeOf(field.kind);
  return field.cardinality == Cardinality::kRepeated && wire_type != kLen && wire_type != kSgroup;
}

Writes WritesOf(const MessagePlan& message, const FieldPlan& field) {
  if (field.is_message()) {
    if (message.message_set) return Writes::kMessageSetItem;
    if (field.cardinality == Cardinality::kMap) return Writes::kMap;
    return field.kind == Kind::kGroup ? Writes::kGroup : Writes::kMessage;
  }
  switch (WireTypeOf(field.kind)) {
    case kVarint:
      return Writes::kVarint;
    case kI32:
    case kI64:
      return Writes::kFixed;
    case kLen:
    case kSgroup:
    case kEgroup:
      break;
  }
  return Writes::kText;
}

WriteForm WriteFormOf(const MessagePlan& message, const FieldPlan& field) {
  if (message.map_entry) return WriteForm::kEntry;
  if (field.is_repeated()) return field.packed && !field.is_message() ? WriteForm::kPacked : WriteForm::kRepeated;
  return field.presence == Presence::kImplicit && !field.is_message() ? WriteForm::kNonZero : WriteForm::kSingular;
}

}  // namespace

std::vector<ReadStep> ReadSteps(const MessagePlan& message) {
  std::vector<ReadStep> steps;
  for (uint32_t i = 0; i < message.fields.size(); ++i) {
    const FieldPlan& field = message.fields[i];
    if (field.cardinality == Cardinality::kOneofCase || field.number > kMaxFieldNumber) continue;
    const auto number = static_cast<uint32_t>(field.number);
    ReadStep step{.field = i,
                  .tag = Tag(number, WireTypeOf(field.kind)),
                  .kind = field.kind,
                  .reads = ReadsOf(field),
                  .form = ReadFormOf(message, field),
                  .check = TextCheckOf(field),
                  .other_members = OtherMembers(message, field)};
    if (!MayBePacked(field)) {
      steps.push_back(step);
      continue;
    }
    ReadStep packed = step;
    packed.tag = Tag(number, kLen);
    packed.form = ReadForm::kPacked;
    steps.push_back(field.packed ? packed : step);
    steps.push_back(field.packed ? step : packed);
  }
  return steps;
}

std::vector<WriteStep> WriteSteps(const MessagePlan& message) {
  std::vector<WriteStep> steps;
  for (uint32_t i = 0; i < message.fields.size(); ++i) {
    const FieldPlan& field = message.fields[i];
    if (field.cardinality == Cardinality::kOneofCase) continue;
    const auto number = static_cast<uint32_t>(field.number);
    WriteStep step{.field = i, .kind = field.kind, .writes = WritesOf(message, field), .form = WriteFormOf(message, field)};
    // The tag of a MessageSet's item has another form: it is made from the number alone.
    step.tag = step.writes == Writes::kMessageSetItem
                   ? number
                   : Tag(number, step.form == WriteForm::kPacked ? kLen : WireTypeOf(field.kind));
    const bool singular = field.cardinality == Cardinality::kSingular && !message.map_entry;
    step.taken = singular && !message.presence_words;
    if (singular && message.presence_words) step.presence_bit = field.presence_bit;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace structtensor::plan
