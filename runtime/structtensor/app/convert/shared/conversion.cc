#include "structtensor/app/convert/shared/conversion.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/broken_record_list.h"
#include "structtensor/app/convert/shared/changed_fields.h"
#include "structtensor/app/convert/shared/column_ids.h"
#include "structtensor/app/convert/shared/head_rows.h"
#include "structtensor/app/convert/shared/inexact_times.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/app/sinks/output_folder.h"
#include "structtensor/app/sinks/partitioned_sink.h"
#include "structtensor/core/base/shared/ordered_worker.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/io/json/message_json.h"
#include "structtensor/io/records/record_writer.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::convert_internal {
namespace {

// Makes one status of two. Requires: at least one of them is an error.
absl::Status Both(const absl::Status& first, const absl::Status& second) {
  if (first.ok()) return second;
  if (second.ok() || first == second) return first;
  return absl::Status(first.code(), absl::StrCat(first.message(), "; moreover: ", second.message()));
}

// Whether messages are written as text, which a message may not have.
bool IsText(std::optional<RecordFormat> format) { return format == RecordFormat::kJson || format == RecordFormat::kTextproto; }

// Appends the text of a serialized message, or says why it has none. A function for one thread.
using TextOfOneMessage =
    std::function<bool(std::string_view serialized, std::string& text, std::string* field_path, std::string* problem)>;

absl::StatusOr<TextOfOneMessage> TextWriterOf(const plan::MessagePlan& message, const ConverterOptions& options) {
  if (options.records == RecordFormat::kJson) {
    return [json = std::make_shared<MessageJson>(message, options.scan.json)](std::string_view serialized, std::string& text,
                                                                              std::string* field_path, std::string* problem) {
      return json->AppendJson(serialized, text, field_path, problem);
    };
  }
  if (options.textproto_of_message == nullptr) {
    return absl::InvalidArgumentError("ConverterOptions::textproto_of_message is needed for text format, and is not set");
  }
  return [textproto = options.textproto_of_message](std::string_view serialized, std::string& text, std::string*,
                                                    std::string* problem) {
    const absl::Status written = textproto(serialized, text);
    if (!written.ok()) *problem = std::string(written.message());
    return written.ok();
  };
}

// Writes the rows of a thread of the scan as messages in text.
absl::StatusOr<WriteTextRows> TextRowsOf(const plan::MessagePlan& message, const ConverterOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(BatchEncoder encoder, BatchEncoder::Create(message, {}));
  STRUCTTENSOR_ASSIGN_OR_RETURN(TextOfOneMessage write, TextWriterOf(message, options));
  return [encoder = std::make_shared<BatchEncoder>(std::move(encoder)), write = std::move(write)](
             const DecodedBatch& rows, TextRows& strings, std::vector<RowWithoutText>& without) {
    // Text can be far longer than the messages. If the text of a batch is too long, the batch is decoded in two halves.
    constexpr size_t kMaxTextBytesOfBatch = size_t{32} << 20;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const EncodedBatch messages, encoder->Encode(rows));
    for (const std::string_view serialized : messages) {
      if (strings.bytes.size() > kMaxTextBytesOfBatch) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the text of ", rows.nrows(), " messages exceeds ", kMaxTextBytesOfBatch, " bytes"));
      }
      RowWithoutText problem = {.row = static_cast<int64_t>(strings.ends.size())};
      if (!write(serialized, strings.bytes, &problem.field_path, &problem.problem)) without.push_back(std::move(problem));
      strings.ends.push_back(strings.bytes.size());
    }
    return absl::OkStatus();
  };
}

// Writes rows as messages again.
class MessageOutput {
 public:
  static absl::StatusOr<std::unique_ptr<MessageOutput>> Create(RecordFormat format, int fd, const plan::MessagePlan& message) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(BatchEncoder encoder, BatchEncoder::Create(message, {}));
    return std::unique_ptr<MessageOutput>(new MessageOutput(format, fd, std::move(encoder)));
  }

  // Writes messages that are encoded already.
  absl::Status Write(std::span<const std::string_view> messages) {
    for (const std::string_view message : messages) STRUCTTENSOR_RETURN_IF_ERROR(writer_.Write(message));
    return absl::OkStatus();
  }
  // `strings`: the rows as they are to be written, or null if `columns` are still to be encoded.
  absl::Status Write(const DecodedBatch& columns, const TextRows* strings) {
    if (strings != nullptr) {
      for (size_t row = 0; row < strings->size(); ++row) STRUCTTENSOR_RETURN_IF_ERROR(writer_.Write((*strings)[row]));
      return absl::OkStatus();
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const EncodedBatch messages, encoder_.Encode(columns));
    for (const std::string_view message : messages) STRUCTTENSOR_RETURN_IF_ERROR(writer_.Write(message));
    return absl::OkStatus();
  }
  absl::Status Finish() { return writer_.Finish(); }

 private:
  MessageOutput(RecordFormat format, int fd, BatchEncoder encoder) : writer_(format, fd), encoder_(std::move(encoder)) {}

  RecordWriter writer_;
  BatchEncoder encoder_;
};

// Its methods are the stages, in the order in which Run calls them.
class Conversion {
 public:
  Conversion(const ConverterOptions& options, const plan::MessagePlan& message)
      : options_(options),
        message_(message),
        preview_(options.writes_standard_output() ? stderr : stdout),
        starts_writer_(options.jobs > 1 && options.has_output()),
        head_(options.head),
        broken_list_(options.scan.row_options.decode.on_error),
        progress_(!options.quiet) {}

  absl::StatusOr<ConversionSummary> Run() {
    STRUCTTENSOR_RETURN_IF_ERROR(OpenScan());
    STRUCTTENSOR_RETURN_IF_ERROR(OpenOutput());
    ShowSpec();
    const absl::Status converted = WithReason(ConvertAll(), *scan_);
    // Dead letters are kept however the conversion ends. An output without its dead letters is not complete.
    const absl::Status kept = scan_->Close();
    progress_.Clear();
    if (converted.ok()) {
      broken_list_.Finish(ReasonOf(*scan_));
    } else {
      broken_list_.Finish();
    }
    // Messages keep all times, whatever columns can hold.
    if (messages_ == nullptr) {
      ReportInexactTimes(scan_->inexact_times());
      summary_.inexact_times = scan_->inexact_times();
    }
    ReportChangedFields(scan_->changed_fields());
    ReportDroppedValues(scan_->dropped_values());
    if (!converted.ok() || !kept.ok()) return Both(converted, kept);
    STRUCTTENSOR_RETURN_IF_ERROR(FinishOutput());
    summary_.seconds = progress_.seconds();
    summary_.inputs = scan_->number_of_inputs();
    summary_.broken_records = scan_->broken_records();
    summary_.damaged_files = scan_->damaged_files();
    summary_.changed_fields = scan_->changed_fields();
    summary_.dropped_values = scan_->dropped_values();
    ReportSummary();
    return summary_;
  }

 private:
  // Finds errors in the schema before any input is read.
  absl::Status OpenScan() {
    ScanOptions scan = options_.scan;
    // Decoding takes a fraction of the time that encoding and compressing columns take. The decoding threads also write text.
    constexpr int kMaxDecodingThreads = 8;
    scan.row_options.threads = std::clamp(IsText(options_.records) ? options_.jobs : options_.jobs / 2, 1, kMaxDecodingThreads);
    if (options_.has_output() && IsText(options_.records)) {
      scan.text_rows_writer = [this](const plan::MessagePlan& message) { return TextRowsOf(message, options_); };
    }
    scan.make_columns = options_.has_output() && !options_.records.has_value();
    // With `limit` and `skip`, rows would be read that are not needed, and batches would depend on `jobs`.
    const bool all_records = options_.scan.limit < 0 && options_.scan.skip == 0;
    if (options_.jobs > 1 && all_records && scan.open_records != nullptr) {
      scan.open_records = [open = std::move(scan.open_records)](const plan::MessagePlan& message,
                                                                std::vector<std::string> inputs, RecordReaderOptions reader) {
        reader.read_ahead = true;
        return open(message, std::move(inputs), reader);
      };
    }
    scan.on_broken_record = [this](const BrokenRecord& record) {
      progress_.Clear();  // so that the terminal shows whole lines
      broken_list_.Add(record);
    };
    scan.damaged_file_found = [this](const DamagedFile& file) {
      progress_.Clear();
      broken_list_.Add(file);
    };
    STRUCTTENSOR_ASSIGN_OR_RETURN(scan_, Scan::Create(message_, std::move(scan)));
    schema_ = TypeSpec(scan_->empty().spec()).WithUnknownSizes();
    if (all_records) progress_.ExpectBytes(scan_->size_bytes_of_inputs());
    return absl::OkStatus();
  }

  absl::Status OpenOutput() {
    if (!options_.has_output()) return absl::OkStatus();
    if (!options_.partition_by.empty()) return OpenPartitions();
    STRUCTTENSOR_ASSIGN_OR_RETURN(output_, OutputFile::Open(options_.output, options_.scan.overwrite));
    if (options_.records.has_value()) {
      absl::StatusOr<std::unique_ptr<MessageOutput>> messages =
          MessageOutput::Create(*options_.records, output_->fd(), scan_->message());
      if (!messages.ok()) return InOutput(messages.status());
      messages_ = *std::move(messages);
      return absl::OkStatus();
    }
    SinkOptions sink_options = options_.sink;
    sink_options.threads = options_.jobs;
    sink_options.ids = ColumnIds();
    sink_options.layouts = ArrowLayouts();
    sink_options.scratch_folder = output_->folder();
    absl::StatusOr<std::unique_ptr<Sink>> sink = Sink::Create(sink_options, output_->fd(), *schema_->structured());
    if (!sink.ok()) return InOutput(sink.status());
    sink_ = *std::move(sink);
    return absl::OkStatus();
  }

  // Columns that say where rows come from are not fields, whatever their names are.
  std::vector<std::string> ColumnsOfOrigin() const { return {options_.scan.filename_column, options_.scan.offset_column}; }
  std::vector<ColumnId> ColumnIds() const { return ColumnIdsOf(scan_->message(), *schema_->structured(), ColumnsOfOrigin()); }
  std::vector<ArrowLayout> ArrowLayouts() const {
    return ArrowLayoutsOf(scan_->message(), *schema_->structured(), ColumnsOfOrigin(), options_.scan.row_options.tensor.enums);
  }

  absl::Status OpenPartitions() {
    PartitionedSinkOptions partitions = options_.partitions();
    partitions.files.threads = options_.jobs;
    partitions.files.ids = ColumnIds();
    partitions.files.layouts = ArrowLayouts();
    // Finds errors in the columns before there is a folder.
    STRUCTTENSOR_RETURN_IF_ERROR(PartitionedSink::Check(partitions, scan_->empty()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(folder_, OutputFolder::Open(options_.output, options_.scan.overwrite));
    STRUCTTENSOR_ASSIGN_OR_RETURN(sink_, PartitionedSink::Create(partitions, folder_.get(), scan_->empty()));
    return absl::OkStatus();
  }

  void ShowSpec() {
    if (!options_.show_spec) return;
    std::string tree = schema_->TreeString();
    if (!tree.ends_with('\n')) tree += '\n';
    Print(tree);
  }

  absl::Status ConvertAll() {
    while (NeedsMore()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, scan_->Next([this](const ScanBatch& batch) { return UseBatch(batch); }));
      summary_.input_bytes = scan_->bytes_read();
      if (!more) break;
      if (head_.full()) STRUCTTENSOR_RETURN_IF_ERROR(ShowHead());
      progress_.Update(totals());
    }
    return ShowHead();
  }

  // Without an output, the rest of the input is not needed once the head is shown.
  bool NeedsMore() const { return options_.has_output() || !head_shown_; }

  absl::Status UseBatch(const ScanBatch& batch) {
    summary_.rows += batch.rows.nrows();
    if (!head_.full()) head_.Add(batch.rows);
    std::shared_ptr<const TextRows> strings = batch.text_rows;
    if (messages_ != nullptr && strings == nullptr && batch.messages_match_columns) {
      if (writer_ == nullptr) return InOutput(messages_->Write(batch.messages));
      strings = CopyOf(batch.messages);  // to be written in order, after the batches that wait
    } else if (std::exchange(starts_writer_, false)) {
      StartWriter();
    }
    Rows rows = {batch.columns, batch.rows, std::move(strings)};
    return writer_ != nullptr ? writer_->Add(std::move(rows)) : Write(rows);
  }

  static std::shared_ptr<const TextRows> CopyOf(std::span<const std::string_view> messages) {
    auto copy = std::make_shared<TextRows>();
    for (const std::string_view message : messages) {
      copy->bytes += message;
      copy->ends.push_back(copy->bytes.size());
    }
    return copy;
  }

  void StartWriter() {
    try {
      // One batch is decoded, one waits and one is written.
      writer_ = std::make_unique<base_internal::OrderedWorker<Rows>>(1, [this](const Rows& rows) { return Write(rows); });
    } catch (const std::system_error&) {
      // If the system has no thread left, this thread does everything.
    }
  }

  // Columns and rows share their memory.
  struct Rows {
    DecodedBatch columns;
    StructuredTensor rows;
    std::shared_ptr<const TextRows> strings;  // as in MessageOutput::Write
  };

  absl::Status Write(const Rows& rows) {
    if (sink_ != nullptr) return InOutput(sink_->Write(rows.rows));
    if (messages_ != nullptr) return InOutput(messages_->Write(rows.columns, rows.strings.get()));
    return absl::OkStatus();
  }

  // Shows the first rows, once they have been read or there are no more.
  absl::Status ShowHead() {
    if (std::exchange(head_shown_, true)) return absl::OkStatus();
    const auto for_people = [this](const StructuredTensor& rows) {
      return WithEnumNames(rows, scan_->message(), ColumnsOfOrigin());
    };
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::string table, head_.Table(scan_->empty(), TerminalWidth(preview_), for_people));
    if (!table.ends_with('\n')) table += '\n';
    progress_.Clear();
    Print(table);
    return absl::OkStatus();
  }

  absl::Status FinishOutput() {
    if (!options_.has_output()) return absl::OkStatus();
    if (writer_ != nullptr) STRUCTTENSOR_RETURN_IF_ERROR(writer_->Finish());
    if (sink_ != nullptr) STRUCTTENSOR_RETURN_IF_ERROR(InOutput(sink_->Finish()));
    if (messages_ != nullptr) STRUCTTENSOR_RETURN_IF_ERROR(InOutput(messages_->Finish()));
    if (folder_ != nullptr) {
      summary_.output_files = folder_->number_of_files();
      STRUCTTENSOR_ASSIGN_OR_RETURN(summary_.output_bytes, folder_->Commit());
      return absl::OkStatus();
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(summary_.output_bytes, output_->Commit());
    return absl::OkStatus();
  }

  void ReportSummary() {
    if (options_.quiet || !options_.has_output()) return;
    std::string line = absl::StrCat(AmountText(totals()), " from ", InputsText(),
                                    absl::StrFormat(" in %.2f s: ", summary_.seconds), RateText(totals(), summary_.seconds));
    if (summary_.broken_records > 0) {
      absl::StrAppend(&line, "; ", CountText(summary_.broken_records), " ", ToAbsl(broken_list_.verb()));
    }
    if (!summary_.damaged_files.empty()) {
      absl::StrAppend(&line, "; ", CountText(static_cast<int64_t>(summary_.damaged_files.size())),
                      summary_.damaged_files.size() == 1 ? " damaged file" : " damaged files");
    }
    absl::StrAppend(&line, "; wrote ", output_name(), " (");
    if (summary_.output_files.has_value()) {
      absl::StrAppend(&line, CountText(static_cast<int64_t>(*summary_.output_files)),
                      *summary_.output_files == 1 ? " file, " : " files, ");
    }
    if (summary_.output_bytes.has_value()) absl::StrAppend(&line, SizeText(*summary_.output_bytes), ", ");
    absl::StrAppend(&line, CountText(summary_.rows), summary_.rows == 1 ? " row)" : " rows)");
    absl::FPrintF(stderr, "%s\n", line);
  }

  std::string InputsText() const {
    if (summary_.inputs != 1) return absl::StrCat(summary_.inputs, " files");
    return options_.scan.inputs[0] == "-" ? "<stdin>" : "1 file";
  }

  Totals totals() const { return {.messages = summary_.rows, .input_bytes = summary_.input_bytes}; }

  absl::Status InOutput(const absl::Status& status) const {
    if (status.ok()) return status;
    return absl::Status(status.code(), absl::StrCat(output_name(), ": ", status.message()));
  }

  std::string output_name() const { return folder_ != nullptr ? DisplayPath(folder_->name()) : output_->display_name(); }

  // The preview goes to standard error where standard output carries the data.
  void Print(const std::string& text) { (preview_ == stderr ? std::cerr : std::cout) << text << std::flush; }

  const ConverterOptions& options_;
  const plan::MessagePlan& message_;
  FILE* const preview_;
  std::unique_ptr<Scan> scan_;
  std::optional<TypeSpec> schema_;
  // If there is an output, one of these two is set. It outlives what writes to it.
  std::unique_ptr<OutputFile> output_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<Sink> sink_;  // either this or the next one is set
  std::unique_ptr<MessageOutput> messages_;
  // Null with one job, and until the first batch that it writes. Destroyed before what it writes to.
  std::unique_ptr<base_internal::OrderedWorker<Rows>> writer_;
  bool starts_writer_;  // with the next batch for it
  HeadRows head_;
  bool head_shown_ = options_.head == 0;
  BrokenRecordList broken_list_;
  ConversionSummary summary_;
  ProgressLine progress_;
};

}  // namespace

absl::StatusOr<ConversionSummary> Convert(const ConverterOptions& options, const plan::MessagePlan& message) {
  return Conversion(options, message).Run();
}

}  // namespace structtensor::convert_internal
