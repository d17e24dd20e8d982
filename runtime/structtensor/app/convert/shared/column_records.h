// Parquet and Arrow files as records: each row is a message.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_RECORDS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_RECORDS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::convert_internal {

// Returns a reader of the rows of column files, one file after another, as messages of type `message`. TensorEncoder says which
// columns fit. Each row is a record at byte 0. A row whose values do not fit is a damaged record, which options.skip_damaged
// says how to handle; the other options are about framing.
// Errors: FailedPrecondition if the plan has no encode functions. Read errors come from NextBatch: the errors of
//   ColumnFileReader and TensorEncoder, after the name of the file; DataLoss for a row.
absl::StatusOr<std::unique_ptr<RecordReader>> OpenColumnRecords(const plan::MessagePlan& message,
                                                                std::vector<std::string> inputs,
                                                                const RecordReaderOptions& options, bool ignore_extra_fields);

// For ScanOptions::open_records: the reader above if the inputs are column files, else RecordReader::Create.
// Errors: InvalidArgument if some inputs are column files and others are not.
absl::StatusOr<std::unique_ptr<RecordReader>> OpenRecordsOrColumns(const plan::MessagePlan& message,
                                                                   std::vector<std::string> inputs,
                                                                   const RecordReaderOptions& options,
                                                                   bool ignore_extra_fields);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_RECORDS_H_
