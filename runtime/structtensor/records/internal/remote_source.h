// The bytes of a remote file, read ahead.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_REMOTE_SOURCE_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_REMOTE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "structtensor/records/internal/byte_source.h"
#include "structtensor/storage/remote_files.h"

namespace structtensor::records_internal {

// Returns the bytes of the file at a remote path. Threads fetch the next few ranges of it, of up to 4 MiB each, while the
// caller works on one: 20 MiB of memory at most. The first range is small, for those who only look at a file's beginning.
// Errors: those of RemoteFiles::Open, and of FindRemoteFiles.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenRemoteSource(const std::string& path);
// The same of the bytes [begin, end) of a file that is open. Requires: they are in the file.
std::unique_ptr<ByteSource> MakeRemoteSource(std::unique_ptr<RemoteFile> file, int64_t begin, int64_t end);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_REMOTE_SOURCE_H_
