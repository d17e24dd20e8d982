// The options of commands that read messages, in groups. A command declares the groups that it has, so that every option has
// the same text everywhere.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_FLAGS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/scan/scan.h"

// The command line library, which only flags.cc includes here.
namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace structtensor::convert_internal {

// Exit codes of the command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // data cannot be decoded, or files cannot be read or written
inline constexpr int kExitUsage = 2;    // the command line is wrong

// The footer of help.
inline constexpr char kExitCodesHelp[] = "Exit codes: 0 success, 1 bad data, schema or file, 2 wrong usage.";

// Prints what is wrong with the command line of the command `name`, and where to read more. Returns kExitUsage.
int ReportWrongUsage(std::string_view name, std::string_view problem);

// INPUT..., --from: where records are.
class InputFlags {
 public:
  // Each group has both functions. Declare() makes CLI11 fill this object and `options`, which must live until the command line
  // is parsed. Then Resolve() fills the rest of `options` and returns what is wrong with the combination of options, or "".
  void Declare(CLI::App& app, ScanOptions* options);
  std::string Resolve(ScanOptions* options) const;
  // Whether --from says that inputs are files of columns.
  bool from_columns() const;
  // Whether --from says that inputs are rows of columns as JSON, which needs no schema: `rows`, and `jsonl` if there is none.
  bool from_json_rows() const;
  // Whether --from is not given.
  bool from_nothing() const { return from_.empty(); }

 private:
  std::string from_;
};

// Declares the flag of one option, by its name in the list of options (app/scan/shared/option_table.h).
CLI::Option* DeclareOption(CLI::App& app, std::string_view name, ScanOptions* options);

// --where, --on-error, --limit, the limits, ...: which records become rows.
class RecordFlags {
 public:
  void Declare(CLI::App& app, ScanOptions* options);
  std::string Resolve(const ScanOptions& options) const;
};

// --select, --timestamps, ...: the columns of rows, and their types.
class ColumnFlags {
 public:
  void Declare(CLI::App& app, ScanOptions* options);
  // `messages`: the format of the messages that the rows become again, if they do. They lose nothing then, unless asked to.
  std::string Resolve(ScanOptions* options, std::optional<RecordFormat> messages = std::nullopt) const;

 private:
  std::string unknown_fields_;  // "" if it is not given
};

// --compression, --compression-level: how Parquet and Arrow files are compressed.
class CompressionFlags {
 public:
  void Declare(CLI::App& app);
  // Call it when `options` have the output and its format.
  std::string Resolve(ConverterOptions* options) const;

 private:
  std::optional<std::string> compression_;
  std::optional<std::string> level_;
};

// -o, --to, ...: what a conversion writes, shows and reports.
class OutputFlags {
 public:
  void Declare(CLI::App& app, ConverterOptions* options);
  std::string Resolve(ConverterOptions* options) const;

 private:
  std::string ResolveFormat(ConverterOptions* options) const;
  bool IsJsonLines(const ConverterOptions& options) const;

  std::string to_;
  CompressionFlags compression_;
};

// -o, --to, --compression, --compression-level, --overwrite: a file of columns for rows that are not messages. Without these
// options there is none.
class SinkFlags {
 public:
  void Declare(CLI::App& app, ConverterOptions* options);
  std::string Resolve(ConverterOptions* options) const;

 private:
  std::string to_;
  CompressionFlags compression_;
};

// Returns the text of an error with the library's option names replaced by flags: "--max-rows=5" for `max_rows=5` in
// backquotes. Control characters, which may come from data, become \xHH, so that they do not reach a terminal.
std::string WithFlagNames(std::string text);

// Accepts whole numbers from `least` to `most`, inclusive.
CLI::Validator WholeNumber(uint64_t least, uint64_t most);

// The limit of rows to show and of records in a batch: even empty ones take memory.
inline constexpr uint64_t kMaxRowsAtATime = ScanOptions::kGreatestBatchSize;

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_FLAGS_H_
