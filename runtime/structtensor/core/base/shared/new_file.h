// A file of this machine that appears under its name only when it is complete.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_NEW_FILE_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_NEW_FILE_H_

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/base/shared/temporaries.h"

namespace structtensor::base_internal {

// Written beside its final place (Temporaries::MakeFileBeside), then renamed. If it is destroyed before Commit, or a signal
// ends the process, nothing remains. Pipes and devices are written directly.
class NewFile {
 public:
  // Symbolic links are followed, also those that lead to no file yet. A file that is replaced keeps its mode, and, where the
  // system permits it, its owner and group.
  // Errors: AlreadyExists if there is a file, without `overwrite`; otherwise why it cannot be written. Messages name the path.
  static absl::StatusOr<std::unique_ptr<NewFile>> Open(const std::string& path, bool overwrite);

  // The errors of Open that can be found without making anything.
  static absl::Status Check(const std::string& path, bool overwrite);

  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  int fd() const { return fd_; }
  // Whether it is a pipe or a device.
  bool is_direct() const { return temporary_path_.empty(); }
  // Where the file is until Commit; "" if it is written directly.
  const std::string& temporary_path() const { return temporary_path_; }

  // From now on a signal that ends the process gives the file its name, unless there is a file of that name.
  void KeepOnSignal();

  // Gives the file its name once its bytes are on the disk, and syncs the directory after that. Returns its size in bytes, or
  // nothing if it is written directly.
  // Errors: AlreadyExists if another writer has made a file of that name since Open, without `overwrite`: that file stays as it
  //   is. Otherwise why the file cannot be written. If only the directory cannot be synced, the file has its name, and the
  //   message says so.
  absl::StatusOr<std::optional<int64_t>> Commit();

  // Leaves the file where it is, for a Commit() that failed because another file has its name.
  void LeaveTemporary() { temporaries_.Forget(); }

 private:
  NewFile(std::string name, std::string path, bool overwrite)
      : name_(std::move(name)), path_(std::move(path)), overwrite_(overwrite) {}

  const std::string name_;  // as the caller gave it
  const std::string path_;  // symbolic links resolved
  const bool overwrite_;
  int fd_ = -1;
  std::string temporary_path_;
  Temporaries temporaries_;
};

// The path that a new file or folder of this name gets: that of the file that a symbolic link leads to, whether it exists or
// not. Errors: there are too many links.
absl::StatusOr<std::string> FollowLinks(const std::string& path);

// Gives a new file or folder (`fd`, or `path` if `fd` is negative) the mode of `existing` and, where the system permits it, the
// owner and group. Returns 0 or an error number.
int KeepRights(int fd, const std::string& path, const struct stat& existing);

absl::Status CannotWrite(const std::string& path, int error_number);
absl::Status ExistsAlready(const std::string& path);

// Whether something new can be made beside `path`. Errors: why it cannot.
absl::Status CheckFolderOf(const std::string& path);
// Writes the names in a folder to the disk. Returns 0 or an error number.
int SyncFolder(const std::string& folder);
// The error of an output that is complete and has its name, when its folder cannot be written to the disk.
absl::Status CannotSync(const std::string& path, int error_number);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_NEW_FILE_H_
