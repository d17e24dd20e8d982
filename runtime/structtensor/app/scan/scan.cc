#include "structtensor/app/scan/scan.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/app/scan/internal/broken_records.h"
#include "structtensor/app/scan/internal/csv_messages.h"
#include "structtensor/app/scan/internal/nested_records.h"
#include "structtensor/app/scan/internal/record_columns.h"
#include "structtensor/app/scan/internal/scan_worker.h"
#include "structtensor/app/scan/shared/option_table.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/ordered_pool.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/io/remote_files/shared/listed_files.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using scan_internal::BrokenRecords;
using scan_internal::DecodedRecords;
using scan_internal::ScanWorker;

// Whether a message of the batch may have a field of its type. This is unknown for skipped fields, which a choice of fields
// or an annotation leaves out.
bool MayHaveFields(const DecodedBatch& batch) {
  const NodeView root = batch.root();
  for (size_t i = 0; i < root.plan().fields.size(); ++i) {
    if (root.plan().fields[i].skipped || root.column_in_place(i).nvals > 0) return true;
  }
  return false;
}

// The reader never fails because of damage, whatever on_error and on_damaged_file are: it then returns the damaged bytes, which
// may become dead letters.
RecordReaderOptions ReaderOptionsOf(const ScanOptions& options) {
  return {.format = options.format,
          .confluent_headers = options.confluent_headers,
          .max_message_bytes = options.row_options.decode.max_message_bytes,
          .max_memory_bytes = options.row_options.decode.max_memory_bytes,
          .parts = options.parts,
          .skip_damaged = true,
          .on_damaged_file = options.on_damaged_file == OnDamagedFile::kFail ? OnDamagedFile::kRest : options.on_damaged_file};
}

// Damaged files are not records.
int64_t NumberOfRecords(const RecordBatch& batch) {
  const auto damaged_files = std::ranges::count_if(
      batch.skipped(), [](const BrokenRecord& error) { return error.lost != BrokenRecord::Lost::kRecord; });
  return static_cast<int64_t>(batch.messages().size() + batch.skipped().size()) - damaged_files;
}

// Decided by the name: opening all files would be too much work for a progress line.
bool IsCompressed(std::string_view path) { return path.ends_with(".gz") || path.ends_with(".zst") || path.ends_with(".lz4"); }

// Lists a folder of the file system.
absl::StatusOr<std::vector<remote_files_internal::Listed>> ListLocalFolder(const std::string& folder) {
  std::vector<remote_files_internal::Listed> listed;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
    return absl::NotFoundError(absl::StrCat(DisplayPath(folder), ": there is no such folder"));
  }
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code of_entry;
    const bool is_folder = entry->is_directory(of_entry);
    if (!is_folder && !entry->is_regular_file(of_entry)) continue;
    listed.push_back({entry->path().filename().string(), is_folder, entry->is_symlink(of_entry)});
  }
  if (error) {
    const std::string_view name = folder.size() > 1 ? std::string_view(folder).substr(0, folder.size() - 1) : folder;
    return absl::ErrnoToStatus(error.value(), absl::StrCat(DisplayPath(name), ": cannot read the folder"));
  }
  return listed;
}

// The files that one input names.
absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& input) {
  if (IsRemotePath(input)) return ExpandRemotePath(input);
  std::error_code error;
  // A file whose name has a '*' is itself.
  const bool pattern = input.find('*') != std::string::npos && !fs::exists(fs::symlink_status(input, error));
  if (input == "-" || (!pattern && !fs::is_directory(input, error))) return std::vector<std::string>{input};
  const auto has_file = [](const std::string& path) {
    std::error_code of_file;
    return fs::is_regular_file(path, of_file);
  };
  absl::StatusOr<std::vector<std::string>> files =
      pattern ? remote_files_internal::FilesThatFit(ListLocalFolder, has_file, input)
              : remote_files_internal::FilesInFolder(ListLocalFolder, input.ends_with('/') ? input : input + "/");
  if (pattern && (absl::IsNotFound(files.status()) || (files.ok() && files->empty()))) {
    return absl::NotFoundError(absl::StrCat(DisplayPath(input), ": no file matches"));
  }
  if (files.ok() && files->empty()) return absl::NotFoundError(absl::StrCat(DisplayPath(input), ": a folder without files"));
  return files;
}

bool IsSamePath(const std::string& a, const std::string& b) {
  if (IsRemotePath(a)) return DisplayPath(a) == DisplayPath(b);
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

// Whether `file` is the file `output`, or in the folder `output`.
bool IsPartOf(const std::string& file, const std::string& output) {
  std::error_code error;
  if (IsRemotePath(file) || !fs::is_directory(output, error)) return IsSamePath(file, output);
  const fs::path path(file);
  for (fs::path folder = path.parent_path(); !folder.empty() && folder != folder.parent_path(); folder = folder.parent_path()) {
    if (IsSamePath(folder.string(), output)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> OutputsOf(const ScanOptions& options) {
  std::vector<std::string> outputs = options.reserved;
  if (!options.dead_letters.empty()) {
    outputs.insert(outputs.end(), {options.dead_letters, options.dead_letters + ".jsonl"});
  }
  return outputs;
}

absl::StatusOr<std::vector<std::string>> ExpandInputs(const std::vector<std::string>& inputs,
                                                      const std::vector<std::string>& outputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<std::string> of_input, FilesOf(input));
    // A file or folder that is named may be replaced by what is made from it. But if an output is inside a folder that is read,
    // it is not obvious whether the input includes what an earlier run has left there.
    const bool is_file = of_input.size() == 1 && of_input.front() == input;
    for (const std::string& output : outputs) {
      if (is_file || output.empty() || output == "-" || IsSamePath(input, output)) continue;
      if (std::none_of(of_input.begin(), of_input.end(), [&](const std::string& file) { return IsPartOf(file, output); }))
        continue;
      return absl::InvalidArgumentError(absl::StrCat("cannot write ", DisplayPath(output), ": it is one of the files in ",
                                                     DisplayPath(input),
                                                     ", which are read; write it elsewhere, or name the input files"));
    }
    files.insert(files.end(), std::make_move_iterator(of_input.begin()), std::make_move_iterator(of_input.end()));
  }
  return files;
}

DamagedFile DamagedFileOf(const BrokenRecord& damage, const RecordReader& reader) {
  const bool skipped = damage.lost == BrokenRecord::Lost::kFile;
  return {.file = reader.InputName(damage.location.input),
          .location = damage.location,
          .code = damage.code,
          .problem = damage.problem,
          .skipped = skipped,
          .text = absl::StrCat(reader.Where(damage.location), ": ", damage.problem,
                               skipped ? "; the whole file is left out" : "; the rest of the file is left out")};
}

absl::StatusOr<const plan::MessagePlan*> MessageOfRows(const plan::MessagePlan& message, std::string_view rows) {
  if (rows.empty()) return &message;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const scan_internal::RowPath path, scan_internal::ResolveRowPath(message, rows));
  return &path.row_message();
}

std::function<std::string(const ConfluentHeader&)> CheckOfConfluentHeaders(std::string message,
                                                                           TypesOfIndexes types_of_indexes) {
  // Most headers are like the one before.
  return [message = std::move(message), types_of_indexes = std::move(types_of_indexes), indexes = std::vector<int32_t>(),
          problem = std::string()](const ConfluentHeader& header) mutable {
    if (header.message_indexes == indexes) return problem;
    indexes = header.message_indexes;
    const std::vector<std::string> types = types_of_indexes(indexes);
    problem.clear();
    if (std::find(types.begin(), types.end(), message) == types.end()) {
      problem = absl::StrCat("the message indexes ", MessageIndexesText(indexes), " in its Confluent header name ",
                             types.empty() ? "no message type" : absl::StrJoin(types, " or "), "; expected ", message);
    }
    return problem;
  };
}

absl::StatusOr<std::string> FindConfluentMessage(const ScanOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<std::string> files, ExpandInputs(options.inputs, OutputsOf(options)));
  std::erase_if(files, [](const std::string& file) {
    std::error_code error;
    return file == "-" || (!IsRemotePath(file) && fs::exists(file, error) && !fs::is_regular_file(file, error));
  });
  std::vector<int32_t> indexes;
  std::vector<std::string> types;
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecordReader> reader,
      RecordReader::Create(std::move(files), {.format = options.format,
                                              .confluent_headers = true,
                                              .check_confluent_header =
                                                  [&](const ConfluentHeader& header) {
                                                    if (types.empty()) {
                                                      indexes = header.message_indexes;
                                                      types = options.types_of_indexes(indexes);
                                                    }
                                                    return std::string();
                                                  },
                                              .max_message_bytes = options.row_options.decode.max_message_bytes,
                                              .skip_damaged = true,
                                              .on_damaged_file = OnDamagedFile::kRest}));
  RecordBatch batch;
  // Most often, the first record is enough.
  constexpr size_t kMaxBytes = size_t{16} << 20;
  size_t read_bytes = 0;
  for (size_t records = 1; types.empty() && read_bytes < kMaxBytes; records = 1024) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader->NextBatch(records, options.batch_bytes, &batch));
    if (!more) break;
    read_bytes += batch.payload_bytes();
  }
  if (types.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the message indexes ", MessageIndexesText(indexes), " of the first record name ", absl::StrJoin(types, " or "),
        ", because some serializers count map fields as types; choose one by `message`"));
  }
  return types.empty() ? std::string() : std::move(types.front());
}

class Scan::Impl {
 public:
  // `kept_message`: null, or the plan that Open() gets.
  Impl(ScanOptions options, std::shared_ptr<const plan::MessagePlan> kept_message)
      : kept_message_(std::move(kept_message)), options_(std::move(options)), broken_(options_) {}

  absl::Status Open(const plan::MessagePlan& message_of_inputs) {
    STRUCTTENSOR_RETURN_IF_ERROR(scan_internal::CheckScanOptions(options_));
    const size_t named_inputs = options_.inputs.size();
    STRUCTTENSOR_ASSIGN_OR_RETURN(options_.inputs, ExpandInputs(options_.inputs, OutputsOf(options_)));
    if (!options_.parts.empty() && options_.inputs.size() != named_inputs) {
      return absl::InvalidArgumentError("ScanOptions::parts: one of the inputs is a folder or a pattern; expected files");
    }
    STRUCTTENSOR_RETURN_IF_ERROR(scan_internal::CheckOutputs(options_));
    RecordReaderOptions reader_options = ReaderOptionsOf(options_);
    if (options_.confluent_headers) {
      reader_options.check_confluent_header =
          CheckOfConfluentHeaders(std::string(message_of_inputs.full_name), options_.types_of_indexes);
    }
    reader_options.message_of_json = MessageOfTextBy(std::make_shared<MessageJson>(message_of_inputs, options_.json));
    reader_options.message_of_textproto = options_.message_of_textproto;
    reader_options.message_of_csv = [csv = std::make_shared<scan_internal::CsvMessages>(message_of_inputs, options_.json)](
                                        std::string_view header, std::string_view row, std::string& message) {
      return csv->Append(header, row, message);
    };
    STRUCTTENSOR_ASSIGN_OR_RETURN(reader_, options_.open_records
                                               ? options_.open_records(message_of_inputs, options_.inputs, reader_options)
                                               : RecordReader::Create(options_.inputs, reader_options));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const plan::MessagePlan* const rows, MessageOfRows(message_of_inputs, options_.rows));
    if (!options_.rows.empty()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(scan_internal::RowPath path,
                                    scan_internal::ResolveRowPath(message_of_inputs, options_.rows));
      if (path.steps.size() > static_cast<size_t>(options_.row_options.decode.max_depth)) {
        return absl::InvalidArgumentError(
            absl::StrCat("`rows`: a path of ", path.steps.size(), " fields, more than ",
                         base_internal::OptionText("max_depth", options_.row_options.decode.max_depth)));
      }
      reader_ =
          scan_internal::MakeNestedRecordReader(std::move(reader_), std::move(path), reader_options.skip_damaged,
                                                options_.row_options.decode.max_rows, options_.row_options.decode.max_depth);
    }
    message_ = rows;
    STRUCTTENSOR_ASSIGN_OR_RETURN(ScanWorker decoder, MakeWorker());
    // The schema follows from the message type, so a batch without messages has it. Errors in the schema are found before any
    // input is read.
    STRUCTTENSOR_ASSIGN_OR_RETURN(empty_, decoder.Empty());
    STRUCTTENSOR_RETURN_IF_ERROR(scan_internal::CheckRecordColumns(options_, *empty_));
    if (scan_internal::HasRecordColumns(options_)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(empty_, scan_internal::WithRecordColumns(options_, *empty_, {}, *reader_));
    }
    decoders_.push_back(std::move(decoder));
    while (decoders_.size() < static_cast<size_t>(options_.row_options.threads)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(ScanWorker another, MakeWorker());
      decoders_.push_back(std::move(another));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(const UseBatch& use) {
    if (!failure_.ok()) return failure_;
    absl::StatusOr<bool> more = ReadNext(use);
    failure_ = more.status();
    complete_ = complete_ || (more.ok() && !*more);
    return more;
  }

  absl::Status Close() { return broken_.Close(complete_); }

  const ScanOptions& options() const { return options_; }
  const plan::MessagePlan& message() const { return *message_; }
  const StructuredTensor& empty() const { return *empty_; }
  const RecordReader& reader() const { return *reader_; }
  BrokenRecords& broken() { return broken_; }
  const std::vector<ChangedField>& changed_fields() const { return changed_fields_; }
  const std::vector<DroppedValues>& dropped_values() const { return dropped_values_; }
  bool all_messages_invalid() const { return any_invalid_ && !any_valid_; }
  bool no_message_has_fields() const {
    return any_bytes_ && !any_field_ && !any_invalid_ && options_.row_options.where.empty() && changed_fields_.empty();
  }
  const std::vector<InexactTimes>& inexact_times() const { return inexact_times_; }
  std::vector<DroppedValues> TakeDroppedValues() { return std::exchange(new_dropped_values_, {}); }
  std::vector<InexactTimes> TakeInexactTimes() { return std::exchange(new_inexact_times_, {}); }

 private:
  absl::StatusOr<bool> ReadNext(const UseBatch& use) {
    if (!std::exchange(started_, true)) {
      STRUCTTENSOR_RETURN_IF_ERROR(broken_.Open());
      STRUCTTENSOR_RETURN_IF_ERROR(SkipRecords());
      if (options_.row_options.threads > 1) StartThreads();
    }
    return pool_ == nullptr ? NextHere(use) : NextOfThreads(use);
  }

  absl::StatusOr<ScanWorker> MakeWorker() const {
    // Owns nothing if kept_message_ is null.
    const std::shared_ptr<const plan::MessagePlan> message(kept_message_, message_);
    // broken_ counts the errors of the whole scan.
    WriteTextRows write_text_rows;
    if (options_.text_rows_writer != nullptr) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(write_text_rows, options_.text_rows_writer(*message_));
    }
    return ScanWorker::Create(message, options_.row_options,
                              {.too_large = scan_internal::TooLarge::kHalve,
                               .write_text_rows = std::move(write_text_rows),
                               .make_columns = options_.make_columns});
  }

  // Reads the records of the next batch. False at the end.
  absl::StatusOr<bool> Read(DecodedRecords& batch) {
    const size_t max_records = RecordsOfNextBatch();
    if (max_records == 0) return false;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader_->NextBatch(max_records, options_.batch_bytes, &batch.records));
    records_read_ += NumberOfRecords(batch.records);
    return more;
  }

  absl::StatusOr<bool> NextHere(const UseBatch& use) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, Read(batch_));
    if (!more) return false;
    decoders_.front().Decode(batch_, [&](const DecodedRecords::Piece& piece) { return UsePiece(batch_, piece, use); });
    STRUCTTENSOR_RETURN_IF_ERROR(TakeProblems(batch_));
    return true;
  }

  void StartThreads() {
    pool_ = std::make_unique<base_internal::OrderedPool<DecodedRecords>>(
        decoders_.size(), [this](size_t worker, DecodedRecords& batch) {
          decoders_[worker].Decode(batch, [&batch](DecodedRecords::Piece piece) {
            batch.pieces.push_back(std::move(piece));
            return absl::OkStatus();
          });
        });
  }

  absl::StatusOr<bool> NextOfThreads(const UseBatch& use) {
    // One batch is being used, and one waits until a thread is free. Long messages are batches of their own; fewer of these are
    // read ahead.
    const size_t most_batches = decoders_.size() + 1;
    while (pool_->size() < most_batches && (pool_->size() == 0 || bytes_in_pool_ < most_batches * options_.batch_bytes) &&
           end_of_reading_ == std::nullopt) {
      std::unique_ptr<DecodedRecords> batch = TakeFreeBatch();
      const absl::StatusOr<bool> more = Read(*batch);
      if (more.ok() && *more) {
        bytes_in_pool_ += batch->records.payload_bytes();
        pool_->Add(std::move(batch));
      } else {
        end_of_reading_ = more.status();
      }
    }
    // An error of reading is returned after the records that come before it.
    if (pool_->size() == 0) {
      STRUCTTENSOR_RETURN_IF_ERROR(*end_of_reading_);
      return false;
    }
    std::unique_ptr<DecodedRecords> batch = pool_->TakeFirst();
    const size_t size_bytes = batch->records.payload_bytes();
    bytes_in_pool_ -= size_bytes;
    absl::Status used;
    for (size_t i = 0; i < batch->pieces.size() && used.ok(); ++i) used = UsePiece(*batch, batch->pieces[i], use);
    batch->pieces.clear();  // frees their memory
    if (batch->status.ok()) batch->status = used;
    const absl::Status problem = TakeProblems(*batch);
    // A batch that was unusually large is not used again, so that its memory is freed.
    if (size_bytes <= 2 * options_.batch_bytes) free_batches_.push_back(std::move(batch));
    STRUCTTENSOR_RETURN_IF_ERROR(problem);
    return true;
  }

  std::unique_ptr<DecodedRecords> TakeFreeBatch() {
    if (free_batches_.empty()) return std::make_unique<DecodedRecords>();
    std::unique_ptr<DecodedRecords> batch = std::move(free_batches_.back());
    free_batches_.pop_back();
    return batch;
  }

  absl::Status UsePiece(const DecodedRecords& batch, const DecodedRecords::Piece& piece, const UseBatch& use) {
    const DecodedBatch& columns = piece.decoded.columns;
    any_field_ = any_field_ || MayHaveFields(columns);
    any_bytes_ = any_bytes_ || std::any_of(piece.messages.begin(), piece.messages.end(),
                                           [](std::string_view message) { return !message.empty(); });
    StructuredTensor rows = *piece.decoded.rows;
    const size_t count = piece.messages.size();
    if (scan_internal::HasRecordColumns(options_)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(
          rows, scan_internal::WithRecordColumns(options_, rows, LocationsOfRows(batch, piece.first_message, count), *reader_));
    }
    if (rows.nrows() != static_cast<int64_t>(count)) return use({columns, rows, {}, {}, piece.decoded.text_rows});
    broken_rows_.assign(count, 0);
    for (size_t i = 0; i < count; ++i) broken_rows_[i] = batch.sources->IsPlaceholder(piece.first_message + i) ? 1 : 0;
    for (const MessageError& error : batch.errors) {
      const size_t index = static_cast<size_t>(error.message_index) - piece.first_message;
      if (index < count) broken_rows_[index] = 1;  // for errors of earlier pieces, the index has wrapped around
    }
    const bool any_broken = std::ranges::find(broken_rows_, uint8_t{1}) != broken_rows_.end();
    const bool match =
        batch.records.written_by_encoder() && piece.decoded.all_known && !any_broken && AllFieldsAreRead(columns.plan());
    return use({columns, rows, piece.messages, broken_rows_, piece.decoded.text_rows, match});
  }

  // `plan`: of any batch.
  bool AllFieldsAreRead(const plan::MessagePlan& plan) {
    if (!all_fields_are_read_.has_value()) all_fields_are_read_ = plan::FindSkippedField(plan) == nullptr;
    return *all_fields_are_read_;
  }

  // Takes the errors of the batch's records, and then the error of the batch itself.
  absl::Status TakeProblems(DecodedRecords& batch) {
    std::vector<MessageError> errors = std::move(batch.errors_in_condition);
    if (batch.sources.has_value()) {
      NoteChangedFields(batch);
      for (std::vector<DroppedValues>* const values : {&dropped_values_, &new_dropped_values_})
        AddDroppedValues(batch, *values);
      for (std::vector<InexactTimes>* const times : {&inexact_times_, &new_inexact_times_}) {
        scan_internal::AddInexactTimes(batch.inexact_times, *times);
      }
      for (MessageError& error : batch.sources->ErrorsOfRecords(std::move(batch.errors))) errors.push_back(std::move(error));
    }
    NoteValidity(batch.records.messages(), errors);
    STRUCTTENSOR_RETURN_IF_ERROR(broken_.Add(scan_internal::BrokenRecordsOf(batch.records, errors, *reader_)));
    STRUCTTENSOR_RETURN_IF_ERROR(broken_.AddDamagedFiles(batch.records, *reader_));
    return batch.status;
  }

  // `errors`: the errors of messages; with kFail, only the first one.
  void NoteValidity(std::span<const std::string_view> messages, const std::vector<MessageError>& errors) {
    any_invalid_ = any_invalid_ || !errors.empty();
    if (any_valid_ || messages.empty()) return;
    const auto any = [&errors](const auto& is_so) { return std::any_of(errors.begin(), errors.end(), is_so); };
    if (options_.row_options.decode.on_error == DecodeOptions::OnError::kFail && !errors.empty()) {
      const bool of_first = any([](const MessageError& error) { return error.message_index == 0; });
      any_valid_ = !of_first || HasValidMessage(messages.first(std::min<size_t>(messages.size(), 100)));
    } else {
      any_valid_ = errors.size() < messages.size();
    }
    // A message that exceeds a limit may be valid. A message whose row has no text is valid.
    any_valid_ = any_valid_ || any([](const MessageError& error) {
                   return absl::IsResourceExhausted(error.status) || absl::IsFailedPrecondition(error.status);
                 });
  }

  // Whether one of the messages can be decoded. True if this cannot be found out.
  bool HasValidMessage(std::span<const std::string_view> messages) const {
    DecodeOptions options = decoders_.front().decode_options();
    options.on_error = DecodeOptions::OnError::kSkip;
    absl::StatusOr<BatchDecoder> decoder = BatchDecoder::Create(*message_, std::move(options));
    if (!decoder.ok()) return true;
    const absl::StatusOr<DecodedBatch> batch = decoder->Decode(messages);
    return !batch.ok() || batch->nrows() > 0;
  }

  void NoteChangedFields(const DecodedRecords& batch) {
    for (const WireTypeMismatch& mismatch : batch.mismatches) {
      const auto known = std::find_if(changed_fields_.begin(), changed_fields_.end(), [&mismatch](const ChangedField& each) {
        return each.field_path == mismatch.field_path && each.found == mismatch.found;
      });
      if (known != changed_fields_.end()) {
        known->count += mismatch.count;
        continue;
      }
      changed_fields_.push_back({.field_path = mismatch.field_path,
                                 .declared = mismatch.declared,
                                 .found = mismatch.found,
                                 .count = mismatch.count,
                                 .first = WhereInInputs(batch, mismatch.first_message_index)});
    }
  }

  void AddDroppedValues(const DecodedRecords& batch, std::vector<DroppedValues>& sums) const {
    for (const UnknownValues& unknown : batch.unknown_values) {
      const auto known = std::find_if(sums.begin(), sums.end(), [&unknown](const DroppedValues& each) {
        return each.message_type == unknown.message_type;
      });
      if (known != sums.end()) {
        known->unknown_fields += unknown.fields;
        known->unknown_enum_numbers += unknown.enum_numbers;
        continue;
      }
      sums.push_back({.message_type = unknown.message_type,
                      .unknown_fields = unknown.fields,
                      .unknown_enum_numbers = unknown.enum_numbers,
                      .first_field_path = unknown.first_field_path,
                      .first = WhereInInputs(batch, unknown.first_message_index)});
    }
  }

  // The place of the message that the batch's sources have at `message_index`. It is a message of the batch if it has a field:
  // placeholders have none.
  std::string WhereInInputs(const DecodedRecords& batch, int64_t message_index) const {
    const int64_t message = batch.sources->IndexInBatch(static_cast<size_t>(message_index));
    return reader_->Where(batch.records.locations()[static_cast<size_t>(message)]);
  }

  absl::Status SkipRecords() {
    while (skipped_ < options_.skip) {
      const size_t count = static_cast<size_t>(std::min<int64_t>(options_.skip - skipped_, int64_t{1} << 20));
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader_->NextBatch(count, options_.batch_bytes, &batch_.records));
      if (!more) break;
      skipped_ += NumberOfRecords(batch_.records);
      STRUCTTENSOR_RETURN_IF_ERROR(broken_.AddDamagedFiles(batch_.records, *reader_));
    }
    return absl::OkStatus();
  }

  // The locations of the rows of messages [first, first + count) of `sources`. With kSkip, messages with errors have no rows.
  std::vector<RecordLocation> LocationsOfRows(const DecodedRecords& batch, size_t first, size_t count) const {
    std::vector<uint8_t> dropped(count, 0);
    for (const MessageError& error : batch.errors) {
      const size_t index = static_cast<size_t>(error.message_index) - first;
      if (options_.row_options.decode.on_error == DecodeOptions::OnError::kSkip && index < count) dropped[index] = 1;
    }
    std::vector<RecordLocation> locations;
    locations.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      if (dropped[i] == 0) locations.push_back(batch.sources->location(first + i));
    }
    return locations;
  }

  size_t RecordsOfNextBatch() const {
    if (options_.limit < 0) return options_.batch_size;
    return static_cast<size_t>(std::min<uint64_t>(options_.batch_size, static_cast<uint64_t>(options_.limit - records_read_)));
  }

  const std::shared_ptr<const plan::MessagePlan> kept_message_;
  ScanOptions options_;
  const plan::MessagePlan* message_ = nullptr;  // of rows
  std::unique_ptr<RecordReader> reader_;
  std::vector<ScanWorker> decoders_;  // one for each thread
  std::optional<StructuredTensor> empty_;
  std::vector<uint8_t> broken_rows_;  // of the piece that is used
  std::optional<bool> all_fields_are_read_;
  std::vector<ChangedField> changed_fields_;
  std::vector<DroppedValues> dropped_values_;
  std::vector<InexactTimes> inexact_times_;
  std::vector<DroppedValues> new_dropped_values_;  // since TakeDroppedValues()
  std::vector<InexactTimes> new_inexact_times_;    // since TakeInexactTimes()
  bool any_valid_ = false;                         // a message was valid
  bool any_invalid_ = false;                       // a message was not
  bool any_field_ = false;                         // a message had a field
  bool any_bytes_ = false;                         // a message was not empty
  bool started_ = false;
  bool complete_ = false;  // everything has been read
  absl::Status failure_;
  int64_t skipped_ = 0;
  int64_t records_read_ = 0;
  BrokenRecords broken_;
  DecodedRecords batch_;  // the current batch, without threads
  // With threads: batches that are not in use; and the status with which reading has ended, once it has ended.
  std::vector<std::unique_ptr<DecodedRecords>> free_batches_;
  std::optional<absl::Status> end_of_reading_;
  size_t bytes_in_pool_ = 0;
  std::unique_ptr<base_internal::OrderedPool<DecodedRecords>> pool_;  // last: its threads use the rest
};

Scan::Scan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Scan::~Scan() = default;

absl::StatusOr<std::unique_ptr<Scan>> Scan::Create(const plan::MessagePlan& message, ScanOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options), nullptr);
  STRUCTTENSOR_RETURN_IF_ERROR(impl->Open(message));
  return std::unique_ptr<Scan>(new Scan(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<Scan>> Scan::Create(std::shared_ptr<const plan::MessagePlan> message, ScanOptions options) {
  const plan::MessagePlan& kept = *message;
  auto impl = std::make_unique<Impl>(std::move(options), std::move(message));
  STRUCTTENSOR_RETURN_IF_ERROR(impl->Open(kept));
  return std::unique_ptr<Scan>(new Scan(std::move(impl)));
}

const plan::MessagePlan& Scan::message() const { return impl_->message(); }
const StructuredTensor& Scan::empty() const { return impl_->empty(); }
absl::StatusOr<bool> Scan::Next(const UseBatch& use) { return impl_->Next(use); }
absl::Status Scan::Close() { return impl_->Close(); }
int64_t Scan::broken_records() const { return impl_->broken().count(); }
const std::vector<DamagedFile>& Scan::damaged_files() const { return impl_->broken().damaged_files(); }
int64_t Scan::bytes_read() const { return impl_->reader().bytes_read(); }
bool Scan::all_messages_invalid() const { return impl_->all_messages_invalid(); }
bool Scan::no_message_has_fields() const { return impl_->no_message_has_fields(); }
size_t Scan::number_of_inputs() const { return impl_->options().inputs.size(); }
const std::vector<InexactTimes>& Scan::inexact_times() const { return impl_->inexact_times(); }

const std::vector<ChangedField>& Scan::changed_fields() const { return impl_->changed_fields(); }

const std::vector<DroppedValues>& Scan::dropped_values() const { return impl_->dropped_values(); }

std::vector<InexactTimes> Scan::TakeInexactTimes() { return impl_->TakeInexactTimes(); }

std::vector<DroppedValues> Scan::TakeDroppedValues() { return impl_->TakeDroppedValues(); }

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
