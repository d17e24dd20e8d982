// The options of a conversion.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_OPTIONS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/app/scan/shared/option_table.h"
#include "structtensor/app/sinks/partitioned_sink.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::convert_internal {

// Appends the text of a serialized message, or says why it has none.
using TextOfMessage = std::function<absl::Status(std::string_view serialized, std::string& text)>;

struct ConverterOptions {
  ScanOptions scan = scan_internal::DefaultsIn(scan_internal::Face::kCommand);
  std::string output;  // a path, "-" for standard output, or "" for none
  SinkOptions sink;
  std::vector<std::string> partition_by;  // paths of columns: `output` is a folder, with a file for each of their values
  std::optional<RecordFormat> records;    // if set, the rows are written as messages again, not to a sink
  // Whether `records` is protobuf's JSON because the output is JSON lines. Rows that are no messages are lines of their columns
  // then.
  bool json_lines = false;
  // Writes a row in text format, if `records` is text format. Schema::TextFormatOf() provides it.
  TextOfMessage textproto_of_message = {};
  bool infer_timestamps = false;  // for JSON without a schema
  bool show_spec = false;
  int64_t head = 0;  // rows to show; 0 for none
  bool quiet = false;
  int jobs = 1;  // if more than 1, one thread decodes while up to this many others encode and write

  bool has_output() const { return !output.empty(); }
  bool writes_standard_output() const { return output == "-"; }
  PartitionedSinkOptions partitions() const { return {.files = sink, .partition_by = partition_by}; }
};

// Fills `options` from the command line of a generated converter. Returns nothing if the command is to go on, else its exit
// code: after --help and --version, which print to standard output, and after errors, which are explained on standard error.
std::optional<int> ParseOptions(int argc, char** argv, std::string_view program_name, std::string_view message_name,
                                ConverterOptions* options);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_OPTIONS_H_
