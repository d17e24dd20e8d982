// Files that are read at any place, on this machine or not.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_RANDOM_ACCESS_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_RANDOM_ACCESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/records/internal/byte_source.h"
#include "structtensor/records/record_index.h"
#include "structtensor/storage/remote_files.h"

namespace structtensor::records_internal {

// Opens `path` for reading at any place.
// Errors: InvalidArgument for what is no plain file; NotFound, PermissionDenied, ... if it does not open; without its name.
absl::StatusOr<std::unique_ptr<RemoteFile>> OpenForReadAt(const std::string& path);

// A few bytes here and there of a file, mostly forward: blocks are read, and bytes that a block has are not read again.
class BlockReader {
 public:
  // `block_bytes`: of each read, at least.
  BlockReader(RemoteFile& file, size_t block_bytes) : file_(file), block_bytes_(block_bytes) {}

  // The bytes [offset, offset + size_bytes). Requires: they are in the file. Valid until the next call.
  absl::StatusOr<std::string_view> View(int64_t offset, size_t size_bytes);

 private:
  RemoteFile& file_;
  const size_t block_bytes_;
  std::string block_;
  int64_t block_offset_ = 0;
};

// The checksum of RecordMark: CRC-32C of the bytes of the file that are at most kMarkBytes away from `offset`, to both sides.
inline constexpr int64_t kMarkBytes = 1024;
absl::StatusOr<uint32_t> MarkChecksum(BlockReader& blocks, int64_t file_bytes, int64_t offset);

// The bytes of a part of a file, once it is known that the file is the one that the part is of.
// Errors: InvalidArgument if it has another size, or other bytes where the part begins and ends; those of OpenForReadAt.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenPart(const std::string& path, const InputPart& part);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_RANDOM_ACCESS_H_
