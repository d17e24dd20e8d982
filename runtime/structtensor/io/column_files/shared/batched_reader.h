// What readers of column files have in common: batches of Arrow become rows, in pieces of a limited size. Does not use the
// Arrow library.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_SHARED_BATCHED_READER_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_SHARED_BATCHED_READER_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/column_files/shared/read_size.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::column_files_internal {

// An error for a row that alone exceeds the limit. `row`: in the file. `or_what`: ", or ...," if that may be too large instead.
inline absl::Status RowTooLarge(int64_t row, int64_t max_memory_bytes, const char* or_what = "") {
  return absl::ResourceExhaustedError(absl::StrCat("row ", row, or_what, " takes more memory than ",
                                                   base_internal::OptionText("max_memory_bytes", max_memory_bytes),
                                                   ", or the file is damaged; raise the limit to read it"));
}

class BatchedReader : public ColumnFileReader {
 public:
  absl::StatusOr<std::optional<StructuredTensor>> Next(int64_t max_rows) final {
    const int64_t most_rows = std::min(options_.batch_rows, max_rows);
    if (most_rows < 1) return absl::InvalidArgumentError(absl::StrCat("Next: max_rows = ", max_rows, "; expected 1 or more"));
    while (!rows_.has_value() || begin_ == rows_->nrows()) {
      rows_.reset();  // frees memory before more is read
      begin_ = 0;
      if (next_of_batch_ == batch_rows_) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> size, ReadBatch(most_rows));
        if (!size.has_value()) return std::nullopt;
        batch_rows_ = *size;
        next_of_batch_ = 0;
        continue;
      }
      STRUCTTENSOR_RETURN_IF_ERROR(ImportNext());
    }
    const int64_t begin = begin_;
    begin_ += std::min({most_rows, most_rows_at_a_time_, rows_->nrows() - begin});
    return rows_->SliceRows(begin, begin_);
  }

 protected:
  explicit BatchedReader(const ColumnFileReaderOptions& options) : options_(options) {}

  const ColumnFileReaderOptions& options() const { return options_; }
  // Limits how many rows of the current batch Next() returns at a time. Requires: 1 or more.
  void set_most_rows_at_a_time(int64_t rows) { most_rows_at_a_time_ = rows; }

  // Reads the next Arrow batch and returns its number of rows, or nothing at the end. Where the format allows it, the batch has
  // at most `max_rows` rows.
  virtual absl::StatusOr<std::optional<int64_t>> ReadBatch(int64_t max_rows) = 0;
  // Imports rows of that batch. Errors: those of ImportBatch with this limit.
  virtual absl::StatusOr<StructuredTensor> Import(int64_t begin, int64_t end, int64_t max_dictionary_bytes) = 0;

 private:
  // Imports the next rows of the batch: all of them, or fewer if they would become too large.
  absl::Status ImportNext() {
    while (true) {
      const int64_t count = std::min(import_rows_, batch_rows_ - next_of_batch_);
      // Several rows may expand to more memory than rows should take, one row to as much as the limit.
      const int64_t most_bytes =
          count > 1 ? std::min(options_.max_memory_bytes, ReadSize::kMostImportedBytesAtATime) : options_.max_memory_bytes;
      absl::StatusOr<StructuredTensor> rows = Import(next_of_batch_, next_of_batch_ + count, most_bytes);
      if (rows.ok()) {
        rows_ = *std::move(rows);
        next_of_batch_ += count;
        imported_ += count;
        return absl::OkStatus();
      }
      if (!absl::IsOutOfRange(rows.status()) && !absl::IsResourceExhausted(rows.status())) return rows.status();
      if (count == 1) {
        return absl::Status(
            absl::StatusCode::kResourceExhausted,
            absl::StrCat(RowTooLarge(imported_, options_.max_memory_bytes).message(), " (", rows.status().message(), ")"));
      }
      import_rows_ = count / 2;
    }
  }

  const ColumnFileReaderOptions options_;
  int64_t batch_rows_ = 0;     // of the current Arrow batch
  int64_t next_of_batch_ = 0;  // the first of its rows that is not imported
  int64_t import_rows_ = INT64_MAX;
  int64_t imported_ = 0;  // rows of the file
  std::optional<StructuredTensor> rows_;
  int64_t begin_ = 0;  // of the rows in rows_ that are not returned yet
  int64_t most_rows_at_a_time_ = INT64_MAX;
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_SHARED_BATCHED_READER_H_
