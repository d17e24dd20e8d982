// How each field of a message is written.
#include "absl/strings/str_cat.h"
#include "structtensor/compiler/plan/decoder_plan.h"

namespace structtensor::compiler {
namespace {

// The kind of varint in runtime/structtensor/encode/internal/fields.h, or the bits of a fixed-width value.
std::string ValueArgument(plan::Kind kind) {
  switch (kind) {
    case plan::Kind::kInt32:
    case plan::Kind::kEnum:
      return "encode::Int32";
    case plan::Kind::kUint32:
      return "encode::Uint32";
    case plan::Kind::kSint32:
      return "encode::Sint32";
    case plan::Kind::kInt64:
      return "encode::Int64";
    case plan::Kind::kUint64:
      return "encode::Uint64";
    case plan::Kind::kSint64:
      return "encode::Sint64";
    case plan::Kind::kBool:
      return "encode::Bool";
    case plan::Kind::kDouble:
    case plan::Kind::kFixed64:
    case plan::Kind::kSfixed64:
      return "uint64_t";
    case plan::Kind::kFloat:
    case plan::Kind::kFixed32:
    case plan::Kind::kSfixed32:
      return "uint32_t";
    case plan::Kind::kString:
    case plan::Kind::kBytes:
    case plan::Kind::kGroup:
    case plan::Kind::kMessage:
      return "";
  }
  return "";
}

EncodeStep StepForMessage(const GeneratedMessage& message, size_t index) {
  const schema::FieldSchema& field = *message.columns[index].field;
  EncodeStep step{index, "", absl::StrCat(field.number), true, ""};
  if (message.message->message_set) {
    step.function = "MessageSetItem";
    step.template_arguments = "";
    step.item_number = absl::StrCat(field.number);
  } else if (message.message->map_entry) {
    step.function = "EntryMessage";
  } else if (field.cardinality == plan::Cardinality::kMap) {
    step.function = "Map";
  } else if (field.kind == plan::Kind::kGroup) {
    step.function = field.cardinality == plan::Cardinality::kRepeated ? "RepeatedGroup" : "WriteGroup";
  } else {
    step.function = field.cardinality == plan::Cardinality::kRepeated ? "RepeatedMessage" : "WriteMessage";
  }
  return step;
}

EncodeStep StepForScalar(const GeneratedMessage& message, size_t index) {
  const schema::FieldSchema& field = *message.columns[index].field;
  const uint32_t wire_type = WireTypeOf(field.kind);
  const std::string form = wire_type == 0 ? "Varint" : wire_type == 2 ? "String" : "Fixed";
  const std::string value = ValueArgument(field.kind);
  const bool repeated = field.cardinality == plan::Cardinality::kRepeated;
  const bool entry = message.message->map_entry;
  EncodeStep step{index, "", "", false, ""};
  step.function = (entry ? "Entry" : !repeated ? "Singular" : field.packed ? "Packed" : "Repeated") + form;
  step.template_arguments = absl::StrCat(value, value.empty() ? "" : ", ", field.number);
  if (!repeated && !entry) {
    step.template_arguments += field.presence == plan::Presence::kImplicit ? ", encode::kNonZero" : ", encode::kPresent";
  }
  return step;
}

}  // namespace

std::vector<EncodeStep> PlanEncoding(const GeneratedMessage& message) {
  std::vector<EncodeStep> steps;
  for (size_t i = 0; i < message.columns.size(); ++i) {
    if (message.columns[i].field == nullptr) continue;
    steps.push_back(message.columns[i].element == plan::Element::kMessage ? StepForMessage(message, i)
                                                                          : StepForScalar(message, i));
  }
  return steps;
}

}  // namespace structtensor::compiler
