#include "structtensor/app/convert/shared/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "structtensor/app/convert/internal/plain_json.h"
#include "structtensor/app/convert/internal/whole_number.h"
#include "structtensor/app/convert/shared/column_records.h"
#include "structtensor/core/base/shared/option_names.h"
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

const std::map<std::string, TimeUnit> kTimeUnits = {{"s", TimeUnit::kSeconds},
                                                    {"ms", TimeUnit::kMilliseconds},
                                                    {"us", TimeUnit::kMicroseconds},
                                                    {"ns", TimeUnit::kNanoseconds}};

const std::map<std::string, DecodeOptions::OnError> kOnError = {
    {"fail", DecodeOptions::OnError::kFail}, {"skip", DecodeOptions::OnError::kSkip}, {"null", DecodeOptions::OnError::kNull}};

const std::map<std::string, OnDamagedFile> kOnDamagedFile = {
    {"fail", OnDamagedFile::kFail}, {"rest", OnDamagedFile::kRest}, {"skip", OnDamagedFile::kSkip}};

const std::map<std::string, DecodeOptions::UnknownFields> kUnknownFields = {{"drop", DecodeOptions::UnknownFields::kDrop},
                                                                            {"keep", DecodeOptions::UnknownFields::kKeep}};

const std::map<std::string, WellKnownTypes> kWellKnown = {{"native", WellKnownTypes::kNative},
                                                          {"structs", WellKnownTypes::kStructs}};

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

// Limits against messages that are made to need more memory or time than their size suggests.
void DeclareLimits(CLI::App& app, DecodeOptions* decode) {
  constexpr const char* kGroup = "Limits";
  app.add_option("--max-message-bytes", decode->max_message_bytes, "A longer message is an error")
      ->transform(WholeNumber(1, DecodeOptions::kGreatestMaxMessageBytes))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--max-depth", decode->max_depth, "A message nested deeper than this is an error")
      ->transform(WholeNumber(0, DecodeOptions::kGreatestMaxDepth))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--max-rows", decode->max_rows, "A message with more elements than this in one field is an error")
      ->transform(WholeNumber(0, DecodeOptions::kGreatestMaxRows))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--max-cells", decode->max_cells,
                 "A message is an error if the elements of one field, times the fields that each may have, exceed this")
      ->transform(WholeNumber(0, UINT64_MAX))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--max-memory-bytes", decode->max_memory_bytes,
                 "A message whose columns need more memory than this is an error; a batch is decoded in parts then")
      ->transform(WholeNumber(0, UINT64_MAX))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option(
         "--max-paths", decode->max_paths,
         "A message with more different paths of message fields than this is an error; a batch is decoded in parts then")
      ->transform(WholeNumber(0, UINT32_MAX))
      ->capture_default_str()
      ->group(kGroup);
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
  app.add_option(
      "INPUT", options->inputs,
      "Files with serialized messages, plain or compressed (gzip, zstd, LZ4), or Parquet and Arrow files that were "
      "made of some, "
      "or folders of them; also s3:// and gs:// paths, in which * matches any part of a name; - or none: standard input");
  app.add_option(
         "--from", from_,
         "How files hold messages: delimited (each after its varint length), tfrecord, message (one a file), length32 or "
         "length32le (each after its length of 32 bits, big- or little-endian), or grpc (frames); as text: json or jsonl "
         "(protobuf's, a line for each message, or a list), rows (JSON objects of columns, as --to rows writes them), "
         "textproto "
         "(protobuf's text format, lines --- between messages), base64 or hex (lines), csv (fields by their paths in a "
         "header); or as rows of columns: parquet, arrow or arrows. Default: tfrecord for names ending in "
         ".tfrecord or .tfrecords, json for .json, .jsonl and .ndjson, "
         "textproto for .textproto, .txtpb and .pbtxt, csv for .csv, else what the file begins with; of a pipe, delimited")
      ->check(CLI::IsMember(InputFormats()));
  app.add_flag("--confluent", options->confluent_headers,
               "Messages begin with a Confluent header, whose indexes name the message type");
  app.add_flag("--ignore-extra-fields", ignore_extra_fields_,
               "Of JSON, text format, Parquet and Arrow files: pass over names and columns that are not fields of the message "
               "type, instead of "
               "an error");
}

std::string WithFlagNames(std::string text) {
  static constexpr base_internal::OptionName kFlags[] = {{"batch_size", "--batch-size"},
                                                         {"compression", "--compression"},
                                                         {"compression_level", "--compression-level"},
                                                         {"confluent_headers", "--confluent"},
                                                         {"dead_letters", "--dead-letters"},
                                                         {"drop", "--drop"},
                                                         {"filename_column", "--with-filename"},
                                                         {"format", "--from"},
                                                         {"max_message_bytes", "--max-message-bytes"},
                                                         {"message", "--message"},
                                                         {"offset_column", "--with-offset"},
                                                         {"on_damaged_file", "--on-damaged-file"},
                                                         {"on_error", "--on-error"},
                                                         {"overwrite", "--overwrite"},
                                                         {"partition_by", "--partition-by"},
                                                         {"rows", "--rows"},
                                                         {"select", "--select"},
                                                         {"where", "--where"}};
  text = absl::StrReplaceAll(text, {{" than max_depth = ", " than --max-depth="},
                                    {" than max_errors = ", " than --max-errors="},
                                    {" than max_message_bytes = ", " than --max-message-bytes="},
                                    {" than max_rows = ", " than --max-rows="},
                                    {" than max_cells = ", " than --max-cells="},
                                    {" than max_memory_bytes = ", " than --max-memory-bytes="},
                                    {" than max_paths = ", " than --max-paths="},
                                    {"set allow_missing_required to read it", "pass --allow-missing-required to read it"},
                                    {"(ignore_unknown_names passes over it)", "(--ignore-extra-fields passes over it)"},
                                    {"(ignore_extra_fields passes over it)", "(--ignore-extra-fields passes over it)"}});
  text = base_internal::WithOptionNames(text, kFlags, [](std::string_view flag, std::string_view value) {
    return absl::StrCat(ToAbsl(flag), value.empty() ? "" : "=", ToAbsl(value));
  });
  return base_internal::WithoutControlCharacters(text);
}

bool InputFlags::from_columns() const {
  return std::find(std::begin(kColumnFormats), std::end(kColumnFormats), from_) != std::end(kColumnFormats);
}

bool InputFlags::from_json_rows() const { return from_ == kRows || from_ == kJsonLines; }

std::string InputFlags::Resolve(ScanOptions* options) const {
  const bool from_columns = this->from_columns();
  const bool from_rows = from_ == kRows;
  options->open_records = [from_columns, from_rows, ignore_extra = ignore_extra_fields_](
                              const plan::MessagePlan& message, std::vector<std::string> inputs,
                              RecordReaderOptions reader_options) -> absl::StatusOr<std::unique_ptr<RecordReader>> {
    if (from_rows) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(reader_options.message_of_json, MessageOfPlainJson(message, ignore_extra));
    }
    return from_columns ? OpenColumnRecords(message, std::move(inputs), reader_options, ignore_extra)
                        : OpenRecordsOrColumns(message, std::move(inputs), reader_options, ignore_extra);
  };
  options->json.ignore_unknown_names = ignore_extra_fields_;
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
  if (options->inputs.empty()) options->inputs = {"-"};
  return "";
}

void DeclareRowsFlag(CLI::App& app, ScanOptions* options) {
  app.add_option(
         "--rows", options->rows,
         "A row for each element of this repeated message, as in resource_spans.scope_spans.spans; --select, --where and "
         "--limit are about these. Default: a row for each message of the inputs")
      ->type_name("PATH");
}

void RecordFlags::Declare(CLI::App& app, ScanOptions* options) {
  app.add_option("--where", options->where,
                 "Only rows for which this is true, as in SQL: \"minutes > 10 AND any(ingredients.name) = 'egg'\". Also <>, "
                 "IN, IS NULL, starts_with(path, 'text'), OR, NOT")
      ->type_name("CONDITION")
      ->check(CLI::Validator(
          [](std::string& text) {
            return std::string(text.empty() ? "the condition is empty; for all rows leave it out" : "");
          },
          ""));
  app.add_option("--skip", options->skip, "Skip the first N records")->type_name("N")->transform(WholeNumber(0, INT64_MAX));
  app.add_option("--limit", options->limit, "Read at most N records")->type_name("N")->transform(WholeNumber(0, INT64_MAX));
  app.add_option("--on-error", on_error_,
                 "fail: the first damaged message ends the run and nothing is written. skip: damaged messages are left "
                 "out and listed. null: they have rows in which every field is absent, and are listed")
      ->check(CLI::IsMember(Names(kOnError)))
      ->capture_default_str();
  app.add_option("--on-damaged-file", on_damaged_file_,
                 "What to do with a file that is damaged: fail, leave out the rest of it, or skip the whole file")
      ->check(CLI::IsMember(Names(kOnDamagedFile)))
      ->capture_default_str();
  app.add_option("--dead-letters", options->dead_letters,
                 "Keep damaged messages in this file, varint-delimited, and beside it, in FILE.jsonl, a line for each: file, "
                 "record, offsets, field and reason. They are kept whether the run succeeds or not")
      ->type_name("FILE");
  app.add_option("--max-errors", options->decode.max_errors,
                 "With --on-error=skip and null: more damaged messages than N end the run. Default: any number may be")
      ->type_name("N")
      ->transform(WholeNumber(0, INT64_MAX));
  app.add_flag("--allow-missing-required", options->decode.allow_missing_required,
               "Read messages that lack a required field, as if it were optional, instead of treating them as damaged");
  app.add_option("--batch-size", options->batch_size, "Messages decoded at a time; a batch has at most 4 MiB of input")
      ->transform(WholeNumber(1, kMaxRowsAtATime))
      ->capture_default_str();
  DeclareLimits(app, &options->decode);
}

std::string RecordFlags::Resolve(ScanOptions* options) const {
  options->decode.on_error = kOnError.at(on_error_);
  options->on_damaged_file = kOnDamagedFile.at(on_damaged_file_);
  if (options->decode.max_errors >= 0 && options->decode.on_error == DecodeOptions::OnError::kFail) {
    return "--max-errors is of use only with --on-error=skip or --on-error=null";
  }
  return "";
}

void ColumnFlags::Declare(CLI::App& app, ScanOptions* options) {
  app.add_option("--select", options->selection.select,
                 "Only these fields, with all below them: a path (address.city, labels[\"env\"]), one with * for any field "
                 "(address.*), or a regular expression over paths (/_id$/); may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--drop", options->selection.drop, "Not these fields, nor what is below them; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_flag("--with-filename{filename}", options->filename_column,
               "Put a column in front with the file that a message is from; =NAME calls it otherwise");
  app.add_flag(
      "--with-offset{offset}", options->offset_column,
      "Put a column in front with the byte at which a message begins in its file, decompressed; =NAME calls it otherwise");
  app.add_option("--unknown-fields", unknown_fields_,
                 "What becomes of fields that the schema does not know: drop, or keep in a bytes column of each message type. "
                 "Default: drop; where messages are written, keep, but for JSON, which has no place for them, and text format, "
                 "which shows them by their numbers and is not read back then")
      ->check(CLI::IsMember(Names(kUnknownFields)));
  app.add_option("--well-known", well_known_,
                 "Timestamp, Duration and wrapper types as timestamps, durations and nullable scalars, or as structs")
      ->check(CLI::IsMember(Names(kWellKnown)))
      ->capture_default_str();
  app.add_option(
         "--timestamps", timestamps_,
         "Unit of native timestamps and durations. Finer digits are cut off, and a time that 64 bits of the unit cannot hold "
         "is null: us hold the years 1 to 9999, ns only 1677 to 2262")
      ->check(CLI::IsMember(Names(kTimeUnits)))
      ->capture_default_str();
  app.add_option("--recursion-depth", options->decode.recursion_depth,
                 "How often a message type may occur on its own path; deeper messages are kept as serialized bytes")
      ->transform(WholeNumber(1, DecodeOptions::kGreatestRecursionDepth))
      ->capture_default_str();
}

std::string ColumnFlags::Resolve(ScanOptions* options, std::optional<RecordFormat> messages) const {
  const bool to_messages = messages.has_value();
  const bool to_json = messages == RecordFormat::kJson;
  const bool to_text = to_json || messages == RecordFormat::kTextproto;
  if (to_messages && (!options->filename_column.empty() || !options->offset_column.empty())) {
    return "--with-filename and --with-offset make columns, which messages do not have; write columns, for example --to rows";
  }
  if (to_json && unknown_fields_ == "keep") return "--unknown-fields=keep: protobuf's JSON has no place for them";
  const std::string unknown_fields = !unknown_fields_.empty() ? unknown_fields_ : to_messages && !to_text ? "keep" : "drop";
  options->decode.unknown_fields = kUnknownFields.at(unknown_fields);
  options->tensor.unknown_fields = options->decode.unknown_fields == DecodeOptions::UnknownFields::kKeep;
  options->tensor.well_known_types = kWellKnown.at(well_known_);
  options->tensor.timestamps = kTimeUnits.at(timestamps_);
  return "";
}

namespace {

void DeclareOutputPath(CLI::App& app, ConverterOptions* options, const std::string& what) {
  app.add_option("-o,--output", options->output, what + ". It appears under this name when it is complete");
}

}  // namespace

void CompressionFlags::Declare(CLI::App& app) {
  app.add_option("--compression", compression_,
                 "Compression of Parquet (all of these) and Arrow files (lz4, zstd or none). Default: zstd")
      ->check(CLI::IsMember(Names(CompressionsByName())));
  app.add_option("--compression-level", level_,
                 "Compression level: 1 to 9 for gzip, 1 to 22 for zstd. Default: the codec's own")
      ->type_name("N");
}

std::string CompressionFlags::Resolve(ConverterOptions* options) const {
  if (!compression_.has_value() && !level_.has_value()) return "";
  if (!options->has_output())
    return level_.has_value() ? "--compression-level is for --output" : "--compression is for --output";
  SinkOptions& sink = options->sink;
  if (compression_.has_value()) sink.compression = CompressionsByName().at(*compression_);
  const bool takes_none = options->records.has_value() || sink.format == SinkFormat::kJsonLines ||
                          sink.format == SinkFormat::kCsv || sink.format == SinkFormat::kNpz;
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
  DeclareOutputPath(app, options, "The file to write (with --partition-by, the folder); - for standard output");
  app.add_option(
         "--partition-by", options->partition_by,
         "Write a folder of files, one for each value of this column, as Hive names them: day=2024-05-01/part-0.parquet. "
         "A path (resource.service) to a text, a number or a bool; may be repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app.add_option(
         "--to", to_,
         absl::StrCat(
             "What to write: parquet, arrow (IPC file), arrows (IPC stream), rows (a JSON object of its columns for each row), "
             "csv or npz (NumPy's arrays); or messages again, as --from names them (json or jsonl: protobuf's JSON, a line for "
             "each). Default: by the output's ending (",
             SinkEndings(),
             ", .tfrecord, .json, .textproto, and .pb or .binpb for delimited); jsonl on standard output, parquet with "
             "--partition-by"))
      ->check(CLI::IsMember(formats));
  compression_.Declare(app);
  MessageJsonOptions& json = options->scan.json;
  app.add_flag("--json-proto-names", json.proto_field_names,
               "With --to json: field names as in the .proto file, not lowerCamelCase");
  app.add_flag("--json-enum-numbers", json.enums_as_numbers, "With --to json: enums as numbers, not by their names");
  app.add_flag("--json-defaults", json.always_print_fields_with_no_presence,
               "With --to json: also the fields without presence that have their default value (0, false, \"\", [] or {})");
  options->jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  app.add_option(
         "-j,--jobs", options->jobs,
         "1: one thread does everything. More: up to N/2 decode, 8 at most, while up to N encode columns of Parquet and one "
         "writes. Default: the processor's cores")
      ->type_name("N")
      ->transform(WholeNumber(1, 1024));
  app.add_flag("--overwrite", options->scan.overwrite, "Replace output and dead-letter files that exist");
  app.add_flag("--show-spec", options->show_spec, "Print the fields with their types and shapes");
  app.add_option("--head", options->head, "Print the first N rows as a table")
      ->type_name("N")
      ->transform(WholeNumber(0, kMaxRowsAtATime));
  app.add_flag("--quiet", options->quiet, "No progress line and no summary; errors and skipped messages are still reported");
}

namespace {

// Returns why the output cannot be a folder of partitions, or "" if it can.
std::string PartitionProblem(const ConverterOptions& options) {
  if (options.partition_by.empty()) return "";
  if (options.writes_standard_output()) return "--partition-by writes a folder, which standard output is not";
  if (options.records.has_value())
    return "--partition-by is for files of columns, not of messages: pass --to parquet, arrow, rows or csv";
  if (options.sink.format == SinkFormat::kNpz) return "--partition-by and npz do not go together: choose Parquet or Arrow";
  return "";
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

std::string EndingProblem(const std::string& output, const std::string& other_endings) {
  return absl::StrCat("the ending of '", DisplayPath(output), "' names no format; the known endings are ", SinkEndings(),
                      other_endings, " (or pass --to)");
}

}  // namespace

std::string OutputFlags::Resolve(ConverterOptions* options) const {
  if (!options->has_output()) {
    if (!options->partition_by.empty()) return "--partition-by is for the folder that --output names";
    if (std::string problem = compression_.Resolve(options); !problem.empty()) return problem;
    if (options->show_spec || options->head > 0) return "";
    return "--output is required, unless only --show-spec or --head is asked for";
  }
  options->scan.reserved = {options->output};
  if (std::string problem = CompressedNameProblem(options->output); !problem.empty()) {
    return problem;
  }
  if (const std::string problem = ResolveFormat(options); !problem.empty()) return problem;
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
  DeclareOutputPath(app, options, "The file to write; - for standard output");
  app.add_option(
         "--to", to_,
         absl::StrCat(
             "What to write: parquet, arrow (IPC file), arrows (IPC stream), rows (JSON lines), csv or npz. Default: by "
             "the output's ending (",
             SinkEndings(), "); rows on standard output, where they go without --output"))
      ->check(CLI::IsMember(formats));
  compression_.Declare(app);
  app.add_flag("--overwrite", options->scan.overwrite, "Replace output and dead-letter files that exist");
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
  return compression_.Resolve(options);
}

}  // namespace structtensor::convert_internal
