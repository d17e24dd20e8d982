// How each field of a message is written.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/compiler/plan/generated_file.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::compiler {
namespace {

// The kind of varint, or the bits of a fixed-width value.
std::string ValueArgument(plan::Kind kind) {
  switch (plan::WireTypeOf(kind)) {
    case plan::kVarint:
      return VarintKindName(kind);
    case plan::kI64:
      return "uint64_t";
    case plan::kI32:
      return "uint32_t";
    case plan::kLen:
    case plan::kSgroup:
    case plan::kEgroup:
      break;
  }
  return "";
}

std::string ConstantTag(const schema::FieldSchema& field, std::string_view wire_type) {
  return absl::StrCat("encode::ConstantTag<wire::Tag(", field.number, ", wire::", ToAbsl(wire_type), ")>()");
}

EncodeStep StepForMessage(const GeneratedMessage& message, size_t index) {
  const schema::FieldSchema& field = *message.columns[index].field;
  EncodeStep step{index, "", "", true, ConstantTag(field, "kLen")};
  if (message.message->message_set) {
    step.function = "MessageSetItem";
    step.last_arguments = absl::StrCat(field.number);
  } else if (message.message->map_entry) {
    step.function = "EntryMessage";
  } else if (field.cardinality == plan::Cardinality::kMap) {
    step.function = "Map";
  } else if (field.kind == plan::Kind::kGroup) {
    step.function = field.cardinality == plan::Cardinality::kRepeated ? "RepeatedGroup" : "WriteGroup";
    step.last_arguments = absl::StrCat(ConstantTag(field, "kSgroup"), ", ", ConstantTag(field, "kEgroup"));
  } else {
    step.function = field.cardinality == plan::Cardinality::kRepeated ? "RepeatedMessage" : "WriteMessage";
  }
  return step;
}

EncodeStep StepForScalar(const GeneratedMessage& message, size_t index) {
  const schema::FieldSchema& field = *message.columns[index].field;
  const plan::WireType wire_type = plan::WireTypeOf(field.kind);
  const std::string form = wire_type == plan::kVarint ? "Varint" : wire_type == plan::kLen ? "String" : "Fixed";
  const std::string value = ValueArgument(field.kind);
  const bool repeated = field.cardinality == plan::Cardinality::kRepeated;
  const bool entry = message.message->map_entry;
  EncodeStep step{index, "", "", false, ""};
  step.function = (entry ? "Entry" : !repeated ? "Singular" : field.packed ? "Packed" : "Repeated") + form;
  step.template_arguments = value;
  if (!repeated && !entry) {
    absl::StrAppend(&step.template_arguments, value.empty() ? "" : ", ",
                    field.presence == plan::Presence::kImplicit ? "encode::kNonZero" : "encode::kPresent");
  }
  step.last_arguments = ConstantTag(field, (repeated && field.packed) || wire_type == plan::kLen ? "kLen"
                                           : wire_type == plan::kVarint                          ? "kVarint"
                                           : wire_type == plan::kI64                             ? "kI64"
                                                                                                 : "kI32");
  return step;
}

}  // namespace

std::string VarintKindName(plan::Kind kind) {
  std::string name(plan::KindName(kind == plan::Kind::kEnum ? plan::Kind::kInt32 : kind));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return "wire::" + name;
}

std::vector<EncodeStep> MakeEncodeSteps(const GeneratedMessage& message) {
  std::vector<EncodeStep> steps;
  for (size_t i = 0; i < message.columns.size(); ++i) {
    if (message.columns[i].field == nullptr) continue;
    steps.push_back(message.columns[i].element == plan::Element::kMessage ? StepForMessage(message, i)
                                                                          : StepForScalar(message, i));
  }
  return steps;
}

}  // namespace structtensor::compiler
