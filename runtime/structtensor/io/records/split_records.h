// Splits records in memory into their messages.
#ifndef STRUCTTENSOR_IO_RECORDS_SPLIT_RECORDS_H_
#define STRUCTTENSOR_IO_RECORDS_SPLIT_RECORDS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor {

// Returns the messages of the records in `bytes`, in order; for kMessage, `bytes` itself.
// Ownership: views into `bytes`.
// Errors: DataLoss if `bytes` does not consist of such records: a length is invalid or longer than the rest, a checksum of
//   kTfRecord differs, or a frame of kGrpc is compressed; InvalidArgument for a number that is not a format. The message names
//   the record and the byte. Cost: O(number of records); for kTfRecord O(bytes).
absl::StatusOr<std::vector<std::string_view>> SplitRecords(RecordFormat format, std::string_view bytes);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_RECORDS_SPLIT_RECORDS_H_
