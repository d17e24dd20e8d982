#include "structtensor/sinks/internal/unfinished_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace structtensor::sinks_internal {
namespace {

// A list that a signal handler can read at any time: nodes do not change after they are added. The thread that takes the list
// owns it.
struct Unfinished {
  std::string path;
  bool is_folder;
  Unfinished* noted_before;
};
std::atomic<Unfinished*> last_unfinished{nullptr};
static_assert(std::atomic<Unfinished*>::is_always_lock_free, "a signal handler reads it");

void Remove(const Unfinished* last) {
  for (; last != nullptr; last = last->noted_before) {
    if (last->is_folder) {
      rmdir(last->path.c_str());
    } else {
      unlink(last->path.c_str());
    }
  }
}

void Delete(Unfinished* last) {
  while (last != nullptr) delete std::exchange(last, last->noted_before);
}

}  // namespace

void NoteUnfinished(std::string path, bool is_folder) {
  auto* const noted = new Unfinished{std::move(path), is_folder, last_unfinished.load()};
  while (!last_unfinished.compare_exchange_weak(noted->noted_before, noted)) {
  }
}

absl::Status CheckNoneIsUnfinished(const std::string& path) {
  if (last_unfinished.load() == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path, ": another output of this process is not complete yet, and a process can have one at a time; commit it first"));
}

void RemoveUnfinished() {
  Unfinished* const last = last_unfinished.exchange(nullptr);
  Remove(last);
  Delete(last);
}

void RemoveUnfinishedInSignalHandler() { Remove(last_unfinished.exchange(nullptr)); }

void ForgetUnfinished() { Delete(last_unfinished.exchange(nullptr)); }

absl::Status CannotWrite(const std::string& path, int error_number) {
  return absl::ErrnoToStatus(error_number, absl::StrCat("cannot write ", path));
}

absl::Status ExistsAlready(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(path, " exists already (pass `overwrite` to replace it)"));
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
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

mode_t RightsOfNew(mode_t rights) {
  const mode_t mask = umask(0);
  umask(mask);
  return rights & ~mask;
}

}  // namespace structtensor::sinks_internal
