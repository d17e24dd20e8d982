#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::compiler {
namespace {

std::string Guard(const GeneratedFile& file) {
  std::string guard = "STRUCTTENSOR_GENERATED_" + HeaderName(file.file->name) + "_";
  for (char& c : guard) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  }
  return guard;
}

std::string Includes(const GeneratedFile& file) {
  std::string out;
  const bool uses_times = std::any_of(file.messages.begin(), file.messages.end(),
                                      [](const GeneratedMessage& message) { return message.row.uses_times; });
  if (uses_times) out += "#include \"structtensor/core/generated_api/time.h\"\n";
  for (const std::string& header : file.header_includes) {
    out += Fill(R"(
#if !__has_include("$header$")
#error "$header$ is missing: $proto$ imports that .proto file. Name it in PROTOS of structtensor_generate(), too."
#endif
#include "$header$"
)",
                {{"header", header}, {"proto", file.file->name}});
  }
  if (!out.empty()) out += "\n";
  return out;
}

// "::a::b::Name" -> "namespace a::b {\nclass Name;\n}"
void DeclareForward(const std::string& qualified, std::string_view before, std::string_view after, std::string& out) {
  const size_t separator = qualified.rfind("::");
  const std::string declaration =
      absl::StrCat(std::string(before), " ", qualified.substr(separator + 2), std::string(after), ";\n");
  if (separator == 0) {
    out += declaration;
  } else {
    absl::StrAppend(&out, "namespace ", qualified.substr(2, separator - 2), " {\n", declaration, "}\n");
  }
}

std::string ForwardDeclarations(const GeneratedFile& file) {
  std::string out;
  for (const std::string& qualified : file.forward_declared) DeclareForward(qualified, "class", "", out);
  for (const std::string& qualified : file.forward_enums) DeclareForward(qualified, "enum class", " : int32_t", out);
  if (!out.empty()) out += "\n";
  return out;
}

std::string ClassDeclarations(const GeneratedFile& file) {
  std::string out;
  for (const GeneratedMessage& message : file.messages) {
    absl::StrAppend(&out, "class ", message.names.columns, ";\n");
    if (!message.message->map_entry)
      absl::StrAppend(&out, "class ", message.names.row, ";\nclass ", message.names.row_builder, ";\n");
  }
  return out;
}

std::string InternalDeclarations(const GeneratedFile& file) {
  std::string out;
  for (const GeneratedMessage& message : file.messages) {
    out += Fill(R"(
extern const ::structtensor::plan::MessagePlan $plan$;
const uint8_t* $decode$(const uint8_t* p, const uint8_t* end, ::structtensor::plan::DecodeTarget* target, uint32_t row,
    uint32_t nesting, ::structtensor::plan::DecodeState* state);
uint8_t* $encode$(uint8_t* p, ::structtensor::plan::EncodeSource* source, uint32_t row,
    ::structtensor::plan::EncodeState* state);
)",
                {{"plan", message.names.plan}, {"decode", message.names.decode}, {"encode", message.names.encode}});
  }
  return out;
}

std::string Accessors(const GeneratedMessage& message) {
  std::string out;
  for (size_t i = 0; i < message.columns.size(); ++i) {
    const GeneratedColumn& column = message.columns[i];
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

std::string RowsOfColumns(const GeneratedMessage& message) {
  if (message.message->map_entry) return "";
  return Fill(R"(
// The rows of these columns. A row has an accessor for each field.
using Row = $row$;
::structtensor::ValueRange<$row$> rows() const { return ::structtensor::RowsOf<$row$>(node()); }
)",
              {{"row", message.names.row}});
}

std::string ColumnClass(const GeneratedMessage& message) {
  return Fill(R"(
// The columns of $full_name$.
class $columns$ : public ::structtensor::MessageColumns {
 public:
  using ::structtensor::MessageColumns::MessageColumns;
  static const ::structtensor::plan::MessagePlan& plan() { return $internal$::$plan$; }
  $rows$
  $accessors$
};
)",
              {{"full_name", message.message->full_name},
               {"columns", message.names.columns},
               {"internal", kInternalNamespace},
               {"plan", message.names.plan},
               {"rows", RowsOfColumns(message)},
               {"accessors", Accessors(message)}});
}

std::string BatchAndDecoder(const GeneratedMessage& message) {
  if (message.message->map_entry) return "";
  return Fill(R"(
using $batch$ = ::structtensor::Batch<$columns$>;
using $decoder$ = ::structtensor::Decoder<$columns$>;
using $encoder$ = ::structtensor::Encoder<$columns$>;
using $builder$ = ::structtensor::Builder<$columns$, $row_builder$>;
)",
              {{"encoder", message.names.encoder},
               {"builder", message.names.builder},
               {"row_builder", message.names.row_builder},
               {"batch", message.names.batch},
               {"decoder", message.names.decoder},
               {"columns", message.names.columns}});
}

}  // namespace

std::string EmitHeader(const GeneratedFile& file) {
  std::string classes;
  for (const GeneratedMessage& message : file.messages) absl::StrAppend(&classes, "\n", ColumnClass(message));
  for (const GeneratedMessage& message : file.messages) {
    if (!message.message->map_entry) absl::StrAppend(&classes, "\n", EmitRowClass(message), "\n", EmitRowBuilder(message));
  }
  std::string row_functions;
  for (const GeneratedMessage& message : file.messages)
    row_functions += EmitRowFunctions(message, RowAccessor::Place::kAfterClasses);
  if (!row_functions.empty()) absl::StrAppend(&classes, "\n", row_functions);
  std::string aliases;
  for (const GeneratedMessage& message : file.messages) aliases += BatchAndDecoder(message);
  return Fill(R"(
$banner$
#ifndef $guard$
#define $guard$

#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "structtensor/core/generated_api/batch.h"
$includes$
static_assert(::structtensor::plan::kContractVersion == $contract$,
              "This file was generated for another version of structtensor: generate it again with this one's "
              "protoc-gen-structtensor.");

$forward$
$enums$
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
               {"contract", absl::StrCat(plan::kContractVersion)},
               {"includes", Includes(file)},
               {"forward", ForwardDeclarations(file)},
               {"enums", EmitEnumClasses(file)},
               {"open", OpenNamespace(file)},
               {"class_declarations", ClassDeclarations(file)},
               {"internal", kInternalNamespace},
               {"internal_declarations", InternalDeclarations(file)},
               {"classes", classes},
               {"aliases", aliases},
               {"close", CloseNamespace(file)}});
}

}  // namespace structtensor::compiler
