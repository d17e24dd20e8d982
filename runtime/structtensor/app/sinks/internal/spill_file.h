// Arrays that grow side by side, however long: their ends are in memory, the rest is in one file without a name.
#ifndef STRUCTTENSOR_APP_SINKS_INTERNAL_SPILL_FILE_H_
#define STRUCTTENSOR_APP_SINKS_INTERNAL_SPILL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor::sinks_internal {

// The file. It is made when it is first written to. It is gone when this object is destroyed or the process ends in any way.
class SpillFile {
 public:
  // `folder`: where it is; "" for the folder that TMPDIR names, or /tmp.
  explicit SpillFile(std::string folder) : folder_(std::move(folder)) {}
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  // Returns the byte offset of `bytes` in the file. Errors: of making the file and of writing, with the folder.
  absl::StatusOr<int64_t> Append(std::string_view bytes);
  // Errors: of reading.
  absl::Status Read(int64_t offset, size_t size_bytes, char* out) const;

 private:
  absl::Status Open();

  std::string folder_;
  int fd_ = -1;
  int64_t size_bytes_ = 0;
};

// The bytes of one array, which share a file with others.
class SpilledBytes {
 public:
  // Errors: the errors of the file.
  absl::Status Append(std::string_view bytes, SpillFile& file);

  int64_t size_bytes() const { return size_bytes_; }
  // What is in memory.
  int64_t memory_bytes() const { return static_cast<int64_t>(end_.capacity() + extents_.capacity() * sizeof(Extent)); }
  // The CRC-32 of zip files.
  uint32_t crc32() const { return crc32_; }

  // Hands all bytes to `use`, in order, in pieces. Errors: the errors of the file and of `use`.
  absl::Status ForEachPiece(const SpillFile& file, absl::FunctionRef<absl::Status(std::string_view piece)> use) const;

 private:
  // Bytes [offset, offset + size_bytes) of the file.
  struct Extent {
    int64_t offset;
    int64_t size_bytes;
  };

  absl::Status Spill(std::string_view bytes, SpillFile& file);

  std::vector<Extent> extents_;
  std::string end_;  // of the array, in memory
  int64_t size_bytes_ = 0;
  uint32_t crc32_ = 0;
};

// The CRC-32 of zip files. Crc32: of `bytes` after others that have `crc32`. Crc32OfBoth: of two pieces, one after the other.
uint32_t Crc32(std::string_view bytes, uint32_t crc32 = 0);
uint32_t Crc32OfBoth(uint32_t first, uint32_t second, int64_t size_bytes_of_second);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_APP_SINKS_INTERNAL_SPILL_FILE_H_
