#include "structtensor/compiler/generator.h"

#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "structtensor/compiler/emit/emit.h"
#include "structtensor/compiler/options.h"
#include "structtensor/compiler/schema/schema.h"

namespace structtensor::compiler {
namespace {

namespace pb = ::google::protobuf;

void Write(pb::compiler::GeneratorContext& context, const std::string& name, const std::string& text) {
  const std::unique_ptr<pb::io::ZeroCopyOutputStream> stream(context.Open(name));
  pb::io::CodedOutputStream(stream.get()).WriteString(text);
}

std::string UnknownMessage(const std::string& name, const std::vector<const pb::FileDescriptor*>& files) {
  std::string known;
  for (const pb::FileDescriptor* file : files) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(file->message_type(i)->full_name()));
    }
  }
  return absl::StrCat("converter=", name, ": the files of this run declare no such message; they declare ", known);
}

}  // namespace

bool Generator::Generate(const pb::FileDescriptor* file, const std::string& parameter, pb::compiler::GeneratorContext* context,
                         std::string* error) const {
  return GenerateAll({file}, parameter, context, error);
}

bool Generator::GenerateAll(const std::vector<const pb::FileDescriptor*>& files, const std::string& parameter,
                            pb::compiler::GeneratorContext* context, std::string* error) const {
  const absl::StatusOr<Options> options = ParseOptions(parameter);
  if (!options.ok()) {
    *error = std::string(options.status().message());
    return false;
  }
  const schema::Schema schema(files, {.extensions = options->extensions});
  for (const schema::Problem& problem : schema.problems()) absl::StrAppend(error, error->empty() ? "" : "\n", problem.Text());
  if (!error->empty()) return false;
  if (options->warnings) {
    for (const std::string& warning : schema.warnings()) std::fprintf(stderr, "%s\n", warning.c_str());
  }
  NameTable names;
  bool converter_written = options->converter.empty();
  for (const pb::FileDescriptor* file : files) {
    const GeneratedFile generated = MakeGeneratedFile(schema.file(file), names);
    Write(*context, HeaderName(generated.file->name), EmitHeader(generated));
    Write(*context, SourceName(generated.file->name), EmitSource(generated));
    for (const GeneratedMessage& message : generated.messages) {
      if (message.message->full_name != options->converter) continue;
      Write(*context, "converter_main.structtensor.cc", EmitConverterMain(generated, message));
      converter_written = true;
    }
  }
  if (!converter_written) *error = UnknownMessage(options->converter, files);
  return converter_written;
}

uint64_t Generator::GetSupportedFeatures() const {
#if GOOGLE_PROTOBUF_VERSION >= 5027000
  return FEATURE_PROTO3_OPTIONAL | FEATURE_SUPPORTS_EDITIONS;
#else
  return FEATURE_PROTO3_OPTIONAL;
#endif
}

#if GOOGLE_PROTOBUF_VERSION >= 6032000
pb::Edition Generator::GetMaximumEdition() const { return pb::EDITION_2024; }
#elif GOOGLE_PROTOBUF_VERSION >= 5027000
pb::Edition Generator::GetMaximumEdition() const { return pb::EDITION_2023; }
#endif

}  // namespace structtensor::compiler
