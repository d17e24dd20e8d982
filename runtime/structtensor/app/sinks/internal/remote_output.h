// Code for remote files and folders: they are written to temporary files on this machine, which are uploaded when they are
// complete. So a run that fails has uploaded nothing, and a slow network does not hold up the work on the rows.
#ifndef STRUCTTENSOR_APP_SINKS_INTERNAL_REMOTE_OUTPUT_H_
#define STRUCTTENSOR_APP_SINKS_INTERNAL_REMOTE_OUTPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor::sinks_internal {

// Whether a file can be made there, as far as this can be found without making one. Errors: as OutputFile::Open.
absl::Status CheckRemoteFile(const std::string& path, bool overwrite);
// Whether a folder can be made there. Errors: as OutputFolder::Open.
absl::Status CheckRemoteFolder(const std::string& path, bool overwrite);

// Makes the temporary file that is uploaded to `path` later. Returns its descriptor, which belongs to the caller. Errors: why
// it cannot be made, with `path`.
absl::StatusOr<int> MakeFileToUpload(const std::string& path);

// The uploads of one output. While it lives, a signal that would end the process (InstallSignalHandlers) ends the upload first.
// The process ends when this object is destroyed; if several live, in different threads, when the last one is.
class RemoteUploads {
 public:
  RemoteUploads();
  RemoteUploads(const RemoteUploads&) = delete;
  RemoteUploads& operator=(const RemoteUploads&) = delete;
  // Ends the process if a signal came.
  ~RemoteUploads();

  // Uploads the whole file, and returns its size in bytes.
  // Errors: the errors of RemoteFiles::Upload, with the path; the earlier uploads of this object are then removed.
  absl::StatusOr<int64_t> Upload(int fd, const std::string& path);

 private:
  std::vector<std::string> uploaded_;
};

// Notes the signal if an upload is under way. Returns false if none is, or if a signal came before: the process must end now.
bool InterruptUploadsInSignalHandler(int signal_number);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_APP_SINKS_INTERNAL_REMOTE_OUTPUT_H_
