// Where bytes come from: a file, of this machine or not, a pipe, standard input, compressed or not.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_BYTE_SOURCE_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_BYTE_SOURCE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace structtensor::records_internal {

// Bytes that are read once from front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads between 1 and `capacity_bytes` bytes to `to` and returns how many; 0 at the end.
  // Requires: capacity_bytes > 0.
  // Errors: DataLoss if the source is damaged from here on (all sound bytes in front have been delivered); other codes if the
  //   system refuses to read. The message names neither the file nor the place: the caller knows both.
  virtual absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) = 0;
};

struct OpenedSource {
  std::unique_ptr<ByteSource> source;
  bool compressed = false;    // the bytes delivered are not those of the file
  bool regular_file = false;  // no pipe, no terminal: whatever will be there is there
};

// Opens `path`, "-" being standard input. What starts as a gzip, Zstandard or LZ4 file does is decompressed, whatever its name:
// files keep ".gz" when a download has already unpacked them, and lose it in pipes.
// Errors: NotFound, PermissionDenied, ... if the file does not open, without its name.
absl::StatusOr<OpenedSource> OpenByteSource(const std::string& path);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_BYTE_SOURCE_H_
