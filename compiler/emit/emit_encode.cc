#include "absl/strings/str_cat.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"

namespace structtensor::compiler {
namespace {

std::string Call(const MessagePlan& message, const EncodeStep& step) {
  const Column& column = message.columns[step.column];
  std::string call = absl::StrCat("encode::", step.function);
  if (!step.template_arguments.empty()) absl::StrAppend(&call, "<", step.template_arguments, ">");
  absl::StrAppend(&call, "(p, ", step.message ? column.encode_function + ", " : "", "encode::At(node, offsetof(",
                  message.names.node, ", ", column.member, "))");
  if (!step.item_number.empty()) absl::StrAppend(&call, ", ", step.item_number);
  absl::StrAppend(&call, ", row", step.message ? ", context" : "");
  return absl::StrCat("// ", column.comment, "\np = ", call, ");\n");
}

std::string OneAfterAnother(const MessagePlan& message) {
  std::string calls;
  for (auto step = message.encode_steps.rbegin(); step != message.encode_steps.rend(); ++step) calls += Call(message, *step);
  return calls;
}

std::string ThosePresent(const MessagePlan& message) {
  std::string cases;
  for (const EncodeStep& step : message.encode_steps) {
    absl::StrAppend(&cases, "case ", step.column, ": ", Call(message, step), "break;\n");
  }
  return Fill(R"(
for (uint64_t i = node->present_size; i-- > 0;) {
  switch (node->present[i]) {
    $cases$
  }
}
)",
              {{"cases", cases}});
}

}  // namespace

std::string EmitEncodeFunction(const MessagePlan& message) {
  return Fill(R"(
// $full_name$
uint8_t* $encode$(uint8_t* p, encode::Node* node, uint32_t row, [[maybe_unused]] encode::Context* context) {
  p = encode::UnknownFields(p, node, row);
  $steps$
  return p;
}
)",
              {{"full_name", message.message->full_name},
               {"encode", message.names.encode},
               {"steps", message.wide ? ThosePresent(message) : OneAfterAnother(message)}});
}

}  // namespace structtensor::compiler
