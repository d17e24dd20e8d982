#include "structtensor/app/sinks/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/app/sinks/internal/remote_output.h"
#include "structtensor/core/base/shared/new_file.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using base_internal::CannotWrite;
using base_internal::ExistsAlready;
using base_internal::PrintablePath;
using base_internal::SyncFolder;

absl::Status CannotReplace(const std::string& path, std::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat("cannot write ", PrintablePath(path), ": ", std::string(reason)));
}

// An error if a folder holds anything that a PartitionedSink cannot have written: replacing a folder must not delete other
// files of a user.
absl::Status CheckHoldsPartitions(const std::string& path) {
  std::error_code error;
  fs::recursive_directory_iterator entry(path, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const fs::file_status status = entry->symlink_status(error);
    if (error) break;
    const bool partition = fs::is_directory(status) && name.find('=') != std::string::npos;
    if (partition || (fs::is_regular_file(status) && name.starts_with("part-"))) continue;
    return CannotReplace(path,
                         absl::StrCat("it holds ", PrintablePath(entry->path().string()),
                                      ", which is not a part of a partitioned table; remove the folder, or name another"));
  }
  if (error) return CannotWrite(path, error.value());
  return absl::OkStatus();
}

struct Target {
  std::string path;                     // symbolic links resolved
  std::optional<struct stat> existing;  // the folder there
};

// The place of an output folder with this name. Errors: as OutputFolder::Open.
absl::StatusOr<Target> TargetOf(const std::string& path, bool overwrite) {
  Target target;
  struct stat existing;
  if (path.empty()) return CannotWrite(path, ENOENT);
  if (stat(path.c_str(), &existing) != 0) {
    if (errno != ENOENT) return CannotWrite(path, errno);
    STRUCTTENSOR_ASSIGN_OR_RETURN(target.path, base_internal::FollowLinks(path));
    STRUCTTENSOR_RETURN_IF_ERROR(base_internal::CheckFolderOf(target.path));
    return target;
  }
  if (!S_ISDIR(existing.st_mode)) return CannotReplace(path, "it is a file, and a folder is to be written");
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) return CannotWrite(path, errno);
  target.path = resolved;
  target.existing = existing;
  std::error_code error;
  const bool empty = fs::is_empty(target.path, error);
  if (error) return CannotWrite(path, error.value());
  if (!empty) {
    if (!overwrite) return ExistsAlready(path);
    STRUCTTENSOR_RETURN_IF_ERROR(CheckHoldsPartitions(path));
  }
  // The new folder replaces this one, but not every folder can be replaced.
  struct stat other;
  const auto is_other = [&] { return other.st_dev == existing.st_dev && other.st_ino == existing.st_ino; };
  if (stat(".", &other) == 0 && is_other()) {
    return CannotReplace(path, "it is the current folder, which cannot be replaced; name a folder in it");
  }
  if (stat((target.path + "/..").c_str(), &other) == 0 && (other.st_dev != existing.st_dev || is_other())) {
    return CannotReplace(path, "another file system begins there, which cannot be replaced; name a folder in it");
  }
  STRUCTTENSOR_RETURN_IF_ERROR(base_internal::CheckFolderOf(target.path));
  return target;
}

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

absl::Status OutputFolder::Check(const std::string& path, bool overwrite) {
  if (IsRemotePath(path)) return sinks_internal::CheckRemoteFolder(path, overwrite);
  return TargetOf(WithoutSlashes(path), overwrite).status();
}

OutputFolder::OutputFolder(std::string name, std::string path, bool overwrite)
    : name_(std::move(name)), path_(std::move(path)), overwrite_(overwrite) {}

absl::StatusOr<std::unique_ptr<OutputFolder>> OutputFolder::Open(const std::string& path, bool overwrite) {
  if (IsRemotePath(path)) {
    STRUCTTENSOR_RETURN_IF_ERROR(sinks_internal::CheckRemoteFolder(path, overwrite));
    return std::unique_ptr<OutputFolder>(new OutputFolder(DisplayPath(path), path, overwrite));
  }
  const std::string name = WithoutSlashes(path);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Target target, TargetOf(name, overwrite));
  std::unique_ptr<OutputFolder> folder(new OutputFolder(name, target.path, overwrite));
  folder->temporaries_ = std::make_unique<base_internal::Temporaries>();
  // The folder is private until it has the rights of the one that it replaces.
  constexpr mode_t kNew = 0777, kPrivate = 0700;
  const mode_t mode = target.existing.has_value() ? kPrivate : kNew;
  if (folder->temporaries_->MakeFolderBeside(target.path, mode, &folder->partial_path_) != 0) return CannotWrite(name, errno);
  if (!target.existing.has_value()) return folder;
  const int error_number = base_internal::KeepRights(-1, folder->partial_path_, *target.existing);
  return error_number == 0 ? absl::StatusOr<std::unique_ptr<OutputFolder>>(std::move(folder)) : CannotWrite(name, error_number);
}

OutputFolder::~OutputFolder() {
  for (const File& file : files_) {
    if (file.fd >= 0) close(file.fd);
  }
}

absl::StatusOr<int> OutputFolder::MakeFileToUpload(const std::string& path) {
  std::string file = RemotePathBelow(path_, path);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int fd, sinks_internal::MakeFileToUpload(file));
  files_.push_back({std::move(file), fd});
  return fd;
}

absl::StatusOr<int> OutputFolder::MakeFile(const std::string& path) {
  if (partial_path_.empty()) return MakeFileToUpload(path);
  const auto cannot_make = [&](int error_number) { return CannotWrite(name_ + "/" + path, error_number); };
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string folder = partial_path_ + "/" + path.substr(0, slash);
    if (folders_.contains(folder)) continue;
    if (temporaries_->MakeFolder(folder, 0777) != 0) return cannot_make(errno);
    folders_.insert(std::move(folder));
  }
  std::string file = partial_path_ + "/" + path;
  const int fd = temporaries_->MakeFile(file, 0666);
  if (fd < 0) return cannot_make(errno);
  files_.push_back({std::move(file), fd});
  return fd;
}

absl::Status OutputFolder::CloseFile(int fd) {
  if (partial_path_.empty()) return absl::OkStatus();
  const auto file = std::find_if(files_.begin(), files_.end(), [fd](const File& each) { return each.fd == fd; });
  assert(fd >= 0 && file != files_.end());
  return Close(*file);
}

absl::Status OutputFolder::Close(File& file) {
  struct stat written;
  if (fstat(file.fd, &written) == 0) size_bytes_ += written.st_size;
  if (fsync(file.fd) != 0) return CannotWrite(name_, errno);
  // Some file systems report a full disk only here.
  return close(std::exchange(file.fd, -1)) == 0 ? absl::OkStatus() : CannotWrite(name_, errno);
}

absl::StatusOr<int64_t> OutputFolder::Upload() {
  int64_t size_bytes = 0;
  sinks_internal::RemoteUploads uploads;
  for (File& file : files_) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t uploaded, uploads.Upload(file.fd, file.path));
    size_bytes += uploaded;
    close(std::exchange(file.fd, -1));
  }
  return size_bytes;
}

absl::StatusOr<int64_t> OutputFolder::Commit() {
  if (partial_path_.empty()) return Upload();
  for (File& file : files_) {
    if (file.fd >= 0) STRUCTTENSOR_RETURN_IF_ERROR(Close(file));
  }
  for (const std::string& folder : folders_) {
    if (const int error_number = SyncFolder(folder); error_number != 0) return CannotWrite(name_, error_number);
  }
  if (const int error_number = SyncFolder(partial_path_); error_number != 0) return CannotWrite(name_, error_number);
  STRUCTTENSOR_RETURN_IF_ERROR(Rename());
  if (const int error_number = SyncFolder(base_internal::FolderOf(path_)); error_number != 0) {
    return base_internal::CannotSync(name_, error_number);
  }
  return size_bytes_;
}

absl::Status OutputFolder::Rename() {
  // A signal must leave the old folder or the new one, and nothing of the other.
  const base_internal::SignalsWait wait;
  // This replaces an empty folder, and nothing else.
  if (rename(partial_path_.c_str(), path_.c_str()) == 0) {
    temporaries_->Forget();
    return absl::OkStatus();
  }
  if (errno != ENOTEMPTY && errno != EEXIST) return CannotWrite(name_, errno);
  if (!overwrite_) return ExistsAlready(name_);
  STRUCTTENSOR_RETURN_IF_ERROR(CheckHoldsPartitions(path_));
  std::string replaced = partial_path_;
  if (renameat2(AT_FDCWD, partial_path_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) return CannotWrite(name_, errno);
    // The file system cannot do that. So for a moment, no folder has this name.
    replaced.back() = replaced.back() == 'x' ? 'y' : 'x';  // still a name that readers pass over
    if (rename(path_.c_str(), replaced.c_str()) != 0) return CannotWrite(name_, errno);
    if (rename(partial_path_.c_str(), path_.c_str()) != 0) {
      const int error_number = errno;
      rename(replaced.c_str(), path_.c_str());
      return CannotWrite(name_, error_number);
    }
  }
  temporaries_->Forget();
  std::error_code error;
  fs::remove_all(replaced, error);
  if (error)
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot remove ", PrintablePath(replaced), ", the folder that was replaced"));
  return absl::OkStatus();
}

}  // namespace structtensor
