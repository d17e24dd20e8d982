// The columns of a batch in CSV: one for each field. Fields of nested messages are named by their paths ("trip.trip_id"). Bytes
// are base64, as in JSON lines, since CSV is text.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_CSV_COLUMNS_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_CSV_COLUMNS_H_

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <memory>

namespace structtensor::column_files_internal {

// Returns the schema of the CSV columns. Errors: TypeError, with the path, for a list or map, which CSV cannot hold.
arrow::Result<std::shared_ptr<arrow::Schema>> CsvSchemaOf(const arrow::Schema& schema);

// Returns the rows of `batch` with the columns of `schema`, its schema's CsvSchemaOf. Fields of an absent message are null.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> CsvRowsOf(const arrow::RecordBatch& batch,
                                                             std::shared_ptr<arrow::Schema> schema);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_CSV_COLUMNS_H_
