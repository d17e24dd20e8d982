#include "structtensor/io/column_files/remote_file_systems.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/config.h>
#include <arrow/util/io_util.h>
#ifdef STRUCTTENSOR_ARROW_S3
#include <arrow/filesystem/s3fs.h>
#endif
#ifdef STRUCTTENSOR_ARROW_GCS
#include <arrow/filesystem/gcsfs.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/base/shared/without_sigpipe.h"
#include "structtensor/io/column_files/shared/remote_errors.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {
namespace {

using base_internal::WithoutSigpipe;
using column_files_internal::RemoteError;
using FileSystemPtr = std::shared_ptr<arrow::fs::FileSystem>;

[[maybe_unused]] constexpr int kS3Attempts = 3;
[[maybe_unused]] constexpr double kGcsRetrySeconds = 10;

constexpr int64_t kUploadBlockBytes = int64_t{8} << 20;
constexpr int kUploadBlocksUnderWay = 8;

absl::Status OfRemote(const arrow::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (status.IsOutOfMemory()) return absl::ResourceExhaustedError("there is not enough memory");
  const bool not_found = arrow::internal::ErrnoFromStatus(status) == ENOENT;
  return RemoteError(not_found            ? absl::StatusCode::kNotFound
                     : status.IsInvalid() ? absl::StatusCode::kInvalidArgument
                                          : absl::StatusCode::kUnavailable,
                     status.message());
}

template <typename T>
absl::StatusOr<T> OfRemote(arrow::Result<T> result) {
  if (result.ok()) return *std::move(result);
  return OfRemote(result.status());
}

// Each of these makes one of Arrow's file systems, with the options that the path gives.
absl::StatusOr<FileSystemPtr> MakeS3(const std::string& uri) {
#ifdef STRUCTTENSOR_ARROW_S3
  STRUCTTENSOR_RETURN_IF_ERROR(OfRemote(arrow::fs::EnsureS3Initialized()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(arrow::fs::S3Options options, OfRemote(arrow::fs::S3Options::FromUri(uri)));
  options.retry_strategy = arrow::fs::S3RetryStrategy::GetAwsStandardRetryStrategy(kS3Attempts);
  STRUCTTENSOR_ASSIGN_OR_RETURN(FileSystemPtr made, OfRemote(arrow::fs::S3FileSystem::Make(options)));
  return made;
#else
  static_cast<void>(uri);
  return absl::UnimplementedError("this Arrow C++ was built without S3; build it with ARROW_S3=ON, or use pyarrow's");
#endif
}

absl::StatusOr<FileSystemPtr> MakeGcs(const std::string& uri) {
#ifdef STRUCTTENSOR_ARROW_GCS
  STRUCTTENSOR_ASSIGN_OR_RETURN(arrow::fs::GcsOptions options, OfRemote(arrow::fs::GcsOptions::FromUri(uri, nullptr)));
  if (!options.retry_limit_seconds.has_value()) options.retry_limit_seconds = kGcsRetrySeconds;
#if ARROW_VERSION_MAJOR >= 19
  STRUCTTENSOR_ASSIGN_OR_RETURN(FileSystemPtr made, OfRemote(arrow::fs::GcsFileSystem::Make(options)));
#else
  FileSystemPtr made = arrow::fs::GcsFileSystem::Make(options);
#endif
  return made;
#else
  static_cast<void>(uri);
  return absl::UnimplementedError("this Arrow C++ was built without GCS; build it with ARROW_GCS=ON, or use pyarrow's");
#endif
}

// "bucket/folder/file", the form that Arrow's file systems expect.
std::string ArrowPath(const std::string& path) {
  const std::string shown = DisplayPath(path);
  return shown.substr(shown.find("://") + 3);
}

std::string KeyOf(const std::string& arrow_path) {
  const size_t slash = arrow_path.find('/');
  return slash == std::string::npos ? "" : arrow_path.substr(slash + 1);
}

class ArrowRemoteFile : public RemoteFile {
 public:
  ArrowRemoteFile(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t size_bytes)
      : file_(std::move(file)), size_bytes_(size_bytes) {}
  ~ArrowRemoteFile() override { file_->Close().ok(); }

  int64_t size_bytes() const override { return size_bytes_; }

  absl::Status ReadAt(int64_t offset, size_t size_bytes, char* to) override {
    const WithoutSigpipe guard;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t got, OfRemote(file_->ReadAt(offset, static_cast<int64_t>(size_bytes), to)));
    if (got == static_cast<int64_t>(size_bytes)) return absl::OkStatus();
    return absl::UnavailableError("the file is shorter than it was when it was opened");
  }

 private:
  const std::shared_ptr<arrow::io::RandomAccessFile> file_;
  const int64_t size_bytes_;
};

class ArrowRemoteFiles : public RemoteFiles {
 public:
  absl::StatusOr<std::optional<Entry>> Find(const std::string& path) override {
    const WithoutSigpipe guard;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const FileSystemPtr files, FileSystemOf(path));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const arrow::fs::FileInfo info, OfRemote(files->GetFileInfo(ArrowPath(path))));
    if (info.type() == arrow::fs::FileType::NotFound) return std::nullopt;
    return EntryOf(info);
  }

  absl::StatusOr<std::vector<Entry>> List(const std::string& path) override {
    const WithoutSigpipe guard;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const FileSystemPtr files, FileSystemOf(path));
    arrow::fs::FileSelector folder;
    folder.base_dir = ArrowPath(path);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<arrow::fs::FileInfo> infos, OfRemote(files->GetFileInfo(folder)));
    std::vector<Entry> entries;
    for (const arrow::fs::FileInfo& info : infos) entries.push_back(EntryOf(info));
    return entries;
  }

  absl::StatusOr<std::unique_ptr<RemoteFile>> Open(const std::string& path) override {
    const WithoutSigpipe guard;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const FileSystemPtr files, FileSystemOf(path));
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                  OfRemote(files->OpenInputFile(ArrowPath(path))));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t size_bytes, OfRemote(file->GetSize()));
    return std::make_unique<ArrowRemoteFile>(std::move(file), size_bytes);
  }

  absl::Status Upload(int fd, int64_t size_bytes, const std::string& path, const std::atomic<bool>& cancelled) override {
    const WithoutSigpipe guard;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const FileSystemPtr files, FileSystemOf(path));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::io::OutputStream> stream,
                                  OfRemote(files->OpenOutputStream(ArrowPath(path))));
    absl::Status status = Copy(fd, size_bytes, *stream, cancelled);
    // Flush() reports what failed in the background, while the stream can still be aborted.
    if (status.ok()) status = OfRemote(stream->Flush());
    if (status.ok()) status = OfRemote(stream->Close());
    // When a stream that was not aborted is destroyed, it ends the file as if the file were complete.
    if (!status.ok()) stream->Abort().ok();
    return status;
  }

  absl::Status Remove(const std::string& path) override {
    const WithoutSigpipe guard;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const FileSystemPtr files, FileSystemOf(path));
    return OfRemote(files->DeleteFile(ArrowPath(path)));
  }

 private:
  static Entry EntryOf(const arrow::fs::FileInfo& info) {
    const bool is_folder = info.type() == arrow::fs::FileType::Directory;
    return {.key = KeyOf(info.path()), .is_folder = is_folder, .size_bytes = is_folder ? 0 : info.size()};
  }

  static absl::Status Copy(int fd, int64_t size_bytes, arrow::io::OutputStream& stream, const std::atomic<bool>& cancelled) {
    int blocks = 0;
    for (int64_t begin = 0; begin < size_bytes;) {
      if (cancelled) break;
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<arrow::Buffer> block,
                                    OfRemote(arrow::AllocateBuffer(std::min(kUploadBlockBytes, size_bytes - begin))));
      int64_t filled = 0;
      while (filled < block->size()) {
        const ssize_t got =
            pread(fd, block->mutable_data() + filled, static_cast<size_t>(block->size() - filled), begin + filled);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return absl::ErrnoToStatus(got < 0 ? errno : EIO, "cannot read the temporary file");
        filled += got;
      }
      begin += filled;
      STRUCTTENSOR_RETURN_IF_ERROR(OfRemote(stream.Write(block)));
      // Other threads send the blocks. A block is kept until it is sent.
      if (++blocks % kUploadBlocksUnderWay == 0) STRUCTTENSOR_RETURN_IF_ERROR(OfRemote(stream.Flush()));
    }
    return cancelled ? absl::CancelledError("interrupted") : absl::OkStatus();
  }

  // Keeps one file system for each bucket with its options: making one may need the network.
  absl::StatusOr<FileSystemPtr> FileSystemOf(const std::string& path) {
    const RemotePath parts = SplitRemotePath(path);
    const std::string uri = absl::StrCat(ToAbsl(parts.bucket), ToAbsl(parts.options));
    const std::lock_guard lock(mutex_);
    if (const auto known = file_systems_.find(uri); known != file_systems_.end()) return known->second;
    STRUCTTENSOR_ASSIGN_OR_RETURN(FileSystemPtr made, uri.starts_with("s3:") ? MakeS3(uri) : MakeGcs(uri));
    return file_systems_.emplace(uri, std::move(made)).first->second;
  }

  std::mutex mutex_;
  std::map<std::string, FileSystemPtr> file_systems_;
};

}  // namespace

RemoteFileSystems::RemoteFileSystems() : files_(std::make_unique<ArrowRemoteFiles>()) { UseRemoteFiles(files_.get()); }

RemoteFileSystems::~RemoteFileSystems() {
  UseRemoteFiles(nullptr);
  files_.reset();
#ifdef STRUCTTENSOR_ARROW_S3
  if (arrow::fs::IsS3Initialized()) arrow::fs::EnsureS3Finalized().ok();
#endif
}

}  // namespace structtensor
