// Parquet and Arrow IPC files, read by Arrow C++: the way back of column_file.h.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_COLUMN_FILE_READER_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_COLUMN_FILE_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/bridges/arrow_files/column_id.h"
#include "structtensor/tensor/structured_tensor.h"

namespace structtensor {

// Whether a file that begins with these bytes (16 suffice) is a column file: Parquet, Arrow, or an Arrow stream.
bool BeginsAsColumnFile(std::string_view bytes);
// The same of a file. False if it cannot be read.
bool IsColumnFile(const std::string& path);

class ColumnFileReader {
 public:
  // Returns a reader of the file, also a remote one (storage/remote_files.h), whose format is seen from its first bytes. At
  // most `batch_rows` rows are handed over at a time.
  // Errors: InvalidArgument if batch_rows is less than 1, or the file is none of these formats; NotFound, PermissionDenied, ...
  //   if it cannot be opened; DataLoss if it is damaged. Messages do not name the file.
  static absl::StatusOr<std::unique_ptr<ColumnFileReader>> Open(const std::string& path, int64_t batch_rows = 4096);

  virtual ~ColumnFileReader() = default;

  // The next rows, as import.h makes them of Arrow's columns; nothing at the end. They keep alive what they
  // share with the reader, which may be more than their rows.
  // Errors: DataLoss if the file is damaged; those of ImportBatch.
  virtual absl::StatusOr<std::optional<StructuredTensor>> Next() = 0;

  // No rows, of the fields that all rows of the file have. Errors: those of ImportBatch.
  virtual absl::StatusOr<StructuredTensor> Empty() const = 0;

  // The value of a key that the file carries beside its columns (ColumnFileOptions::metadata), or nothing.
  virtual std::optional<std::string> Metadata(const std::string& key) const = 0;

  // The numbers of its columns (ColumnFileOptions::ids).
  virtual std::vector<ColumnId> ids() const = 0;

  // How many rows the file has. Only a stream is read for that, and has no rows left then. Requires: Next() has not been
  // called.
  // Errors: DataLoss if the file is damaged.
  virtual absl::StatusOr<int64_t> CountRows() = 0;

  // Bytes of the file.
  virtual int64_t size_bytes() const = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_COLUMN_FILE_READER_H_
