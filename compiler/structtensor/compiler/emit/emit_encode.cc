#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"
#include "structtensor/compiler/emit/wire_names.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::compiler {
namespace {

// The function of runtime/structtensor/core/encode/abi/fields.h that writes the field, with its template arguments.
std::string WriteFunction(const plan::WriteStep& step) {
  const bool repeated = step.form == plan::WriteForm::kRepeated;
  switch (step.writes) {
    case plan::Writes::kMessage:
      return step.form == plan::WriteForm::kEntry ? "EntryMessage" : repeated ? "RepeatedMessage" : "WriteMessage";
    case plan::Writes::kGroup:
      return repeated ? "RepeatedGroup" : "WriteGroup";
    case plan::Writes::kMap:
      return "Map";
    case plan::Writes::kMessageSetItem:
      return "MessageSetItem";
    case plan::Writes::kVarint:
    case plan::Writes::kFixed:
    case plan::Writes::kText:
      break;
  }
  const std::string_view value = step.writes == plan::Writes::kVarint ? "Varint"
                                 : step.writes == plan::Writes::kText ? "String"
                                                                      : "Fixed";
  // The kind of varint, or the bits of a fixed-width value.
  const std::string type = step.writes == plan::Writes::kText                    ? ""
                           : step.writes == plan::Writes::kVarint                ? VarintType(step.kind)
                           : plan::ScalarOf(step.kind) == plan::Scalar::kFixed32 ? "uint32_t"
                                                                                 : "uint64_t";
  const auto function = [&](std::string_view form, std::string_view left_out = "") {
    std::string arguments = absl::StrCat(type, type.empty() || left_out.empty() ? "" : ", ", ToAbsl(left_out));
    if (!arguments.empty()) arguments = absl::StrCat("<", arguments, ">");
    return absl::StrCat(ToAbsl(form), ToAbsl(value), arguments);
  };
  switch (step.form) {
    case plan::WriteForm::kSingular:
      return function("Singular", "encode::kPresent");
    case plan::WriteForm::kNonZero:
      return function("Singular", "encode::kNonZero");
    case plan::WriteForm::kRepeated:
      return function("Repeated");
    case plan::WriteForm::kPacked:
      return function("Packed");
    case plan::WriteForm::kEntry:
      return function("Entry");
  }
  return "";
}

// The last arguments of the function: the tags, or the number of a MessageSet's item.
std::string Tags(const plan::WriteStep& step) {
  if (step.writes == plan::Writes::kMessageSetItem) return absl::StrCat(step.number());
  const auto tag = [&step](plan::WireType wire_type) {
    return absl::StrCat("encode::ConstantTag<", TagExpression(step.number(), wire_type), ">()");
  };
  const std::string first = tag(static_cast<plan::WireType>(step.tag & 7));
  return step.writes == plan::Writes::kGroup ? absl::StrCat(first, ", ", tag(plan::kEgroup)) : first;
}

std::string Call(const GeneratedMessage& message, const plan::WriteStep& step) {
  const GeneratedColumn& column = message.columns[step.field];
  const std::string at = absl::StrCat("encode::At(node, offsetof(", message.names.node, ", ", column.member, "))");
  const bool is_message = column.element == plan::Element::kMessage;
  std::string call = absl::StrCat("p = encode::", WriteFunction(step), "(p, ", is_message ? column.encode_function + ", " : "",
                                  step.taken ? "column, column.left" : at + ", row");
  if (is_message) absl::StrAppend(&call, step.is_singular() ? ", row" : "", ", encode::ContextOf(state)");
  absl::StrAppend(&call, ", ", Tags(step), ");\n");

  std::string condition;
  if (step.taken) {
    condition = absl::StrCat("if (encode::EncodeColumn& column = ", at, "; encode::Take(column, row))\n  ");
  } else if (step.is_singular()) {
    condition = absl::StrCat("if (encode::Has<", step.presence_bit, ">(present)) ");
  }
  return absl::StrCat("// ", column.comment, "\n", condition, call);
}

// In types with more singular fields than this, one test asks for a group of this many neighbouring fields. The fields of a
// group are tested one by one only if any of them is present. A jump over each absent field costs more than the added tests
// (GoogleMessage1: 22.4 ns instead of 24.6; 23.5 in groups of four or eight).
constexpr ptrdiff_t kGroupSize = 6;

std::string OneAfterAnother(const GeneratedMessage& message) {
  const std::vector<plan::WriteStep>& steps = message.write_steps;
  const auto has_bit = [](const plan::WriteStep& step) { return step.presence_bit >= 0; };
  const auto group_size = std::count_if(steps.begin(), steps.end(), has_bit) > kGroupSize ? kGroupSize : 1;
  std::string out;
  for (auto step = steps.rbegin(); step != steps.rend();) {
    const auto group = step;
    std::string calls;
    do {
      calls += Call(message, *step++);
    } while (has_bit(*group) && step != steps.rend() && step - group < group_size && has_bit(*step));
    if (step - group == 1) {
      out += calls;
      continue;
    }
    out +=
        Fill(R"(
if (encode::Has<$first$, $last$>(present)) {
  $calls$
}
)",
             {{"first", absl::StrCat(step[-1].presence_bit)}, {"last", absl::StrCat(group->presence_bit)}, {"calls", calls}});
  }
  return out;
}

std::string ThosePresent(const GeneratedMessage& message) {
  std::string cases;
  for (const plan::WriteStep& step : message.write_steps) {
    absl::StrAppend(&cases, "case ", step.field, ": ", Call(message, step), "break;\n");
  }
  return Fill(R"(
encode::FieldsOfRow fields(node, row);
while (fields.Next(p)) {
  switch (fields.index()) {
    $cases$
  }
}
)",
              {{"cases", cases}});
}

}  // namespace

std::string EmitEncodeFunction(const GeneratedMessage& message) {
  // Map entries are always written with key and value, so they need no presence.
  const bool has_word = message.presence_words && !message.message->map_entry;
  return Fill(R"(
// $full_name$
uint8_t* $encode$(uint8_t* p, plan::EncodeSource* source, uint32_t row, [[maybe_unused]] plan::EncodeState* state) {
  encode::EncodeNode* const node = encode::NodeOf(source);
  p = encode::UnknownFields(p, node, row);
  $present$
  $steps$
  return p;
}
)",
              {{"full_name", message.message->full_name},
               {"encode", message.names.encode},
               {"present", has_word ? "const uint64_t present = encode::PresenceOf(node, row);\n" : ""},
               {"steps", message.wide ? ThosePresent(message) : OneAfterAnother(message)}});
}

}  // namespace structtensor::compiler
