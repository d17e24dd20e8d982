#include "structtensor/core/base/shared/temporaries.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/printable_path.h"

namespace structtensor::base_internal {
namespace {

constexpr std::string_view kSuffix = ".partial-";
constexpr size_t kRandomCharacters = 6;

// How many objects of SignalsWait live; kEnding when the process ends.
constexpr int kEnding = -1;
std::atomic<int> waits{0};
std::atomic<int> signal_that_ends{0};
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers use it");

enum class Kind : uint8_t { kFile, kFolder, kScratchFolder, kProcessGroup };

// A list that changes only while an object of SignalsWait lives, and `mutex` is held. So it does not change while EndBySignal()
// reads it, which takes no mutex.
struct Noted {
  const Temporaries* owner = nullptr;
  Kind kind = Kind::kFile;
  std::string path = {};
  std::string final_path = {};  // of a file that a signal keeps; "" if it removes the file
  pid_t group = 0;
  Noted* before = nullptr;
};
Noted* last_noted = nullptr;

std::mutex& NotedMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

[[noreturn]] void WaitForTheEnd() {
  while (true) pause();
}

// The functions below are safe in signal handlers: they allocate nothing and take no locks.

// Removes the files in a folder, and the folder. Somebody may still be writing to it, so it tries several times.
void RemoveFolderOfFiles(const char* path) {
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    alignas(dirent64) char entries[4096];
    // readdir() allocates.
    for (long size_bytes; (size_bytes = syscall(SYS_getdents64, folder, entries, sizeof(entries))) > 0;) {
      for (long at = 0; at < size_bytes;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
        unlinkat(folder, entry->d_name, 0);  // not of "." and ".."
        at += entry->d_reclen;
      }
    }
    close(folder);
    if (rmdir(path) == 0 || errno == ENOENT) return;
    poll(nullptr, 0, 5);
  }
}

// Kills the processes, and waits for those that are children of this process.
void EndProcessGroup(pid_t group) {
  kill(-group, SIGKILL);
  while (waitpid(-group, nullptr, 0) > 0 || errno == EINTR) {
  }
}

void RemoveNoted(const Noted& noted) {
  switch (noted.kind) {
    case Kind::kFile:
      unlink(noted.path.c_str());
      break;
    case Kind::kFolder:
      rmdir(noted.path.c_str());
      break;
    case Kind::kScratchFolder:
      RemoveFolderOfFiles(noted.path.c_str());
      break;
    case Kind::kProcessGroup:
      EndProcessGroup(noted.group);
      break;
  }
}

void RemoveAllInSignalHandler() {
  for (const Noted* noted = last_noted; noted != nullptr; noted = noted->before) {
    const bool kept = !noted->final_path.empty() &&
                      (renameat2(AT_FDCWD, noted->path.c_str(), AT_FDCWD, noted->final_path.c_str(), RENAME_NOREPLACE) == 0 ||
                       // The file system cannot do that. A link does not replace anything either.
                       ((errno == EINVAL || errno == ENOSYS) && link(noted->path.c_str(), noted->final_path.c_str()) == 0 &&
                        unlink(noted->path.c_str()) == 0));
    if (!kept) RemoveNoted(*noted);
  }
}

// Up to here.

// Requires: a SignalsWait.
void Note(std::unique_ptr<Noted> noted) {
  const std::lock_guard lock(NotedMutex());
  noted->before = last_noted;
  last_noted = noted.release();
}

// Takes what an owner has noted out of the list, the last first. Requires: a SignalsWait.
Noted* TakeNoted(const Temporaries* owner) {
  const std::lock_guard lock(NotedMutex());
  Noted* taken = nullptr;
  Noted** end = &taken;
  for (Noted** at = &last_noted; *at != nullptr;) {
    if ((*at)->owner != owner) {
      at = &(*at)->before;
      continue;
    }
    *end = std::exchange(*at, (*at)->before);
    end = &(*end)->before;
    *end = nullptr;
  }
  return taken;
}

// Sets the last characters of `name` to random ones.
void SetRandomEnd(std::string& name) {
  constexpr std::string_view kCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  uint8_t random[kRandomCharacters] = {};
  if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
    // A name that exists is not used, so any names will do.
    static std::atomic<uint64_t> next{static_cast<uint64_t>(getpid()) << 20};
    const uint64_t number = next++;
    std::memcpy(random, &number, sizeof(random));
  }
  for (size_t i = 0; i < kRandomCharacters; ++i) {
    name[name.size() - kRandomCharacters + i] = kCharacters[random[i] % kCharacters.size()];
  }
}

// A name beside `target`, whose last characters are to be set.
std::string NameBeside(const std::string& target) {
  const std::string folder = FolderOf(target);
  std::string name = target.substr(folder == "." ? 0 : folder.size());
  if (!name.starts_with('.')) name.insert(0, ".");
  const long limit = pathconf(folder.c_str(), _PC_NAME_MAX);
  const size_t max_bytes = limit > 0 ? static_cast<size_t>(limit) : NAME_MAX;
  const size_t added_bytes = kSuffix.size() + kRandomCharacters;
  if (name.size() + added_bytes > max_bytes && max_bytes > added_bytes) {
    size_t end = max_bytes - added_bytes;
    while (end > 1 && (static_cast<uint8_t>(name[end]) & 0xc0) == 0x80) --end;  // some file systems want whole characters
    name.resize(end);
  }
  return absl::StrCat(folder == "." ? "" : folder, name, std::string(kSuffix), std::string(kRandomCharacters, 'X'));
}

// Calls `make` with different names until it does not fail because the name exists.
template <typename Make>
int MakeWithRandomEnd(std::string& path, const Make& make) {
  constexpr int kTries = 100;
  int made = -1;
  for (int i = 0; i < kTries; ++i) {
    SetRandomEnd(path);
    made = make(path);
    if (made >= 0 || errno != EEXIST) break;
  }
  return made;
}

}  // namespace

SignalsWait::SignalsWait() {
  int count = waits.load();
  do {
    if (count == kEnding) WaitForTheEnd();
  } while (!waits.compare_exchange_weak(count, count + 1));
}

SignalsWait::~SignalsWait() {
  const bool last = waits.fetch_sub(1) == 1;
  if (const int signal_number = signal_that_ends; last && signal_number != 0) EndBySignal(signal_number);
}

void EndBySignal(int signal_number) {
  const int error_number = errno;  // of the code that the signal interrupts
  int none = 0;
  signal_that_ends.compare_exchange_strong(none, signal_number);
  // From here on no handler runs in this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int count = 0;
  if (!waits.compare_exchange_strong(count, kEnding)) {
    if (count == kEnding) WaitForTheEnd();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error_number;
    return;
  }
  RemoveAllInSignalHandler();
  const int number = signal_that_ends;
  signal(number, SIG_DFL);
  raise(number);  // ends the process when it is no longer blocked
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + number);
}

int Temporaries::MakeFileBeside(const std::string& target, mode_t mode, std::string* path) {
  *path = NameBeside(target);
  auto noted = std::make_unique<Noted>(Noted{.owner = this, .kind = Kind::kFile, .path = *path});
  const SignalsWait wait;
  const int fd = MakeWithRandomEnd(
      *path, [mode](const std::string& each) { return open(each.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode); });
  if (fd < 0) return fd;
  noted->path.assign(*path);  // of the same length, so nothing is allocated
  Note(std::move(noted));
  any_ = true;
  return fd;
}

int Temporaries::MakeFolderBeside(const std::string& target, mode_t mode, std::string* path) {
  *path = NameBeside(target);
  auto noted = std::make_unique<Noted>(Noted{.owner = this, .kind = Kind::kFolder, .path = *path});
  const SignalsWait wait;
  if (MakeWithRandomEnd(*path, [mode](const std::string& each) { return mkdir(each.c_str(), mode); }) != 0) return -1;
  noted->path.assign(*path);
  Note(std::move(noted));
  any_ = true;
  return 0;
}

int Temporaries::MakeFile(const std::string& path, mode_t mode) {
  auto noted = std::make_unique<Noted>(Noted{.owner = this, .kind = Kind::kFile, .path = path});
  const SignalsWait wait;
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return fd;
  Note(std::move(noted));
  any_ = true;
  return fd;
}

int Temporaries::MakeFolder(const std::string& path, mode_t mode) {
  auto noted = std::make_unique<Noted>(Noted{.owner = this, .kind = Kind::kFolder, .path = path});
  const SignalsWait wait;
  if (mkdir(path.c_str(), mode) != 0) return -1;
  Note(std::move(noted));
  any_ = true;
  return 0;
}

int Temporaries::MakeScratchFolder(std::string* path) {
  *path = absl::StrCat(ScratchFolder(), "/structtensor-", std::string(kRandomCharacters, 'X'));
  auto noted = std::make_unique<Noted>(Noted{.owner = this, .kind = Kind::kScratchFolder, .path = *path});
  const SignalsWait wait;
  if (MakeWithRandomEnd(*path, [](const std::string& each) { return mkdir(each.c_str(), 0700); }) != 0) return -1;
  noted->path.assign(*path);
  Note(std::move(noted));
  any_ = true;
  return 0;
}

void Temporaries::AddProcessGroup(pid_t group) {
  auto noted = std::make_unique<Noted>(Noted{.owner = this, .kind = Kind::kProcessGroup, .group = group});
  const SignalsWait wait;
  Note(std::move(noted));
  any_ = true;
}

void Temporaries::KeepOnSignal(const std::string& path, const std::string& final_path) {
  const SignalsWait wait;
  const std::lock_guard lock(NotedMutex());
  for (Noted* noted = last_noted; noted != nullptr; noted = noted->before) {
    if (noted->owner == this && noted->path == path) noted->final_path = final_path;
  }
}

void Temporaries::Remove() {
  if (!std::exchange(any_, false)) return;
  const SignalsWait wait;
  for (Noted* noted = TakeNoted(this); noted != nullptr;) {
    const std::unique_ptr<Noted> owned(noted);
    noted = owned->before;
    RemoveNoted(*owned);
    if (owned->kind != Kind::kScratchFolder) continue;
    std::error_code error;  // if there are folders in it
    std::filesystem::remove_all(owned->path, error);
  }
}

void Temporaries::Forget() {
  if (!std::exchange(any_, false)) return;
  const SignalsWait wait;
  for (Noted* noted = TakeNoted(this); noted != nullptr;) {
    const std::unique_ptr<Noted> owned(noted);
    noted = owned->before;
  }
}

bool IsTemporaryName(std::string_view name) {
  if (name.size() <= kSuffix.size() + kRandomCharacters) return false;
  const std::string_view random = name.substr(name.size() - kRandomCharacters);
  name.remove_suffix(kRandomCharacters);
  return name.ends_with(kSuffix) &&
         std::all_of(random.begin(), random.end(), [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); });
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string ScratchFolder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

absl::StatusOr<int> MakeUnnamedFile(const std::string& folder) {
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  // Not every file system has files without names.
  const SignalsWait wait;
  std::string path = folder + "/.structtensor-XXXXXX";
  fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a temporary file in ", PrintablePath(folder)));
  unlink(path.c_str());
  return fd;
}

}  // namespace structtensor::base_internal
