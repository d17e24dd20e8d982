// Columns that say from which input and offset the message of each row comes.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_RECORD_COLUMNS_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_RECORD_COLUMNS_H_

#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::scan_internal {

// Whether options.filename_column or options.offset_column is set.
bool HasRecordColumns(const ScanOptions& options);

// Errors: InvalidArgument if two columns would have the same name.
absl::Status CheckRecordColumns(const ScanOptions& options, const StructuredTensor& rows);

// Returns `rows` with these columns first; row i is at locations[i]. Requires: as many locations as rows; CheckRecordColumns().
// Errors: ResourceExhausted if the names of the inputs take more than 2 GiB.
absl::StatusOr<StructuredTensor> WithRecordColumns(const ScanOptions& options, const StructuredTensor& rows,
                                                   std::span<const RecordLocation> locations, const RecordReader& reader);

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_RECORD_COLUMNS_H_
