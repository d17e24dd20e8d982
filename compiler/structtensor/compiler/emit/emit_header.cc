#include <cctype>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"

namespace structtensor::compiler {
namespace {

std::string Guard(const FilePlan& file) {
  std::string guard = "STRUCTTENSOR_GENERATED_" + HeaderName(file.file->name) + "_";
  for (char& c : guard) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  }
  return guard;
}

std::string Includes(const FilePlan& file) {
  std::string out;
  for (const std::string& header : file.header_includes) absl::StrAppend(&out, "#include \"", header, "\"\n");
  if (!out.empty()) out += "\n";
  return out;
}

// "::a::b::Name" -> "namespace a::b {\nclass Name;\n}"
std::string ForwardDeclarations(const FilePlan& file) {
  std::string out;
  for (const std::string& qualified : file.forward_declared) {
    const size_t separator = qualified.rfind("::");
    const std::string name = qualified.substr(separator + 2);
    if (separator == 0) {
      absl::StrAppend(&out, "class ", name, ";\n");
    } else {
      absl::StrAppend(&out, "namespace ", qualified.substr(2, separator - 2), " {\nclass ", name, ";\n}\n");
    }
  }
  if (!out.empty()) out += "\n";
  return out;
}

std::string ClassDeclarations(const FilePlan& file) {
  std::string out;
  for (const MessagePlan& message : file.messages) absl::StrAppend(&out, "class ", message.names.columns, ";\n");
  return out;
}

std::string InternalDeclarations(const FilePlan& file) {
  std::string out;
  for (const EnumPlan& plan : file.enums) absl::StrAppend(&out, "extern const ::structtensor::plan::Enum ", plan.name, ";\n");
  for (const MessagePlan& message : file.messages) {
    out += Fill(R"(
extern const ::structtensor::plan::MessagePlan $plan$;
const uint8_t* $decode$(const uint8_t* p, const uint8_t* end, ::structtensor::Node* base, uint32_t row, uint32_t nesting,
    ::structtensor::DecodeContext* context);
uint8_t* $encode$(uint8_t* p, ::structtensor::encode::Node* node, uint32_t row, ::structtensor::encode::Context* context);
)",
                {{"plan", message.names.plan}, {"decode", message.names.decode}, {"encode", message.names.encode}});
  }
  return out;
}

std::string Accessors(const MessagePlan& message) {
  std::string out;
  for (size_t i = 0; i < message.columns.size(); ++i) {
    const Column& column = message.columns[i];
    absl::StrAppend(&out, "\n// ", column.comment, "\n");
    const std::string index = absl::StrCat(i);
    if (column.element == plan::Element::kMessage) {
      absl::StrAppend(&out, column.accessor_type, " ", column.member, "() const;\n");
    } else {
      const bool repeated = column.cardinality == plan::Cardinality::kRepeated;
      const size_t element = column.accessor_type.find('<');
      absl::StrAppend(&out, column.accessor_type, " ", column.member, "() const { return ",
                      repeated ? "RepeatedAt" : "SingularAt", column.accessor_type.substr(element), "(", index, "); }\n");
    }
  }
  return out;
}

std::string ColumnClass(const MessagePlan& message) {
  return Fill(R"(
// The columns of $full_name$.
class $columns$ : public ::structtensor::MessageColumns {
 public:
  using ::structtensor::MessageColumns::MessageColumns;
  static const ::structtensor::plan::MessagePlan& plan() { return $internal$::$plan$; }
  $accessors$
};
)",
              {{"full_name", message.message->full_name},
               {"columns", message.names.columns},
               {"internal", kInternalNamespace},
               {"plan", message.names.plan},
               {"accessors", Accessors(message)}});
}

std::string BatchAndDecoder(const MessagePlan& message) {
  if (message.message->map_entry) return "";
  return Fill(R"(
using $batch$ = ::structtensor::Batch<$columns$>;
using $decoder$ = ::structtensor::Decoder<$columns$>;
using $encoder$ = ::structtensor::Encoder<$columns$>;
)",
              {{"encoder", message.names.encoder},
               {"batch", message.names.batch},
               {"decoder", message.names.decoder},
               {"columns", message.names.columns}});
}

}  // namespace

std::string EmitHeader(const FilePlan& file) {
  std::string classes;
  for (const MessagePlan& message : file.messages) absl::StrAppend(&classes, "\n", ColumnClass(message));
  std::string aliases;
  for (const MessagePlan& message : file.messages) aliases += BatchAndDecoder(message);
  return Fill(R"(
$banner$
#ifndef $guard$
#define $guard$

#include <cstdint>
#include <string_view>

#include "structtensor/decode/typed_columns.h"
#include "structtensor/encode/encoder.h"
$includes$
$forward$
$open$
$class_declarations$

namespace $internal$ {
$internal_declarations$
}  // namespace $internal$
$classes$

$aliases$
$close$
#endif  // $guard$
)",
              {{"banner", EmitBanner(file)},
               {"guard", Guard(file)},
               {"includes", Includes(file)},
               {"forward", ForwardDeclarations(file)},
               {"open", OpenNamespace(file)},
               {"class_declarations", ClassDeclarations(file)},
               {"internal", kInternalNamespace},
               {"internal_declarations", InternalDeclarations(file)},
               {"classes", classes},
               {"aliases", aliases},
               {"close", CloseNamespace(file)}});
}

std::string EmitBanner(const FilePlan& file) {
  return absl::StrCat("// Generated by protoc-gen-structtensor " STRUCTTENSOR_VERSION " from ", file.file->name,
                      ". Do not edit.\n", "// clang-format off\n");
}

std::string OpenNamespace(const FilePlan& file) {
  return file.namespaces.empty() ? "" : absl::StrCat("namespace ", absl::StrJoin(file.namespaces, "::"), " {\n");
}

std::string CloseNamespace(const FilePlan& file) {
  return file.namespaces.empty() ? "" : absl::StrCat("}  // namespace ", absl::StrJoin(file.namespaces, "::"), "\n");
}

}  // namespace structtensor::compiler
