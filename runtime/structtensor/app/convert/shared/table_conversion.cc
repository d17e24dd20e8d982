#include "structtensor/app/convert/shared/table_conversion.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/column_records.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/json/read_json.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::convert_internal {
namespace {

bool IsPlainJsonName(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst", ".lz4"}) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    break;
  }
  return name.ends_with(".jsonl") || name.ends_with(".ndjson") || name.ends_with(".json");
}

// Returns the flag of an option that needs messages of a type, or "" if no such option is chosen.
std::string_view OptionOfMessages(const ConverterOptions& options, TableKind kind) {
  const ScanOptions& scan = options.scan;
  if (options.records.has_value() && !options.json_lines) return "writing messages";
  if (scan.row_options.decode.on_error == DecodeOptions::OnError::kNull) return "--on-error=null";
  if (kind != TableKind::kColumnFiles) return "";
  if (scan.row_options.decode.on_error != DecodeOptions::OnError::kFail) return "--on-error=skip";
  if (scan.on_damaged_file != OnDamagedFile::kFail) return "--on-damaged-file";
  return "";
}

// Whether a column file does not name the message type of its rows. Errors: those of opening it.
absl::StatusOr<bool> NamesNoMessage(const std::string& path) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<ColumnFileReader> file, ColumnFileReader::Open(path));
  return !file->Metadata(kMessageMetadataKey).has_value();
}

class TableRows {
 public:
  virtual ~TableRows() = default;
  // Returns the columns, without rows.
  virtual StructuredTensor Empty() const = 0;
  // Returns the next rows, or nothing at the end. Where rows are read piece by piece, they are `max_rows` at most.
  virtual absl::StatusOr<std::optional<StructuredTensor>> Next(int64_t max_rows) = 0;
  int64_t input_bytes = 0;
  int64_t broken_rows = 0;
  std::vector<DamagedFile> damaged_files;
};

class RowsOfColumnFiles : public TableRows {
 public:
  static absl::StatusOr<std::unique_ptr<TableRows>> Open(std::vector<std::string> files, const ScanOptions& scan) {
    auto rows = std::make_unique<RowsOfColumnFiles>();
    rows->files_ = std::move(files);
    rows->options_ = {
        .batch_rows = static_cast<int64_t>(std::min<size_t>(scan.batch_size, INT64_MAX)),
        .max_memory_bytes = static_cast<int64_t>(std::min<size_t>(scan.row_options.decode.max_memory_bytes, INT64_MAX))};
    STRUCTTENSOR_RETURN_IF_ERROR(rows->OpenNext());
    return rows;
  }

  StructuredTensor Empty() const override { return *empty_; }

  absl::StatusOr<std::optional<StructuredTensor>> Next(int64_t max_rows) override {
    while (file_ != nullptr) {
      absl::StatusOr<std::optional<StructuredTensor>> rows = file_->Next(max_rows);
      if (!rows.ok()) return InFile(rows.status());
      if (rows->has_value()) return rows;
      input_bytes += file_->size_bytes();
      file_.reset();
      if (next_ < files_.size()) STRUCTTENSOR_RETURN_IF_ERROR(OpenNext());
    }
    return std::optional<StructuredTensor>();
  }

 private:
  absl::Status InFile(const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat(DisplayPath(files_[next_ - 1]), ": ", status.message()));
  }

  absl::Status OpenNext() {
    absl::StatusOr<std::unique_ptr<ColumnFileReader>> file = ColumnFileReader::Open(files_[next_++], options_);
    if (!file.ok()) return InFile(file.status());
    file_ = *std::move(file);
    absl::StatusOr<StructuredTensor> empty = file_->Empty();
    if (!empty.ok()) return InFile(empty.status());
    if (!empty_.has_value()) {
      empty_ = *std::move(empty);
      return absl::OkStatus();
    }
    if (TypeSpec(empty->spec()).WithUnknownSizes() == TypeSpec(empty_->spec()).WithUnknownSizes()) return absl::OkStatus();
    return InFile(absl::InvalidArgumentError(
        absl::StrCat("its columns differ from those of ", DisplayPath(files_[0]), "; convert such files separately")));
  }

  std::vector<std::string> files_;
  ColumnFileReaderOptions options_;
  size_t next_ = 0;
  std::unique_ptr<ColumnFileReader> file_;
  std::optional<StructuredTensor> empty_;
};

// Reads all rows at once: the type of a column is known only when its last value is known.
class RowsOfPlainJson : public TableRows {
 public:
  static absl::StatusOr<std::unique_ptr<TableRows>> Read(std::vector<std::string> files, const ScanOptions& scan,
                                                         bool infer_timestamps, int threads) {
    const bool skip = scan.row_options.decode.on_error == DecodeOptions::OnError::kSkip;
    STRUCTTENSOR_ASSIGN_OR_RETURN(
        const std::unique_ptr<RecordReader> reader,
        RecordReader::Create(std::move(files), {.format = RecordFormat::kJson,
                                                .message_of_json = TextAsMessage,
                                                .max_message_bytes = scan.row_options.decode.max_message_bytes,
                                                .skip_damaged = skip,
                                                .on_damaged_file = scan.on_damaged_file}));
    auto rows = std::make_unique<RowsOfPlainJson>();
    std::string lines;
    std::vector<RecordLocation> locations;
    RecordBatch batch;
    while (true) {
      constexpr size_t kMaxRecords = 1 << 16;
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader->NextBatch(kMaxRecords, scan.batch_bytes, &batch));
      if (!more) break;
      for (const BrokenRecord& error : batch.skipped()) {
        const std::string text = absl::StrCat(reader->Where(error.location), ": ", error.problem);
        if (error.lost == BrokenRecord::Lost::kRecord) {
          rows->Report(text);
          continue;
        }
        rows->damaged_files.push_back(DamagedFileOf(error, *reader));
        absl::FPrintF(stderr, "damaged file: %s\n", rows->damaged_files.back().text);
      }
      for (size_t i = 0; i < batch.messages().size(); ++i) {
        const size_t begin = lines.size();
        lines += batch.messages()[i];
        // '\r' is white space just like the end of a line, and is not allowed inside of a text either.
        std::replace(lines.begin() + static_cast<ptrdiff_t>(begin), lines.end(), '\n', '\r');
        lines += '\n';
        locations.push_back(batch.locations()[i]);
      }
    }
    rows->input_bytes = reader->bytes_read();
    STRUCTTENSOR_ASSIGN_OR_RETURN(JsonRows read, ReadJson(lines, {.layout = JsonReadOptions::Layout::kLines,
                                                                  .on_error = JsonReadOptions::OnError::kSkip,
                                                                  .infer_timestamps = infer_timestamps,
                                                                  .threads = threads}));
    for (const JsonRowError& error : read.errors) {
      RecordLocation location = locations[static_cast<size_t>(error.line - 1)];
      location.column = location.byte_in_line + error.column;
      std::string text = absl::StrCat(reader->Where(location), ": ", error.message);
      if (!skip) return absl::DataLossError(absl::StrCat(text, " (fix the text, or pass --on-error=skip to skip it)"));
      rows->Report(text);
    }
    rows->rows_ = std::move(read.rows);
    return rows;
  }

  StructuredTensor Empty() const override { return rows_->SliceRows(0, 0); }

  absl::StatusOr<std::optional<StructuredTensor>> Next(int64_t /*max_rows*/) override {
    if (next_row_ == rows_->nrows()) return std::optional<StructuredTensor>();
    constexpr int64_t kRowsAtATime = 1 << 16;
    const int64_t begin = std::exchange(next_row_, std::min(rows_->nrows(), next_row_ + kRowsAtATime));
    return rows_->SliceRows(begin, next_row_);
  }

 private:
  void Report(const std::string& text) {
    constexpr int64_t kMaxReported = 10;
    if (++broken_rows <= kMaxReported) absl::FPrintF(stderr, "skipped: %s\n", text);
    if (broken_rows == kMaxReported + 1) absl::FPrintF(stderr, "skipped: and more\n");
  }

  std::optional<StructuredTensor> rows_;
  int64_t next_row_ = 0;
};

}  // namespace

absl::StatusOr<std::optional<TableKind>> TableKindOf(const std::vector<std::string>& files, bool plain_json,
                                                     OnDamagedFile on_damaged_file) {
  bool all_foreign = !plain_json && !files.empty();
  for (const std::string& path : files) {
    const auto in_file = [&path](const absl::Status& status) {
      return absl::Status(status.code(), absl::StrCat(DisplayPath(path), ": ", status.message()));
    };
    const absl::StatusOr<bool> is_column_file = OpensAsColumnFile(path);
    if (!is_column_file.ok()) return in_file(is_column_file.status());
    all_foreign = all_foreign && *is_column_file;
    if (!all_foreign) continue;
    const absl::StatusOr<bool> names_no_message = NamesNoMessage(path);
    const bool left_out = absl::IsDataLoss(names_no_message.status()) && on_damaged_file != OnDamagedFile::kFail;
    if (!names_no_message.ok() && !left_out) return in_file(names_no_message.status());
    all_foreign = !left_out && *names_no_message;
  }
  if (plain_json) return TableKind::kPlainJson;
  if (!files.empty() && std::ranges::all_of(files, IsPlainJsonName)) return TableKind::kPlainJson;
  return all_foreign ? std::optional(TableKind::kColumnFiles) : std::nullopt;
}

absl::StatusOr<ConversionSummary> ConvertTables(const ConverterOptions& options, TableKind kind) {
  if (const std::string_view option = OptionOfMessages(options, kind); !option.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no schema, which ", ToAbsl(option),
                     " needs: name a .proto file with --proto, or a descriptor set with --descriptor_set_in"));
  }
  ProgressLine progress(!options.quiet);
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<std::string> files, ExpandInputs(options.scan.inputs, {options.output}));
  ConversionSummary summary;
  summary.inputs = files.size();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<TableRows> rows,
                                kind == TableKind::kPlainJson ? RowsOfPlainJson::Read(std::move(files), options.scan,
                                                                                      options.infer_timestamps, options.jobs)
                                                              : RowsOfColumnFiles::Open(std::move(files), options.scan));
  const TypeSpec spec = TypeSpec(rows->Empty().spec()).WithUnknownSizes();
  if (options.show_spec) {
    (options.writes_standard_output() ? std::cerr : std::cout) << spec.TreeString() << "\n" << std::flush;
  }
  if (!options.has_output()) return summary;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> output,
                                OutputFile::Open(options.output, options.scan.overwrite));
  const auto in_output = [&output](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(output->display_name(), ": ", status.message()));
  };
  SinkOptions sink_options = options.sink;
  if (options.json_lines) sink_options.format = SinkFormat::kJsonLines;
  sink_options.threads = options.jobs;
  sink_options.scratch_folder = output->folder();
  absl::StatusOr<std::unique_ptr<Sink>> sink = Sink::Create(sink_options, output->fd(), *spec.structured());
  if (!sink.ok() && spec.structured()->flat_fields().empty() && kind == TableKind::kPlainJson) {
    return absl::InvalidArgumentError("no row has any fields, so there are no columns to write");
  }
  if (!sink.ok()) return in_output(sink.status());
  int64_t to_skip = options.scan.skip;
  int64_t left = options.scan.limit;  // -1: all
  while (left != 0) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> batch,
                                  rows->Next(left < 0 || left > INT64_MAX - to_skip ? INT64_MAX : to_skip + left));
    if (!batch.has_value()) break;
    const int64_t begin = std::min(to_skip, batch->nrows());
    const int64_t end = left < 0 ? batch->nrows() : begin + std::min(left, batch->nrows() - begin);
    to_skip -= begin;
    if (left > 0) left -= end - begin;
    if (const absl::Status written = (*sink)->Write(batch->SliceRows(begin, end)); !written.ok()) return in_output(written);
    summary.rows += end - begin;
    progress.Update({.messages = summary.rows, .input_bytes = rows->input_bytes});
  }
  if (const absl::Status finished = (*sink)->Finish(); !finished.ok()) return in_output(finished);
  STRUCTTENSOR_ASSIGN_OR_RETURN(summary.output_bytes, output->Commit());
  progress.Clear();
  summary.input_bytes = rows->input_bytes;
  summary.broken_records = rows->broken_rows;
  summary.damaged_files = rows->damaged_files;
  summary.seconds = progress.seconds();
  if (!options.quiet) {
    const size_t damaged = summary.damaged_files.size();
    absl::FPrintF(stderr, "%d %s from %d %s, without a schema, in %.2f s%s; wrote %s\n", summary.rows,
                  summary.rows == 1 ? "row" : "rows", summary.inputs, summary.inputs == 1 ? "file" : "files", summary.seconds,
                  damaged == 0 ? "" : absl::StrCat("; ", damaged, damaged == 1 ? " damaged file" : " damaged files"),
                  output->display_name());
  }
  return summary;
}

}  // namespace structtensor::convert_internal
