#include "structtensor/converter/internal/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <climits>
#include <csignal>
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
  if (signal_number == SIGPIPE) _exit(1);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

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

absl::Status CannotWrite(const std::string& path, int error_number) {
  return absl::ErrnoToStatus(error_number, absl::StrCat("cannot write ", path));
}

// The rights a new file has, which mkstemp does not give. There is no way to read the mask without setting it.
mode_t DefaultMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path, bool overwrite) {
  InstallSignalHandlers();
  if (path == "-") return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", STDOUT_FILENO));

  std::string target = path;
  mode_t mode = DefaultMode();
  struct stat existing;
  if (stat(path.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode))
      return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": it is a directory"));
    if (!S_ISREG(existing.st_mode)) {
      const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0) return CannotWrite(path, errno);
      return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", fd));
    }
    if (!overwrite) {
      return absl::AlreadyExistsError(absl::StrCat(path, " exists already (pass --overwrite to replace it)"));
    }
    mode = existing.st_mode & 07777;
    // A rename would replace the link, not the file that it leads to.
    char resolved[PATH_MAX];
    if (realpath(path.c_str(), resolved) != nullptr) target = resolved;
  }
  std::string partial_path = target + ".partial-XXXXXX";
  const int fd = mkostemp(partial_path.data(), O_CLOEXEC);
  if (fd < 0) return CannotWrite(path, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(path, std::move(target), std::move(partial_path), fd));
  if (fchmod(fd, mode) != 0) return CannotWrite(path, errno);
  return file;
}

OutputFile::OutputFile(std::string name, std::string path, std::string partial_path, int fd)
    : name_(std::move(name)), path_(std::move(path)), partial_path_(std::move(partial_path)), fd_(fd) {
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
  if (!partial_path_.empty() && fstat(fd_, &written) == 0) size_bytes = written.st_size;
  // Some file systems tell of a full disk only here.
  if (fd_ > STDERR_FILENO && close(std::exchange(fd_, -1)) != 0) return CannotWrite(path_, errno);
  if (!partial_path_.empty()) {
    if (rename(partial_path_.c_str(), path_.c_str()) != 0) return CannotWrite(path_, errno);
    partial_path_of_process = nullptr;
  }
  return size_bytes;
}

}  // namespace structtensor
