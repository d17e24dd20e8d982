// Writes a Parquet file from the leaves of batches. Levels are encoded once for all columns that have the same levels. So are
// pages without values. Arrow's Parquet library writes pages, page indexes and metadata, and compresses.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_FILE_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_FILE_H_

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "structtensor/io/column_files/internal/page_codec.h"
#include "structtensor/io/column_files/internal/parquet_leaves.h"

namespace structtensor::column_files_internal {

// Functions may throw parquet::ParquetException and std::bad_alloc. After an exception or an error, the file is unusable.
class ParquetFile {
 public:
  // The metadata keep `schema`, so that Arrow's readers get the same types back. At most `threads` threads, 1 or more, work on
  // columns at a time. The file does not depend on `threads`.
  static arrow::Result<std::unique_ptr<ParquetFile>> Open(std::shared_ptr<arrow::io::OutputStream> output,
                                                          const arrow::Schema& schema, ArrowCodec codec, int threads);
  // Writes nothing: without Close() the file stays incomplete.
  ~ParquetFile();

  // Begins a row group. Ends the open row group, if there is one.
  arrow::Status BeginRowGroup();
  // Writes the open row group, if there is one.
  arrow::Status EndRowGroup();

  // Appends the rows of `leaves` to the row group. Requires: BeginRowGroup().
  // Errors: Invalid if the leaves do not fit the schema; CapacityError if a column has about 2^31 levels in one call, or a page
  //   2^31 bytes.
  arrow::Status Write(const std::vector<ParquetLeaf>& leaves, int64_t number_of_rows);

  // The approximate memory of the open row group.
  int64_t memory_bytes() const;

  // The memory of all levels of the open row group, encoded, including those of ended pages.
  int64_t level_bytes() const { return static_cast<int64_t>(level_bytes_); }

  // The memory that the metadata of ended row groups take until Close().
  int64_t metadata_bytes() const { return row_group_bytes_; }

  // Writes what is left and the file's end.
  arrow::Status Close();

 private:
  class Column;

  ParquetFile(std::shared_ptr<arrow::io::OutputStream> output, std::shared_ptr<parquet::SchemaDescriptor> schema,
              std::shared_ptr<parquet::WriterProperties> properties, ArrowCodec codec, int threads);

  arrow::Status EndPages(const std::vector<Column*>& columns);
  size_t ThreadsFor(int64_t number_of_levels) const;

  const std::shared_ptr<arrow::io::OutputStream> output_;
  const std::shared_ptr<parquet::SchemaDescriptor> schema_;
  const std::shared_ptr<parquet::WriterProperties> properties_;
  const ArrowCodec codec_;
  const int threads_;
  std::shared_ptr<const arrow::KeyValueMetadata> key_values_;
  // For each ended row group, the metadata of a file that has only this one, serialized: Arrow's builders take 30 times the
  // memory, and there may be many row groups in many files.
  std::vector<std::string> row_groups_;
  int64_t row_group_bytes_ = 0;
  // The open row group.
  bool in_row_group_ = false;
  std::vector<Column> columns_;
  int64_t number_of_rows_ = 0;
  size_t level_bytes_ = 0;  // of all levels of the row group; some may be gone
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_FILE_H_
