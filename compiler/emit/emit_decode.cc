#include "absl/strings/str_cat.h"
#include "structtensor/base/strings.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"

namespace structtensor::compiler {
namespace {

std::string_view WireTypeName(uint32_t wire_type) {
  switch (wire_type) {
    case 0:
      return "kVarint";
    case 1:
      return "kI64";
    case 2:
      return "kLen";
    case 3:
      return "kSgroup";
    default:
      return "kI32";
  }
}

std::string TagExpression(const TagCase& tag_case) {
  return absl::StrCat("Tag(", tag_case.number, ", wire::", ToAbsl(WireTypeName(tag_case.wire_type)), ")");
}

// The call that reads one value. Arguments common to all: the column, its node, index and row, and the context.
std::string ReadCall(const MessagePlan& message, const TagCase& tag_case) {
  const Column& column = message.columns[tag_case.column];
  const std::string behind_tag = absl::StrCat("p + ", tag_case.tag_size_bytes);
  const std::string target = absl::StrCat("node.", column.member, ", base, ", tag_case.column, ", row");
  const auto call = [&](std::string_view function, std::string_view arguments) {
    const std::string argument = tag_case.argument.empty() ? "" : absl::StrCat("<", tag_case.argument, ">");
    return absl::StrCat("decode::", ToAbsl(function), argument, "(", behind_tag, ", ", ToAbsl(arguments), ", context)");
  };
  const std::string bounded = "end, " + target;
  const std::string submessage = absl::StrCat("end, ", column.decode_function, ", ", target, ", nesting");
  const std::string group = absl::StrCat("end, ", tag_case.number, ", ", column.decode_function, ", ", target, ", nesting");
  switch (tag_case.archetype) {
    case Archetype::kSingularVarint:
      return call("SingularVarint", target);
    case Archetype::kRepeatedVarint:
      return call("RepeatedVarint", target);
    case Archetype::kPackedVarint:
      return call("PackedVarint", bounded);
    case Archetype::kSingularFixed:
      return call("SingularFixed", target);
    case Archetype::kRepeatedFixed:
      return call("RepeatedFixed", target);
    case Archetype::kPackedFixed:
      return call("PackedFixed", bounded);
    case Archetype::kSingularClosedEnum:
      return call("SingularClosedEnum", target);
    case Archetype::kRepeatedClosedEnum:
      return call("RepeatedClosedEnum", target);
    case Archetype::kPackedClosedEnum:
      return call("PackedClosedEnum", bounded);
    case Archetype::kMapValueClosedEnum:
      return call("MapValueClosedEnum", target);
    case Archetype::kOneofClosedEnum:
      return call("OneofClosedEnum",
                  absl::StrCat("node.", column.member, ", node.", message.columns[*tag_case.oneof_case].member, ", ",
                               tag_case.number, ", base, ", tag_case.column, ", ", *tag_case.oneof_case, ", row"));
    case Archetype::kSingularString:
      return call("SingularString", bounded);
    case Archetype::kRepeatedString:
      return call("RepeatedString", bounded);
    case Archetype::kSingularMessage:
      return call("SingularMessage", submessage);
    case Archetype::kRepeatedMessage:
      return call("RepeatedMessage", submessage);
    case Archetype::kClosedEnumMap:
      return call("ClosedEnumMap", submessage);
    case Archetype::kSingularGroup:
      return call("SingularGroup", group);
    case Archetype::kRepeatedGroup:
      return call("RepeatedGroup", group);
  }
  return "";
}

std::string Case(const MessagePlan& message, const TagCase& tag_case) {
  const Column& column = message.columns[tag_case.column];
  std::string body;
  if (tag_case.oneof_case.has_value() && tag_case.archetype != Archetype::kOneofClosedEnum) {
    absl::StrAppend(&body, "if (!decode::SetOneof(node.", message.columns[*tag_case.oneof_case].member, ", ", tag_case.number,
                    ", base, ", *tag_case.oneof_case, ", row, context)) return nullptr;\n");
  }
  absl::StrAppend(&body, "p = ", ReadCall(message, tag_case), ";\nif (p == nullptr) [[unlikely]] return nullptr;\n");
  if (!tag_case.expected_next.empty()) {
    absl::StrAppend(&body, "if (p >= end) break;\n");
    for (const size_t next : tag_case.expected_next) {
      const TagCase& expected = message.cases[next];
      absl::StrAppend(&body, "if (wire::TagIs<decode::", TagExpression(expected), ">(p)) goto ", expected.label, ";\n");
    }
  }
  body += "break;\n";
  const std::string label = tag_case.label.empty() ? "" : tag_case.label + ":\n";
  return Fill(R"(
case decode::$tag$:  // $comment$
$label$
  $body$
)",
              {{"tag", TagExpression(tag_case)}, {"comment", column.comment}, {"label", label}, {"body", body}});
}

std::string MessageSetItemCase() {
  return R"(
case decode::Tag(1, wire::kSgroup):  // an item of the MessageSet
  p = decode::MessageSetItem(p + 1, end, base, row, nesting, context);
  if (p == nullptr) [[unlikely]] return nullptr;
  break;
)";
}

}  // namespace

std::string EmitNode(const MessagePlan& message) {
  std::string columns;
  for (const Column& column : message.columns) absl::StrAppend(&columns, "::structtensor::Column ", column.member, ";\n");
  return Fill(R"(
struct $node$ {
  ::structtensor::Node node_base;
  $columns$
};
)",
              {{"node", message.names.node}, {"columns", columns}});
}

std::string EmitDecodeFunction(const MessagePlan& message) {
  std::string cases;
  for (const TagCase& tag_case : message.cases) cases += Case(message, tag_case);
  if (message.message->message_set) cases += MessageSetItemCase();
  const std::string node = message.cases.empty() ? ""
                                                 : absl::StrCat(message.names.node, "& node = *reinterpret_cast<",
                                                                message.names.node, "*>(base);\n");
  return Fill(R"(
// $full_name$
const uint8_t* $decode$(const uint8_t* p, const uint8_t* end, ::structtensor::Node* base, uint32_t row, uint32_t nesting,
    ::structtensor::DecodeContext* context) {
  $node$
  while (p < end) {
    uint32_t tag;
    p = decode::PeekTag(p, &tag, context);
    if (p == nullptr) [[unlikely]] return nullptr;
    switch (tag) {
      $cases$
      default:
        p = decode::SkipField(p, end, tag, base, row, nesting, context);
        if (p == nullptr || decode::EndsGroup(tag)) return p;
        break;
    }
  }
  return decode::AtEnd(p, end, nesting, context);
}
)",
              {{"full_name", message.message->full_name}, {"decode", message.names.decode}, {"node", node}, {"cases", cases}});
}

}  // namespace structtensor::compiler
