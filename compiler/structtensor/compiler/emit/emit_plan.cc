#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"
#include "structtensor/core/base/shared/strings.h"

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

std::string_view LayoutConstant(plan::Layout layout) {
  switch (layout) {
    case plan::Layout::kByRow:
      return "plan::Layout::kByRow";
    case plan::Layout::kMessageByRow:
      return "plan::Layout::kMessageByRow";
    case plan::Layout::kCaseByRow:
      return "plan::Layout::kCaseByRow";
    case plan::Layout::kAppended:
      return "plan::Layout::kAppended";
    case plan::Layout::kAppendedMessage:
      return "plan::Layout::kAppendedMessage";
    case plan::Layout::kElements:
      return "plan::Layout::kElements";
    case plan::Layout::kElementMessages:
      return "plan::Layout::kElementMessages";
    case plan::Layout::kChosenKeys:
      return "plan::Layout::kChosenKeys";
    case plan::Layout::kBytes:
      return "plan::Layout::kBytes";
    case plan::Layout::kElementBytes:
      return "plan::Layout::kElementBytes";
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

// The designated initializers of a struct. Members with their default value can be left out. Members must be added in the order
// of their declarations.
class Initializers {
 public:
  void Add(std::string_view member, std::string_view value) {
    absl::StrAppend(&text_, text_.empty() ? "{" : separator_, ".", ToAbsl(member), " = ", ToAbsl(value));
    separator_ = ", ";
  }
  void AddFlag(std::string_view member, bool value) {
    if (value) Add(member, "true");
  }
  // Adds nothing for "".
  void AddPointer(std::string_view member, const std::string& constant) {
    if (!constant.empty()) Add(member, "&" + constant);
  }
  // The next member starts a new line.
  void Break() { separator_ = ",\n    "; }
  std::string Take() { return text_.empty() ? "{}" : std::move(text_) + "}"; }

 private:
  std::string text_;
  const char* separator_ = ", ";
};

// With its size, because the text may contain zero bytes.
std::string TextLiteral(std::string_view text) {
  return absl::StrCat("std::string_view(\"", EscapeC(text), "\", ", text.size(), ")");
}

std::string DefaultValue(const plan::Default& value) {
  Initializers members;
  members.AddFlag("declared", true);
  if (value.bits != 0) members.Add("bits", absl::StrCat(value.bits, "u"));
  if (!value.text.empty()) members.Add("text", TextLiteral(value.text));
  return members.Take();
}

std::string_view OptionalAsConstant(plan::FieldAnnotations::OptionalAs optional_as) {
  switch (optional_as) {
    case plan::FieldAnnotations::OptionalAs::kUnspecified:
      return "plan::FieldAnnotations::OptionalAs::kUnspecified";
    case plan::FieldAnnotations::OptionalAs::kRagged:
      return "plan::FieldAnnotations::OptionalAs::kRagged";
    case plan::FieldAnnotations::OptionalAs::kNullable:
      return "plan::FieldAnnotations::OptionalAs::kNullable";
    case plan::FieldAnnotations::OptionalAs::kDefaultFilled:
      return "plan::FieldAnnotations::OptionalAs::kDefaultFilled";
  }
  return "";
}

std::string_view TimestampsConstant(plan::FieldAnnotations::Timestamps timestamps) {
  switch (timestamps) {
    case plan::FieldAnnotations::Timestamps::kUnspecified:
      return "plan::FieldAnnotations::Timestamps::kUnspecified";
    case plan::FieldAnnotations::Timestamps::kSeconds:
      return "plan::FieldAnnotations::Timestamps::kSeconds";
    case plan::FieldAnnotations::Timestamps::kMilliseconds:
      return "plan::FieldAnnotations::Timestamps::kMilliseconds";
    case plan::FieldAnnotations::Timestamps::kMicroseconds:
      return "plan::FieldAnnotations::Timestamps::kMicroseconds";
    case plan::FieldAnnotations::Timestamps::kNanoseconds:
      return "plan::FieldAnnotations::Timestamps::kNanoseconds";
  }
  return "";
}

std::string_view EnumAsConstant(plan::FieldAnnotations::EnumAs enum_as) {
  switch (enum_as) {
    case plan::FieldAnnotations::EnumAs::kUnspecified:
      return "plan::FieldAnnotations::EnumAs::kUnspecified";
    case plan::FieldAnnotations::EnumAs::kNumber:
      return "plan::FieldAnnotations::EnumAs::kNumber";
    case plan::FieldAnnotations::EnumAs::kName:
      return "plan::FieldAnnotations::EnumAs::kName";
    case plan::FieldAnnotations::EnumAs::kDictionary:
      return "plan::FieldAnnotations::EnumAs::kDictionary";
  }
  return "";
}

std::string AnnotationsRow(const plan::FieldAnnotations& annotations) {
  Initializers row;
  if (!annotations.column_name.empty()) row.Add("column_name", TextLiteral(annotations.column_name));
  if (annotations.optional_as != plan::FieldAnnotations::OptionalAs::kUnspecified) {
    row.Add("optional_as", OptionalAsConstant(annotations.optional_as));
  }
  if (annotations.timestamps != plan::FieldAnnotations::Timestamps::kUnspecified) {
    row.Add("timestamps", TimestampsConstant(annotations.timestamps));
  }
  if (annotations.enum_as != plan::FieldAnnotations::EnumAs::kUnspecified) {
    row.Add("enum_as", EnumAsConstant(annotations.enum_as));
  }
  row.AddFlag("text", annotations.text);
  if (annotations.fixed_size_bytes != 0) row.Add("fixed_size_bytes", absl::StrCat(annotations.fixed_size_bytes));
  if (annotations.recursion_depth != 0) row.Add("recursion_depth", absl::StrCat(annotations.recursion_depth));
  row.AddFlag("flatten", annotations.flatten);
  if (!annotations.prefix.empty()) row.Add("prefix", TextLiteral(annotations.prefix));
  if (!annotations.json_name.empty()) row.Add("json_name", TextLiteral(annotations.json_name));
  return row.Take();
}

// The constant with the annotations of column `index`: "kRecipePlanAnnotations3".
std::string AnnotationsName(const GeneratedMessage& message, size_t index) {
  return absl::StrCat(message.names.plan, "Annotations", index);
}

std::string AnnotationConstants(const GeneratedMessage& message) {
  std::string constants;
  for (size_t i = 0; i < message.columns.size(); ++i) {
    const std::optional<plan::FieldAnnotations>& annotations = message.columns[i].annotations;
    if (!annotations.has_value()) continue;
    absl::StrAppend(&constants, "constexpr plan::FieldAnnotations ", AnnotationsName(message, i), " = ",
                    AnnotationsRow(*annotations), ";\n");
  }
  return constants;
}

std::string FieldRow(const GeneratedMessage& message, size_t index) {
  const GeneratedColumn& column = message.columns[index];
  const plan::FieldPlan field = FieldPlanOf(message, index);
  Initializers row;
  row.Add("name", absl::StrCat("\"", ToAbsl(field.name), "\""));
  if (field.number != 0) row.Add("number", absl::StrCat(field.number));
  row.Add("kind", KindConstant(field.kind));
  row.Add("element", ElementConstant(field.element));
  if (field.cardinality != plan::Cardinality::kSingular) row.Add("cardinality", CardinalityConstant(field.cardinality));
  if (field.presence != plan::Presence::kImplicit) row.Add("presence", PresenceConstant(field.presence));
  if (field.layout != plan::Layout::kByRow) row.Add("layout", LayoutConstant(field.layout));
  row.AddFlag("packed", field.packed);
  row.AddFlag("validate_utf8", field.validate_utf8);
  row.AddFlag("closed_enum", field.closed_enum);
  if (field.oneof_case >= 0) row.Add("oneof_case", absl::StrCat(field.oneof_case));
  if (field.presence_bit >= 0) row.Add("presence_bit", absl::StrCat(field.presence_bit));
  row.Break();
  row.AddPointer("message", column.message_plan);
  row.AddPointer("enumeration", column.enum_plan);
  row.Add("column_offset", absl::StrCat("offsetof(", message.names.node, ", ", column.member, ")"));
  if (field.default_value.declared) row.Add("default_value", DefaultValue(field.default_value));
  row.AddFlag("skipped", field.skipped);
  if (field.annotations != nullptr) row.AddPointer("annotations", AnnotationsName(message, index));
  return row.Take() + ",\n";
}

// C++ has no literal for INT32_MIN.
std::string NumberLiteral(int32_t number) { return number == INT32_MIN ? "-2147483647 - 1" : absl::StrCat(number); }

}  // namespace

std::string EmitEnumPlan(const GeneratedEnum& plan) {
  std::string numbers;
  std::string names;
  for (const schema::EnumSchema::Value& value : plan.enumeration->values) {
    absl::StrAppend(&numbers, numbers.empty() ? "" : ", ", NumberLiteral(value.number));
    absl::StrAppend(&names, names.empty() ? "\"" : ", \"", value.name, "\"");
  }
  std::string aliases;
  for (const schema::EnumSchema::Value& value : plan.enumeration->aliases) {
    absl::StrAppend(&aliases, aliases.empty() ? "" : ", ", "{\"", value.name, "\", ", NumberLiteral(value.number), "}");
  }
  const std::string alias_table =
      aliases.empty() ? "" : absl::StrCat("constexpr plan::EnumAlias ", plan.name, "Aliases[] = {", aliases, "};\n");
  const std::string alias_member = aliases.empty() ? "" : absl::StrCat(", .aliases = ", plan.name, "Aliases");
  return Fill(R"(
constexpr int32_t $name$Numbers[] = {$numbers$};
constexpr std::string_view $name$Names[] = {$names$};
$alias_table$constinit const plan::EnumPlan $name$ = {
  .full_name = "$full_name$", .numbers = $name$Numbers, .names = $name$Names$alias_member$};
)",
              {{"name", plan.name},
               {"numbers", numbers},
               {"names", names},
               {"full_name", plan.enumeration->full_name},
               {"alias_table", alias_table},
               {"alias_member", alias_member}});
}

std::string EmitMessagePlan(const GeneratedMessage& message) {
  std::string rows;
  for (size_t i = 0; i < message.columns.size(); ++i) rows += FieldRow(message, i);
  const std::string table = message.columns.empty() ? ""
                                                    : Fill(R"(
constexpr plan::FieldPlan $plan$Fields[] = {
  $rows$
};
)",
                                                           {{"plan", message.names.plan}, {"rows", rows}});
  const schema::MessageSchema& schema = *message.message;
  Initializers members;
  members.Add("full_name", absl::StrCat("\"", schema.full_name, "\""));
  if (!message.columns.empty()) members.Add("fields", message.names.plan + "Fields");
  members.Break();
  members.Add("node_size_bytes", absl::StrCat("sizeof(", message.names.node, ")"));
  if (schema.well_known != plan::WellKnown::kNone) members.Add("well_known", WellKnownConstant(schema.well_known));
  members.AddFlag("map_entry", schema.map_entry);
  members.AddFlag("message_set", schema.message_set);
  members.AddFlag("reaches_required", schema.reaches_required);
  members.AddFlag("presence_words", message.presence_words);
  members.Add("decode", message.names.decode);
  members.Add("encode", message.names.encode);
  return absl::StrCat(AnnotationConstants(message), table, "constinit const plan::MessagePlan ", message.names.plan, " = ",
                      members.Take(), ";\n");
}

}  // namespace structtensor::compiler
