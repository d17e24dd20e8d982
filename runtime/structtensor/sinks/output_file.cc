#include "structtensor/sinks/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/sinks/internal/remote_output.h"
#include "structtensor/sinks/internal/unfinished_output.h"
#include "structtensor/storage/remote_files.h"

namespace structtensor {
namespace {

using sinks_internal::CannotWrite;
using sinks_internal::ExistsAlready;
using sinks_internal::SyncFolder;

void RemoveUnfinishedAndDie(int signal_number) {
  sinks_internal::RemoveUnfinishedInSignalHandler();
  if (sinks_internal::InterruptUploadsInSignalHandler(signal_number)) return;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

// Renames unless a file with the new name exists. Returns 0 or an error number; EEXIST if such a file exists.
int RenameToNewName(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system cannot do that. A second link does the same in two steps.
  if (link(from, to) != 0) return errno;
  unlink(from);
  return 0;
}

// The error if something is in the way of an output. `existing` describes it, if `exists`.
absl::Status CheckExisting(const std::string& path, bool overwrite, bool exists, const struct stat& existing) {
  if (!exists) return absl::OkStatus();
  if (S_ISDIR(existing.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": it is a directory"));
  }
  return S_ISREG(existing.st_mode) && !overwrite ? ExistsAlready(path) : absl::OkStatus();
}

}  // namespace

void InstallSignalHandlers() {
  for (int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction action = {};
    sigaction(signal_number, nullptr, &action);
    // nohup and shells let their children ignore signals: leave these ignored. But ignoring SIGPIPE would only replace it by
    // EPIPE.
    if (action.sa_handler == SIG_IGN && signal_number != SIGPIPE) continue;
    action = {};
    action.sa_handler = RemoveUnfinishedAndDie;
    sigaction(signal_number, &action, nullptr);
  }
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path, bool overwrite) {
  if (path == "-") return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", STDOUT_FILENO, overwrite));
  if (IsRemotePath(path)) {
    STRUCTTENSOR_RETURN_IF_ERROR(sinks_internal::CheckRemoteFile(path, overwrite));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int fd, sinks_internal::MakeFileToUpload(path));
    return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", fd, overwrite));
  }

  std::string target = path;
  mode_t mode = sinks_internal::RightsOfNew(0666);
  struct stat existing;
  const bool exists = stat(path.c_str(), &existing) == 0;
  STRUCTTENSOR_RETURN_IF_ERROR(CheckExisting(path, overwrite, exists, existing));
  if (exists) {
    if (!S_ISREG(existing.st_mode)) {
      const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0) return CannotWrite(path, errno);
      return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", fd, overwrite));
    }
    mode = existing.st_mode & 07777;
    // A rename would replace the link, not the file that it leads to.
    char resolved[PATH_MAX];
    if (realpath(path.c_str(), resolved) != nullptr) target = resolved;
  }
  STRUCTTENSOR_RETURN_IF_ERROR(sinks_internal::CheckNoneIsUnfinished(path));
  std::string partial_path = target + ".partial-XXXXXX";
  const int fd = mkostemp(partial_path.data(), O_CLOEXEC);
  if (fd < 0) return CannotWrite(path, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(path, std::move(target), std::move(partial_path), fd, overwrite));
  if (fchmod(fd, mode) != 0) return CannotWrite(path, errno);
  return file;
}

absl::Status OutputFile::Check(const std::string& path, bool overwrite) {
  if (path == "-") return absl::OkStatus();
  if (IsRemotePath(path)) return sinks_internal::CheckRemoteFile(path, overwrite);
  struct stat existing;
  const bool exists = stat(path.c_str(), &existing) == 0;
  STRUCTTENSOR_RETURN_IF_ERROR(CheckExisting(path, overwrite, exists, existing));
  if (exists && !S_ISREG(existing.st_mode))
    return access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : CannotWrite(path, errno);
  char resolved[PATH_MAX];
  return sinks_internal::CheckFolderOf(exists && realpath(path.c_str(), resolved) != nullptr ? resolved : path);
}

OutputFile::OutputFile(std::string name, std::string path, std::string partial_path, int fd, bool overwrite)
    : name_(std::move(name)), path_(std::move(path)), partial_path_(std::move(partial_path)), fd_(fd), overwrite_(overwrite) {
  if (!partial_path_.empty()) sinks_internal::NoteUnfinished(partial_path_, /*is_folder=*/false);
}

OutputFile::~OutputFile() {
  if (!partial_path_.empty() && !has_name_) sinks_internal::RemoveUnfinished();
  if (fd_ > STDERR_FILENO) close(fd_);
}

std::string OutputFile::display_name() const { return name_ == "-" ? "<stdout>" : DisplayPath(name_); }

std::string OutputFile::folder() const { return partial_path_.empty() ? "" : sinks_internal::FolderOf(partial_path_); }

absl::StatusOr<std::optional<int64_t>> OutputFile::Commit() {
  std::optional<int64_t> size_bytes;
  struct stat written;
  if (IsRemotePath(path_)) {
    sinks_internal::RemoteUploads uploads;
    STRUCTTENSOR_ASSIGN_OR_RETURN(size_bytes, uploads.Upload(fd_, path_));
  }
  if (!partial_path_.empty()) {
    if (fstat(fd_, &written) == 0) size_bytes = written.st_size;
    if (fsync(fd_) != 0) return CannotWrite(path_, errno);
  }
  // Some file systems report a full disk only here.
  if (fd_ > STDERR_FILENO && close(std::exchange(fd_, -1)) != 0) return CannotWrite(path_, errno);
  if (!partial_path_.empty()) {
    if (overwrite_) {
      if (rename(partial_path_.c_str(), path_.c_str()) != 0) return CannotWrite(path_, errno);
    } else if (const int error_number = RenameToNewName(partial_path_.c_str(), path_.c_str()); error_number != 0) {
      return error_number == EEXIST ? ExistsAlready(path_) : CannotWrite(path_, error_number);
    }
    sinks_internal::ForgetUnfinished();
    has_name_ = true;
    if (const int error_number = SyncFolder(sinks_internal::FolderOf(path_)); error_number != 0) {
      return CannotWrite(path_, error_number);
    }
  }
  return size_bytes;
}

}  // namespace structtensor
