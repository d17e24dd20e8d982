// The bytes of a remote file, read ahead.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_REMOTE_SOURCE_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_REMOTE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "structtensor/io/records/internal/byte_source.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::records_internal {

// Returns the bytes of the file at a remote path. Threads fetch the next few ranges of the file, up to 4 MiB each, while the
// caller works on one range. Memory: at most 20 MiB. The first range is small, for callers that only need the first bytes.
// Errors: the errors of RemoteFiles::Open and of FindRemoteFiles.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenRemoteSource(const std::string& path);
// Returns the bytes [begin, end) of an open file, fetched in the same way. Requires: they are in the file.
std::unique_ptr<ByteSource> MakeRemoteSource(std::unique_ptr<RemoteFile> file, int64_t begin, int64_t end);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_REMOTE_SOURCE_H_
