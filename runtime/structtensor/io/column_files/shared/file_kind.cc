#include "structtensor/io/column_files/shared/file_kind.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {
namespace {

constexpr std::string_view kParquetMagic = "PAR1";
constexpr std::string_view kArrowFileMagic = "ARROW1";
// A stream begins with a message. A message begins with this mark and the length of its description, which is small.
constexpr std::string_view kStreamMark = "\xff\xff\xff\xff";
constexpr size_t kMagicBytes = 16;

bool BeginsAsArrowStream(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.starts_with(kStreamMark) && bytes[7] == 0 &&
         bytes.substr(4, 3) != std::string_view("\0\0\0", 3);
}

absl::StatusOr<std::string> FirstBytesOfRemote(const std::string& path, int64_t* size_bytes) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(RemoteFiles* const files, FindRemoteFiles());
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<RemoteFile> file, files->Open(path));
  std::string bytes(static_cast<size_t>(std::min<int64_t>(kMagicBytes, file->size_bytes())), '\0');
  STRUCTTENSOR_RETURN_IF_ERROR(bytes.empty() ? absl::OkStatus() : file->ReadAt(0, bytes.size(), bytes.data()));
  if (size_bytes != nullptr) *size_bytes = file->size_bytes();
  return bytes;
}

// Returns the first bytes of a file, at most kMagicBytes, or an error if the file cannot be read.
absl::StatusOr<std::string> FirstBytes(const std::string& path, int64_t* size_bytes) {
  if (IsRemotePath(path)) return FirstBytesOfRemote(path, size_bytes);
  // A pipe must not even be opened: the process that writes to it would take this process for its reader.
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return absl::ErrnoToStatus(errno, "cannot open the file");
  if (!S_ISREG(file.st_mode)) return absl::InvalidArgumentError("a column file is read from a file, not from a pipe or folder");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open the file");
  std::string bytes(kMagicBytes, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), 0);
  const int error_number = errno;
  close(fd);
  if (got < 0) return absl::ErrnoToStatus(error_number, "cannot read the file");
  bytes.resize(static_cast<size_t>(got));
  if (size_bytes != nullptr) *size_bytes = file.st_size;
  return bytes;
}

// Returns the format of a file that begins with `bytes`.
std::optional<FileFormat> FormatOf(std::string_view bytes) {
  if (bytes.starts_with(kParquetMagic)) return FileFormat::kParquet;
  if (bytes.starts_with(kArrowFileMagic)) return FileFormat::kArrowFile;
  if (BeginsAsArrowStream(bytes)) return FileFormat::kArrowStream;
  return std::nullopt;
}

}  // namespace

bool BeginsAsColumnFile(std::string_view bytes) { return FormatOf(bytes).has_value(); }

bool IsColumnFile(const std::string& path) {
  const absl::StatusOr<bool> is = OpensAsColumnFile(path);
  return is.ok() && *is;
}

absl::StatusOr<bool> OpensAsColumnFile(const std::string& path) {
  struct stat file = {};
  if (path == "-" || (!IsRemotePath(path) && stat(path.c_str(), &file) == 0 && !S_ISREG(file.st_mode))) return false;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string bytes, FirstBytes(path, nullptr));
  return BeginsAsColumnFile(bytes);
}

namespace column_files_internal {

absl::StatusOr<OpenedFile> OpenedFileOf(const std::string& path, const ColumnFileReaderOptions& options) {
  for (const auto& [name, value] :
       {std::pair("batch_rows", options.batch_rows), std::pair("max_memory_bytes", options.max_memory_bytes)}) {
    if (value < 1) return absl::InvalidArgumentError(absl::StrCat(name, " = ", value, "; expected 1 or more"));
  }
  OpenedFile opened;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string first, FirstBytes(path, &opened.size_bytes));
  const std::optional<FileFormat> format = FormatOf(first);
  if (!format.has_value()) {
    return absl::InvalidArgumentError(
        "expected a Parquet or Arrow file, which begin with PAR1, ARROW1 or the bytes FF FF FF FF");
  }
  opened.format = *format;
  return opened;
}

}  // namespace column_files_internal
}  // namespace structtensor
