#include "structtensor/sinks/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
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

namespace structtensor {
namespace {

// The file to remove when a signal ends the process, or null.
std::atomic<const char*> partial_path_of_process{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

// Calls nothing but functions that are safe in a signal handler.
void RemovePartialFileAndDie(int signal_number) {
  if (const char* path = partial_path_of_process.exchange(nullptr)) unlink(path);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

absl::Status CannotWrite(const std::string& path, int error_number) {
  return absl::ErrnoToStatus(error_number, absl::StrCat("cannot write ", path));
}

absl::Status Exists(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(path, " exists already (pass --overwrite to replace it)"));
}

// Renames unless there is a file of the new name. Returns 0 or an error number, EEXIST if there is one.
int RenameToNewName(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot do that: a second link does the same in two steps.
  if (link(from, to) != 0) return errno;
  unlink(from);
  return 0;
}

// Writes the directory of `path` to the disk, and with it the name. Returns 0 or an error number.
int SyncDirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;  // one may write to a directory that one may not read
  const int error_number = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error_number == EINVAL ? 0 : error_number;  // a file system that has nothing to write here
}

// The rights a new file has, which mkstemp does not give. There is no way to read the mask without setting it.
mode_t DefaultMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void InstallSignalHandlers() {
  for (int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction action = {};
    sigaction(signal_number, nullptr, &action);
    // nohup and shells ignore signals for their children: leave it so. But an ignored SIGPIPE would only become EPIPE.
    if (action.sa_handler == SIG_IGN && signal_number != SIGPIPE) continue;
    action = {};
    action.sa_handler = RemovePartialFileAndDie;
    sigaction(signal_number, &action, nullptr);
  }
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path, bool overwrite) {
  if (path == "-") return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", STDOUT_FILENO, overwrite));

  std::string target = path;
  mode_t mode = DefaultMode();
  struct stat existing;
  if (stat(path.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode))
      return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": it is a directory"));
    if (!S_ISREG(existing.st_mode)) {
      const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0) return CannotWrite(path, errno);
      return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", fd, overwrite));
    }
    if (!overwrite) return Exists(path);
    mode = existing.st_mode & 07777;
    // A rename would replace the link, not the file that it leads to.
    char resolved[PATH_MAX];
    if (realpath(path.c_str(), resolved) != nullptr) target = resolved;
  }
  std::string partial_path = target + ".partial-XXXXXX";
  const int fd = mkostemp(partial_path.data(), O_CLOEXEC);
  if (fd < 0) return CannotWrite(path, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(path, std::move(target), std::move(partial_path), fd, overwrite));
  if (fchmod(fd, mode) != 0) return CannotWrite(path, errno);
  return file;
}

OutputFile::OutputFile(std::string name, std::string path, std::string partial_path, int fd, bool overwrite)
    : name_(std::move(name)), path_(std::move(path)), partial_path_(std::move(partial_path)), fd_(fd), overwrite_(overwrite) {
  assert(partial_path_of_process.load() == nullptr);
  if (!partial_path_.empty()) partial_path_of_process = partial_path_.c_str();
}

OutputFile::~OutputFile() {
  if (partial_path_of_process.exchange(nullptr) != nullptr) unlink(partial_path_.c_str());
  if (fd_ > STDERR_FILENO) close(fd_);
}

std::string OutputFile::display_name() const { return name_ == "-" ? "<stdout>" : name_; }

absl::StatusOr<std::optional<int64_t>> OutputFile::Commit() {
  std::optional<int64_t> size_bytes;
  struct stat written;
  if (!partial_path_.empty()) {
    if (fstat(fd_, &written) == 0) size_bytes = written.st_size;
    if (fsync(fd_) != 0) return CannotWrite(path_, errno);
  }
  // Some file systems tell of a full disk only here.
  if (fd_ > STDERR_FILENO && close(std::exchange(fd_, -1)) != 0) return CannotWrite(path_, errno);
  if (!partial_path_.empty()) {
    if (overwrite_) {
      if (rename(partial_path_.c_str(), path_.c_str()) != 0) return CannotWrite(path_, errno);
    } else if (const int error_number = RenameToNewName(partial_path_.c_str(), path_.c_str()); error_number != 0) {
      return error_number == EEXIST ? Exists(path_) : CannotWrite(path_, error_number);
    }
    partial_path_of_process = nullptr;
    if (const int error_number = SyncDirectoryOf(path_); error_number != 0) return CannotWrite(path_, error_number);
  }
  return size_bytes;
}

}  // namespace structtensor
