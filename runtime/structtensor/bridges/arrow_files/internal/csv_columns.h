// What CSV has of a batch: a column for each field, those of messages in messages by their paths ("trip.trip_id"). Bytes are
// base64, as in JSON lines, since CSV is text.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_CSV_COLUMNS_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_CSV_COLUMNS_H_

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <memory>

namespace structtensor::arrow_files_internal {

// Errors: TypeError for a list or map, which CSV has no place for, with its path.
arrow::Result<std::shared_ptr<arrow::Schema>> CsvSchemaOf(const arrow::Schema& schema);

// The rows of a batch as `schema` has them, which is CsvSchemaOf that of the batch. What lies in an absent message is null.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> CsvRowsOf(const arrow::RecordBatch& batch,
                                                             std::shared_ptr<arrow::Schema> schema);

}  // namespace structtensor::arrow_files_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_CSV_COLUMNS_H_
