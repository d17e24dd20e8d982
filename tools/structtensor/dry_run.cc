#include "dry_run.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "arrow_types.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/app/sinks/output_folder.h"
#include "structtensor/app/sinks/partitioned_sink.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::command {
namespace {

namespace fs = std::filesystem;
using convert_internal::ConverterOptions;

struct DryInput {
  std::string name;
  std::string format;
  std::string reason;
  std::optional<int64_t> size_bytes;  // of a plain file
};

absl::Status InInput(const std::string& input, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(DisplayPath(input), ": ", status.message()));
}

absl::StatusOr<DryInput> InputOf(const std::string& input, const std::optional<RecordFormat>& format) {
  const std::string given(format.has_value() ? RecordFormatName(*format) : "");
  std::error_code error;
  // A pipe is not looked at: it could not be read again.
  if (input == "-" || (fs::exists(input, error) && !fs::is_regular_file(input, error))) {
    return DryInput{input == "-" ? "<stdin>" : input, given.empty() ? "delimited" : given,
                    given.empty() ? "which pipes are taken for" : "as --from says", std::nullopt};
  }
  DryInput seen = {DisplayPath(input), "", "", std::nullopt};
  if (!format.has_value() && IsColumnFile(input)) {
    const absl::StatusOr<std::unique_ptr<ColumnFileReader>> file = ColumnFileReader::Open(input);
    if (!file.ok()) return InInput(input, file.status());
    seen.size_bytes = (*file)->size_bytes();
    seen.format = "columns";
    seen.reason = "a Parquet or Arrow file, whose rows are messages";
  } else {
    const absl::StatusOr<SniffedFormat> sniffed = SniffFile(input);
    if (!sniffed.ok()) return InInput(input, sniffed.status());
    const std::optional<RecordFormat> named = RecordFormatOfName(input);
    seen.format = !given.empty() ? given : std::string(RecordFormatName(named.value_or(sniffed->format)));
    seen.reason = !given.empty() ? "as --from says" : named.has_value() ? "by its name" : sniffed->reason;
  }
  const std::uintmax_t size_bytes = fs::file_size(input, error);
  if (!error) seen.size_bytes = static_cast<int64_t>(size_bytes);
  return seen;
}

absl::StatusOr<std::vector<DryInput>> InputsOf(const ScanOptions& scan) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string> files, ExpandInputs(scan.inputs, OutputsOf(scan)));
  std::vector<DryInput> inputs;
  for (const std::string& file : files) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(DryInput input, InputOf(file, scan.format));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

absl::Status CheckOutput(const ConverterOptions& options, const StructuredTensor& empty) {
  const bool overwrite = options.scan.overwrite;
  if (!options.partition_by.empty()) {
    STRUCTTENSOR_RETURN_IF_ERROR(PartitionedSink::Check(options.partitions(), empty));
    return OutputFolder::Check(options.output, overwrite);
  }
  STRUCTTENSOR_RETURN_IF_ERROR(OutputFile::Check(options.output, overwrite));
  if (options.records.has_value()) return absl::OkStatus();
  const absl::Status status = Sink::Check(options.sink, *TypeSpec(empty.spec()).WithUnknownSizes().structured());
  return status.ok() ? status : InInput(options.output == "-" ? "<stdout>" : options.output, status);
}

Json InputJson(const DryInput& input) {
  Json json = {{"file", input.name}, {"format", input.format}, {"reason", input.reason}};
  if (input.size_bytes.has_value()) json["size_bytes"] = *input.size_bytes;
  return json;
}

std::string InputText(const DryInput& input) {
  return absl::StrCat("  ", input.name, ": ", input.format, " (", input.reason, ")",
                      input.size_bytes.has_value() ? absl::StrCat(", ", convert_internal::SizeText(*input.size_bytes)) : "",
                      "\n");
}

}  // namespace

absl::StatusOr<DryRun> DryRunOf(const ConverterOptions& options, const MessageType& type) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<Scan> scan, Scan::Create(*type.plan, options.scan));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<DryInput> inputs, InputsOf(options.scan));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckOutput(options, scan->empty()));

  const std::string format(options.records.has_value() ? RecordFormatName(*options.records)
                                                       : SinkFormatName(options.sink.format));
  DryRun run;
  const std::string message(scan->message().full_name);
  run.document = {{"message", message}, {"dry_run", true}, {"inputs", Json::array()}};
  run.text = absl::StrCat("message type: ", message, "\n", inputs.size(), inputs.size() == 1 ? " input:\n" : " inputs:\n");
  for (const DryInput& input : inputs) {
    run.document["inputs"].push_back(InputJson(input));
    run.text += InputText(input);
  }
  run.document["output"] = DisplayPath(options.output);
  run.document["format"] = format;
  absl::StrAppend(&run.text, "output: ", options.output == "-" ? "<stdout>" : DisplayPath(options.output), " (", format);
  if (options.records.has_value()) {
    run.text += ", messages again)\n";
    return run;
  }
  if (!options.partition_by.empty()) {
    run.document["partition_by"] = options.partition_by;
    absl::StrAppend(&run.text, ", a folder with a file for each value of ", absl::StrJoin(options.partition_by, " and "));
  }
  const TypeSpec spec = TypeSpec(scan->empty().spec()).WithUnknownSizes();
  absl::StrAppend(&run.text, ")\ncolumns:\n", spec.TreeString());
  if (!run.text.ends_with('\n')) run.text += '\n';
  ArrowSchema columns;
  STRUCTTENSOR_RETURN_IF_ERROR(
      ExportSchema(*spec.structured(), &columns,
                   ArrowLayoutsOf(scan->message(), *spec.structured(), {}, options.scan.row_options.tensor.enums)));
  run.document["columns"] = ColumnsJson(columns);
  columns.release(&columns);
  return run;
}

}  // namespace structtensor::command
