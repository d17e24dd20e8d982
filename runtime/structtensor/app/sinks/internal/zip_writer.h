// Zip files whose members are stored as they are, written from front to back
// (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). Sizes and offsets have 64 bits everywhere.
#ifndef STRUCTTENSOR_APP_SINKS_INTERNAL_ZIP_WRITER_H_
#define STRUCTTENSOR_APP_SINKS_INTERNAL_ZIP_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace structtensor::sinks_internal {

class ZipWriter {
 public:
  // `fd` stays open and belongs to the caller.
  explicit ZipWriter(int fd) : fd_(fd) {}

  // Begins a member. Its bytes are then handed to Write(): `size_bytes` bytes with this CRC-32. Requires: `name` is UTF-8 of at
  // most kMaxNameBytes. Errors of all: of writing.
  static constexpr size_t kMaxNameBytes = 0xffff;
  absl::Status BeginMember(std::string_view name, uint32_t crc32, int64_t size_bytes);
  absl::Status Write(std::string_view bytes);
  // Writes the directory of the members.
  absl::Status Finish();

 private:
  const int fd_;
  int64_t written_bytes_ = 0;
  int64_t number_of_members_ = 0;
  std::string directory_;
};

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_APP_SINKS_INTERNAL_ZIP_WRITER_H_
