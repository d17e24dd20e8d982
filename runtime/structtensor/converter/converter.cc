#include "structtensor/converter/converter.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/batch_to_tensor/to_structured_tensor.h"
#include "structtensor/converter/internal/broken_records.h"
#include "structtensor/converter/internal/options.h"
#include "structtensor/converter/internal/output_file.h"
#include "structtensor/converter/internal/piecewise_decoder.h"
#include "structtensor/converter/internal/progress.h"
#include "structtensor/converter/internal/sink.h"
#include "structtensor/records/record_reader.h"
#include "structtensor/tensor/text.h"

namespace structtensor {
namespace {

constexpr size_t kMaxBatchBytes = 64 << 20;
constexpr size_t kTableWidthWithoutTerminal = 120;

// Absent optional fields are nulls in files, not lists of length 0.
TensorOptions MakeTensorOptions(const ConverterOptions& options) {
  return {.optionals = Optionals::kNullable,
          .well_known_types = options.well_known == "native" ? WellKnownTypes::kNative : WellKnownTypes::kStructs,
          .unknown_fields = options.decode.unknown_fields == DecodeOptions::UnknownFields::kKeep};
}

// Damaged records are skipped here whatever --on-error says, since with their bytes they may become dead letters.
RecordReaderOptions MakeReaderOptions(const ConverterOptions& options) {
  return {.format = options.input_format, .max_message_bytes = options.decode.max_message_bytes, .skip_damaged = true};
}

// One status of two, of which at least one is an error.
absl::Status Both(const absl::Status& first, const absl::Status& second) {
  if (first.ok()) return second;
  if (second.ok() || first == second) return first;
  return absl::Status(first.code(), absl::StrCat(first.message(), "; moreover: ", second.message()));
}

// The messages that the rows of a batch are made of. Where records without a sound message have rows, too, an empty message
// stands for each.
class RowSources {
 public:
  RowSources(const RecordBatch& batch, bool rows_for_damaged_records) {
    auto damaged = batch.skipped().begin();
    const auto damaged_end = rows_for_damaged_records ? batch.skipped().end() : damaged;
    for (size_t i = 0; i < batch.messages().size(); ++i) {
      for (; damaged != damaged_end && damaged->location < batch.locations()[i]; ++damaged) AddStandIn();
      messages_.push_back(batch.messages()[i]);
      index_in_batch_.push_back(static_cast<int64_t>(i));
    }
    for (; damaged != damaged_end; ++damaged) AddStandIn();
  }

  std::span<const std::string_view> messages() const { return messages_; }

  // Makes errors of messages() errors of the batch's messages. What is wrong with stand-ins has been told already.
  std::vector<MessageError> ErrorsOfRecords(std::vector<MessageError> errors) const {
    for (MessageError& error : errors) error.message_index = index_in_batch_[static_cast<size_t>(error.message_index)];
    std::erase_if(errors, [](const MessageError& error) { return error.message_index == kStandIn; });
    return errors;
  }

 private:
  static constexpr int64_t kStandIn = -1;
  void AddStandIn() {
    messages_.emplace_back();
    index_in_batch_.push_back(kStandIn);
  }

  std::vector<std::string_view> messages_;
  std::vector<int64_t> index_in_batch_;
};

size_t TableWidth(FILE* to) {
  winsize size = {};
  if (ioctl(fileno(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kTableWidthWithoutTerminal;
  return size.ws_col;
}

// One run of the command. Its methods are the stages, in the order in which Run calls them.
class Conversion {
 public:
  Conversion(const ConverterOptions& options, const plan::MessagePlan& message)
      : options_(options),
        preview_(options.writes_standard_output() ? stderr : stdout),
        reader_(MakeRecordReader(options.inputs, MakeReaderOptions(options))),
        decoder_(message, options.decode, MakeTensorOptions(options)),
        broken_records_(options),
        progress_(!options.quiet) {}

  absl::Status Run() {
    STRUCTTENSOR_RETURN_IF_ERROR(LearnSchema());
    STRUCTTENSOR_RETURN_IF_ERROR(OpenOutput());
    STRUCTTENSOR_RETURN_IF_ERROR(broken_records_.Open());
    ShowSpec();
    const absl::Status converted = ConvertAll();
    // Dead letters are kept however the conversion ends, and an output without its dead letters is not whole.
    const absl::Status kept = broken_records_.Close();
    progress_.Clear();
    broken_records_.FinishList();
    if (!converted.ok() || !kept.ok()) return Both(converted, kept);
    STRUCTTENSOR_RETURN_IF_ERROR(FinishOutput());
    Summarize();
    return absl::OkStatus();
  }

 private:
  absl::Status ConvertAll() {
    while (NeedsMore()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, ReadBatch());
      if (!more) break;
      STRUCTTENSOR_RETURN_IF_ERROR(ConvertBatch());
      progress_.Update(totals_);
    }
    if (!head_shown_) ShowHead(*empty_);
    return absl::OkStatus();
  }

  // The schema follows from the message type; a batch without messages has it. What is wrong with it shows before any input.
  absl::Status LearnSchema() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(empty_, decoder_.Empty());
    schema_ = TypeSpec(empty_->spec()).WithUnknownSizes();
    return absl::OkStatus();
  }

  absl::Status OpenOutput() {
    if (!options_.has_output()) return absl::OkStatus();
    STRUCTTENSOR_ASSIGN_OR_RETURN(output_, OutputFile::Open(options_.output, options_.overwrite));
    absl::StatusOr<std::unique_ptr<Sink>> sink = MakeSink(options_.output_format, output_->fd(), *schema_->structured());
    if (!sink.ok()) return InOutput(sink.status());
    sink_ = *std::move(sink);
    return absl::OkStatus();
  }

  void ShowSpec() {
    if (!options_.show_spec) return;
    std::string tree = schema_->TreeString();
    if (!tree.ends_with('\n')) tree += '\n';
    Print(tree);
  }

  // Without an output, the rest of the input is of no interest once the head is shown.
  bool NeedsMore() const { return sink_ != nullptr || !head_shown_; }

  absl::StatusOr<bool> ReadBatch() {
    const size_t max_messages = std::max(options_.batch_size, static_cast<size_t>(options_.head));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader_->NextBatch(max_messages, kMaxBatchBytes, &records_));
    totals_.input_bytes = reader_->bytes_read();
    return more;
  }

  absl::Status ConvertBatch() {
    const RowSources sources(records_, options_.decode.on_error == DecodeOptions::OnError::kNull);
    std::vector<MessageError> errors;
    const absl::Status status = decoder_.Decode(
        sources.messages(), [this](const StructuredTensor& rows) { return UseRows(rows); }, &errors);
    const std::vector<BrokenRecord> broken = BrokenRecordsOf(records_, sources.ErrorsOfRecords(std::move(errors)), *reader_);
    if (!broken.empty()) progress_.Clear();  // so that the terminal shows whole lines
    STRUCTTENSOR_RETURN_IF_ERROR(broken_records_.Add(broken));
    return status;
  }

  absl::Status UseRows(const StructuredTensor& rows) {
    totals_.messages += rows.nrows();
    if (sink_ != nullptr && rows.nrows() > 0) STRUCTTENSOR_RETURN_IF_ERROR(InOutput(sink_->Write(rows)));
    ShowHead(rows);
    return absl::OkStatus();
  }

  // Shows the head of the first batch with rows, which has as many messages as are to be shown (unless they are huge).
  void ShowHead(const StructuredTensor& rows) {
    if (head_shown_ || (rows.nrows() == 0 && &rows != &*empty_)) return;
    head_shown_ = true;
    std::string table = FormatTable(rows, options_.head, TableWidth(preview_));
    if (!table.ends_with('\n')) table += '\n';
    progress_.Clear();
    Print(table);
  }

  absl::Status FinishOutput() {
    if (sink_ == nullptr) return absl::OkStatus();
    STRUCTTENSOR_RETURN_IF_ERROR(InOutput(sink_->Finish()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(output_size_bytes_, output_->Commit());
    return absl::OkStatus();
  }

  void Summarize() {
    if (options_.quiet || sink_ == nullptr) return;
    const double seconds = progress_.seconds();
    std::string line = absl::StrCat(AmountText(totals_), " from ", InputsText(), absl::StrFormat(" in %.2f s: ", seconds),
                                    RateText(totals_, seconds));
    if (broken_records_.count() > 0) {
      absl::StrAppend(&line, "; ", CountText(broken_records_.count()), " ", ToAbsl(broken_records_.verb()));
    }
    absl::StrAppend(&line, "; wrote ", output_->display_name(), " (");
    if (output_size_bytes_.has_value()) absl::StrAppend(&line, SizeText(*output_size_bytes_), ", ");
    absl::StrAppend(&line, CountText(totals_.messages), totals_.messages == 1 ? " row)" : " rows)");
    absl::FPrintF(stderr, "%s\n", line);
  }

  std::string InputsText() const {
    if (options_.inputs.size() == 1) return options_.inputs[0] == "-" ? "<stdin>" : "1 file";
    return absl::StrCat(options_.inputs.size(), " files");
  }

  absl::Status InOutput(const absl::Status& status) const {
    if (status.ok()) return status;
    return absl::Status(status.code(), absl::StrCat(output_->display_name(), ": ", status.message()));
  }

  // The preview goes to standard error where standard output carries the data.
  void Print(const std::string& text) {
    std::fputs(text.c_str(), preview_);
    std::fflush(preview_);
  }

  const ConverterOptions& options_;
  FILE* const preview_;
  const std::unique_ptr<RecordReader> reader_;
  PiecewiseDecoder decoder_;
  BrokenRecords broken_records_;
  RecordBatch records_;  // the batch under way
  std::optional<StructuredTensor> empty_;
  std::optional<TypeSpec> schema_;
  std::unique_ptr<OutputFile> output_;  // null without an output; outlives the sink
  std::unique_ptr<Sink> sink_;
  std::optional<int64_t> output_size_bytes_;
  bool head_shown_ = options_.head == 0;
  Totals totals_;
  ProgressLine progress_;
};

}  // namespace

int ConverterMain(int argc, char** argv, const plan::MessagePlan& message, std::string_view program_name) {
  ConverterOptions options;
  if (const std::optional<int> exit_code = ParseOptions(argc, argv, program_name, message.full_name, &options))
    return *exit_code;
  const absl::Status status = Conversion(options, message).Run();
  if (status.ok()) return kExitOk;
  absl::FPrintF(stderr, "%s: %s\n", ToAbsl(program_name), status.message());
  return kExitFailure;
}

}  // namespace structtensor
