#include "structtensor/scan/scan.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/scan/internal/broken_records.h"
#include "structtensor/scan/internal/nested_records.h"
#include "structtensor/scan/internal/piecewise_decoder.h"
#include "structtensor/scan/internal/row_filter.h"
#include "structtensor/scan/internal/row_sources.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using scan_internal::BrokenRecords;
using scan_internal::PiecewiseDecoder;
using scan_internal::RowFilter;
using scan_internal::RowSources;

absl::Status OutOfRange(std::string_view option, int64_t value, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("ScanOptions::", std::string(option), " = ", value, "; expected ", std::string(expected)));
}

absl::Status Validate(const ScanOptions& options) {
  if (options.inputs.empty())
    return absl::InvalidArgumentError("ScanOptions::inputs is empty; name a file, or - for standard input");
  if (options.batch_size < 1) return OutOfRange("batch_size", 0, "1 or more");
  if (options.batch_bytes < 1) return OutOfRange("batch_bytes", 0, "1 or more");
  if (!options.selection.empty() && !options.decode.fields.empty()) {
    return absl::InvalidArgumentError("ScanOptions::selection and decode.fields are both set; leave one empty");
  }
  if (options.decode.strings == DecodeOptions::Strings::kViews) {
    return absl::InvalidArgumentError(
        "ScanOptions::decode.strings = kViews: a scan reuses the memory of its input; expected kCopy");
  }
  if (options.skip < 0) return OutOfRange("skip", options.skip, "0 or more");
  if (options.limit < -1) return OutOfRange("limit", options.limit, "0 or more, or -1 for all records");
  if (options.decode.max_errors < -1) return OutOfRange("decode.max_errors", options.decode.max_errors, "-1 or more");
  return absl::OkStatus();
}

// Damaged records are skipped here whatever on_error says, since with their bytes they may become dead letters.
RecordReaderOptions ReaderOptionsOf(const ScanOptions& options) {
  return {.format = options.format,
          .confluent_headers = options.confluent_headers,
          .max_message_bytes = options.decode.max_message_bytes,
          .skip_damaged = true};
}

// By its name, as nobody wants to look into all files for a progress line.
bool IsCompressed(std::string_view path) { return path.ends_with(".gz") || path.ends_with(".zst") || path.ends_with(".lz4"); }

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandInputs(const std::vector<std::string>& inputs,
                                                      const std::vector<std::string>& except) {
  const auto is_excepted = [&except](const std::string& path) {
    return std::any_of(except.begin(), except.end(), [&path](const std::string& other) {
      std::error_code error;
      return fs::equivalent(path, other, error) && !error;
    });
  };
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input == "-" || !fs::is_directory(input, error)) {
      files.push_back(input);
      continue;
    }
    std::vector<std::string> in_folder;
    fs::directory_iterator entry(input, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      std::error_code of_entry;
      if (!name.starts_with('.') && !name.starts_with('_') && entry->is_regular_file(of_entry) &&
          !is_excepted(entry->path().string())) {
        in_folder.push_back(entry->path().string());
      }
    }
    if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat(input, ": cannot read the folder"));
    if (in_folder.empty()) return absl::NotFoundError(absl::StrCat(input, ": a folder without files"));
    std::sort(in_folder.begin(), in_folder.end());
    files.insert(files.end(), std::make_move_iterator(in_folder.begin()), std::make_move_iterator(in_folder.end()));
  }
  return files;
}

absl::StatusOr<const plan::MessagePlan*> MessageOfRows(const plan::MessagePlan& message, std::string_view rows) {
  if (rows.empty()) return &message;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const scan_internal::RowPath path, scan_internal::ResolveRowPath(message, rows));
  return &path.row_message();
}

class Scan::Impl {
 public:
  explicit Impl(ScanOptions options) : options_(std::move(options)), broken_(options_) {}

  absl::Status Open(const plan::MessagePlan& message_of_inputs) {
    STRUCTTENSOR_RETURN_IF_ERROR(Validate(options_));
    std::vector<std::string> outputs = options_.reserved;
    if (!options_.dead_letters.empty()) {
      outputs.insert(outputs.end(), {options_.dead_letters, options_.dead_letters + ".jsonl"});
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(options_.inputs, ExpandInputs(options_.inputs, outputs));
    const RecordReaderOptions reader_options = ReaderOptionsOf(options_);
    STRUCTTENSOR_ASSIGN_OR_RETURN(reader_, options_.open_records
                                               ? options_.open_records(message_of_inputs, options_.inputs, reader_options)
                                               : RecordReader::Create(options_.inputs, reader_options));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const plan::MessagePlan* const rows, MessageOfRows(message_of_inputs, options_.rows));
    if (!options_.rows.empty()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(scan_internal::RowPath path,
                                    scan_internal::ResolveRowPath(message_of_inputs, options_.rows));
      reader_ = scan_internal::MakeNestedRecordReader(std::move(reader_), std::move(path), reader_options.skip_damaged);
    }
    const plan::MessagePlan& message = *rows;
    message_ = rows;
    DecodeOptions decode = options_.decode;
    decode.max_errors = -1;  // broken_ counts those of the whole scan
    if (!options_.where.empty()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(filter_, RowFilter::Create(message, options_.where, options_.decode));
    }
    if (!options_.selection.empty()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(decode.fields, ResolveSelection(message, options_.selection, decode.recursion_depth));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(BatchDecoder decoder, BatchDecoder::Create(message, std::move(decode)));
    decoder_.emplace(std::move(decoder), options_.decode.on_error, options_.tensor);
    // The schema follows from the message type; a batch without messages has it. What is wrong with it shows before any input.
    STRUCTTENSOR_ASSIGN_OR_RETURN(empty_, decoder_->Empty());
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(const UseBatch& use) {
    if (!std::exchange(started_, true)) STRUCTTENSOR_RETURN_IF_ERROR(broken_.Open());
    STRUCTTENSOR_RETURN_IF_ERROR(SkipRecords());
    const size_t max_records = RecordsOfNextBatch();
    if (max_records == 0) return false;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader_->NextBatch(max_records, options_.batch_bytes, &records_));
    if (!more) return false;
    records_read_ += static_cast<int64_t>(records_.messages().size() + records_.skipped().size());

    std::vector<MessageError> errors_of_records;
    std::vector<uint8_t> answers;
    if (filter_ != nullptr) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(answers, filter_->Ask(records_.messages(), &errors_of_records));
    }
    const bool null_rows = options_.decode.on_error == DecodeOptions::OnError::kNull;
    const RowSources sources(records_, answers, null_rows);
    std::vector<MessageError> errors;
    size_t first_message = 0;  // of the piece
    const absl::Status status = decoder_->Decode(
        sources.messages(),
        [&](const PiecewiseDecoder::Piece& piece, std::span<const std::string_view> messages) -> absl::Status {
          const size_t first = std::exchange(first_message, first_message + messages.size());
          if (piece.rows->nrows() == 0) return absl::OkStatus();
          if (piece.rows->nrows() != static_cast<int64_t>(messages.size())) return use({piece.columns, *piece.rows, {}, {}});
          broken_rows_.assign(messages.size(), 0);
          for (size_t i = 0; i < messages.size(); ++i) broken_rows_[i] = sources.IsStandIn(first + i) ? 1 : 0;
          for (const MessageError& error : errors) {
            const auto index = static_cast<size_t>(error.message_index);
            if (index >= first) broken_rows_[index - first] = 1;
          }
          return use({piece.columns, *piece.rows, messages, broken_rows_});
        },
        &errors);
    NoteChangedFields(sources);
    for (MessageError& error : sources.ErrorsOfRecords(std::move(errors))) errors_of_records.push_back(std::move(error));
    STRUCTTENSOR_RETURN_IF_ERROR(broken_.Add(scan_internal::BrokenRecordsOf(records_, errors_of_records, *reader_)));
    STRUCTTENSOR_RETURN_IF_ERROR(status);
    return true;
  }

  const ScanOptions& options() const { return options_; }
  const plan::MessagePlan& message() const { return *message_; }
  const StructuredTensor& empty() const { return *empty_; }
  const RecordReader& reader() const { return *reader_; }
  const PiecewiseDecoder& decoder() const { return *decoder_; }
  BrokenRecords& broken() { return broken_; }
  const std::vector<ChangedField>& changed_fields() const { return changed_fields_; }

 private:
  void NoteChangedFields(const RowSources& sources) {
    for (const WireTypeMismatch& mismatch : decoder_->wire_type_mismatches()) {
      const auto known = std::find_if(changed_fields_.begin(), changed_fields_.end(), [&mismatch](const ChangedField& each) {
        return each.field_path == mismatch.field_path && each.found == mismatch.found;
      });
      if (known != changed_fields_.end()) {
        known->count += mismatch.count;
        continue;
      }
      // A stand-in has no fields.
      const int64_t message = sources.IndexInBatch(static_cast<size_t>(mismatch.first_message_index));
      changed_fields_.push_back({.field_path = mismatch.field_path,
                                 .declared = mismatch.declared,
                                 .found = mismatch.found,
                                 .count = mismatch.count,
                                 .first = reader_->Where(records_.locations()[static_cast<size_t>(message)])});
    }
  }

  absl::Status SkipRecords() {
    while (skipped_ < options_.skip) {
      const size_t count = static_cast<size_t>(std::min<int64_t>(options_.skip - skipped_, int64_t{1} << 20));
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader_->NextBatch(count, options_.batch_bytes, &records_));
      if (!more) break;
      skipped_ += static_cast<int64_t>(records_.messages().size() + records_.skipped().size());
    }
    return absl::OkStatus();
  }

  size_t RecordsOfNextBatch() const {
    if (options_.limit < 0) return options_.batch_size;
    return static_cast<size_t>(std::min<uint64_t>(options_.batch_size, static_cast<uint64_t>(options_.limit - records_read_)));
  }

  ScanOptions options_;
  const plan::MessagePlan* message_ = nullptr;  // of rows
  std::unique_ptr<RecordReader> reader_;
  std::unique_ptr<RowFilter> filter_;  // null without a condition
  std::optional<PiecewiseDecoder> decoder_;
  std::optional<StructuredTensor> empty_;
  RecordBatch records_;  // of the batch under way
  std::vector<uint8_t> broken_rows_;
  std::vector<ChangedField> changed_fields_;
  bool started_ = false;
  int64_t skipped_ = 0;
  int64_t records_read_ = 0;
  BrokenRecords broken_;
};

Scan::Scan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Scan::~Scan() = default;

absl::StatusOr<std::unique_ptr<Scan>> Scan::Create(const plan::MessagePlan& message, ScanOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  STRUCTTENSOR_RETURN_IF_ERROR(impl->Open(message));
  return std::unique_ptr<Scan>(new Scan(std::move(impl)));
}

const plan::MessagePlan& Scan::message() const { return impl_->message(); }
const StructuredTensor& Scan::empty() const { return impl_->empty(); }
absl::StatusOr<bool> Scan::Next(const UseBatch& use) { return impl_->Next(use); }
absl::Status Scan::Close() { return impl_->broken().Close(); }
int64_t Scan::broken_records() const { return impl_->broken().count(); }
int64_t Scan::bytes_read() const { return impl_->reader().bytes_read(); }
size_t Scan::number_of_inputs() const { return impl_->options().inputs.size(); }
const std::vector<TimesOutOfRange>& Scan::times_out_of_range() const { return impl_->decoder().times_out_of_range(); }

const std::vector<ChangedField>& Scan::changed_fields() const { return impl_->changed_fields(); }

int64_t Scan::size_bytes_of_inputs() const {
  int64_t total = 0;
  for (const std::string& input : impl_->options().inputs) {
    std::error_code error;
    if (input == "-" || IsCompressed(input) || !fs::is_regular_file(input, error)) return -1;
    const std::uintmax_t size_bytes = fs::file_size(input, error);
    if (error) return -1;
    total += static_cast<int64_t>(size_bytes);
  }
  return total;
}

}  // namespace structtensor
