#include "structtensor/app/convert/shared/flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "structtensor/app/convert/internal/plain_json.h"
#include "structtensor/app/convert/internal/whole_number.h"
#include "structtensor/app/convert/shared/column_records.h"
#include "structtensor/app/scan/shared/option_table.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::convert_internal {
namespace {

std::map<std::string, RecordFormat> RecordFormatsByName() {
  std::map<std::string, RecordFormat> formats;
  for (const RecordFormat format : RecordFormats()) formats.emplace(RecordFormatName(format), format);
  return formats;
}

std::map<std::string, SinkFormat> SinkFormatsByName() {
  std::map<std::string, SinkFormat> formats;
  for (const SinkFormat format : SinkFormats()) formats.emplace(SinkFormatName(format), format);
  return formats;
}

std::map<std::string, SinkCompression> CompressionsByName() {
  std::map<std::string, SinkCompression> compressions;
  for (const CompressionCodec& codec : CompressionCodecs()) compressions.emplace(codec.name, codec.compression);
  return compressions;
}

// Formats of column files whose rows are messages. The first bytes of a file say which of these formats it has.
constexpr std::string_view kColumnFormats[] = {"arrow", "arrows", "parquet"};

template <typename Value>
std::vector<std::string> Names(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

// JSON objects of columns, as `--to rows` writes them. JSON is read as protobuf's JSON unless this format is chosen.
constexpr char kRows[] = "rows";
// Another name of protobuf's JSON, after the endings .jsonl and .ndjson. Rows that are no messages are objects of columns.
constexpr char kJsonLines[] = "jsonl";

std::vector<std::string> InputFormats() {
  std::vector<std::string> names = Names(RecordFormatsByName());
  names.insert(names.end(), std::begin(kColumnFormats), std::end(kColumnFormats));
  names.insert(names.end(), {kJsonLines, kRows});
  return names;
}

using scan_internal::Face;
using scan_internal::Option;
using scan_internal::OptionGroup;
using scan_internal::OptionType;

// The groups of the list of options that --help-all prints.
std::string GroupTitle(OptionGroup group) {
  switch (group) {
    case OptionGroup::kInputs:
      return "Input";
    case OptionGroup::kNestedRows:
    case OptionGroup::kRecords:
      return "Rows";
    case OptionGroup::kColumns:
      return "Columns";
    case OptionGroup::kBatches:
    case OptionGroup::kLimits:
      return "Limits";
  }
  return "";
}
constexpr char kOutputGroup[] = "Output";

void AddToFooter(CLI::App& app, const std::string& line) { app.footer(absl::StrCat(app.get_footer(), "\n", line)); }

// Declares the flag of an option that is written as text, for which `set` is called.
CLI::Option* DeclareText(CLI::App& app, const Option& option, const std::function<void(const std::string&)>& set) {
  CLI::Option* const flag =
      app.add_option_function<std::string>(std::string(option.flag), set, scan_internal::HelpText(Face::kCommand, option));
  if (option.type == OptionType::kNumber) return flag->transform(WholeNumber(option.least, option.greatest));
  std::vector<std::string> words;
  for (const scan_internal::OptionWord& word : option.words) words.emplace_back(word.name);
  return flag->check(CLI::IsMember(words))->type_name(absl::StrJoin(words, "|"));
}

CLI::Option* Declare(CLI::App& app, const Option& option, ScanOptions* options) {
  const std::string flag(option.flag);
  const std::string help = scan_internal::HelpText(Face::kCommand, option);
  const auto set = [&option, options](const std::string& text) {
    scan_internal::SetText(Face::kCommand, option, text, *options).IgnoreError();  // CLI11 has checked the text
  };
  switch (option.type) {
    case OptionType::kFlag:
      if (!option.words.empty()) break;
      return app.add_flag_callback(
          flag, [&option, options] { option.access.set(*options, 1); }, help);
    case OptionType::kText:
      if (option.alone.empty()) return app.add_option(flag, option.access.text(*options), help);
      return app.add_flag(absl::StrCat(flag, "{", ToAbsl(option.alone), "}"), option.access.text(*options), help);
    case OptionType::kPatterns:
      return app.add_option(flag, option.access.list(*options), help)->allow_extra_args(false);
    case OptionType::kNumber:
    case OptionType::kWord:
      break;
  }
  return DeclareText(app, option, set);
}

void DeclareGroup(CLI::App& app, OptionGroup group, ScanOptions* options) {
  for (const Option& option : scan_internal::Options()) {
    if (option.group == group && !option.flag.empty()) DeclareOption(app, option.name, options);
  }
}

}  // namespace

int ReportWrongUsage(std::string_view name, std::string_view problem) {
  absl::FPrintF(stderr, "%s: %s\nRun with --help for more information.\n", ToAbsl(name),
                base_internal::WithoutControlCharacters(problem));
  return kExitUsage;
}

// CLI11's own checks print ranges of 309 digits and take "-1" for a large number.
CLI::Validator WholeNumber(uint64_t least, uint64_t most) {
  const NumberRange range = {least, most};
  return CLI::Validator([range](std::string& text) { return ReadWholeNumber(range, text); }, range.Text());
}

void InputFlags::Declare(CLI::App& app, ScanOptions* options) {
  options->inputs.clear();  // Resolve() sets the default
  app.add_option("INPUT", options->inputs, "Files or folders, also s3:// and gs:// paths; - is standard input")
      ->default_str("-");
  app.add_option("--from", from_, "Input format, such as delimited, tfrecord, json or csv")
      ->check(CLI::IsMember(InputFormats()))
      ->type_name("FORMAT")
      ->default_str("by name or content")
      ->group(GroupTitle(OptionGroup::kInputs));
  AddToFooter(app, absl::StrCat("Formats of --from: ", absl::StrJoin(InputFormats(), ", ")));
  DeclareOption(app, "confluent_headers", options);
  DeclareOption(app, "ignore_extra_fields", options);
}

CLI::Option* DeclareOption(CLI::App& app, std::string_view name, ScanOptions* options) {
  const Option& option = *scan_internal::FindOption(name);
  CLI::Option* const flag = Declare(app, option, options);
  if (!option.alone.empty()) {
    flag->option_text(absl::StrCat("[=", ToAbsl(option.value_name), "]"));
  } else if (!option.value_name.empty()) {
    flag->type_name(std::string(option.value_name));
  }
  if (option.type != OptionType::kFlag || !option.words.empty()) {
    flag->default_str(scan_internal::DefaultText(Face::kCommand, option));
  }
  return flag->group(GroupTitle(option.group));
}

std::string WithFlagNames(std::string text) {
  return base_internal::WithoutControlCharacters(scan_internal::WithOptionNames(Face::kCommand, text));
}

bool InputFlags::from_columns() const {
  return std::find(std::begin(kColumnFormats), std::end(kColumnFormats), from_) != std::end(kColumnFormats);
}

bool InputFlags::from_json_rows() const { return from_ == kRows || from_ == kJsonLines; }

std::string InputFlags::Resolve(ScanOptions* options) const {
  const bool from_columns = this->from_columns();
  const bool from_rows = from_ == kRows;
  options->open_records = [from_columns, from_rows, ignore_extra = options->json.ignore_extra_fields](
                              const plan::MessagePlan& message, std::vector<std::string> inputs,
                              RecordReaderOptions reader_options) -> absl::StatusOr<std::unique_ptr<RecordReader>> {
    if (from_rows) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(reader_options.message_of_json, MessageOfPlainJson(message, ignore_extra));
    }
    return from_columns ? OpenColumnRecords(message, std::move(inputs), reader_options, ignore_extra)
                        : OpenRecordsOrColumns(message, std::move(inputs), reader_options, ignore_extra);
  };
  const bool from_json = from_ == RecordFormatName(RecordFormat::kJson) || from_ == kJsonLines || from_rows;
  if (from_json && options->confluent_headers) return "--confluent is for messages, not for JSON";
  if (from_ == "textproto" && options->confluent_headers) return "--confluent is for messages, not for text format";
  if (from_ == "csv" && options->confluent_headers) return "--confluent is for messages, not for CSV";
  if (from_columns && options->confluent_headers) return "--confluent is for messages, not for rows of columns";
  if (from_json) {
    options->format = RecordFormat::kJson;
  } else if (!from_.empty() && !from_columns) {
    options->format = RecordFormatsByName().at(from_);
  }
  if (options->inputs.empty()) {
    if (isatty(STDIN_FILENO) == 1) return "no input: name files, or pipe messages to standard input";
    options->inputs = {"-"};
  }
  return "";
}

void RecordFlags::Declare(CLI::App& app, ScanOptions* options) {
  DeclareGroup(app, OptionGroup::kRecords, options);
  DeclareGroup(app, OptionGroup::kBatches, options);
  DeclareGroup(app, OptionGroup::kLimits, options);
  app.get_option("--where")->check(CLI::Validator(
      [](std::string& text) { return std::string(text.empty() ? "the condition is empty; for all rows leave it out" : ""); },
      ""));
}

std::string RecordFlags::Resolve(const ScanOptions& options) const {
  return WithFlagNames(std::string(scan_internal::CheckRowOptions(options.row_options).message()));
}

void ColumnFlags::Declare(CLI::App& app, ScanOptions* options) {
  for (const Option& option : scan_internal::Options()) {
    if (option.group != OptionGroup::kColumns || option.flag.empty()) continue;
    if (option.name != "unknown_fields") {
      DeclareOption(app, option.name, options);
      continue;
    }
    DeclareText(app, option, [this](const std::string& text) { unknown_fields_ = text; })
        ->description("What to do with fields that are not in the schema")
        ->default_str("drop; keep if the output is serialized messages")
        ->group(GroupTitle(option.group));
  }
}

std::string ColumnFlags::Resolve(ScanOptions* options, std::optional<RecordFormat> messages) const {
  const bool to_messages = messages.has_value();
  const bool to_json = messages == RecordFormat::kJson;
  const bool to_text = to_json || messages == RecordFormat::kTextproto;
  if (to_messages && (!options->filename_column.empty() || !options->offset_column.empty())) {
    return "--with-filename and --with-offset make columns, which messages do not have; write columns, for example --to rows";
  }
  if (to_json && unknown_fields_ == "keep") return "--unknown-fields=keep: protobuf's JSON cannot represent unknown fields";
  const std::string unknown_fields = !unknown_fields_.empty() ? unknown_fields_ : to_messages && !to_text ? "keep" : "drop";
  scan_internal::FindOption("unknown_fields")->access.set(*options, unknown_fields == "keep" ? 1 : 0);
  return "";
}

namespace {

void DeclareOutputPath(CLI::App& app, ConverterOptions* options, const std::string& what, const std::string& default_help) {
  app.add_option("-o,--output", options->output, what)->type_name("FILE")->default_str(default_help)->group(kOutputGroup);
}

void DeclareFormat(CLI::App& app, std::string* format, const std::vector<std::string>& formats, const std::string& what,
                   const std::string& default_help) {
  app.add_option("--to", *format, what)
      ->check(CLI::IsMember(formats))
      ->type_name("FORMAT")
      ->default_str(default_help)
      ->group(kOutputGroup);
  AddToFooter(app, absl::StrCat("Formats of --to: ", absl::StrJoin(formats, ", ")));
}

void DeclareOverwrite(CLI::App& app, ConverterOptions* options) {
  app.add_flag("--overwrite", options->scan.overwrite, "Replace output and dead-letter files that exist")->group(kOutputGroup);
}

}  // namespace

void CompressionFlags::Declare(CLI::App& app) {
  const std::vector<std::string> names = Names(CompressionsByName());
  app.add_option("--compression", compression_, "Compression of Parquet and Arrow files")
      ->check(CLI::IsMember(names))
      ->type_name(absl::StrJoin(names, "|"))
      ->default_str("zstd")
      ->group(kOutputGroup);
  app.add_option("--compression-level", level_, "Compression level: 1 to 9 for gzip, 1 to 22 for zstd")
      ->type_name("N")
      ->default_str("the codec's")
      ->group(kOutputGroup);
}

std::string CompressionFlags::Resolve(ConverterOptions* options) const {
  if (!compression_.has_value() && !level_.has_value()) return "";
  if (!options->has_output())
    return level_.has_value() ? "--compression-level is for --output" : "--compression is for --output";
  SinkOptions& sink = options->sink;
  if (compression_.has_value()) sink.compression = CompressionsByName().at(*compression_);
  const bool takes_none = options->records.has_value() || !HasCompression(sink.format);
  if (takes_none) {
    if (level_.has_value()) return "--compression-level is for Parquet and Arrow files";
    return sink.compression == SinkCompression::kNone ? "" : "--compression is for Parquet and Arrow files";
  }
  if (level_.has_value()) {
    const CompressionCodec& codec = CodecOf(CompressionOf(sink));
    std::string level = *level_;
    const NumberRange levels = {static_cast<uint64_t>(codec.least_level), static_cast<uint64_t>(codec.greatest_level)};
    const std::string problem = ReadWholeNumber(levels, level);
    const bool has_levels = codec.greatest_level > 0;
    if (has_levels && !problem.empty()) return absl::StrCat("--compression-level of ", ToAbsl(codec.name), ": ", problem);
    sink.compression_level = has_levels ? std::stoi(level) : 0;  // any level of a codec without levels is an error
  }
  return WithFlagNames(std::string(CheckCompression(sink).message()));
}

void OutputFlags::Declare(CLI::App& app, ConverterOptions* options) {
  std::vector<std::string> formats = Names(SinkFormatsByName());
  for (std::string& name : Names(RecordFormatsByName())) {
    if (name != RecordFormatName(RecordFormat::kCsv)) formats.push_back(std::move(name));  // CSV is written as columns
  }
  formats.push_back(kJsonLines);
  DeclareOutputPath(app, options, "File to write, or folder with --partition-by", "standard output");
  DeclareFormat(app, &to_, formats, "Output format, such as parquet, csv or tfrecord", "by file name, else jsonl");
  app.add_option("--partition-by", options->partition_by, "Write a folder of files, one for each value of this field")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->group(kOutputGroup);
  compression_.Declare(app);
  MessageJsonOptions& json = options->scan.json;
  app.add_flag("--json-proto-names", json.proto_field_names, "In JSON, name fields as in the .proto file")->group(kOutputGroup);
  app.add_flag("--json-enum-numbers", json.enums_as_numbers, "In JSON, write enums as numbers")->group(kOutputGroup);
  app.add_flag("--json-defaults", json.always_print_fields_with_no_presence,
               "In JSON, write fields without presence that have their default value")
      ->group(kOutputGroup);
  DeclareOverwrite(app, options);
  app.add_flag("--show-spec", options->show_spec, "Print the fields with their types and shapes")->group(kOutputGroup);
  app.add_option("--head", options->head, "Print the first rows as a table")
      ->type_name("N")
      ->transform(WholeNumber(0, kMaxRowsAtATime))
      ->group(kOutputGroup);
  app.add_flag("-q,--quiet", options->quiet, "Suppress the progress line and the summary")->group(kOutputGroup);
  options->jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  app.add_option("-j,--jobs", options->jobs, "Number of threads")
      ->type_name("N")
      ->transform(WholeNumber(1, 1024))
      ->default_str("number of CPU cores");
}

namespace {

// Returns why the output cannot be a folder of partitions, or "" if it can.
std::string PartitionProblem(const ConverterOptions& options) {
  if (options.partition_by.empty()) return "";
  if (options.writes_standard_output()) return "--partition-by writes a folder, which standard output is not";
  if (options.records.has_value())
    return "--partition-by is for files of columns, not of messages: pass --to parquet, arrow, rows or csv";
  if (!HasPartitions(options.sink.format)) {
    return absl::StrCat("--partition-by and ", ToAbsl(SinkFormatName(options.sink.format)),
                        " do not go together: choose Parquet or Arrow");
  }
  return "";
}

// Bytes on a terminal may change its settings, and no one can read them.
std::string TerminalProblem(const ConverterOptions& options) {
  if (!options.writes_standard_output() || isatty(STDOUT_FILENO) == 0) return "";
  constexpr RecordFormat kTextRecords[] = {RecordFormat::kJson, RecordFormat::kTextproto, RecordFormat::kBase64,
                                           RecordFormat::kHex};
  const bool text = options.records.has_value()
                        ? std::ranges::find(kTextRecords, *options.records) != std::ranges::end(kTextRecords)
                        : options.sink.format == SinkFormat::kJsonLines || options.sink.format == SinkFormat::kCsv;
  if (text) return "";
  return absl::StrCat(
      ToAbsl(options.records.has_value() ? RecordFormatName(*options.records) : SinkFormatName(options.sink.format)),
      " is a binary format, and standard output is a terminal; pass --output FILE, or redirect it");
}

// "" if the options of JSON are not set, or the output is protobuf's JSON.
std::string JsonProblem(const ConverterOptions& options) {
  if (options.records == RecordFormat::kJson) return "";
  const MessageJsonOptions& json = options.scan.json;
  const char* const flag = json.proto_field_names                      ? "--json-proto-names"
                           : json.enums_as_numbers                     ? "--json-enum-numbers"
                           : json.always_print_fields_with_no_presence ? "--json-defaults"
                                                                       : nullptr;
  return flag == nullptr ? "" : absl::StrCat(flag, " is for protobuf's JSON (--to json)");
}

std::string CompressedNameProblem(const std::string& output) {
  for (const auto& [ending, program] : {std::pair(".gz", "gzip"), std::pair(".zst", "zstd"), std::pair(".lz4", "lz4")}) {
    if (!PathWithoutOptions(output).ends_with(ending)) continue;
    return absl::StrCat("'", DisplayPath(output), "': ", program, " is read, not written; write to - and pipe it to ", program);
  }
  return "";
}

// For "convert a.pb b.parquet", in which the output has no -o. Nothing is written yet, so a file to read would exist.
std::string OutputWithoutFlagProblem(const std::vector<std::string>& inputs) {
  if (inputs.size() < 2) return "";
  const std::string& last = inputs.back();
  const bool has_ending = SinkFormatOfPath(last).has_value() || RecordFormatOfName(last).has_value();
  if (!has_ending || IsRemotePath(last) || last.find('*') != std::string::npos) return "";
  std::error_code error;
  if (std::filesystem::exists(last, error) || error) return "";
  return absl::StrCat("there is no file '", DisplayPath(last), "' to read; to write it, pass -o ", DisplayPath(last));
}

std::string EndingProblem(const std::string& output, const std::string& other_endings) {
  return absl::StrCat("the ending of '", DisplayPath(output), "' names no format; the known endings are ", SinkEndings(),
                      other_endings, " (or pass --to)");
}

}  // namespace

std::string OutputFlags::Resolve(ConverterOptions* options) const {
  if (!options->has_output()) {
    if (!options->partition_by.empty()) return "--partition-by is for the folder that --output names";
    if (std::string problem = OutputWithoutFlagProblem(options->scan.inputs); !problem.empty()) return problem;
    if (to_.empty() && (options->show_spec || options->head > 0)) return compression_.Resolve(options);
    options->output = "-";
  }
  options->scan.reserved = {options->output};
  if (std::string problem = CompressedNameProblem(options->output); !problem.empty()) {
    return problem;
  }
  if (const std::string problem = ResolveFormat(options); !problem.empty()) return problem;
  if (const std::string problem = TerminalProblem(*options); !problem.empty()) return problem;
  if (const std::string problem = PartitionProblem(*options); !problem.empty()) return problem;
  if (const std::string problem = JsonProblem(*options); !problem.empty()) return problem;
  return compression_.Resolve(options);
}

// Whether the output is JSON lines, by --to, its ending, or because it is standard output.
bool OutputFlags::IsJsonLines(const ConverterOptions& options) const {
  if (!to_.empty()) return to_ == kJsonLines;
  if (options.writes_standard_output()) return options.partition_by.empty();
  const std::string_view name = PathWithoutOptions(options.output);
  return options.partition_by.empty() && (name.ends_with(".jsonl") || name.ends_with(".ndjson"));
}

std::string OutputFlags::ResolveFormat(ConverterOptions* options) const {
  options->json_lines = IsJsonLines(*options);
  if (options->json_lines) {
    options->records = RecordFormat::kJson;
    return "";
  }
  const std::map<std::string, SinkFormat> sinks = SinkFormatsByName();
  if (const auto sink = sinks.find(to_); sink != sinks.end()) {
    options->sink.format = sink->second;
    return "";
  }
  if (!to_.empty()) {
    options->records = RecordFormatsByName().at(to_);
    return "";
  }
  if (options->writes_standard_output()) return "";
  if (!options->partition_by.empty()) {
    options->sink.format = SinkFormat::kParquet;
    return "";
  }
  options->records = RecordFormatOfName(options->output);
  if (options->records == RecordFormat::kCsv) options->records.reset();
  const std::string_view name = PathWithoutOptions(options->output);
  if (name.ends_with(".pb") || name.ends_with(".binpb")) options->records = RecordFormat::kDelimited;
  const std::optional<SinkFormat> format = SinkFormatOfPath(options->output);
  if (!options->records.has_value() && !format.has_value()) {
    return EndingProblem(options->output, ", .tfrecord, .json, .textproto, .pb, .binpb");
  }
  options->sink.format = format.value_or(SinkFormat::kJsonLines);
  return "";
}

void SinkFlags::Declare(CLI::App& app, ConverterOptions* options) {
  std::vector<std::string> formats = Names(SinkFormatsByName());
  formats.push_back(kJsonLines);  // the rows are no messages
  DeclareOutputPath(app, options, "File to write; - is standard output", "print a table");
  DeclareFormat(app, &to_, formats, "Output format, such as parquet, csv or jsonl", "by file name, else rows");
  compression_.Declare(app);
  DeclareOverwrite(app, options);
}

std::string SinkFlags::Resolve(ConverterOptions* options) const {
  if (!to_.empty() && !options->has_output()) options->output = "-";
  if (!options->has_output()) return compression_.Resolve(options);
  options->scan.reserved = {options->output};
  if (std::string problem = CompressedNameProblem(options->output); !problem.empty()) return problem;
  if (!to_.empty()) {
    options->sink.format = to_ == kJsonLines ? SinkFormat::kJsonLines : SinkFormatsByName().at(to_);
  } else if (!options->writes_standard_output()) {
    const std::optional<SinkFormat> format = SinkFormatOfPath(options->output);
    if (!format.has_value()) return EndingProblem(options->output, "");
    options->sink.format = *format;
  }
  if (const std::string problem = TerminalProblem(*options); !problem.empty()) return problem;
  return compression_.Resolve(options);
}

}  // namespace structtensor::convert_internal
