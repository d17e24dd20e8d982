// Files that are objects of S3 or Google Cloud Storage, named by URIs:
//
//   s3://bucket/day=1/spans.pb.zst                     a file
//   s3://bucket/day=1                                  a folder: the objects whose keys begin with day=1/
//   s3://bucket/*/spans.pb?region=eu-central-1         files by a pattern; the library's options follow the '?'
//
// Shared by all readers and writers of such files. To use these paths, create a RemoteFileSystems
// (io/column_files/remote_file_systems.h), which links the library that accesses them.
#ifndef STRUCTTENSOR_IO_REMOTE_FILES_REMOTE_FILES_H_
#define STRUCTTENSOR_IO_REMOTE_FILES_REMOTE_FILES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor {

// Whether a path begins with s3:// or gs://.
bool IsRemotePath(std::string_view path);

// The parts of a remote path, "s3://user:password@bucket/folder/file?region=x". Keys are not escaped. The parts are views into
// the path.
struct RemotePath {
  std::string_view bucket;   // with the scheme and the user before it: "s3://user:password@bucket"
  std::string_view key;      // "folder/file"; "" for the bucket itself
  std::string_view options;  // "?region=x", or ""
};
// Requires: IsRemotePath(path).
RemotePath SplitRemotePath(std::string_view path);

// The path of `name` ("a/b") in the folder `path`. Requires: IsRemotePath(path).
std::string RemotePathBelow(const std::string& path, std::string_view name);

// How messages and columns show a path: as PrintablePath() does (core/base/shared/printable_path.h), so that it is UTF-8
// without control characters; remote paths without user, password and options.
std::string DisplayPath(std::string_view path);
// The part of a path whose ending shows the format: the path without options. A local path is returned unchanged.
std::string_view PathWithoutOptions(std::string_view path);

// A file that is open for reading.
class RemoteFile {
 public:
  virtual ~RemoteFile() = default;

  virtual int64_t size_bytes() const = 0;
  // Reads bytes [offset, offset + size_bytes) to `to`. Several threads may call it at a time.
  // Requires: the bytes are in the file. Errors: the errors of the library, without the file's name.
  virtual absl::Status ReadAt(int64_t offset, size_t size_bytes, char* to) = 0;
};

// The interface of a library that reaches remote files. Several threads may call all functions at a time. All paths are remote,
// and may have options. Errors: NotFound, PermissionDenied, Unavailable, ... in one line, without the path. They come in
// bounded time: requests are repeated for some seconds only.
class RemoteFiles {
 public:
  struct Entry {
    std::string key = {};  // in the bucket, without '/' at its end
    bool is_folder = false;
    int64_t size_bytes = 0;  // of a file
  };

  virtual ~RemoteFiles() = default;

  // Returns what `path` names: a file, a folder (objects whose keys begin with the path and '/'), or nothing.
  virtual absl::StatusOr<std::optional<Entry>> Find(const std::string& path) = 0;
  // Returns what is directly in a folder, in any order. Errors: NotFound if there is no such folder.
  virtual absl::StatusOr<std::vector<Entry>> List(const std::string& path) = 0;
  // Errors: NotFound if there is no such file.
  virtual absl::StatusOr<std::unique_ptr<RemoteFile>> Open(const std::string& path) = 0;
  // Makes a file, or replaces the existing one, with bytes 0 to `size_bytes` of the descriptor `fd`. The file appears when it
  // is complete. After an error there is no file, and nothing of the upload is left, as far as the library can reach it.
  // Memory: some tens of MiB, however long the file.
  // Errors: Cancelled, once `cancelled` is true.
  virtual absl::Status Upload(int fd, int64_t size_bytes, const std::string& path, const std::atomic<bool>& cancelled) = 0;
  // Removes a file.
  virtual absl::Status Remove(const std::string& path) = 0;
};

// Sets the library that all remote paths of this process use from now on; null for none. It must outlive everything that uses
// such paths. To be called while nothing uses them.
void UseRemoteFiles(RemoteFiles* files);
// Returns that library. Errors: Unimplemented if there is none; the message says so.
absl::StatusOr<RemoteFiles*> FindRemoteFiles();

// Returns the files that a remote path matches, sorted by name. A path of a file: the path itself. A folder: the files in it
// and in folders named key=value in it, except those whose names begin with '.' or '_' and copies of files that were not
// complete (base_internal::IsTemporaryName). A path with '*' in its key: the files that fit, where '*' matches any
// characters except '/', not a '.' that begins a name, and no such copies.
// Errors: NotFound, if there is no such file, a folder has none or none fits, and the errors of RemoteFiles; with the path.
absl::StatusOr<std::vector<std::string>> ExpandRemotePath(const std::string& path);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_REMOTE_FILES_REMOTE_FILES_H_
