// Parquet and Arrow files as records: the messages that their rows are.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_RECORDS_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_RECORDS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/plan/plan.h"
#include "structtensor/records/record_reader.h"

namespace structtensor::converter_internal {

// The key of a column file's metadata by which it names the message type of its rows, in full. Only in files that name
// the type that is read do numbers of columns count as those of its fields.
inline constexpr char kMessageMetadataKey[] = "structtensor.message";

// Returns a reader of the rows of column files, one after another, as messages of that type; TensorEncoder says which columns
// fit. A record is a row, and lies at byte 0. A row whose values do not fit is a damaged record, which options.skip_damaged
// says what becomes of; the other options are about framing.
// Errors: FailedPrecondition if the plan has no encode functions. Those of reading come from NextBatch: what ColumnFileReader
//   and TensorEncoder say, behind the name of the file; DataLoss for a row.
absl::StatusOr<std::unique_ptr<RecordReader>> OpenColumnRecords(const plan::MessagePlan& message,
                                                                std::vector<std::string> inputs,
                                                                const RecordReaderOptions& options, bool ignore_extra_fields);

// For ScanOptions::open_records: the reader above if the inputs are column files, else RecordReader::Create.
// Errors: InvalidArgument if some inputs are column files and others are not.
absl::StatusOr<std::unique_ptr<RecordReader>> OpenRecordsOrColumns(const plan::MessagePlan& message,
                                                                   std::vector<std::string> inputs,
                                                                   const RecordReaderOptions& options,
                                                                   bool ignore_extra_fields);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_RECORDS_H_
