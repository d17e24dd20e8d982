#include <algorithm>

#include "absl/strings/str_cat.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/emit/template.h"

namespace structtensor::compiler {
namespace {

std::string MessageAccessors(const GeneratedMessage& message) {
  std::string out;
  for (size_t i = 0; i < message.columns.size(); ++i) {
    const GeneratedColumn& column = message.columns[i];
    if (column.element != plan::Element::kMessage) continue;
    absl::StrAppend(&out, column.accessor_type, " ", message.names.columns, "::", column.member, "() const { return {node(), ",
                    i, "}; }\n");
  }
  absl::StrAppend(&out, EmitRowFunctions(message, RowAccessor::Place::kInSource));
  return out;
}

}  // namespace

std::string EmitSource(const GeneratedFile& file) {
  std::string includes;
  for (const std::string& header : file.source_includes) absl::StrAppend(&includes, "#include \"", header, "\"\n");
  std::string enums;
  for (const GeneratedEnum& plan : file.enums) enums += EmitEnumPlan(plan);
  std::string nodes;
  std::string plans;
  std::string leaf_decoders;  // inlined decoders come before the decoders that inline them
  std::string entry_decoders;
  std::string decoders;
  std::string encoders;
  std::string accessors;
  for (const GeneratedMessage& message : file.messages) {
    absl::StrAppend(&nodes, EmitNode(message), "\n");
    absl::StrAppend(&plans, EmitMessagePlan(message), "\n");
    std::string& group = !message.decoded_inline ? decoders : message.message->map_entry ? entry_decoders : leaf_decoders;
    absl::StrAppend(&group, EmitDecodeFunction(message), "\n");
    absl::StrAppend(&encoders, EmitEncodeFunction(message), "\n");
    accessors += MessageAccessors(message);
  }
  const bool has_tables = std::any_of(file.messages.begin(), file.messages.end(), [](const GeneratedMessage& message) {
    return std::any_of(message.cases.begin(), message.cases.end(), [](const TagCase& each) { return each.by_table; });
  });
  if (!enums.empty()) enums += "\n";
  if (!accessors.empty()) accessors += "\n";
  if (file.messages.empty() && file.enums.empty())
    return absl::StrCat(EmitBanner(file), "#include \"", HeaderName(file.file->name), "\"\n");
  return Fill(R"(
$banner$
#include "$header$"

#include <cstddef>

#include "structtensor/core/decode/abi/fields.h"
$scalars_include$
#include "structtensor/core/encode/abi/fields.h"
$includes$

$open$
namespace $internal$ {

namespace decode = ::structtensor::decode_internal;
namespace encode = ::structtensor::encode_internal;
namespace plan = ::structtensor::plan;
namespace wire = ::structtensor::wire_internal;

// The columns of each message type.
$nodes$
$enums$
// The plan of each message type: a constant that describes the type to the runtime.
$plans$
// Case ranges: a GNU extension that gcc and clang both support.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

// One decode function for each message type.
$decoders$
#pragma GCC diagnostic pop

// One encode function for each message type. They write backwards, from the last field to the first.
$encoders$
}  // namespace $internal$

$accessors$
$close$
)",
              {{"banner", EmitBanner(file)},
               {"header", HeaderName(file.file->name)},
               {"scalars_include", has_tables ? "#include \"structtensor/core/decode/abi/scalars.h\"\n" : ""},
               {"includes", includes},
               {"open", OpenNamespace(file)},
               {"internal", kInternalNamespace},
               {"nodes", nodes},
               {"enums", enums},
               {"plans", plans},
               {"decoders", leaf_decoders + entry_decoders + decoders},
               {"encoders", encoders},
               {"accessors", accessors},
               {"close", CloseNamespace(file)}});
}

std::string EmitConverterMain(const GeneratedFile& file, const GeneratedMessage& message) {
  return Fill(R"(
$banner$
#include <string_view>

#include "$header$"
#include "structtensor/app/convert/converter.h"

int main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "converter";
  return ::structtensor::ConverterMain(argc, argv, $namespace$::$columns$::plan(), path.substr(path.rfind('/') + 1));
}
)",
              {{"banner", EmitBanner(file)},
               {"header", HeaderName(file.file->name)},
               {"namespace", QualifiedNamespace(*file.file)},
               {"columns", message.names.columns}});
}

}  // namespace structtensor::compiler
