#include "structtensor/converter/options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "absl/strings/str_cat.h"

namespace structtensor {
namespace {

const std::map<std::string, RecordFormat> kInputFormats = {
    {"delimited", RecordFormat::kDelimited}, {"tfrecord", RecordFormat::kTfRecord}, {"message", RecordFormat::kMessage}};

const std::map<std::string, SinkFormat> kOutputFormats = {{"parquet", SinkFormat::kParquet},
                                                          {"arrow", SinkFormat::kArrowFile},
                                                          {"arrows", SinkFormat::kArrowStream},
                                                          {"jsonl", SinkFormat::kJsonLines}};

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
};

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
                 "out and listed")
      ->check(CLI::IsMember({"fail", "skip"}))
      ->capture_default_str();
  app.add_option("--batch-size", options->batch_size, "Messages decoded at a time; a batch has at most 64 MiB of input")
      ->check(CLI::Range(size_t{1}, size_t{1} << 24))
      ->capture_default_str();
  app.add_option("--max-message-bytes", options->max_message_bytes, "A longer message is an error")
      ->check(CLI::Range(size_t{1}, size_t{0x7fffffff}))
      ->capture_default_str();
  app.add_option("--max-depth", options->max_depth, "A message nested deeper than this is an error; default 100")
      ->check(CLI::Range(1, 1000));
  app.add_option("--well-known", options->well_known,
                 "Timestamp, Duration and wrapper types as timestamp[ns], duration[ns] and nullable scalars, or as structs")
      ->check(CLI::IsMember({"native", "structs"}))
      ->capture_default_str();
  app.add_option("--recursion-depth", options->recursion_depth,
                 "How often a message type may stand on its own path; deeper messages are kept as serialized bytes")
      ->check(CLI::Range(1, 10))
      ->capture_default_str();
  app.add_flag("--overwrite", options->overwrite, "Replace an output file that exists");
  app.add_flag("--show-spec", options->show_spec, "Print the fields with their types and shapes");
  app.add_option("--head", options->head, "Print the first N rows as a table")->type_name("N")->check(CLI::NonNegativeNumber);
  app.add_flag("--quiet", options->quiet, "No progress line and no summary; errors and skipped messages are still told");
  app.footer(
      "Without --output, --show-spec or --head print what they are asked for and nothing is converted.\n"
      "Exit code: 0 success, 1 damaged data or a file that cannot be read or written, 2 wrong usage.");
}

// Returns what is wrong with the options together, or "".
std::string Resolve(const FormatNames& names, ConverterOptions* options) {
  if (!names.input.empty()) options->input_format = kInputFormats.at(names.input);
  options->skip_errors = names.on_error == "skip";
  if (options->inputs.empty()) options->inputs = {"-"};
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

}  // namespace structtensor
