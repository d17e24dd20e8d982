// Local and remote files that are read at any offset.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_RANDOM_ACCESS_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_RANDOM_ACCESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/io/records/internal/byte_source.h"
#include "structtensor/io/records/record_index.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::records_internal {

// Opens `path` for reading at any offset.
// Errors: InvalidArgument if it is not a plain file; NotFound, PermissionDenied, ... if it does not open. The message does not
//   name the file.
absl::StatusOr<std::unique_ptr<RemoteFile>> OpenForReadAt(const std::string& path);

// Reads a few bytes here and there in a file, mostly forward. It reads blocks, and does not read the bytes of a block again.
class BlockReader {
 public:
  // `block_bytes`: the least number of bytes of a read.
  BlockReader(RemoteFile& file, size_t block_bytes) : file_(file), block_bytes_(block_bytes) {}

  // Returns the bytes [offset, offset + size_bytes). Requires: they are in the file. Valid until the next call.
  absl::StatusOr<std::string_view> View(int64_t offset, size_t size_bytes);

 private:
  RemoteFile& file_;
  const size_t block_bytes_;
  std::string block_;
  int64_t block_offset_ = 0;
};

// The checksum of a RecordMark: CRC-32C of the bytes of the file that are at most kMarkBytes before or after `offset`.
inline constexpr int64_t kMarkBytes = 1024;
absl::StatusOr<uint32_t> MarkChecksum(BlockReader& blocks, int64_t file_bytes, int64_t offset);

// Checks that the file is the one that `part` was made for, and returns the bytes of the part.
// Errors: InvalidArgument if the file has another size, or other bytes where the part begins and ends; the errors of
//   OpenForReadAt.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenPart(const std::string& path, const InputPart& part);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_RANDOM_ACCESS_H_
