// Where bytes come from: a local or remote file, a pipe or standard input, compressed or not.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_BYTE_SOURCE_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_BYTE_SOURCE_H_

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
  // Errors: DataLoss if the source is damaged from here on (all valid bytes before the damage have been delivered); other codes
  //   if the system cannot read. The message does not name the file or the position: the caller knows both.
  virtual absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) = 0;
};

struct OpenedSource {
  std::unique_ptr<ByteSource> source;
  bool compressed = false;    // the source decompresses: its bytes are not the bytes of the file
  bool regular_file = false;  // not a pipe or a terminal: all bytes are there already
};

// Opens `path`; "-" is standard input. A file that starts like a gzip, Zstandard or LZ4 file is decompressed. Its name does not
// matter: a file may keep ".gz" after a download has unpacked it, and a pipe has no name.
// Errors: NotFound, PermissionDenied, ... if the file does not open. The message does not name the file.
absl::StatusOr<OpenedSource> OpenByteSource(const std::string& path);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_BYTE_SOURCE_H_
