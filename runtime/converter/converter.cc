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
#include "structtensor/base/status.h"
#include "structtensor/base/strings.h"
#include "structtensor/batch/from_batch.h"
#include "structtensor/converter/options.h"
#include "structtensor/converter/output_file.h"
#include "structtensor/converter/progress.h"
#include "structtensor/converter/sink.h"
#include "structtensor/converter/skip_list.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/records/record_reader.h"
#include "structtensor/tensor/text.h"

namespace structtensor {
namespace {

constexpr size_t kMaxBatchBytes = 64 << 20;
constexpr size_t kTableWidthWithoutTerminal = 120;

DecodeOptions MakeDecodeOptions(const ConverterOptions& options) {
  DecodeOptions decode_options;
  decode_options.on_error = options.skip_errors ? DecodeOptions::OnError::kSkip : DecodeOptions::OnError::kFail;
  decode_options.max_depth = options.max_depth.value_or(decode_options.max_depth);
  decode_options.recursion_depth = options.recursion_depth;
  return decode_options;
}

// Absent optional fields are nulls in files, not lists of length 0.
TensorOptions MakeTensorOptions(const ConverterOptions& options) {
  return {.optionals = Optionals::kNullable,
          .well_known_types = options.well_known == "native" ? WellKnownTypes::kNative : WellKnownTypes::kStructs};
}

RecordReaderOptions MakeReaderOptions(const ConverterOptions& options) {
  return {.format = options.input_format, .max_message_bytes = options.max_message_bytes, .skip_damaged = options.skip_errors};
}

size_t TableWidth(FILE* to) {
  winsize size = {};
  if (ioctl(fileno(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kTableWidthWithoutTerminal;
  return size.ws_col;
}

// One run of the command. Its methods are the stages, in the order in which Run calls them.
class Conversion {
 public:
  Conversion(const ConverterOptions& options, const plan::Message& message)
      : options_(options),
        preview_(options.writes_standard_output() ? stderr : stdout),
        reader_(MakeRecordReader(options.inputs, MakeReaderOptions(options))),
        decoder_(message, MakeDecodeOptions(options)),
        tensor_options_(MakeTensorOptions(options)),
        progress_(!options.quiet) {}

  absl::Status Run() {
    STRUCTTENSOR_RETURN_IF_ERROR(LearnSchema());
    STRUCTTENSOR_RETURN_IF_ERROR(OpenOutput());
    ShowSpec();
    while (NeedsMore()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, ReadBatch());
      if (!more) break;
      STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor rows, DecodeBatch());
      STRUCTTENSOR_RETURN_IF_ERROR(WriteBatch(rows));
      ShowHead(rows);
      progress_.Update(totals_);
    }
    if (!head_shown_) ShowHead(*empty_);
    STRUCTTENSOR_RETURN_IF_ERROR(FinishOutput());
    Summarize();
    return absl::OkStatus();
  }

 private:
  // The schema follows from the message type; a batch without messages has it. What is wrong with it shows before any input.
  absl::Status LearnSchema() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const DecodedBatch batch, decoder_.Decode(std::span<const std::string_view>()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(empty_, batch.structured_tensor(tensor_options_));
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
    for (const RecordError& error : records_.skipped()) Skip(absl::StrCat(reader_->Where(error.location), ": ", error.problem));
    return more;
  }

  absl::StatusOr<StructuredTensor> DecodeBatch() {
    std::vector<MessageError> errors;
    const absl::StatusOr<DecodedBatch> batch = decoder_.Decode(records_.messages(), &errors);
    if (!batch.ok()) return DecodeFailure(batch.status(), errors);
    for (const MessageError& error : errors) Skip(Describe(error));
    totals_.messages += batch->nrows();
    absl::StatusOr<StructuredTensor> rows = batch->structured_tensor(tensor_options_);
    if (!rows.ok()) return InBatch(rows.status(), "pass --well-known=structs");
    return rows;
  }

  absl::Status WriteBatch(const StructuredTensor& rows) {
    if (sink_ == nullptr || rows.nrows() == 0) return absl::OkStatus();
    return InOutput(sink_->Write(rows));
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
    progress_.Clear();
    if (sink_ == nullptr) return absl::OkStatus();
    STRUCTTENSOR_RETURN_IF_ERROR(InOutput(sink_->Finish()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(output_size_bytes_, output_->Commit());
    return absl::OkStatus();
  }

  void Summarize() {
    skips_.Finish();
    if (options_.quiet || sink_ == nullptr) return;
    const double seconds = progress_.seconds();
    std::string line = absl::StrCat(AmountText(totals_), " from ", InputsText(), absl::StrFormat(" in %.2f s: ", seconds),
                                    RateText(totals_, seconds));
    if (skips_.count() > 0) absl::StrAppend(&line, "; ", CountText(skips_.count()), " skipped");
    absl::StrAppend(&line, "; wrote ", output_->display_name(), " (");
    if (output_size_bytes_.has_value()) absl::StrAppend(&line, SizeText(*output_size_bytes_), ", ");
    absl::StrAppend(&line, CountText(totals_.messages), totals_.messages == 1 ? " row)" : " rows)");
    absl::FPrintF(stderr, "%s\n", line);
  }

  std::string InputsText() const {
    if (options_.inputs.size() == 1) return options_.inputs[0] == "-" ? "<stdin>" : "1 file";
    return absl::StrCat(options_.inputs.size(), " files");
  }

  void Skip(const std::string& what) {
    progress_.Clear();  // so that the terminal shows whole lines
    skips_.Add(what);
  }

  // "spans.bin record 1042, byte 81301, resource_spans.scope_spans.spans.name: string is not valid UTF-8"
  std::string Describe(const MessageError& error) const {
    const RecordLocation& location = records_.locations()[static_cast<size_t>(error.message_index)];
    return absl::StrCat(reader_->Where(location, error.byte_offset), error.field_path.empty() ? "" : ", ", error.field_path,
                        ": ", error.problem);
  }

  absl::Status DecodeFailure(const absl::Status& status, const std::vector<MessageError>& errors) const {
    if (!errors.empty() && !options_.skip_errors) {
      return absl::Status(status.code(), absl::StrCat(Describe(errors.front()), " (--on-error=skip leaves such messages out)"));
    }
    return InBatch(status, "a smaller --batch-size may help");
  }

  // For what concerns no single record.
  absl::Status InBatch(const absl::Status& status, const char* advice) const {
    if (records_.locations().empty()) return status;
    return absl::Status(status.code(),
                        absl::StrCat("in the batch that begins at ", reader_->Where(records_.locations().front()), ": ",
                                     status.message(), " (", advice, ")"));
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
  BatchDecoder decoder_;
  TensorOptions tensor_options_;
  RecordBatch records_;  // the batch under way
  std::optional<StructuredTensor> empty_;
  std::optional<TypeSpec> schema_;
  std::unique_ptr<OutputFile> output_;  // null without an output; outlives the sink
  std::unique_ptr<Sink> sink_;
  std::optional<int64_t> output_size_bytes_;
  bool head_shown_ = options_.head == 0;
  SkipList skips_;
  Totals totals_;
  ProgressLine progress_;
};

}  // namespace

int ConverterMain(int argc, char** argv, const plan::Message& message, std::string_view program_name) {
  ConverterOptions options;
  if (const std::optional<int> exit_code = ParseOptions(argc, argv, program_name, message.full_name, &options))
    return *exit_code;
  const absl::Status status = Conversion(options, message).Run();
  if (status.ok()) return kExitOk;
  absl::FPrintF(stderr, "%s: %s\n", ToAbsl(program_name), status.message());
  return kExitFailure;
}

}  // namespace structtensor
