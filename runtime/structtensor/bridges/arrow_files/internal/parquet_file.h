// A Parquet file in the making, from the leaves of batches. Pages, dictionaries, statistics, compression and metadata are those
// of Arrow's Parquet library; what a row group has of a column without any value is one page of levels for all columns that
// have the same ones, encoded and compressed once.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_PARQUET_FILE_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_PARQUET_FILE_H_

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "structtensor/bridges/arrow_files/internal/parquet_leaves.h"

namespace structtensor::arrow_files_internal {

// All but the constructor and the destructor may throw parquet::ParquetException; after that, as after an error, the file is
// unusable.
class ParquetFile {
 public:
  // `schema` is kept in the metadata, so that Arrow's readers get the same types back. At most `threads` threads work on
  // columns at a time; the file does not depend on it.
  static arrow::Result<std::unique_ptr<ParquetFile>> Open(std::shared_ptr<arrow::io::OutputStream> output,
                                                          const arrow::Schema& schema,
                                                          std::shared_ptr<parquet::WriterProperties> properties, int threads);
  // Writes nothing: without Close() the file stays incomplete.
  ~ParquetFile();

  // Begins a row group; the one before it is written.
  arrow::Status BeginRowGroup();

  // Appends the rows of `leaves` to the row group. Requires: BeginRowGroup(), and leaves of the schema.
  arrow::Status Write(const std::vector<ParquetLeaf>& leaves, int64_t number_of_rows);

  // Writes what is left and the file's end.
  arrow::Status Close();

 private:
  class Column;

  ParquetFile(std::shared_ptr<arrow::io::OutputStream> output, std::shared_ptr<parquet::SchemaDescriptor> schema,
              std::shared_ptr<parquet::WriterProperties> properties, int threads);

  arrow::Status EndRowGroup();

  const std::shared_ptr<arrow::io::OutputStream> output_;
  const std::shared_ptr<parquet::SchemaDescriptor> schema_;
  const std::shared_ptr<parquet::WriterProperties> properties_;
  const std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties_;
  const arrow::Compression::type compression_;  // of all columns
  const int threads_;
  std::shared_ptr<const arrow::KeyValueMetadata> key_values_;
  std::unique_ptr<parquet::FileMetaDataBuilder> metadata_;
  // Of the row group that is open.
  parquet::RowGroupMetaDataBuilder* row_group_ = nullptr;
  std::vector<Column> columns_;
  int64_t number_of_rows_ = 0;
  int16_t ordinal_ = 0;
};

}  // namespace structtensor::arrow_files_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_PARQUET_FILE_H_
