#include "structtensor/app/sinks/output_file.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "structtensor/app/sinks/internal/remote_output.h"
#include "structtensor/core/base/shared/new_file.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {
namespace {

using base_internal::NewFile;

constexpr int kSignalsThatEnd[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU};

void RemovePartialFilesAndDie(int signal_number) {
  if (sinks_internal::InterruptUploadsInSignalHandler(signal_number)) return;
  base_internal::EndBySignal(signal_number);
}

}  // namespace

void InstallSignalHandlers() {
  struct sigaction ending = {};
  ending.sa_handler = RemovePartialFilesAndDie;
  for (const int signal_number : kSignalsThatEnd) sigaddset(&ending.sa_mask, signal_number);
  for (const int signal_number : kSignalsThatEnd) {
    struct sigaction action = {};
    sigaction(signal_number, nullptr, &action);
    // nohup and shells let their children ignore signals: leave these ignored. But ignoring SIGPIPE would only replace it by
    // EPIPE.
    if (action.sa_handler == SIG_IGN && signal_number != SIGPIPE) continue;
    sigaction(signal_number, &ending, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path, bool overwrite) {
  if (path == "-") return std::unique_ptr<OutputFile>(new OutputFile(path, nullptr, STDOUT_FILENO));
  if (IsRemotePath(path)) {
    STRUCTTENSOR_RETURN_IF_ERROR(sinks_internal::CheckRemoteFile(path, overwrite));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int fd, sinks_internal::MakeFileToUpload(path));
    return std::unique_ptr<OutputFile>(new OutputFile(path, nullptr, fd));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<NewFile> local, NewFile::Open(path, overwrite));
  return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(local), -1));
}

absl::Status OutputFile::Check(const std::string& path, bool overwrite) {
  if (path == "-") return absl::OkStatus();
  if (IsRemotePath(path)) return sinks_internal::CheckRemoteFile(path, overwrite);
  return NewFile::Check(path, overwrite);
}

OutputFile::OutputFile(std::string path, std::unique_ptr<NewFile> local, int fd)
    : path_(std::move(path)), local_(std::move(local)), fd_(fd) {}

OutputFile::~OutputFile() {
  if (path_ != "-" && fd_ >= 0) close(fd_);
}

int OutputFile::fd() const { return local_ != nullptr ? local_->fd() : fd_; }

std::string OutputFile::display_name() const { return path_ == "-" ? "<stdout>" : DisplayPath(path_); }

std::string OutputFile::folder() const {
  return local_ == nullptr || local_->is_direct() ? "" : base_internal::FolderOf(local_->temporary_path());
}

absl::StatusOr<std::optional<int64_t>> OutputFile::Commit() {
  if (local_ != nullptr) return local_->Commit();
  if (path_ == "-") return std::optional<int64_t>();
  sinks_internal::RemoteUploads uploads;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t size_bytes, uploads.Upload(fd_, path_));
  close(std::exchange(fd_, -1));
  return std::optional<int64_t>(size_bytes);
}

}  // namespace structtensor
