// The options of commands that read messages, in groups: what a command has, it declares, and each is written the same
// everywhere.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_FLAGS_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_FLAGS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "structtensor/converter/internal/options.h"
#include "structtensor/scan/scan.h"

// The library of command lines, which flags.cc alone includes here.
namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace structtensor::converter_internal {

// Exit codes of the command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // data that cannot be decoded, files that cannot be read or written
inline constexpr int kExitUsage = 2;    // a command line that makes no sense

// INPUT..., --from: where records are.
class InputFlags {
 public:
  // Both of each group: Declare() lets CLI11 fill this object and `options`, which must live until the command line is parsed.
  // Then Resolve() fills the rest of `options` and returns what is wrong with the options together, or "".
  void Declare(CLI::App& app, ScanOptions* options);
  std::string Resolve(ScanOptions* options) const;
  // Whether --from says that inputs are files of columns.
  bool from_columns() const;
  // Whether it says that they are JSON of plain values.
  bool from_plain_json() const;
  // Whether it says nothing.
  bool from_nothing() const { return from_.empty(); }

 private:
  std::string from_;
  bool ignore_extra_fields_ = false;
};

// --rows: which messages inside of those of the inputs become rows.
void DeclareRowsFlag(CLI::App& app, ScanOptions* options);

// --where, --on-error, --limit, the limits, ...: which records become rows.
class RecordFlags {
 public:
  void Declare(CLI::App& app, ScanOptions* options);
  std::string Resolve(ScanOptions* options) const;

 private:
  std::string on_error_ = "fail";
};

// --select, --timestamps, ...: which columns rows have, and of which types.
class ColumnFlags {
 public:
  // `timestamps`: the default of --timestamps.
  explicit ColumnFlags(std::string timestamps = "ns") : timestamps_(std::move(timestamps)) {}

  void Declare(CLI::App& app, ScanOptions* options);
  // `messages`: as what the rows become messages again, if they do; they lose nothing then unless that is asked for.
  std::string Resolve(ScanOptions* options, std::optional<RecordFormat> messages = std::nullopt) const;

 private:
  std::string unknown_fields_;
  std::string well_known_ = "native";
  std::string timestamps_;
};

// -o, --to, ...: what a conversion writes, shows and tells.
class OutputFlags {
 public:
  void Declare(CLI::App& app, ConverterOptions* options);
  std::string Resolve(ConverterOptions* options) const;

 private:
  std::string ResolveFormat(ConverterOptions* options) const;

  std::string to_;
  std::string compression_ = "default";
};

// -o, --to, --compression, --overwrite: a file of columns for rows that are no messages. Without these there is none.
class SinkFlags {
 public:
  void Declare(CLI::App& app, ConverterOptions* options);
  std::string Resolve(ConverterOptions* options) const;

 private:
  std::string to_;
  std::string compression_ = "default";
};

// The text of an error with the names of flags in place of those that options have in the library: "--max-rows = 5" for
// "max_rows = 5". Only where the library names an option: a field may be called so, too.
std::string WithFlagNames(std::string text);

// An option's value that is a whole number in that range, both ends among it.
CLI::Validator WholeNumber(uint64_t least, uint64_t most);

// Rows that are shown, and records of a batch: even without a byte in them they take memory.
inline constexpr uint64_t kMaxRowsAtATime = uint64_t{1} << 24;

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_FLAGS_H_
