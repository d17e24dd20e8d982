#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"

namespace structtensor::compiler {
namespace {

std::string KindConstant(plan::Kind kind) {
  std::string name(plan::KindName(kind));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return "plan::Kind::k" + name;
}

std::string ElementConstant(plan::Element element) {
  std::string name(plan::ElementName(element));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return "plan::Element::k" + name;
}

std::string_view CardinalityConstant(plan::Cardinality cardinality) {
  switch (cardinality) {
    case plan::Cardinality::kSingular:
      return "plan::Cardinality::kSingular";
    case plan::Cardinality::kRepeated:
      return "plan::Cardinality::kRepeated";
    case plan::Cardinality::kMap:
      return "plan::Cardinality::kMap";
    case plan::Cardinality::kOneofCase:
      return "plan::Cardinality::kOneofCase";
  }
  return "";
}

std::string_view PresenceConstant(plan::Presence presence) {
  switch (presence) {
    case plan::Presence::kImplicit:
      return "plan::Presence::kImplicit";
    case plan::Presence::kExplicit:
      return "plan::Presence::kExplicit";
    case plan::Presence::kRequired:
      return "plan::Presence::kRequired";
  }
  return "";
}

std::string_view WellKnownConstant(plan::WellKnown well_known) {
  switch (well_known) {
    case plan::WellKnown::kNone:
      return "plan::WellKnown::kNone";
    case plan::WellKnown::kTimestamp:
      return "plan::WellKnown::kTimestamp";
    case plan::WellKnown::kDuration:
      return "plan::WellKnown::kDuration";
    case plan::WellKnown::kWrapper:
      return "plan::WellKnown::kWrapper";
  }
  return "";
}

std::string_view Bool(bool value) { return value ? "true" : "false"; }

std::string DefaultValue(const GeneratedColumn& column) {
  if (column.field == nullptr || !column.field->has_default) return "{}";
  const std::string& text = column.field->default_text;
  return absl::StrCat("{true, ", column.field->default_bits, "u, std::string_view(\"", EscapeC(text), "\", ", text.size(),
                      ")}");
}

std::string FieldRow(const GeneratedMessage& message, size_t index) {
  const GeneratedColumn& column = message.columns[index];
  const schema::FieldSchema* field = column.field;
  const int oneof_case = column.oneof_case.has_value() ? static_cast<int>(*column.oneof_case) : -1;
  return absl::StrCat("{\"", column.name, "\", ", column.number, ", ", KindConstant(column.kind), ", ",
                      ElementConstant(column.element), ", ", ToAbsl(CardinalityConstant(column.cardinality)), ", ",
                      ToAbsl(PresenceConstant(column.presence)), ", ", ToAbsl(Bool(field != nullptr && field->packed)), ", ",
                      ToAbsl(Bool(field != nullptr && field->validate_utf8)), ", ",
                      ToAbsl(Bool(field != nullptr && field->closed_enum)), ", ", oneof_case, ", ", column.presence_bit,
                      ",\n    ", column.message_plan.empty() ? "nullptr" : "&" + column.message_plan, ", ",
                      column.enum_plan.empty() ? "nullptr" : "&" + column.enum_plan, ", offsetof(", message.names.node, ", ",
                      column.member, "), ", DefaultValue(column), "},\n");
}

}  // namespace

std::string EmitEnumPlan(const GeneratedEnum& plan) {
  std::string numbers;
  std::string names;
  for (const schema::EnumSchema::Value& value : plan.enumeration->values) {
    absl::StrAppend(&numbers, numbers.empty() ? "" : ", ",
                    value.number == INT32_MIN ? "-2147483647 - 1" : absl::StrCat(value.number));
    absl::StrAppend(&names, names.empty() ? "\"" : ", \"", value.name, "\"");
  }
  return Fill(R"(
constexpr int32_t $name$Numbers[] = {$numbers$};
constexpr std::string_view $name$Names[] = {$names$};
constinit const plan::Enum $name$ = {"$full_name$", $name$Numbers, $name$Names};
)",
              {{"name", plan.name}, {"numbers", numbers}, {"names", names}, {"full_name", plan.enumeration->full_name}});
}

std::string EmitMessagePlan(const GeneratedMessage& message) {
  std::string rows;
  for (size_t i = 0; i < message.columns.size(); ++i) rows += FieldRow(message, i);
  const std::string fields = message.columns.empty() ? "{}" : message.names.plan + "Fields";
  const std::string table = message.columns.empty() ? ""
                                                    : Fill(R"(
constexpr plan::Field $plan$Fields[] = {
  $rows$
};
)",
                                                           {{"plan", message.names.plan}, {"rows", rows}});
  return table + Fill(R"(
constinit const plan::Message $plan$ = {"$full_name$", $fields$, sizeof($node$), $well_known$, $map_entry$, $message_set$, $reaches_required$, $presence_words$, $decode$, $encode$};
)",
                      {{"plan", message.names.plan},
                       {"full_name", message.message->full_name},
                       {"fields", fields},
                       {"node", message.names.node},
                       {"well_known", WellKnownConstant(message.message->well_known)},
                       {"map_entry", Bool(message.message->map_entry)},
                       {"message_set", Bool(message.message->message_set)},
                       {"reaches_required", Bool(message.message->reaches_required)},
                       {"presence_words", Bool(message.presence_words)},
                       {"decode", message.names.decode},
                       {"encode", message.names.encode}});
}

}  // namespace structtensor::compiler
