#include "structtensor/app/sinks/internal/remote_output.h"

#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_file.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::sinks_internal {
namespace {

using Entry = RemoteFiles::Entry;
using base_internal::CannotWrite;
using base_internal::ExistsAlready;

std::atomic<int> uploads{0};  // running uploads; several threads may write, each its own output
std::atomic<bool> cancelled{false};
std::atomic<int> interrupted_by{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free, "a signal handler uses them");

absl::Status CannotWriteRemote(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("cannot write ", DisplayPath(path), ": ", status.message()));
}

absl::Status CannotWriteRemote(const std::string& path, std::string_view reason) {
  return CannotWriteRemote(path, absl::FailedPreconditionError(ToAbsl(reason)));
}

// The entry that exists under this name. Errors: no access to the bucket at all, or no such bucket.
absl::StatusOr<std::optional<Entry>> FindTarget(const std::string& path) {
  const absl::StatusOr<RemoteFiles*> files = FindRemoteFiles();
  if (!files.ok()) return CannotWriteRemote(path, files.status());
  const RemotePath parts = SplitRemotePath(path);
  if (parts.key.empty()) return CannotWriteRemote(path, "it names a bucket; name a file in it");
  if (parts.key.find('*') != std::string_view::npos)
    return CannotWriteRemote(path, "'*' is a wildcard, which only inputs may have");
  const absl::StatusOr<std::optional<Entry>> bucket = (*files)->Find(absl::StrCat(ToAbsl(parts.bucket), ToAbsl(parts.options)));
  if (bucket.ok() && !bucket->has_value()) return CannotWriteRemote(path, absl::NotFoundError("there is no such bucket"));
  // A user may have the right to write to a bucket, but not to look at it.
  if (!bucket.ok() && !absl::IsPermissionDenied(bucket.status())) return CannotWriteRemote(path, bucket.status());
  absl::StatusOr<std::optional<Entry>> found = (*files)->Find(path);
  if (!found.ok()) return CannotWriteRemote(path, found.status());
  return found;
}

}  // namespace

absl::Status CheckRemoteFile(const std::string& path, bool overwrite) {
  const absl::StatusOr<std::optional<Entry>> found = FindTarget(path);
  if (overwrite && absl::IsPermissionDenied(found.status())) return absl::OkStatus();
  STRUCTTENSOR_RETURN_IF_ERROR(found.status());
  if (!found->has_value()) return absl::OkStatus();
  if ((*found)->is_folder) return CannotWriteRemote(path, "it is a directory");
  return overwrite ? absl::OkStatus() : ExistsAlready(DisplayPath(path));
}

absl::Status CheckRemoteFolder(const std::string& path, bool overwrite) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<Entry> found, FindTarget(path));
  if (!found.has_value()) return absl::OkStatus();
  if (!found->is_folder) return CannotWriteRemote(path, "it is a file, and a folder is to be written");
  if (overwrite) {
    return CannotWriteRemote(path,
                             "there is such a folder, and a remote one cannot be replaced at once; remove it, or name another");
  }
  return absl::AlreadyExistsError(absl::StrCat(DisplayPath(path), " exists already; remove it, or name another folder"));
}

absl::StatusOr<int> MakeFileToUpload(const std::string& path) {
  absl::StatusOr<int> fd = base_internal::MakeUnnamedFile(base_internal::ScratchFolder());
  return fd.ok() ? fd : CannotWriteRemote(path, fd.status());
}

RemoteUploads::RemoteUploads() {
  if (uploads.fetch_add(1) > 0) return;
  cancelled = false;
  interrupted_by = 0;
}

RemoteUploads::~RemoteUploads() {
  const bool last = uploads.fetch_sub(1) == 1;
  if (const int signal_number = interrupted_by; last && signal_number != 0) base_internal::EndBySignal(signal_number);
}

absl::StatusOr<int64_t> RemoteUploads::Upload(int fd, const std::string& path) {
  struct stat file;
  if (fstat(fd, &file) != 0) return CannotWrite(DisplayPath(path), errno);
  STRUCTTENSOR_ASSIGN_OR_RETURN(RemoteFiles* const files, FindRemoteFiles());
  const absl::Status status = files->Upload(fd, file.st_size, path, cancelled);
  if (status.ok()) {
    uploaded_.push_back(path);
    return file.st_size;
  }
  for (const std::string& before : uploaded_) {
    if (!files->Remove(before).ok()) break;  // others cannot be removed either
  }
  return CannotWriteRemote(path, status);
}

bool InterruptUploadsInSignalHandler(int signal_number) {
  int no_signal = 0;
  if (uploads == 0 || !interrupted_by.compare_exchange_strong(no_signal, signal_number)) return false;
  cancelled = true;
  return true;
}

}  // namespace structtensor::sinks_internal
