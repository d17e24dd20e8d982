#include "structtensor/app/convert/shared/column_records.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/app/convert/internal/partition_values.h"
#include "structtensor/app/convert/shared/column_ids.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/app/sinks/partitioned_sink.h"
#include "structtensor/core/base/shared/ordered_pool.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::convert_internal {
namespace {

// The most rows that are read at a time. Reading costs microseconds for each column, so rows with thousands of columns are read
// more at a time. Others stay in the processor's caches.
int64_t RowsAtATime(const plan::MessagePlan& message) {
  constexpr size_t kManyFields = 1000;
  return message.fields.size() < kManyFields ? 1024 : 4096;
}

// How many batches at a time are being read or wait to be encoded, and how many are being encoded or wait to be used. Batches
// differ in size, so with fewer the threads would often wait for each other.
constexpr size_t kBatchesAhead = 2;
// After a batch whose messages have more bytes, and before the first batch, it is one batch. Rows with dictionaries may expand
// to far more memory than a file says.
constexpr size_t kLargeBatchBytes = size_t{48} << 20;

class ColumnRecordReader : public RecordReader {
 public:
  ColumnRecordReader(const plan::MessagePlan& message, std::vector<std::string> inputs, TensorEncoder encoder,
                     TensorEncoder encoder_of_single_rows, const RecordReaderOptions& options, bool ignore_extra_fields)
      : message_(message),
        inputs_(std::move(inputs)),
        encoder_(std::move(encoder)),
        encoder_of_single_rows_(std::move(encoder_of_single_rows)),
        skip_damaged_(options.skip_damaged),
        on_damaged_file_(options.on_damaged_file),
        max_memory_bytes_(static_cast<int64_t>(std::min<size_t>(options.max_memory_bytes, INT64_MAX))),
        ignore_extra_fields_(ignore_extra_fields),
        read_ahead_(options.read_ahead),
        encoding_(read_ahead_ ? 1 : 0, [this](size_t, EncodedRows& rows) { Encode(rows); }),
        reading_(read_ahead_ ? 1 : 0, [this](size_t, NextRows& next) { Read(next); }) {}

  absl::StatusOr<bool> NextBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) override {
    if (max_messages == 0) return absl::InvalidArgumentError("NextBatch: max_messages is 0; expected 1 or more");
    std::vector<std::string_view> messages;
    std::vector<RecordLocation> locations;
    std::vector<BrokenRecord> skipped;
    std::deque<std::string> with_partition_values;  // messages
    size_t size_bytes = 0;
    while (messages.size() + skipped.size() < max_messages) {
      if (encoded_.has_value() && next_message_ == encoded_->size()) {
        // The batch holds views of encoded_, so it ends here.
        if (!messages.empty()) break;
        first_row_ += static_cast<int64_t>(encoded_->size());
        encoded_.reset();
      }
      if (!encoded_.has_value()) {
        if (!error_.ok()) break;
        absl::StatusOr<bool> more = false;
        try {
          more = TakeNext(static_cast<int64_t>(std::min<size_t>(max_messages, static_cast<size_t>(rows_at_a_time_))), &skipped);
        } catch (const std::bad_alloc&) {
          more = InInput(absl::ResourceExhaustedError("there is not enough memory for the next rows"));
        }
        if (!more.ok()) {
          error_ = more.status();
          break;
        }
        if (!*more) break;
        continue;
      }
      std::string_view message = (*encoded_)[next_message_];
      if (!partition_values_.empty()) {
        message = with_partition_values.emplace_back(absl::StrCat(ToAbsl(message), partition_values_));
      }
      if (!messages.empty() && message.size() > max_bytes - std::min(max_bytes, size_bytes)) break;
      size_bytes += message.size();
      messages.push_back(message);
      locations.push_back({.input = input(), .record_number = first_row_ + static_cast<int64_t>(next_message_)});
      ++next_message_;
    }
    batch->Assign(messages, locations, skipped);
    if (partition_values_.empty()) batch->MarkWrittenByEncoder();
    // What comes in front of an error is returned first.
    if (!messages.empty() || !skipped.empty()) return true;
    if (!error_.ok()) return error_;
    return false;
  }

  std::string Where(const RecordLocation& location, size_t) const override {
    return absl::StrCat(InputName(location.input), " row ", location.record_number);
  }
  std::string InputName(uint32_t input) const override { return DisplayPath(inputs_[input]); }
  int64_t bytes_read() const override { return bytes_read_; }

 private:
  // The index of the input that is open, or was open last.
  uint32_t input() const { return static_cast<uint32_t>(next_input_ - 1); }

  absl::Status InInput(const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat(InputName(input()), ": ", status.message()));
  }

  // Takes the next rows as messages, at most `max_rows`. If some of the rows that were read together do not fit, it takes a
  // few. A row that is left out is added to `skipped`, and nothing is taken. Returns false at the end.
  absl::StatusOr<bool> TakeNext(int64_t max_rows, std::vector<BrokenRecord>* skipped) {
    next_message_ = 0;
    while (true) {
      if (next_single_row_ < single_rows_.nrows()) return EncodeFewRows(skipped);
      if (file_ == nullptr) {
        if (next_input_ == inputs_.size()) return false;
        STRUCTTENSOR_RETURN_IF_ERROR(OpenNextFile(skipped));
        if (file_ == nullptr) return true;
      }
      while (encoding_.size() < batches_ahead_ && !end_of_rows_.has_value()) STRUCTTENSOR_RETURN_IF_ERROR(AddRows(max_rows));
      if (encoding_.size() == 0) {
        if (end_of_rows_->ok()) {
          bytes_read_ += file_->size_bytes();
          file_.reset();
          continue;
        }
        STRUCTTENSOR_RETURN_IF_ERROR(GiveUpFile(*end_of_rows_, BrokenRecord::Lost::kRestOfFile, skipped));
        return true;
      }
      const std::unique_ptr<EncodedRows> next = encoding_.TakeFirst();
      first_row_ = next->first_row;
      if (next->encoded.ok()) {
        encoded_ = *std::move(next->encoded);
        batches_ahead_ = read_ahead_ && encoded_->bytes().size() <= kLargeBatchBytes ? kBatchesAhead : 1;
        return true;
      }
      if (!absl::IsOutOfRange(next->encoded.status())) return InInput(next->encoded.status());
      single_rows_ = std::move(next->rows);
      next_single_row_ = 0;
    }
  }

  // Opens the next file. If it is damaged and may be left out, adds it to `skipped`, and no file is open.
  absl::Status OpenNextFile(std::vector<BrokenRecord>* skipped) {
    first_row_ = 0;
    const std::string& path = inputs_[next_input_++];
    if (on_damaged_file_ == OnDamagedFile::kSkip) {
      const absl::Status whole = ReadThrough(path);
      if (!whole.ok()) return GiveUpFile(whole, BrokenRecord::Lost::kFile, skipped);
    }
    ColumnFileReaderOptions file_options = FileOptions();
    file_options.skip_absent_fields = true;  // messages say nothing of them
    absl::StatusOr<std::unique_ptr<ColumnFileReader>> file = ColumnFileReader::Open(path, file_options);
    if (!file.ok()) return GiveUpFile(file.status(), BrokenRecord::Lost::kRestOfFile, skipped);
    file_ = *std::move(file);
    columns_are_checked_ = false;
    rows_read_ = 0;
    file_is_read_ = false;
    end_of_rows_.reset();
    partition_values_.clear();
    if (const std::optional<std::string> columns = file_->Metadata(kPartitionByMetadataKey); columns.has_value()) {
      absl::StatusOr<std::string> values =
          PartitionValuesOf(std::string(PathWithoutOptions(path)), *columns, message_, ignore_extra_fields_);
      if (!values.ok()) return InInput(values.status());
      partition_values_ = *std::move(values);
    }
    columns_ = {};
    if (file_->Metadata(kMessageMetadataKey) == message_.full_name) columns_ = ColumnsByNumber(file_->ids(), message_);
    return absl::OkStatus();
  }

  // Rows of file_, encoded. Those that cannot be encoded together are kept.
  struct EncodedRows {
    StructuredTensor rows;
    int64_t first_row;  // its number in the file
    absl::StatusOr<EncodedBatch> encoded = absl::UnknownError("not encoded yet");
  };

  void Encode(EncodedRows& rows) {
    rows.rows = columns_.Renamed(rows.rows);
    rows.encoded = encoder_.Encode(rows.rows, rows.first_row);
    if (rows.encoded.ok()) rows.rows = StructuredTensor::Create({}, 0, {});  // frees its memory
  }

  // Reads the next rows of file_ and adds them to those that are encoded, or sets end_of_rows_.
  absl::Status AddRows(int64_t max_rows) {
    absl::StatusOr<std::optional<StructuredTensor>> rows = Rows(max_rows);
    if (!rows.ok() || !rows->has_value()) {
      while (reading_.size() > 0) reading_.TakeFirst();  // Read() leaves these empty after the end
      end_of_rows_ = rows.status();
      return absl::OkStatus();
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckColumns());
    if ((*rows)->nrows() == 1) batches_ahead_ = 1;  // it may be larger than what is read at a time otherwise
    while (read_ahead_ && reading_.size() < batches_ahead_) ReadAhead(max_rows);
    const int64_t first_row = std::exchange(rows_read_, rows_read_ + (*rows)->nrows());
    encoding_.Add(std::make_unique<EncodedRows>(EncodedRows{.rows = **std::move(rows), .first_row = first_row}));
    return absl::OkStatus();
  }

  // Rows that are read, or will be.
  struct NextRows {
    int64_t max_rows;
    absl::StatusOr<std::optional<StructuredTensor>> rows = std::nullopt;
  };

  // After the end or an error, leaves the file alone.
  void Read(NextRows& next) {
    if (std::exchange(file_is_read_, true)) return;
    next.rows = file_->Next(next.max_rows);
    file_is_read_ = !next.rows.ok() || !next.rows->has_value();
  }

  // Returns the next rows of file_, which ReadAhead() may have begun to read.
  absl::StatusOr<std::optional<StructuredTensor>> Rows(int64_t max_rows) {
    if (reading_.size() == 0) ReadAhead(max_rows);
    return std::move(reading_.TakeFirst()->rows);
  }
  // Until Rows() has returned what was read, only the other thread uses file_ and file_is_read_.
  void ReadAhead(int64_t max_rows) { reading_.Add(std::make_unique<NextRows>(NextRows{.max_rows = max_rows})); }

  // Whether the columns of the file fit the message type. Those without values are not read, so the rows do not show it.
  // Requires: file_ and encoder_ are not used by another thread.
  absl::Status CheckColumns() {
    if (std::exchange(columns_are_checked_, true)) return absl::OkStatus();
    const absl::StatusOr<StructuredTensor> empty = file_->Empty();
    if (!empty.ok()) return InInput(empty.status());
    const absl::StatusOr<EncodedBatch> encoded = encoder_.Encode(columns_.Renamed(*empty));
    return encoded.ok() ? absl::OkStatus() : InInput(encoded.status());
  }

  ColumnFileReaderOptions FileOptions() const { return {.batch_rows = rows_at_a_time_, .max_memory_bytes = max_memory_bytes_}; }

  // Reads a whole file, to see whether it is damaged.
  absl::Status ReadThrough(const std::string& path) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<ColumnFileReader> file, ColumnFileReader::Open(path, FileOptions()));
    while (true) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> rows, file->Next(rows_at_a_time_));
      if (!rows.has_value()) return absl::OkStatus();
    }
  }

  // Goes on with the next file, if `status` says that the open file is damaged, and such files may be left out.
  // Returns the error that ends reading otherwise.
  absl::Status GiveUpFile(const absl::Status& status, BrokenRecord::Lost lost, std::vector<BrokenRecord>* skipped) {
    if (!absl::IsDataLoss(status)) return InInput(status);
    const RecordLocation location = {.input = input(), .record_number = first_row_};
    const auto fail = [&](std::string_view advice) {
      return absl::DataLossError(absl::StrCat(Where(location, 0), ": ", status.message(), " (", std::string(advice), ")"));
    };
    constexpr std::string_view kAdvice = "fetch it again, or pass `on_damaged_file=kRest` to keep the rows before it";
    if (on_damaged_file_ == OnDamagedFile::kFail) return fail(kAdvice);
    if (on_damaged_file_ == OnDamagedFile::kSkip && lost != BrokenRecord::Lost::kFile) {
      return fail("the file was valid when it was looked through, so it was changed since then; read it again");
    }
    if (file_ != nullptr) bytes_read_ += file_->size_bytes();
    file_.reset();
    skipped->push_back({.location = location,
                        .code = "column_file",
                        .problem = std::string(status.message()),
                        .advice = std::string(kAdvice),
                        .lost = lost});
    return absl::OkStatus();
  }

  absl::StatusOr<bool> EncodeFewRows(std::vector<BrokenRecord>* skipped) {
    // Most often a few rows do not fit, and the others are encoded together.
    constexpr int64_t kRowsOfPiece = 64;
    const int64_t end = std::min(next_single_row_ + kRowsOfPiece, single_rows_.nrows());
    if (next_single_row_ % kRowsOfPiece == 0 && end - next_single_row_ > 1) {
      absl::StatusOr<EncodedBatch> piece =
          encoder_of_single_rows_.Encode(single_rows_.SliceRows(next_single_row_, end), first_row_);
      if (piece.ok()) {
        encoded_ = *std::move(piece);
        next_single_row_ = end;
        return true;
      }
    }
    const int64_t row = next_single_row_++;
    absl::StatusOr<EncodedBatch> encoded = encoder_of_single_rows_.Encode(single_rows_.SliceRows(row, row + 1), first_row_);
    if (encoded.ok()) {
      encoded_ = *std::move(encoded);
      return true;
    }
    const RecordLocation location = {.input = input(), .record_number = first_row_++};
    std::string problem(encoded.status().message());
    const std::string prefix = absl::StrCat("row ", location.record_number, ": ");
    if (problem.starts_with(prefix)) problem.erase(0, prefix.size());
    if (!skip_damaged_) return absl::DataLossError(absl::StrCat(Where(location, 0), ": ", problem));
    skipped->push_back({.location = location,
                        .code = "value",
                        .problem = std::move(problem),
                        .advice = "mend the value where the file is written"});
    return true;
  }

  const plan::MessagePlan& message_;
  const int64_t rows_at_a_time_ = RowsAtATime(message_);
  const std::vector<std::string> inputs_;
  TensorEncoder encoder_;  // for encoding_
  TensorEncoder encoder_of_single_rows_;
  const bool skip_damaged_;
  const OnDamagedFile on_damaged_file_;
  const int64_t max_memory_bytes_;
  const bool ignore_extra_fields_;
  const bool read_ahead_;
  size_t batches_ahead_ = 1;
  size_t next_input_ = 0;
  std::unique_ptr<ColumnFileReader> file_;
  bool columns_are_checked_ = false;         // of file_
  ColumnsByNumber columns_;                  // of file_
  std::string partition_values_;             // of file_: appended to each message
  int64_t rows_read_ = 0;                    // of file_
  bool file_is_read_ = false;                // to its end, or to an error
  std::optional<absl::Status> end_of_rows_;  // of file_: how reading has ended, once it has
  // Rows that are encoded a few at a time because some of them do not fit, and the index of the next one.
  StructuredTensor single_rows_ = StructuredTensor::Create({}, 0, {});
  int64_t next_single_row_ = 0;
  std::optional<EncodedBatch> encoded_;
  size_t next_message_ = 0;
  int64_t first_row_ = 0;  // the number in its file of the first row of encoded_, or of the next row
  int64_t bytes_read_ = 0;
  absl::Status error_;
  // Last, because their threads use the other members. Without read_ahead there are no threads.
  base_internal::OrderedPool<EncodedRows> encoding_;
  base_internal::OrderedPool<NextRows> reading_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> OpenColumnRecords(const plan::MessagePlan& message,
                                                                std::vector<std::string> inputs,
                                                                const RecordReaderOptions& options, bool ignore_extra_fields) {
  // Missing required fields are found when the messages are decoded, as with any other input.
  const TensorEncodeOptions encode = {.ignore_extra_fields = ignore_extra_fields, .allow_missing_required = true};
  STRUCTTENSOR_ASSIGN_OR_RETURN(TensorEncoder encoder, TensorEncoder::Create(message, encode));
  STRUCTTENSOR_ASSIGN_OR_RETURN(TensorEncoder encoder_of_single_rows, TensorEncoder::Create(message, encode));
  return std::make_unique<ColumnRecordReader>(message, std::move(inputs), std::move(encoder), std::move(encoder_of_single_rows),
                                              options, ignore_extra_fields);
}

absl::StatusOr<std::unique_ptr<RecordReader>> OpenRecordsOrColumns(const plan::MessagePlan& message,
                                                                   std::vector<std::string> inputs,
                                                                   const RecordReaderOptions& options,
                                                                   bool ignore_extra_fields) {
  if (options.format.has_value()) return RecordReader::Create(std::move(inputs), options);
  const auto first_column_file = std::find_if(inputs.begin(), inputs.end(), IsColumnFile);
  if (first_column_file == inputs.end()) return RecordReader::Create(std::move(inputs), options);
  if (options.confluent_headers) {
    return absl::InvalidArgumentError(absl::StrCat(DisplayPath(*first_column_file),
                                                   " is a Parquet or Arrow file, whose rows have no Confluent headers; read it "
                                                   "without `confluent_headers`"));
  }
  // A file that cannot be read is reported by the code that reads it.
  const auto other = std::find_if(inputs.begin(), inputs.end(), [](const std::string& path) {
    return !IsColumnFile(path) && (path == "-" || IsRemotePath(path) || access(path.c_str(), R_OK) == 0);
  });
  if (other != inputs.end()) {
    return absl::InvalidArgumentError(absl::StrCat(DisplayPath(*first_column_file), " is a Parquet or Arrow file, and ",
                                                   DisplayPath(*other), " is not; read one kind at a time"));
  }
  return OpenColumnRecords(message, std::move(inputs), options, ignore_extra_fields);
}

}  // namespace structtensor::convert_internal
