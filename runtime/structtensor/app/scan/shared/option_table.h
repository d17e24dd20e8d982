// The list of options. The flags and help of the command, the arguments and docstrings of Python, the options of TensorFlow and
// Spark, the stub and docs/options.md are generated from it.
#ifndef STRUCTTENSOR_APP_SCAN_SHARED_OPTION_TABLE_H_
#define STRUCTTENSOR_APP_SCAN_SHARED_OPTION_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/app/scan/row_options.h"
#include "structtensor/app/scan/scan.h"

namespace structtensor::scan_internal {

// Where users set options.
enum class Face : uint8_t { kCommand, kPython, kTensorFlow, kSpark };

enum class OptionType : uint8_t {
  kFlag,
  kNumber,
  kWord,
  kText,
  kPatterns,  // a list of strings
};

// The groups of options, in the order of docs/options.md. Commands declare the flags of a group together.
enum class OptionGroup : uint8_t { kInputs, kNestedRows, kRecords, kColumns, kBatches, kLimits };

// A value of a kWord option. A kFlag option may have two, for false and true, which only the command uses.
struct OptionWord {
  std::string_view name;
  std::string_view help;
  bool in_tensorflow = true;
};

// Reads and sets a member of ScanOptions. Options with numbers have the first two; a flag is 0 or 1, and a word its index.
struct OptionAccess {
  uint64_t (*get)(const ScanOptions& options) = nullptr;
  void (*set)(ScanOptions& options, uint64_t value) = nullptr;
  std::string& (*text)(ScanOptions& options) = nullptr;
  std::vector<std::string>& (*list)(ScanOptions& options) = nullptr;
};

// A name is empty where a face does not have the option.
struct Option {
  std::string_view name;  // of the member, as messages of the library have it: "max_depth"
  std::string_view flag;  // of the command: "--max-depth"
  std::string_view keyword;
  std::string_view spark;
  std::string_view member;  // below ScanOptions: "row_options.decode.max_depth"
  OptionGroup group;
  OptionType type;
  OptionAccess access;
  std::string_view help;             // a sentence without a period; other options in backquotes: "`on_error=kSkip`"
  std::string_view value_name = "";  // in the help of the command: "N"
  uint64_t least = 0;                // of numbers
  uint64_t greatest = 0;
  std::optional<uint64_t> none = std::nullopt;  // the value that means "no limit", Python's None
  std::span<const OptionWord> words = {};
  bool in_decoders = false;            // an option of decoders of messages in memory, too
  bool in_tensorflow = false;          // by its name in Python
  std::string_view alone = "";         // of kText: the value of a flag without a value
  std::string_view default_help = "";  // what happens by default, for options that have no value then
};

std::span<const Option> Options();

// The name of the option in the face, or "".
std::string_view NameIn(Face face, const Option& option);

// The option that has the name in the library; null if there is none.
const Option* FindOption(std::string_view name);
// The option that has the name in the face; null if there is none.
const Option* FindOption(Face face, std::string_view name);

// The defaults of a face. Their rows have a fixed set of columns, so a message type within itself is kept as bytes. Absent
// optional fields are nulls, except in TensorFlow, whose tensors have none.
ScanOptions DefaultsIn(Face face);

// The default as the face writes it: "100", "fail", "True"; "" if the option has no value then.
std::string DefaultText(Face face, const Option& option);

// What the option is for: "How to handle a broken message". In Python also what its words mean: ". "fail": stop with an ...".
std::string HelpText(Face face, const Option& option);

// Sets an option. Errors: InvalidArgument, with the option, the value and what is expected.
absl::Status SetNumber(const Option& option, std::variant<int64_t, uint64_t> value, ScanOptions& options);
absl::Status SetWord(Face face, const Option& option, std::string_view word, ScanOptions& options);
// Sets an option of any type to the value that `text` writes: "100", "skip", "true". Adds it to a list.
absl::Status SetText(Face face, const Option& option, std::string_view text, ScanOptions& options);

// Returns InvalidArgument if an option is out of its range, or two do not go together.
absl::Status CheckRowOptions(const RowOptions& options);
absl::Status CheckScanOptions(const ScanOptions& options);

// `text`, a message of the library, with options as the face writes them: `on_error=kSkip` in backquotes becomes
// --on-error=skip on the command line, and on_error="skip" in Python. Words in backquotes that are no options stay.
std::string WithOptionNames(Face face, std::string_view text);

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_SHARED_OPTION_TABLE_H_
