#include "structtensor/compiler/plan/names.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "structtensor/compiler/plan/macro_names.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::compiler {
namespace {

bool IsReserved(const std::string& name) {
  static const std::unordered_set<std::string>* const kReserved = new std::unordered_set<std::string>{
      // Keywords of C++20.
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
      "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq"};
  return kReserved->count(name) != 0 || IsMacroName(name);
}

std::string Identifier(std::string_view name) {
  std::string result;
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) result += '_';
  for (const char c : name) {
    const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += letter_or_digit ? c : '_';
  }
  return result;
}

std::string WithoutProto(std::string_view name) {
  for (const std::string_view ending : {".proto", ".protodevel"}) {
    if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending) {
      return std::string(name.substr(0, name.size() - ending.size()));
    }
  }
  return std::string(name);
}

// The names in the file's namespace besides our declarations: protoc's classes and the values of its enums. In package
// structtensor, also names of the runtime.
std::unordered_set<std::string> DeclaredNames(const schema::File& file) {
  std::unordered_set<std::string> names;
  if (file.package == "structtensor")
    names = {"BatchBuilder",   "BatchDecoder",   "BatchEncoder", "DecodedBatch", "EncodedBatch",
             "MessageBuilder", "MessageColumns", "MessageRow",   "RecordBatch"};
  for (const schema::MessageSchema* message : file.messages) names.insert(Identifier(message->nested_name));
  for (const schema::EnumSchema* enumeration : file.enums) {
    const std::string name = Identifier(enumeration->nested_name);
    names.insert(name);
    const std::string scope = enumeration->nested_name.find('.') == std::string::npos ? "" : name + "_";
    for (const schema::EnumSchema::Value& value : enumeration->values) names.insert(scope + value.name);
  }
  return names;
}

}  // namespace

std::string UniqueIdentifier(std::string_view name, std::unordered_set<std::string>& taken) {
  std::string result = Identifier(name);
  while (IsReserved(result) || taken.count(result) != 0) result += '_';
  taken.insert(result);
  return result;
}

const std::unordered_set<std::string>& NameTable::Declared(const schema::File& file) {
  const auto [slot, is_new] = declared_.try_emplace(&file);
  if (is_new) slot->second = DeclaredNames(file);
  return slot->second;
}

std::string NameTable::EnumClass(const schema::EnumSchema& enumeration) {
  const std::unordered_set<std::string>& declared = Declared(*enumeration.file);
  std::string name = Identifier(enumeration.nested_name) + "Enum";
  while (declared.contains(name)) name += '_';
  return name;
}

std::string NameTable::QualifiedEnumClass(const schema::EnumSchema& enumeration) {
  return absl::StrCat(QualifiedNamespace(*enumeration.file), "::", EnumClass(enumeration));
}

const MessageNames& NameTable::Of(const schema::MessageSchema& message) {
  const auto [slot, is_new] = names_.try_emplace(&message);
  if (!is_new) return slot->second;
  const std::unordered_set<std::string>& declared = Declared(*message.file);
  const std::string base = Identifier(message.nested_name);
  const auto free = [&](std::string name) {
    while (declared.count(name) != 0) name += '_';
    return name;
  };
  // The decode function of TreeNode must not have the name of DecodeTree's node struct.
  const auto function = [&](const char* verb) {
    std::string name = verb + base;
    if (absl::EndsWith(name, "Node") && declared.count(name.substr(0, name.size() - 4)) != 0) name += '_';
    return name;
  };
  slot->second = {free(base + "Columns"),
                  free(base + "Batch"),
                  free(base + "Decoder"),
                  base + "Node",
                  absl::StrCat("k", base, "Plan"),
                  function("Decode"),
                  free(base + "Encoder"),
                  function("Encode"),
                  free(base + "Row"),
                  free(base + "RowBuilder"),
                  free(base + "BatchBuilder")};
  return slot->second;
}

std::string EnumPlanName(const schema::EnumSchema& enumeration) {
  return absl::StrCat("k", Identifier(enumeration.nested_name), "Enum");
}

std::string CamelCase(std::string_view name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    result += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return result;
}

std::vector<std::string> NamespaceParts(const schema::File& file) {
  std::vector<std::string> parts;
  if (file.package.empty()) return parts;
  for (const absl::string_view part : absl::StrSplit(file.package, '.')) {
    std::string name(part.data(), part.size());
    // Inside a namespace a::std, `std` in generated code would mean a::std.
    while (IsReserved(name) || name == "std") name += '_';
    parts.push_back(name);
  }
  return parts;
}

std::string QualifiedNamespace(const schema::File& file) {
  std::string result;
  for (const std::string& part : NamespaceParts(file)) absl::StrAppend(&result, "::", part);
  return result;
}

std::string HeaderName(std::string_view proto_file_name) { return WithoutProto(proto_file_name) + ".structtensor.h"; }
std::string SourceName(std::string_view proto_file_name) { return WithoutProto(proto_file_name) + ".structtensor.cc"; }

}  // namespace structtensor::compiler
