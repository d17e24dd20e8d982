#include "structtensor/converter/internal/options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "absl/strings/str_cat.h"
#include "structtensor/converter/internal/whole_number.h"

namespace structtensor::converter_internal {
namespace {

const std::map<std::string, RecordFormat> kInputFormats = {
    {"delimited", RecordFormat::kDelimited}, {"tfrecord", RecordFormat::kTfRecord}, {"message", RecordFormat::kMessage}};

const std::map<std::string, SinkFormat> kOutputFormats = {{"parquet", SinkFormat::kParquet},
                                                          {"arrow", SinkFormat::kArrowFile},
                                                          {"arrows", SinkFormat::kArrowStream},
                                                          {"jsonl", SinkFormat::kJsonLines}};

// Messages that are decoded at a time, and rows that are shown: even without a byte in them they take memory.
constexpr uint64_t kMaxBatchSize = uint64_t{1} << 24;

struct Ending {
  std::string_view text;
  SinkFormat format;
};
constexpr Ending kEndings[] = {{".parquet", SinkFormat::kParquet},   {".arrow", SinkFormat::kArrowFile},
                               {".feather", SinkFormat::kArrowFile}, {".arrows", SinkFormat::kArrowStream},
                               {".jsonl", SinkFormat::kJsonLines},   {".ndjson", SinkFormat::kJsonLines}};

std::optional<SinkFormat> FormatOfEnding(std::string_view path) {
  for (const Ending& ending : kEndings) {
    if (path.ends_with(ending.text)) return ending.format;
  }
  return std::nullopt;
}

std::string KnownEndings() {
  std::string known;
  for (const Ending& ending : kEndings) absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(ending.text));
  return known;
}

template <typename Format>
std::vector<std::string> Names(const std::map<std::string, Format>& formats) {
  std::vector<std::string> names;
  for (const auto& [name, format] : formats) names.push_back(name);
  return names;
}

// What CLI11 fills as text, and what it means once all of it is known.
struct FormatNames {
  std::string input;
  std::string output;
  std::string on_error = "fail";
  std::string unknown_fields = "drop";
  std::string timestamps = "ns";
};

const std::map<std::string, TimeUnit> kTimeUnits = {{"s", TimeUnit::kSeconds},
                                                    {"ms", TimeUnit::kMilliseconds},
                                                    {"us", TimeUnit::kMicroseconds},
                                                    {"ns", TimeUnit::kNanoseconds}};

const std::map<std::string, DecodeOptions::OnError> kOnError = {
    {"fail", DecodeOptions::OnError::kFail}, {"skip", DecodeOptions::OnError::kSkip}, {"null", DecodeOptions::OnError::kNull}};

const std::map<std::string, DecodeOptions::UnknownFields> kUnknownFields = {{"drop", DecodeOptions::UnknownFields::kDrop},
                                                                            {"keep", DecodeOptions::UnknownFields::kKeep}};

// CLI11's own checks print ranges of 309 digits and take "-1" for a large number.
CLI::Validator WholeNumber(uint64_t least, uint64_t most) {
  const NumberRange range = {least, most};
  return CLI::Validator([range](std::string& text) { return ReadWholeNumber(range, text); }, range.Text());
}

void Declare(CLI::App& app, ConverterOptions* options, FormatNames* names) {
  app.add_option("INPUT", options->inputs, "Files with serialized messages, plain or gzip; - or none: standard input");
  app.add_option("-o,--output", options->output,
                 "The file to write; - for standard output. It appears under this name when it is complete");
  app.add_option("--input-format", names->input,
                 "How messages lie in a file: delimited (each behind its varint length), tfrecord, or message (one a file). "
                 "Default: tfrecord for names ending in .tfrecord or .tfrecords, else delimited")
      ->check(CLI::IsMember(Names(kInputFormats)));
  app.add_option(
         "--format", names->output,
         absl::StrCat("What to write: parquet, arrow (IPC file), arrows (IPC stream) or jsonl. Default: by the output's "
                      "ending (",
                      KnownEndings(), "); jsonl on standard output"))
      ->check(CLI::IsMember(Names(kOutputFormats)));
  app.add_option("--on-error", names->on_error,
                 "fail: the first damaged message ends the conversion and nothing is written. skip: damaged messages are left "
                 "out and listed. null: they have rows in which every field is absent, and are listed")
      ->check(CLI::IsMember(Names(kOnError)))
      ->capture_default_str();
  app.add_option("--dead-letters", options->dead_letters,
                 "Keep damaged messages in this file, varint-delimited, and beside it, in FILE.jsonl, a line for each: file, "
                 "record, offsets, field and reason. They are kept whether the conversion succeeds or not")
      ->type_name("FILE");
  app.add_option("--max-errors", options->max_errors,
                 "With --on-error=skip and null: more damaged messages than N end the conversion. Default: any number may be")
      ->type_name("N")
      ->transform(WholeNumber(0, INT64_MAX));
  app.add_option("--field", options->decode.fields,
                 "Only this field, with all below it: address.city, labels[\"env\"]; may be repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app.add_option("--unknown-fields", names->unknown_fields,
                 "What becomes of fields that the schema does not know: drop, or keep in a bytes column of each message type")
      ->check(CLI::IsMember(Names(kUnknownFields)))
      ->capture_default_str();
  app.add_option("--batch-size", options->batch_size, "Messages decoded at a time; a batch has at most 64 MiB of input")
      ->transform(WholeNumber(1, kMaxBatchSize))
      ->capture_default_str();
  app.add_option("--well-known", options->well_known,
                 "Timestamp, Duration and wrapper types as timestamps, durations and nullable scalars, or as structs")
      ->check(CLI::IsMember({"native", "structs"}))
      ->capture_default_str();
  app.add_option(
         "--timestamps", names->timestamps,
         "The unit of native timestamps and durations; what is finer is cut off. A time that 64 bits of the unit cannot "
         "hold is null: ns reach from 1677 to 2262, us hold every date of four digits")
      ->check(CLI::IsMember(Names(kTimeUnits)))
      ->capture_default_str();
  app.add_option("--recursion-depth", options->decode.recursion_depth,
                 "How often a message type may stand on its own path; deeper messages are kept as serialized bytes")
      ->transform(WholeNumber(1, 10))
      ->capture_default_str();
  app.add_flag("--overwrite", options->overwrite, "Replace output and dead-letter files that exist");
  app.add_flag("--show-spec", options->show_spec, "Print the fields with their types and shapes");
  app.add_option("--head", options->head, "Print the first N rows as a table")
      ->type_name("N")
      ->transform(WholeNumber(0, kMaxBatchSize));
  app.add_flag("--quiet", options->quiet, "No progress line and no summary; errors and skipped messages are still told");
  app.footer(
      "Without --output, --show-spec or --head print what they are asked for and nothing is converted.\n"
      "Exit code: 0 success, 1 damaged data or a file that cannot be read or written, 2 wrong usage.\n"
      "A reader that closes the pipe early ends the command by SIGPIPE and without a word, which shells show as 141.");
}

// Against messages that are made to need more memory or time than their size suggests.
void DeclareLimits(CLI::App& app, DecodeOptions* decode) {
  app.add_option("--max-message-bytes", decode->max_message_bytes, "A longer message is an error")
      ->transform(WholeNumber(1, kMaxRecordBytes))
      ->capture_default_str();
  app.add_option("--max-depth", decode->max_depth, "A message nested deeper than this is an error")
      ->transform(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("--max-rows", decode->max_rows, "A message of which a field has more elements than this is an error")
      ->transform(WholeNumber(1, INT32_MAX))
      ->capture_default_str();
  app.add_option("--max-cells", decode->max_cells,
                 "A message of which a field has more elements, times the fields that each may have, than this is an error")
      ->transform(WholeNumber(1, UINT64_MAX))
      ->capture_default_str();
  app.add_option("--max-memory-bytes", decode->max_memory_bytes,
                 "A message whose columns need more memory than this is an error; a batch is decoded in parts then")
      ->transform(WholeNumber(1, UINT64_MAX))
      ->capture_default_str();
}

// Returns what is wrong with the options together, or "".
std::string Resolve(const FormatNames& names, ConverterOptions* options) {
  if (!names.input.empty()) options->input_format = kInputFormats.at(names.input);
  options->decode.on_error = kOnError.at(names.on_error);
  options->decode.unknown_fields = kUnknownFields.at(names.unknown_fields);
  options->timestamps = kTimeUnits.at(names.timestamps);
  if (options->inputs.empty()) options->inputs = {"-"};
  if (options->max_errors >= 0 && options->decode.on_error == DecodeOptions::OnError::kFail) {
    return "--max-errors is of use only with --on-error=skip or --on-error=null";
  }
  if (!options->has_output()) {
    if (options->show_spec || options->head > 0) return "";
    return "--output is required, unless only --show-spec or --head is asked for";
  }
  if (!names.output.empty()) {
    options->output_format = kOutputFormats.at(names.output);
  } else if (!options->writes_standard_output()) {
    const std::optional<SinkFormat> format = FormatOfEnding(options->output);
    if (!format.has_value()) {
      return absl::StrCat("the ending of '", options->output, "' names no format; the known endings are ", KnownEndings(),
                          " (or pass --format)");
    }
    options->output_format = *format;
  }
  return "";
}

}  // namespace

std::optional<int> ParseOptions(int argc, char** argv, std::string_view program_name, std::string_view message_name,
                                ConverterOptions* options) {
  const std::string name(program_name);
  CLI::App app(absl::StrCat("Converts ", std::string(message_name), " messages to columns."), name);
  app.set_version_flag("--version", absl::StrCat(name, " (structtensor ", STRUCTTENSOR_VERSION, ")"));
  FormatNames names;
  Declare(app, options, &names);
  DeclareLimits(app, &options->decode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (const std::string problem = Resolve(names, options); !problem.empty()) {
    std::cerr << name << ": " << problem << "\nRun with --help for more information.\n";
    return kExitUsage;
  }
  return std::nullopt;
}

}  // namespace structtensor::converter_internal
