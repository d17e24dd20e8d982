// Parquet, Arrow IPC and CSV files, written by Arrow C++. The only folder that sees its headers, never in a public one.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_COLUMN_FILE_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_COLUMN_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/bridges/arrow/arrow_layout.h"
#include "structtensor/bridges/arrow_files/column_id.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor {

// Columns have the types that structtensor/bridges/arrow/export.h lists.
enum class FileFormat {
  kParquet,      // the Arrow schema goes into the metadata, so that Arrow readers get the same types back
  kArrowFile,    // Arrow IPC with a footer, for random access ("Feather V2")
  kArrowStream,  // Arrow IPC without one
  kCsv,          // text with a header line: fields of messages by their paths, nothing repeated; absent values are empty
};

enum class FileCompression {
  kDefault,  // Parquet: zstd, else snappy where Arrow was built without; Arrow: none, so that files can be mapped; CSV: none
  kNone,
  kSnappy,  // Parquet only
  kZstd,    // Parquet and Arrow
};

struct ColumnFileOptions {
  FileCompression compression = FileCompression::kDefault;
  // Parquet: a row group ends after so many rows, or once the batches in it take so many bytes in memory, whichever comes
  // first. Larger groups read faster; the writer holds one group, encoded. Arrow files have one record batch per written batch.
  int64_t max_row_group_rows = int64_t{1} << 20;
  int64_t max_row_group_bytes = int64_t{128} << 20;
  // Keys and values that the file carries beside its columns, all of them UTF-8; of CSV none.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // The numbers of columns; CSV has none.
  std::vector<ColumnId> ids = {};
  // What columns are where their TypeSpecs do not say it. Parquet has the strings of dictionaries, and in its Arrow schema that
  // Arrow's readers are to make dictionaries of them; CSV has strings and bytes.
  std::vector<ArrowLayout> layouts = {};
  // Parquet: how many threads encode columns at a time; at least 1. The file does not depend on it.
  int threads = 1;
};

// A file in the making. Holds the memory of one row group or record batch, however long the file.
class ColumnFileWriter {
 public:
  // Writes nothing: without Close() the file stays incomplete.
  virtual ~ColumnFileWriter() = default;

  // Appends the rows of `batch`. After an error the file is unusable, and further calls fail.
  // Requires: not closed.
  // Errors: InvalidArgument if the batch is not of the spec that the file was opened with; of writing, the system's
  //   (ResourceExhausted if the disk is full), with the byte offset; OutOfRange as ExportBatch.
  virtual absl::Status Write(const StructuredTensor& batch) = 0;

  // Writes the rows that are in memory still. Of a Parquet file, the row group ends; larger ones make better files, so this is
  // for those who write many files at a time. Errors: of writing, as above. Requires: not closed.
  virtual absl::Status Flush() = 0;
  // The memory of these rows, about.
  virtual int64_t buffered_bytes() const = 0;

  // Writes what is left and the end of the format. To be called once. Errors: of writing, as above.
  virtual absl::Status Close() = 0;

  // How many bytes have gone to the file descriptor.
  virtual int64_t bytes_written() const = 0;
};

// Returns a writer of batches of that spec (sizes that depend on data may be unknown). The file is written from front to back,
// so that `fd` may be a pipe; it stays open and belongs to the caller, who keeps it open as long as the writer. Parquet has no
// structs without fields. A message type without fields, or of which a projection left none, becomes a column of booleans: true
// where the message is present, null where it is not. Arrow files keep the empty struct.
// Errors: InvalidArgument if `spec` has rank other than 1, rows that may be absent, or, for Parquet, no fields at all; if the
//   format has no such compression; of writing the format's beginning, as Write; Unimplemented if this Arrow has no such codec.
absl::StatusOr<std::unique_ptr<ColumnFileWriter>> OpenColumnFile(FileFormat format, int fd, const StructuredTensorSpec& spec,
                                                                 const ColumnFileOptions& options = {});

// The schema of the Parquet file that OpenColumnFile would begin for that spec and those numbers, as text: the message format
// of Parquet's tools.
// Errors: those of OpenColumnFile that are about the spec.
absl::StatusOr<std::string> ParquetSchemaText(const StructuredTensorSpec& spec, const std::vector<ColumnId>& ids = {},
                                              const std::vector<ArrowLayout>& layouts = {});

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_COLUMN_FILE_H_
