// Objects of S3 and Google Cloud Storage, through Arrow C++ (in the Python package: through pyarrow).
//
//   int main() {
//     const structtensor::RemoteFileSystems remote;
//     ... ScanOptions{.inputs = {"s3://bucket/day.pb.zst"}} ...
//   }
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_REMOTE_FILE_SYSTEMS_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_REMOTE_FILE_SYSTEMS_H_

#include <memory>

#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {

// While an object of this class lives, s3:// and gs:// paths work as files (structtensor/io/remote_files/remote_files.h). Only
// one may live at a time. Make it before anything uses such paths, and destroy it after everything that does. The destructor
// ends Arrow's S3, which cannot start again in the process. It costs nothing until such a path is used.
//
// The options after the '?' of a path are those of arrow::fs::FileSystemFromUri (S3: endpoint_override, scheme, region, ...;
// GCS: retry_limit_seconds, ...). Credentials are looked up where AWS's and Google's own programs look. An unreachable service
// is an error after some seconds: S3 is tried three times, GCS for 10 seconds instead of the 15 minutes of its library.
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

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_REMOTE_FILE_SYSTEMS_H_
