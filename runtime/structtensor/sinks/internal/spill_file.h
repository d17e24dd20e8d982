// Arrays that grow side by side, however long: the ends of them in memory, the rest in one file that has no name.
#ifndef STRUCTTENSOR_SINKS_INTERNAL_SPILL_FILE_H_
#define STRUCTTENSOR_SINKS_INTERNAL_SPILL_FILE_H_

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

// Makes a file without a name and returns its descriptor, which belongs to the caller; the file is gone when that is closed, or
// with the process, however that ends.
//   folder  where it is; "" for the one that TMPDIR names, or /tmp. It becomes that name
// Errors: why it cannot be made, with the folder.
absl::StatusOr<int> MakeUnnamedFile(std::string* folder);

// The file. It is made when it is first written to, and is gone with this, or with the process, however that ends.
class SpillFile {
 public:
  // `folder`: where it is; "" for the one that TMPDIR names, or /tmp.
  explicit SpillFile(std::string folder) : folder_(std::move(folder)) {}
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  // Returns the byte offset that `bytes` now have. Errors: of making the file and of writing, with the folder.
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
  // Errors: those of the file.
  absl::Status Append(std::string_view bytes, SpillFile& file);

  int64_t size_bytes() const { return size_bytes_; }
  // As zip files have it.
  uint32_t crc32() const { return crc32_; }

  // Hands all bytes to `use`, in order, in pieces. Errors: those of the file and of `use`.
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

// The CRC-32 of zip files: of `bytes` behind others that have `crc32`, of two pieces one behind the other.
uint32_t Crc32(std::string_view bytes, uint32_t crc32 = 0);
uint32_t Crc32OfBoth(uint32_t first, uint32_t second, int64_t size_bytes_of_second);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_SINKS_INTERNAL_SPILL_FILE_H_
