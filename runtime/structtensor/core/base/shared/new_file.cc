#include "structtensor/core/base/shared/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::base_internal {
namespace {

// Renames unless a file with the new name exists. Returns 0 or an error number; EEXIST if such a file exists.
int RenameToNewName(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system cannot do that. A second link does the same in two steps.
  if (link(from, to) != 0) return errno;
  unlink(from);
  return 0;
}

struct Target {
  std::string path;  // symbolic links resolved
  bool exists = false;
  struct stat existing = {};
};

// Errors: something is in the way.
absl::StatusOr<Target> TargetOf(const std::string& path, bool overwrite) {
  Target target;
  target.exists = stat(path.c_str(), &target.existing) == 0;
  if (!target.exists && errno != ENOENT) return CannotWrite(path, errno);
  STRUCTTENSOR_ASSIGN_OR_RETURN(target.path, FollowLinks(path));
  if (!target.exists) return target;
  if (S_ISDIR(target.existing.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat("cannot write ", PrintablePath(path), ": it is a directory"));
  }
  if (S_ISREG(target.existing.st_mode) && !overwrite) return ExistsAlready(path);
  return target;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NewFile>> NewFile::Open(const std::string& path, bool overwrite) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Target target, TargetOf(path, overwrite));
  std::unique_ptr<NewFile> file(new NewFile(path, target.path, overwrite));
  if (target.exists && !S_ISREG(target.existing.st_mode)) {
    file->fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file->fd_ < 0) return CannotWrite(path, errno);
    return file;
  }
  // The file is private until it has the rights of the one that it replaces.
  constexpr mode_t kNew = 0666, kPrivate = 0600;
  file->fd_ = file->temporaries_.MakeFileBeside(target.path, target.exists ? kPrivate : kNew, &file->temporary_path_);
  if (file->fd_ < 0) return CannotWrite(path, errno);
  if (target.exists) {
    if (const int error_number = KeepRights(file->fd_, "", target.existing); error_number != 0) {
      return CannotWrite(path, error_number);
    }
  }
  return file;
}

absl::Status NewFile::Check(const std::string& path, bool overwrite) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Target target, TargetOf(path, overwrite));
  if (target.exists && !S_ISREG(target.existing.st_mode)) {
    return access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : CannotWrite(path, errno);
  }
  return CheckFolderOf(target.path);
}

NewFile::~NewFile() {
  if (fd_ >= 0) close(fd_);
}

void NewFile::KeepOnSignal() {
  if (!is_direct()) temporaries_.KeepOnSignal(temporary_path_, path_);
}

absl::StatusOr<std::optional<int64_t>> NewFile::Commit() {
  std::optional<int64_t> size_bytes;
  if (!is_direct()) {
    struct stat written;
    if (fstat(fd_, &written) == 0) size_bytes = written.st_size;
    if (fsync(fd_) != 0) return CannotWrite(name_, errno);
  }
  // Some file systems report a full disk only here.
  if (close(std::exchange(fd_, -1)) != 0) return CannotWrite(name_, errno);
  if (is_direct()) return size_bytes;
  {
    const SignalsWait wait;
    if (overwrite_) {
      if (rename(temporary_path_.c_str(), path_.c_str()) != 0) return CannotWrite(name_, errno);
    } else if (const int error_number = RenameToNewName(temporary_path_.c_str(), path_.c_str()); error_number != 0) {
      return error_number == EEXIST ? ExistsAlready(name_) : CannotWrite(name_, error_number);
    }
    temporaries_.Forget();
  }
  if (const int error_number = SyncFolder(FolderOf(path_)); error_number != 0) return CannotSync(name_, error_number);
  return size_bytes;
}

absl::StatusOr<std::string> FollowLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as in the kernel
  std::string target = path;
  char next[PATH_MAX];
  for (int i = 0; i < kMaxLinks; ++i) {
    const ssize_t size_bytes = readlink(target.c_str(), next, sizeof(next));
    if (size_bytes < 0) return target;  // no link
    const std::string link(next, static_cast<size_t>(size_bytes));
    const std::string folder = FolderOf(target);
    target = link.starts_with('/') || folder == "." ? link : folder + link;
  }
  return CannotWrite(path, ELOOP);
}

int KeepRights(int fd, const std::string& path, const struct stat& existing) {
  const auto set_owner = [&](uid_t owner, gid_t group) {
    return fd >= 0 ? fchown(fd, owner, group) : chown(path.c_str(), owner, group);
  };
  mode_t mode = existing.st_mode & 07777;
  // Only root may give files away. Others may choose among their groups. The mode comes last, because a new owner takes bits
  // from it.
  if (set_owner(existing.st_uid, existing.st_gid) != 0) {
    mode &= 0777;  // a program must not run with the rights of another owner
    if (set_owner(static_cast<uid_t>(-1), existing.st_gid) != 0) {
      mode = (mode & 0707) | ((mode & 0007) << 3);  // another group has the rights of others
      errno = 0;
    }
  }
  return (fd >= 0 ? fchmod(fd, mode) : chmod(path.c_str(), mode)) == 0 ? 0 : errno;
}

absl::Status CannotWrite(const std::string& path, int error_number) {
  return absl::ErrnoToStatus(error_number, absl::StrCat("cannot write ", PrintablePath(path)));
}

absl::Status ExistsAlready(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(PrintablePath(path), " exists already (pass `overwrite` to replace it)"));
}

absl::Status CheckFolderOf(const std::string& path) {
  return access(FolderOf(path).c_str(), W_OK | X_OK) == 0 ? absl::OkStatus() : CannotWrite(path, errno);
}

int SyncFolder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;  // a folder may be writable but not readable
  const int error_number = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error_number == EINVAL ? 0 : error_number;  // this file system has nothing to write here
}

absl::Status CannotSync(const std::string& path, int error_number) {
  return absl::ErrnoToStatus(
      error_number, absl::StrCat(PrintablePath(path),
                                 " is complete, but a loss of power may undo it: its folder cannot be written to the disk"));
}

}  // namespace structtensor::base_internal
