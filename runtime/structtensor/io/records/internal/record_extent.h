// Where a record ends, read from its first bytes.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_RECORD_EXTENT_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_RECORD_EXTENT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/io/records/record_format.h"

namespace structtensor::records_internal {

// The most bytes of a record that ExtentOf() looks at.
inline constexpr size_t kMaxRecordHeaderBytes = 12;

// Where the message of a record is, counted from the record's first byte.
struct RecordExtent {
  size_t message_position = 0;
  uint64_t message_bytes = 0;  // at most kMaxRecordBytes
  size_t bytes_after = 0;      // of the record, after the message

  uint64_t record_bytes() const { return message_position + message_bytes + bytes_after; }
};

// Returns the extent of the record that `rest` begins with. Requires: rest is not empty.
// Errors: DataLoss if `rest` does not begin with a length, the length is too large, or the checksum of a TFRecord's length
//   differs; InvalidArgument for text formats, and for a number that is not a format.
absl::StatusOr<RecordExtent> ExtentOf(RecordFormat format, std::string_view rest);

// Whether `checksum`, 4 bytes, is the masked CRC-32C of `bytes`, as in TFRecord files.
bool HasMaskedCrc32c(std::string_view bytes, const char* checksum);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_RECORD_EXTENT_H_
