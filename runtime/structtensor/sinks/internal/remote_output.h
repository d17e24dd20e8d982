// What remote files and folders have in common: they are written to temporary files of this machine, and uploaded when those
// are complete. So a run that fails has uploaded nothing, and a slow network does not hold up what makes the rows.
#ifndef STRUCTTENSOR_SINKS_INTERNAL_REMOTE_OUTPUT_H_
#define STRUCTTENSOR_SINKS_INTERNAL_REMOTE_OUTPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor::sinks_internal {

// Whether a file can be made there, as far as that can be told without making one. Errors: as OutputFile::Open.
absl::Status CheckRemoteFile(const std::string& path, bool overwrite);
// The same for a folder. Errors: as OutputFolder::Open.
absl::Status CheckRemoteFolder(const std::string& path, bool overwrite);

// Makes the temporary file that is uploaded to `path` later, and returns its descriptor, which belongs to the caller. Errors:
// why it cannot be made, with `path`.
absl::StatusOr<int> MakeFileToUpload(const std::string& path);

// The uploads of one output. While it lives, a signal that ends the process (InstallSignalHandlers) ends the upload first, and
// then the process, when this goes; where several live, in threads of their own, when the last one goes.
class RemoteUploads {
 public:
  RemoteUploads();
  RemoteUploads(const RemoteUploads&) = delete;
  RemoteUploads& operator=(const RemoteUploads&) = delete;
  // Ends the process if a signal came.
  ~RemoteUploads();

  // Uploads all that the file has, and returns its size in bytes.
  // Errors: those of RemoteFiles::Upload, with the path; what this has uploaded before is removed then.
  absl::StatusOr<int64_t> Upload(int fd, const std::string& path);

 private:
  std::vector<std::string> uploaded_;
};

// Notes the signal if an upload is under way. Returns false if none is, and if a signal came before: the process is to end now.
bool InterruptUploadsInSignalHandler(int signal_number);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_SINKS_INTERNAL_REMOTE_OUTPUT_H_
