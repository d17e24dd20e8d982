#include <algorithm>

#include "absl/strings/str_cat.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"

namespace structtensor::compiler {
namespace {

std::string OneofCases(const GeneratedMessage& message) {
  std::string out;
  for (const OneofCaseEnum& cases : message.row.oneof_cases) {
    std::string members;
    for (const auto& [name, number] : cases.members) absl::StrAppend(&members, ", ", name, " = ", number);
    absl::StrAppend(&out, "enum class ", cases.name, " : int32_t { kNotSet = 0", members, " };\n");
  }
  if (!out.empty()) out += "\n";
  return out;
}

std::string Call(const RowAccessor& accessor) { return absl::StrCat(accessor.function, "(*this, ", accessor.column, ")"); }

std::string RowAccessors(const GeneratedMessage& message) {
  std::string out;
  for (const RowAccessor& accessor : message.row.accessors) {
    absl::StrAppend(&out, "\n// ", message.columns[accessor.column].comment, "\n");
    absl::StrAppend(&out, accessor.type, " ", accessor.member, "() const");
    if (accessor.place == RowAccessor::Place::kInClass) {
      absl::StrAppend(&out, " { return ", Call(accessor), "; }\n");
    } else {
      out += ";\n";
    }
    if (accessor.has_member.empty()) continue;
    absl::StrAppend(&out, "bool ", accessor.has_member, "() const { return ", message.row.reader, "::Has(*this, ",
                    accessor.column, "); }\n");
  }
  return out;
}

std::string EnumClass(const GeneratedEnum& plan) {
  std::string enumerators;
  for (const auto& [name, number] : plan.enumerators) {
    // C++ has no literal for INT32_MIN.
    absl::StrAppend(&enumerators, enumerators.empty() ? "" : ",\n", name, " = ",
                    number == INT32_MIN ? "-2147483647 - 1" : absl::StrCat(number));
  }
  return Fill(R"(
// $full_name$
enum class $name$ : int32_t {
  $enumerators$
};
inline const ::structtensor::plan::EnumPlan& StructtensorEnumPlan($name$) { return $internal$::$plan$; }
template <typename Sink>
void AbslStringify(Sink& sink, $name$ value) { sink.Append(::structtensor::EnumText(value)); }
inline std::ostream& operator<<(std::ostream& out, $name$ value) { return ::structtensor::PrintEnum(out, value); }
)",
              {{"full_name", plan.enumeration->full_name},
               {"name", plan.class_name},
               {"enumerators", enumerators},
               {"internal", kInternalNamespace},
               {"plan", plan.name}});
}

}  // namespace

std::string EmitEnumClasses(const GeneratedFile& file) {
  if (file.enums.empty()) return "";
  std::string plans;
  std::string classes;
  for (const GeneratedEnum& plan : file.enums) {
    absl::StrAppend(&plans, "extern const ::structtensor::plan::EnumPlan ", plan.name, ";\n");
    classes += EnumClass(plan);
  }
  return Fill(R"(
$open$
namespace $internal$ {
$plans$
}  // namespace $internal$

$classes$
$close$
)",
              {{"open", OpenNamespace(file)},
               {"internal", kInternalNamespace},
               {"plans", plans},
               {"close", CloseNamespace(file)},
               {"classes", classes}});
}

std::string EmitRowClass(const GeneratedMessage& message) {
  return Fill(R"(
// Reads one $full_name$ of a batch.
class $row$ : public ::structtensor::MessageRow {
 public:
  using ::structtensor::MessageRow::MessageRow;
  $oneof_cases$
  $accessors$
};
)",
              {{"full_name", message.message->full_name},
               {"row", message.names.row},
               {"oneof_cases", OneofCases(message)},
               {"accessors", RowAccessors(message)}});
}

std::string EmitRowBuilder(const GeneratedMessage& message) {
  std::string setters;
  for (const RowSetter& setter : message.row.setters) {
    absl::StrAppend(&setters, setter.result, " ", setter.signature, " const",
                    setter.place == RowAccessor::Place::kInClass ? absl::StrCat(" { ", setter.statement, " }\n") : ";\n");
  }
  return Fill(R"(
// Writes one $full_name$ of a batch that is being built.
class $row_builder$ : public ::structtensor::MessageBuilder {
 public:
  $setters$

 private:
  friend struct ::structtensor::RowWriter;
  explicit $row_builder$(const ::structtensor::MessageBuilder& row) : ::structtensor::MessageBuilder(row) {}
};
)",
              {{"full_name", message.message->full_name}, {"row_builder", message.names.row_builder}, {"setters", setters}});
}

std::string EmitRowFunctions(const GeneratedMessage& message, RowAccessor::Place place) {
  std::string out;
  for (const RowAccessor& accessor : message.row.accessors) {
    if (accessor.place != place) continue;
    absl::StrAppend(&out, place == RowAccessor::Place::kInSource ? "" : "inline ", accessor.type, " ", message.names.row,
                    "::", accessor.member, "() const { return ", Call(accessor), "; }\n");
  }
  for (const RowSetter& setter : message.row.setters) {
    if (setter.place != place) continue;
    absl::StrAppend(&out, place == RowAccessor::Place::kInSource ? "" : "inline ", setter.result, " ",
                    message.names.row_builder, "::", setter.signature, " const { ", setter.statement, " }\n");
  }
  return out;
}

}  // namespace structtensor::compiler
