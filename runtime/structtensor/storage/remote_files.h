// Files that are objects of S3 or of Google Cloud Storage, named by URIs:
//
//   s3://bucket/day=1/spans.pb.zst                     a file
//   s3://bucket/day=1                                  a folder: the objects whose keys begin with day=1/
//   s3://bucket/*/spans.pb?region=eu-central-1         files by a pattern; the library's options stand behind the '?'
//
// This folder has what all readers and writers of such files share. It knows no library that reaches them, and may include
// base/ only. bridges/arrow_files has one: a program makes a RemoteFileSystems (remote_file_systems.h there) and has the paths.
#ifndef STRUCTTENSOR_STORAGE_REMOTE_FILES_H_
#define STRUCTTENSOR_STORAGE_REMOTE_FILES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor {

// Whether a path begins with s3:// or gs://.
bool IsRemotePath(std::string_view path);

// The parts of a remote path, "s3://user:password@bucket/folder/file?region=x". Keys stand in it as they are: nothing in them
// is escaped. Views into the path.
struct RemotePath {
  std::string_view bucket;   // with the scheme and the user in front: "s3://user:password@bucket"
  std::string_view key;      // "folder/file"; "" for the bucket itself
  std::string_view options;  // "?region=x", or ""
};
// Requires: IsRemotePath(path).
RemotePath SplitRemotePath(std::string_view path);

// The path of `name`, "a/b", below the folder `path`. Requires: IsRemotePath(path).
std::string RemotePathBelow(const std::string& path, std::string_view name);

// What a path is called in messages and columns: without user, password and options. Of a path of this machine, the path.
std::string DisplayPath(std::string_view path);
// The part of a path by whose ending formats are known: without options. Of a path of this machine, the path.
std::string_view PathWithoutOptions(std::string_view path);

// A file that is open for reading.
class RemoteFile {
 public:
  virtual ~RemoteFile() = default;

  virtual int64_t size_bytes() const = 0;
  // Reads bytes [offset, offset + size_bytes) to `to`; several threads may call it at a time.
  // Requires: they are in the file. Errors: those of the library, without the file's name.
  virtual absl::Status ReadAt(int64_t offset, size_t size_bytes, char* to) = 0;
};

// What a library that reaches remote files has to do. Several threads may call all of it at a time. All paths are remote, and
// may have options. Errors: NotFound, PermissionDenied, Unavailable, ... in one line, without the path. They come in bounded
// time: requests are repeated for some seconds only.
class RemoteFiles {
 public:
  struct Entry {
    std::string key = {};  // in the bucket, without '/' at its end
    bool is_folder = false;
    int64_t size_bytes = 0;  // of a file
  };

  virtual ~RemoteFiles() = default;

  // What has that path: a file, a folder (objects whose keys begin with the path and '/'), or nothing.
  virtual absl::StatusOr<std::optional<Entry>> Find(const std::string& path) = 0;
  // What is in a folder, without what is in folders in it, in any order. Errors: NotFound if there is no such folder.
  virtual absl::StatusOr<std::vector<Entry>> List(const std::string& path) = 0;
  // Errors: NotFound if there is no such file.
  virtual absl::StatusOr<std::unique_ptr<RemoteFile>> Open(const std::string& path) = 0;
  // Makes a file of what the descriptor `fd` reads from byte 0 to `size_bytes`, or replaces the one that is there. It appears
  // when it is complete; after an error there is none, and nothing is left of what was uploaded, as far as the library reaches
  // it. Memory: some tens of MiB, however long the file.
  // Errors: Cancelled, once `cancelled` is true.
  virtual absl::Status Upload(int fd, int64_t size_bytes, const std::string& path, const std::atomic<bool>& cancelled) = 0;
  // Removes a file.
  virtual absl::Status Remove(const std::string& path) = 0;
};

// The library that all remote paths of this process go through from now on, null for none. It must outlive everything that uses
// such paths. To be called while nothing does.
void UseRemoteFiles(RemoteFiles* files);
// Errors: Unimplemented if there is none; the message says so.
absl::StatusOr<RemoteFiles*> FindRemoteFiles();

// The files that a remote path stands for, sorted by their names: the path itself if it names a file; of a folder, the files in
// it and in folders named key=value in it, but for those whose names begin with '.' or '_'; of a path with '*' in its key, the
// files that fit, where '*' stands for any characters but '/', and not for a '.' that begins a name.
//   is_excepted  whether a path is left out, as something that the caller writes
// Errors: NotFound if there is no such file, if a folder has none and if none fits, and those of RemoteFiles; with the path.
absl::StatusOr<std::vector<std::string>> ExpandRemotePath(const std::string& path,
                                                          absl::FunctionRef<bool(const std::string& path)> is_excepted);

}  // namespace structtensor

#endif  // STRUCTTENSOR_STORAGE_REMOTE_FILES_H_
