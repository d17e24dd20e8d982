#include "structtensor/io/records/internal/random_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/records/internal/crc32c.h"
#include "structtensor/io/records/internal/remote_source.h"

namespace structtensor::records_internal {
namespace {

class LocalFile : public RemoteFile {
 public:
  LocalFile(int fd, int64_t size_bytes) : fd_(fd), size_bytes_(size_bytes) {}
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;
  ~LocalFile() override { close(fd_); }

  int64_t size_bytes() const override { return size_bytes_; }

  absl::Status ReadAt(int64_t offset, size_t size_bytes, char* to) override {
    while (size_bytes > 0) {
      const ssize_t read_bytes = pread(fd_, to, size_bytes, offset);
      if (read_bytes < 0 && errno == EINTR) continue;
      if (read_bytes < 0) return absl::ErrnoToStatus(errno, "cannot read");
      if (read_bytes == 0) return absl::UnavailableError("the file is shorter than it was when it was opened");
      to += read_bytes;
      offset += read_bytes;
      size_bytes -= static_cast<size_t>(read_bytes);
    }
    return absl::OkStatus();
  }

 private:
  const int fd_;
  const int64_t size_bytes_;
};

// The bytes [begin, end) of a file of this machine.
class LocalPart : public ByteSource {
 public:
  LocalPart(std::unique_ptr<RemoteFile> file, int64_t begin, int64_t end) : file_(std::move(file)), next_(begin), end_(end) {}

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    const size_t size_bytes = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(capacity_bytes), end_ - next_));
    if (size_bytes == 0) return size_t{0};
    STRUCTTENSOR_RETURN_IF_ERROR(file_->ReadAt(next_, size_bytes, to));
    next_ += static_cast<int64_t>(size_bytes);
    return size_bytes;
  }

 private:
  const std::unique_ptr<RemoteFile> file_;
  int64_t next_;
  const int64_t end_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RemoteFile>> OpenForReadAt(const std::string& path) {
  if (IsRemotePath(path)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RemoteFiles* const files, FindRemoteFiles());
    return files->Open(path);
  }
  if (path == "-") return absl::InvalidArgumentError("standard input is not a regular file and can only be read in order");
  // Opening a pipe would wait for its writer.
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return absl::ErrnoToStatus(errno, "cannot open");
  if (!S_ISREG(status.st_mode)) return absl::InvalidArgumentError("it is not a regular file");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open");
  const int failed = fstat(fd, &status);
  auto file = std::make_unique<LocalFile>(fd, static_cast<int64_t>(status.st_size));
  if (failed != 0) return absl::ErrnoToStatus(errno, "cannot read");
  return file;
}

absl::StatusOr<std::string_view> BlockReader::View(int64_t offset, size_t size_bytes) {
  const int64_t end = offset + static_cast<int64_t>(size_bytes);
  if (offset < block_offset_ || end > block_offset_ + static_cast<int64_t>(block_.size())) {
    // Begin the block a little earlier: the checksums of marks also need bytes before the mark.
    block_offset_ = std::max<int64_t>(0, offset - kMarkBytes);
    const int64_t wanted = std::max(end - block_offset_, static_cast<int64_t>(block_bytes_));
    block_.resize(static_cast<size_t>(std::min(wanted, file_.size_bytes() - block_offset_)));
    const absl::Status read = file_.ReadAt(block_offset_, block_.size(), block_.data());
    if (!read.ok()) block_.clear();
    STRUCTTENSOR_RETURN_IF_ERROR(read);
  }
  return std::string_view(block_).substr(static_cast<size_t>(offset - block_offset_), size_bytes);
}

absl::StatusOr<uint32_t> MarkChecksum(BlockReader& blocks, int64_t file_bytes, int64_t offset) {
  const int64_t begin = std::max<int64_t>(0, offset - kMarkBytes);
  const int64_t end = std::min(file_bytes, offset + kMarkBytes);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string_view bytes, blocks.View(begin, static_cast<size_t>(end - begin)));
  return Crc32c(bytes);
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenPart(const std::string& path, const InputPart& part) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<RemoteFile> file, OpenForReadAt(path));
  BlockReader blocks(*file, 2 * kMarkBytes);
  const int64_t file_bytes = file->size_bytes();
  if (file_bytes != part.file_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("the file has ", file_bytes, " bytes, but had ", part.file_bytes,
                                                   " when its splits were planned", kPlanAgain));
  }
  for (const RecordMark* const mark : {&part.begin, part.end.has_value() ? &*part.end : nullptr}) {
    if (mark == nullptr) continue;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const uint32_t checksum, MarkChecksum(blocks, file_bytes, mark->byte_offset));
    if (checksum == mark->checksum) continue;
    return absl::InvalidArgumentError(absl::StrCat("the bytes around byte ", mark->byte_offset,
                                                   " have changed since the splits of the file were planned", kPlanAgain));
  }
  const int64_t end = part.end.has_value() ? part.end->byte_offset : file_bytes;
  if (IsRemotePath(path)) return MakeRemoteSource(std::move(file), part.begin.byte_offset, end);
  return std::make_unique<LocalPart>(std::move(file), part.begin.byte_offset, end);
}

}  // namespace structtensor::records_internal
