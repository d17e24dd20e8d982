// Writes Parquet, Arrow IPC and CSV files with Arrow C++. Only this folder includes Arrow's headers, never in a public header.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_FILE_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/io/column_files/column_id.h"
#include "structtensor/io/column_files/file_format.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor {

struct ColumnFileOptions {
  FileCompression compression = FileCompression::kDefault;
  // See CompressionCodecs(). Without a value, the codec chooses.
  std::optional<int> compression_level = std::nullopt;
  // Parquet: a row group ends after this many rows, or when its values and levels take this many bytes in memory, whichever is
  // first. A column without any value in a batch counts 16 bytes, and a byte for every four rows or elements.
  // Larger groups read faster; the writer holds one group, encoded. Arrow files have one record batch per written batch.
  int64_t max_row_group_rows = int64_t{1} << 20;
  int64_t max_row_group_bytes = int64_t{128} << 20;
  // Keys and values that the file stores beside its columns, all UTF-8. CSV stores none.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // The numbers of columns. CSV stores none.
  std::vector<ColumnId> ids = {};
  // How columns are stored where their TypeSpecs do not specify it. Parquet stores dictionaries as strings; the Arrow schema in
  // the file makes Arrow's readers turn them back into dictionaries. CSV stores strings and bytes.
  std::vector<ArrowLayout> layouts = {};
  // How many threads may encode and compress columns at a time; at least 1. With 1, the caller's thread does everything. With
  // more, the columns of Arrow files are compressed in the thread pool that Arrow has for the whole process, whose size is
  // Arrow's (by default the number of cores). CSV is written by the caller's thread. The file does not depend on it.
  int threads = 1;
};

// Writes one file. Keeps one row group or record batch in memory, however long the file is.
class ColumnFileWriter {
 public:
  // Writes nothing: without Close() the file stays incomplete.
  virtual ~ColumnFileWriter() = default;

  // Appends the rows of `batch`. After an error the file is unusable, and further calls fail.
  // Requires: not closed.
  // Errors: InvalidArgument if the batch does not have the spec that the file was opened with (the types of columns that are
  //   known to have no value, StructuredTensor::may_have_values, may not be compared); the OutOfRange error of
  //   ExportBatch; the system's write errors (ResourceExhausted if the disk is full), with the byte offset.
  virtual absl::Status Write(const StructuredTensor& batch) = 0;

  // Writes the rows that are still in memory, which ends the row group of a Parquet file. Larger groups make better files: call
  // it only to save memory when writing many files at a time. Errors: write errors, as above. Requires: not closed.
  virtual absl::Status Flush() = 0;
  // The approximate memory of these rows.
  virtual int64_t buffered_bytes() const = 0;
  // The approximate memory that Flush() does not free: what the end of the file will say of the row groups before.
  virtual int64_t retained_bytes() const = 0;

  // Writes what is left and the end of the format. To be called once. Errors: write errors, as above.
  virtual absl::Status Close() = 0;

  // How many bytes have been written to the file descriptor.
  virtual int64_t bytes_written() const = 0;
};

// Returns a writer of batches of `spec` (sizes that depend on data may be unknown). The file is written from front to back, so
// `fd` may be a pipe. `fd` belongs to the caller: it is not closed, and must stay open as long as the writer lives. Parquet has
// no structs without fields: a message type without fields, or without any that a projection kept, becomes a column of
// booleans: true where the message is present, null where it is absent. Arrow files keep the empty struct.
// Errors: InvalidArgument if the rank of `spec` is not 1, its rows may be absent, it has no fields at all (Parquet), or the
//   format does not have the compression or its level; Unimplemented if this Arrow does not have the codec; the write errors of
//   Write.
absl::StatusOr<std::unique_ptr<ColumnFileWriter>> OpenColumnFile(FileFormat format, int fd, const StructuredTensorSpec& spec,
                                                                 const ColumnFileOptions& options = {});

// Returns the schema of the Parquet file that OpenColumnFile would write for `spec`, `ids` and `layouts`, as text in the
// message format of Parquet's tools.
// Errors: the errors of OpenColumnFile that are about the spec.
absl::StatusOr<std::string> ParquetSchemaText(const StructuredTensorSpec& spec, const std::vector<ColumnId>& ids = {},
                                              const std::vector<ArrowLayout>& layouts = {});

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_FILE_H_
