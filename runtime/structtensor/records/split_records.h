// The messages of records that lie in memory.
#ifndef STRUCTTENSOR_RECORDS_SPLIT_RECORDS_H_
#define STRUCTTENSOR_RECORDS_SPLIT_RECORDS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/records/record_reader.h"

namespace structtensor {

// Returns the messages of the records that `bytes` consists of, in their order; of kMessage, `bytes` itself.
// Ownership: views into `bytes`.
// Errors: DataLoss if `bytes` does not consist of such records: a length is none, or says more than is left, a checksum of
//   kTfRecord differs, a frame of kGrpc is compressed; InvalidArgument for a number that is no format. The message has the
//   record and the byte. Cost: O(number of records); of kTfRecord O(bytes).
absl::StatusOr<std::vector<std::string_view>> SplitRecords(RecordFormat format, std::string_view bytes);

}  // namespace structtensor

#endif  // STRUCTTENSOR_RECORDS_SPLIT_RECORDS_H_
