// Reads Parquet and Arrow IPC files with Arrow C++: the reverse of column_file.h.
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

// Whether a file that begins with these bytes (16 are enough) is a column file: Parquet, Arrow, or an Arrow stream.
bool BeginsAsColumnFile(std::string_view bytes);
// Whether the file at `path` is a column file. False if it cannot be read.
bool IsColumnFile(const std::string& path);

class ColumnFileReader {
 public:
  // Returns a reader of the file, which may be remote (storage/remote_files.h). The first bytes tell the format. Next() returns
  // at most `batch_rows` rows at a time.
  // Errors: InvalidArgument if batch_rows is less than 1, or the file has none of these formats; NotFound, PermissionDenied,
  //   ... if it cannot be opened; DataLoss if it is damaged. Messages do not name the file.
  static absl::StatusOr<std::unique_ptr<ColumnFileReader>> Open(const std::string& path, int64_t batch_rows = 4096);

  virtual ~ColumnFileReader() = default;

  // Returns the next rows, with the types that import.h lists, or nothing at the end. The rows keep alive the memory that they
  // share with the reader, which may hold more than these rows.
  // Errors: DataLoss if the file is damaged, and the errors of ImportBatch.
  virtual absl::StatusOr<std::optional<StructuredTensor>> Next() = 0;

  // Returns a batch without rows that has the fields of all rows of the file. Errors: the errors of ImportBatch.
  virtual absl::StatusOr<StructuredTensor> Empty() const = 0;

  // Returns the value of `key` in the file's metadata (ColumnFileOptions::metadata), or nothing.
  virtual std::optional<std::string> Metadata(const std::string& key) const = 0;

  // The numbers of its columns (ColumnFileOptions::ids).
  virtual std::vector<ColumnId> ids() const = 0;

  // Returns how many rows the file has. Only an Arrow stream is read for this, and has no rows left afterwards.
  // Requires: Next() has not been called.
  // Errors: DataLoss if the file is damaged.
  virtual absl::StatusOr<int64_t> CountRows() = 0;

  // The size of the file.
  virtual int64_t size_bytes() const = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_COLUMN_FILE_READER_H_
