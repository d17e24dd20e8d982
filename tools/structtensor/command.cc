#include "command.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "schema_of_files.h"
#include "structtensor/app/convert/shared/broken_record_list.h"
#include "structtensor/app/convert/shared/column_records.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/help.h"
#include "structtensor/app/filters/selection.h"
#include "structtensor/app/schema/shared/proto_files.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::command {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || text.fail()) {
    return absl::ErrnoToStatus(errno != 0 ? errno : EIO, absl::StrCat(DisplayPath(path), ": cannot read"));
  }
  return std::move(text).str();
}

constexpr const char* kGroup = "Schema";

}  // namespace

void SchemaFlags::Declare(CLI::App& app) {
  app.add_option("-p,--proto", protos_, "A .proto file")->type_name("FILE")->allow_extra_args(false)->group(kGroup);
  app.add_option("-I,--proto_path", import_dirs_, "Folder to search for imports; without --proto, read all its .proto files")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_option("-m,--message", message_, "Full name of the message type, or its last part, such as Recipe")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--descriptor_set_in", descriptor_sets_, "A FileDescriptorSet, instead of .proto files")
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_option("--annotations", annotations_, "Annotations of fields, for a schema that you cannot edit")
      ->type_name("FILE")
      ->group(kGroup);
}

void SchemaFlags::DeclareUnused(CLI::App& app) {
  Declare(app);
  for (CLI::Option* option : app.get_options()) {
    if (option->get_group() == kGroup) option->group("");
  }
}

absl::StatusOr<Schema> SchemaFlags::Annotated(const Schema& schema) const {
  if (annotations_.empty()) return schema;
  const absl::StatusOr<std::string> text = ReadFile(annotations_);
  if (!text.ok()) return text.status();
  return schema.WithAnnotations(*text, annotations_);
}

absl::StatusOr<Schema> SchemaFlags::Load() const {
  const absl::StatusOr<Schema> schema = LoadPlain();
  return schema.ok() ? Annotated(*schema) : schema;
}

absl::StatusOr<Schema> SchemaFlags::LoadOf(const std::vector<std::string>& inputs) const {
  const absl::StatusOr<std::vector<std::string>> files = ExpandInputs(inputs);
  if (!files.ok()) return files.status();
  const absl::StatusOr<std::optional<SchemaOfFiles>> found = FindSchemaOfFiles(*files, OnDamagedFile::kFail);
  if (!found.ok()) return found.status();
  return found->has_value() ? Annotated((*found)->schema) : absl::StatusOr<Schema>(NoSchemaIn(inputs));
}

absl::StatusOr<Schema> SchemaFlags::LoadPlain() const {
  if (!descriptor_sets_.empty()) {
    if (!protos_.empty() || !import_dirs_.empty()) {
      return absl::InvalidArgumentError("--descriptor_set_in has the whole schema: pass it without --proto and -I");
    }
    absl::StatusOr<std::string> bytes = ReadFile(descriptor_sets_.back());
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(*bytes);
    if (schema.ok()) return schema;
    return absl::Status(schema.status().code(), absl::StrCat(descriptor_sets_.back(), ": ", schema.status().message()));
  }
  if (!given()) {
    return absl::InvalidArgumentError(
        "no schema: name a .proto file with --proto (and its import folder with -I), or a descriptor set with "
        "--descriptor_set_in");
  }
  std::vector<std::string> protos = protos_;
  std::vector<std::string> import_dirs = import_dirs_;
  if (protos.empty()) {
    // If a folder is inside another one, imports of its files start at the inner folder.
    std::stable_sort(import_dirs.begin(), import_dirs.end(),
                     [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    absl::StatusOr<std::vector<std::string>> found = schema_internal::FindProtoFiles(import_dirs);
    if (!found.ok()) return absl::Status(found.status().code(), absl::StrCat("-I: ", found.status().message()));
    protos = *std::move(found);
  }
  return Schema::FromProtoFiles(protos, import_dirs);
}

absl::StatusOr<std::string> SchemaFlags::MessageOf(const Schema& schema, bool quiet, const ScanOptions& options) const {
  if (!message_.empty()) {
    absl::StatusOr<std::string> name = schema.Resolve(message_);
    if (name.ok()) return name;
    return absl::Status(name.status().code(), absl::StrCat("--message: ", name.status().message()));
  }
  if (options.confluent_headers) {
    absl::StatusOr<TypesOfIndexes> types = schema.TypesOfIndexes();
    if (!types.ok()) return types.status();
    ScanOptions with_types = options;
    with_types.types_of_indexes = *std::move(types);
    absl::StatusOr<std::string> name = FindConfluentMessage(with_types);
    if (!name.ok() || !name->empty()) {
      if (name.ok() && !quiet) std::cerr << "message type: " << *name << " (by the Confluent header of the first message)\n";
      return name;
    }
  }
  std::vector<std::string> roots = schema.RootMessageNames();
  if (roots.size() == 1) {
    if (!quiet) std::cerr << "message type: " << roots.front() << " (the only candidate)\n";
    return roots.front();
  }
  if (roots.empty()) return absl::InvalidArgumentError("the schema declares no message type");
  constexpr size_t kMaxListed = 20;
  const bool all = roots.size() <= kMaxListed;
  if (!all) roots.resize(kMaxListed);
  return absl::InvalidArgumentError(
      absl::StrCat("--message is required: ",
                   options.confluent_headers
                       ? "no file has a Confluent header that names a message type (standard input is not checked, because it "
                         "can be read only once), and "
                       : "",
                   "the schema has ", absl::StrJoin(roots, ", "), all ? "" : " and more"));
}

absl::StatusOr<MessageType> SchemaFlags::LoadMessage(bool quiet, const ScanOptions& options) const {
  std::optional<SchemaOfFiles> in_file;
  if (!given()) {
    const absl::StatusOr<std::vector<std::string>> files = ExpandInputs(options.inputs, OutputsOf(options));
    if (!files.ok()) return files.status();
    absl::StatusOr<std::optional<SchemaOfFiles>> found = FindSchemaOfFiles(*files, options.on_damaged_file);
    if (!found.ok()) return found.status();
    in_file = *std::move(found);
  }
  absl::StatusOr<Schema> schema = in_file.has_value() ? Annotated(in_file->schema) : Load();
  if (!schema.ok()) return schema.status();
  absl::StatusOr<std::string> name =
      in_file.has_value() && message_.empty() ? std::move(in_file->message) : MessageOf(*schema, quiet, options);
  if (!name.ok()) return name.status();
  absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan = schema->PlanOf(*name);
  if (!plan.ok()) return plan.status();
  absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan_of_files = plan;
  if (in_file.has_value() && !annotations_.empty()) plan_of_files = in_file->schema.PlanOf(*name);
  if (!plan_of_files.ok()) return plan_of_files.status();
  std::vector<std::string> schema_files = FilesOf(*schema);
  return MessageType{*std::move(schema), *std::move(name), *std::move(plan), *std::move(plan_of_files),
                     std::move(schema_files)};
}

std::vector<std::string> SchemaFlags::FilesOf(const Schema& schema) const {
  std::vector<std::string> files = schema.SourceFiles();
  files.insert(files.end(), descriptor_sets_.begin(), descriptor_sets_.end());
  if (!annotations_.empty()) files.push_back(annotations_);
  return files;
}

absl::StatusOr<MessageType> TypeOfRows(const MessageType& type, const std::string& rows) {
  const absl::StatusOr<const plan::MessagePlan*> message = MessageOfRows(*type.plan, rows);
  if (!message.ok()) return message.status();
  // The message is part of type.plan, so it shares its ownership.
  const std::shared_ptr<const plan::MessagePlan> plan(type.plan, *message);
  return MessageType{type.schema, std::string((*message)->full_name), plan, plan, type.schema_files};
}

namespace {

// Whether annotations skip a required field of the type, or of a type that it reaches.
bool SkipsRequired(const plan::MessagePlan& message, std::set<const plan::MessagePlan*>& seen) {
  if (!message.reaches_required || !seen.insert(&message).second) return false;
  return std::any_of(message.fields.begin(), message.fields.end(), [&seen](const plan::FieldPlan& field) {
    if (field.skipped) return field.presence == plan::Presence::kRequired;
    return field.message != nullptr && SkipsRequired(*field.message, seen);
  });
}

}  // namespace

absl::StatusOr<MessageType> Unannotated(const MessageType& type, const std::vector<std::string>& inputs) {
  std::set<const plan::MessagePlan*> seen;
  if (SkipsRequired(*type.plan_of_files, seen)) {
    const absl::StatusOr<std::vector<std::string>> files = ExpandInputs(inputs);
    // An error of ExpandInputs is reported by the code that reads the inputs.
    if (files.ok() && std::any_of(files->begin(), files->end(), IsColumnFile)) {
      return MessageType{type.schema, type.name, type.plan_of_files, type.plan_of_files, type.schema_files};
    }
  }
  absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan = type.schema.PlanOf(type.name, Schema::Annotations::kIgnore);
  if (!plan.ok()) return plan.status();
  return MessageType{type.schema, type.name, *std::move(plan), type.plan_of_files, type.schema_files};
}

namespace {

MessageOfText MessageOfTextproto(const MessageType& type, bool ignore_extra_fields) {
  absl::StatusOr<TextFormat> format = type.schema.TextFormatOf(type.name, {.ignore_extra_fields = ignore_extra_fields});
  if (!format.ok()) return {};  // never happens for a type of the schema
  return MessageOfTextBy(std::make_shared<TextFormat>(*std::move(format)));
}

}  // namespace

void ReadFilesOf(const MessageType& type, ScanOptions* options) {
  options->also_read = type.schema_files;
  options->json.resolve = type.schema.PlanFinder();
  options->message_of_textproto = MessageOfTextproto(type, options->json.ignore_extra_fields);
  if (absl::StatusOr<TypesOfIndexes> types = type.schema.TypesOfIndexes(type.name); types.ok()) {
    options->types_of_indexes = *std::move(types);
  }
  if (!options->open_records) return;
  options->open_records = [plan = type.plan_of_files, open = std::move(options->open_records)](
                              const plan::MessagePlan&, std::vector<std::string> inputs, const RecordReaderOptions& reader) {
    return open(*plan, std::move(inputs), reader);
  };
}

namespace {

// Adds the full names of the fields on a selected path that annotations skip.
void AddSkippedOn(const plan::MessagePlan& root, const std::string& path_text, std::set<std::string>& names) {
  const absl::StatusOr<Path> path = Path::Parse(path_text);
  if (!path.ok()) return;
  const plan::MessagePlan* message = &root;
  for (const Path::Step& step : path->steps()) {
    const bool named = step.kind() == Path::Step::Kind::kField;
    // A step by map key leads to the value of an entry.
    const plan::FieldPlan* const field = named ? message->FindByName(step.text()) : message->FindByNumber(2);
    if (field == nullptr) return;
    if (field->skipped) {
      const bool extension = field->name.starts_with('[');
      names.insert(extension ? std::string(field->name.substr(1, field->name.size() - 2))
                             : absl::StrCat(std::string(message->full_name), ".", std::string(field->name)));
    }
    if (field->message == nullptr) return;
    message = field->message;
  }
}

// The schema in which selected fields are not skipped.
absl::StatusOr<Schema> WithSelected(const MessageType& type, const ScanOptions& options) {
  if (options.row_options.selection.select.empty()) return type.schema;
  const absl::StatusOr<std::vector<std::string>> paths =
      ResolveSelection(*type.plan, options.row_options.selection, options.row_options.decode.recursion_depth);
  if (!paths.ok()) return paths.status();
  std::set<std::string> names;
  for (const std::string& path : *paths) AddSkippedOn(*type.plan, path, names);
  if (names.empty()) return type.schema;
  std::string annotations;
  for (const std::string& name : names) {
    absl::StrAppend(&annotations, "annotation { path: \"", name, "\" options { skip: false } }\n");
  }
  return type.schema.WithAnnotations(annotations, "--select");
}

}  // namespace

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> MetadataOf(const MessageType& type,
                                                                            const ScanOptions& options) {
  const absl::StatusOr<Schema> schema = WithSelected(type, options);
  if (!schema.ok()) return schema.status();
  return std::vector<std::pair<std::string, std::string>>{
      {kMessageMetadataKey, type.name}, {kDescriptorSetMetadataKey, absl::Base64Escape(schema->SerializeDescriptorSet())}};
}

CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& example, const std::string& what) {
  CLI::App* const verb = app.add_subcommand(name, convert_internal::DescriptionWithExample(what, example));
  verb->footer(convert_internal::kExitCodesHelp);
  return verb;
}

absl::StatusOr<DamageFound> ScanEachRecord(const MessageType& type, ScanOptions options, const Scan::UseBatch& use) {
  convert_internal::BrokenRecordList broken(DecodeOptions::OnError::kSkip);
  options.on_broken_record = [&broken](const BrokenRecord& record) { broken.Add(record); };
  options.damaged_file_found = [&broken](const DamagedFile& file) { broken.Add(file); };
  options.row_options.decode.on_error = DecodeOptions::OnError::kNull;
  options.on_damaged_file = OnDamagedFile::kRest;
  // The tensors are not used, so make the cheapest ones.
  options.row_options.tensor = {.optionals = Optionals::kNullable, .well_known_types = WellKnownTypes::kStructs};
  ReadFilesOf(type, &options);
  const absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(*type.plan, std::move(options));
  if (!scan.ok()) return scan.status();
  while (true) {
    const absl::StatusOr<bool> more = (*scan)->Next(use);
    if (!more.ok()) return more.status();
    if (!*more) break;
  }
  if (const absl::Status closed = (*scan)->Close(); !closed.ok()) return closed;
  broken.Finish(convert_internal::ReasonOf(**scan));
  return DamageFound{(*scan)->broken_records(), (*scan)->damaged_files()};
}

Json DamagedFilesJson(const std::vector<DamagedFile>& files) {
  Json list = Json::array();
  for (const DamagedFile& file : files) {
    list.push_back({{"file", file.file},
                    {"record", file.location.record_number},
                    {"byte_offset", file.location.byte_offset},
                    {"code", std::string(file.code)},
                    {"reason", convert_internal::WithFlagNames(file.problem)},
                    {"left_out", file.skipped ? "file" : "rest"}});
  }
  return list;
}

void PrintJson(const std::string& verb, Json document) {
  Json whole = {{"version", kJsonVersion}, {"verb", verb}};
  whole.update(document);
  std::cout << whole.dump(2, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
}

Json InexactTimesJson(const std::vector<InexactTimes>& times) {
  Json array = Json::array();
  for (const InexactTimes& each : times) {
    array.push_back({{"field", each.field_path},
                     {"unit", TimeUnitName(each.unit)},
                     {"set_to_null", each.out_of_range},
                     {"truncated", each.truncated}});
  }
  return array;
}

Json DroppedValuesJson(const std::vector<DroppedValues>& values) {
  Json array = Json::array();
  for (const DroppedValues& each : values) {
    array.push_back({{"message", each.message_type},
                     {"unknown_fields", each.unknown_fields},
                     {"unknown_enum_numbers", each.unknown_enum_numbers},
                     {"field", each.first_field_path},
                     {"first", each.first}});
  }
  return array;
}

}  // namespace structtensor::command
