// How many rows of a file are read at a time, so that they take little memory however large they are.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_SHARED_READ_SIZE_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_SHARED_READ_SIZE_H_

#include <algorithm>
#include <cstdint>

namespace structtensor::column_files_internal {

// Rows are taken to be as large as the row group says on average, or as the rows that were read last, whichever is more.
class ReadSize {
 public:
  // Rows that are read together take about this many bytes, or less. Ordinary rows are far smaller: then the number of rows
  // decides.
  static constexpr int64_t kBytesAtATime = int64_t{16} << 20;
  // Several rows that take more than this are read again, fewer at a time. This is far more than rows should take, because
  // reading again is slow.
  static constexpr int64_t kMostBytesAtATime = int64_t{128} << 20;
  // Several rows whose dictionaries expand to more than this are imported again, half as many at a time.
  static constexpr int64_t kMostImportedBytesAtATime = int64_t{64} << 20;

  // How many rows of this size take kBytesAtATime; at least 1.
  static int64_t RowsOf(double row_bytes) {
    return static_cast<int64_t>(std::clamp(static_cast<double>(kBytesAtATime) / std::max(row_bytes, 1e-9), 1.0, 1e15));
  }

  // `max_memory_bytes`: of one row.
  explicit ReadSize(int64_t max_memory_bytes) : bytes_(std::clamp<int64_t>(max_memory_bytes / 4, 1, kBytesAtATime)) {}

  // Begins a group of `rows` rows, which take about `size_bytes` in memory. The arguments may come from a damaged file.
  void BeginGroup(int64_t rows, double size_bytes) {
    row_bytes_of_group_ = rows > 0 ? std::max(size_bytes, 0.0) / static_cast<double>(rows) : 0;
    row_ = 0;
    refused_begin_ = INT64_MAX;
    refused_end_ = 0;
    max_rows_ = most_rows_ = INT64_MAX;
  }

  // The rows to read next: at least 1, at most `most`. Requires: most >= 1.
  int64_t Rows(int64_t most) const {
    const double fit = static_cast<double>(bytes_) / std::max({row_bytes_of_group_, row_bytes_of_last_, 1e-9});
    const int64_t max_rows = row_ < refused_begin_ ? refused_begin_ - row_ : max_rows_;
    const int64_t rows = fit >= static_cast<double>(max_rows) ? max_rows : static_cast<int64_t>(fit);
    return std::clamp<int64_t>(rows, 1, most);
  }

  // Notes what rows that were read took.
  void Took(int64_t rows, int64_t size_bytes) {
    if (rows > 0) row_bytes_of_last_ = static_cast<double>(size_bytes) / static_cast<double>(rows);
    row_ += rows;
    if (row_ > refused_end_ && size_bytes < bytes_ / 4) max_rows_ += std::min(max_rows_, most_rows_ - max_rows_);
  }

  // Notes that the next `rows` rows are too large. The group is read again from its first row, and from here on far fewer rows
  // at a time. Past these `rows`, twice as many are read each time as long as they are small, but at most half of `rows`.
  // Returns whether fewer rows were already read here because of an earlier call.
  bool TooLarge(int64_t rows) {
    const bool again = refused_begin_ <= row_ && row_ < refused_end_;
    refused_begin_ = std::min(refused_begin_, row_);
    refused_end_ = std::max(refused_end_, row_ + rows);
    max_rows_ = std::max<int64_t>(1, rows / (again ? 4 : 16));
    most_rows_ = std::max<int64_t>(1, rows / 2);
    row_ = 0;
    return again;
  }

 private:
  const int64_t bytes_;
  double row_bytes_of_group_ = 0;  // on average
  double row_bytes_of_last_ = 0;
  int64_t row_ = 0;  // of the group: the next one
  // Rows of the group that are read few at a time, because some of them were too large together.
  int64_t refused_begin_ = INT64_MAX;
  int64_t refused_end_ = 0;
  int64_t max_rows_ = INT64_MAX;   // from refused_begin_ on, for now
  int64_t most_rows_ = INT64_MAX;  // what max_rows_ may become past refused_end_
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_SHARED_READ_SIZE_H_
