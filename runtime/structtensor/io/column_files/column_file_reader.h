// Reads Parquet and Arrow IPC files with Arrow C++: the reverse of column_file.h.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_FILE_READER_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_FILE_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/io/column_files/column_id.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor {

// Whether a file that begins with these bytes (16 are enough) is a column file: Parquet, Arrow, or an Arrow stream.
bool BeginsAsColumnFile(std::string_view bytes);
// Whether the file at `path` is a column file. False if it cannot be read.
bool IsColumnFile(const std::string& path);
// The same, but an error if it cannot be opened. Pipes and standard input ("-") are not opened and are not column files.
// Errors: NotFound, PermissionDenied, ...; messages do not name the file.
absl::StatusOr<bool> OpensAsColumnFile(const std::string& path);

struct ColumnFileReaderOptions {
  // The most rows that Next() returns at a time; at least 1. Fewer are returned if they take
  // more than about 16 MiB.
  int64_t batch_rows = 4096;
  // The most memory that one row of a Parquet file, or the dictionary values of one row of any file, may take; at least 1.
  // Several rows take less. The reader also keeps pages of each column. An Arrow file's record batches are read whole.
  int64_t max_memory_bytes = int64_t{1} << 30;
  // Whether rows may lack fields in which nothing is present, if the metadata of a Parquet file say so. Rows of different row
  // groups then differ in their fields. Files can have thousands of columns without values, and each takes time to read.
  // Damage to a column that is not read is not noticed.
  bool skip_absent_fields = false;
};

class ColumnFileReader {
 public:
  // Returns a reader of the file, which may be remote (io/remote_files/remote_files.h). The first bytes determine the format.
  // Errors: InvalidArgument if an option is out of its range, or the file has none of these formats; NotFound,
  //   PermissionDenied, ... if it cannot be opened; DataLoss if it is damaged, or if the row counts in the footer of a Parquet
  //   file contradict each other. Messages do not name the file.
  static absl::StatusOr<std::unique_ptr<ColumnFileReader>> Open(const std::string& path,
                                                                const ColumnFileReaderOptions& options = {});

  virtual ~ColumnFileReader() = default;

  // Returns the next rows, at most `max_rows` (1 or more), with the types that import.h lists, or nothing at the end. The rows
  // keep alive the memory that they share with the reader, which may hold more than these rows.
  // Errors: DataLoss if the file is damaged: a Parquet file also if a row group does not have as many rows as its footer says;
  //   ResourceExhausted if one row exceeds options.max_memory_bytes; the errors of ImportBatch.
  virtual absl::StatusOr<std::optional<StructuredTensor>> Next(int64_t max_rows) = 0;
  absl::StatusOr<std::optional<StructuredTensor>> Next() { return Next(INT64_MAX); }

  // Returns a batch without rows that has the fields of all rows of the file. Errors: the errors of ImportBatch.
  virtual absl::StatusOr<StructuredTensor> Empty() const = 0;

  // Returns the value of `key` in the file's metadata (ColumnFileOptions::metadata), or nothing.
  virtual std::optional<std::string> Metadata(const std::string& key) const = 0;

  // The numbers of its columns (ColumnFileOptions::ids).
  virtual std::vector<ColumnId> ids() const = 0;

  // Returns how many rows the file has, as its footer says. Only an Arrow stream is read for this, and has no rows left
  // afterwards.
  // Requires: Next() has not been called.
  // Errors: DataLoss if the file is damaged.
  virtual absl::StatusOr<int64_t> CountRows() = 0;

  // The size of the file.
  virtual int64_t size_bytes() const = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_FILE_READER_H_
