// Objects of S3 and of Google Cloud Storage, by Arrow C++ (in the Python package by pyarrow).
//
//   int main() {
//     const structtensor::RemoteFileSystems remote;
//     ... ScanOptions{.inputs = {"s3://bucket/day.pb.zst"}} ...
//   }
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_REMOTE_FILE_SYSTEMS_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_REMOTE_FILE_SYSTEMS_H_

#include <memory>

#include "structtensor/storage/remote_files.h"

namespace structtensor {

// As long as one lives, s3:// and gs:// paths are files (structtensor/storage/remote_files.h). One at a time, made before and
// gone after all that uses such paths; its destructor ends Arrow's S3, which cannot begin again in that process. It costs
// nothing until such a path comes.
//
// Behind the '?' of a path stand the options that arrow::fs::FileSystemFromUri has (endpoint_override, scheme, region, ... of
// S3; retry_limit_seconds, ... of GCS). Credentials are looked for where AWS's and Google's own programs look for them. What
// cannot be reached is an error after some seconds: three attempts of S3, 10 seconds of GCS, instead of the 15 minutes of its
// library.
class RemoteFileSystems {
 public:
  RemoteFileSystems();
  RemoteFileSystems(const RemoteFileSystems&) = delete;
  RemoteFileSystems& operator=(const RemoteFileSystems&) = delete;
  ~RemoteFileSystems();

 private:
  std::unique_ptr<RemoteFiles> files_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_REMOTE_FILE_SYSTEMS_H_
