// What the command line of a converter says.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_OPTIONS_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/converter/internal/sink.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/records/record_reader.h"
#include "structtensor/type_spec/dtype.h"

namespace structtensor::converter_internal {

// Exit codes of the command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // data that cannot be decoded, files that cannot be read or written
inline constexpr int kExitUsage = 2;    // a command line that makes no sense

struct ConverterOptions {
  std::vector<std::string> inputs = {"-"};  // paths; "-" is standard input
  std::string output;                       // a path, "-" for standard output, or "" for none
  SinkFormat output_format = SinkFormat::kJsonLines;
  std::optional<RecordFormat> input_format;  // unset: by each input's name
  // Files have a fixed set of columns: a type below itself is kept as bytes.
  DecodeOptions decode = {.recursion_depth = 1};
  int64_t max_errors = -1;            // broken records of the whole conversion; -1 for any number
  std::string dead_letters;           // a path for broken records, or ""
  size_t batch_size = 4096;           // messages
  std::string well_known = "native";  // or "structs": how Timestamp, Duration and wrappers appear
  TimeUnit timestamps = TimeUnit::kNanoseconds;
  bool overwrite = false;
  bool show_spec = false;
  int64_t head = 0;  // rows to show; 0 for none
  bool quiet = false;

  bool has_output() const { return !output.empty(); }
  bool writes_standard_output() const { return output == "-"; }
};

// Fills `options`. Returns nothing if the command is to go on, else its exit code: after --help and --version, which are
// printed to standard output, and after errors, which are explained on standard error.
std::optional<int> ParseOptions(int argc, char** argv, std::string_view program_name, std::string_view message_name,
                                ConverterOptions* options);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_OPTIONS_H_
