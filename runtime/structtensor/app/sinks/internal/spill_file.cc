#include "structtensor/app/sinks/internal/spill_file.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/temporaries.h"

namespace structtensor::sinks_internal {
namespace {

// Small, because there may be thousands of arrays.
constexpr size_t kEndBytes = 64 << 10;

constexpr int64_t kPieceBytes = int64_t{1} << 20;

}  // namespace

SpillFile::~SpillFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status SpillFile::Open() {
  if (folder_.empty()) folder_ = base_internal::ScratchFolder();
  STRUCTTENSOR_ASSIGN_OR_RETURN(fd_, base_internal::MakeUnnamedFile(folder_));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> SpillFile::Append(std::string_view bytes) {
  if (fd_ < 0) STRUCTTENSOR_RETURN_IF_ERROR(Open());
  if (const absl::Status written = WriteAll(fd_, bytes); !written.ok()) {
    return absl::Status(written.code(), absl::StrCat("a temporary file in ", folder_, ": ", written.message()));
  }
  return std::exchange(size_bytes_, size_bytes_ + static_cast<int64_t>(bytes.size()));
}

absl::Status SpillFile::Read(int64_t offset, size_t size_bytes, char* out) const {
  while (size_bytes > 0) {
    const ssize_t read_bytes = pread(fd_, out, size_bytes, offset);
    if (read_bytes < 0 && errno == EINTR) continue;
    if (read_bytes <= 0) {
      return absl::ErrnoToStatus(read_bytes < 0 ? errno : EIO, absl::StrCat("cannot read a temporary file in ", folder_));
    }
    out += read_bytes;
    offset += read_bytes;
    size_bytes -= static_cast<size_t>(read_bytes);
  }
  return absl::OkStatus();
}

absl::Status SpilledBytes::Append(std::string_view bytes, SpillFile& file) {
  size_bytes_ += static_cast<int64_t>(bytes.size());
  crc32_ = Crc32(bytes, crc32_);
  if (end_.size() + bytes.size() <= kEndBytes) {
    end_ += bytes;
    return absl::OkStatus();
  }
  STRUCTTENSOR_RETURN_IF_ERROR(Spill(end_, file));
  end_.clear();
  if (bytes.size() > kEndBytes) return Spill(bytes, file);
  end_ += bytes;
  return absl::OkStatus();
}

absl::Status SpilledBytes::Spill(std::string_view bytes, SpillFile& file) {
  if (bytes.empty()) return absl::OkStatus();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t offset, file.Append(bytes));
  const auto size_bytes = static_cast<int64_t>(bytes.size());
  if (!extents_.empty() && extents_.back().offset + extents_.back().size_bytes == offset) {
    extents_.back().size_bytes += size_bytes;
  } else {
    extents_.push_back({offset, size_bytes});
  }
  return absl::OkStatus();
}

absl::Status SpilledBytes::ForEachPiece(const SpillFile& file, absl::FunctionRef<absl::Status(std::string_view)> use) const {
  std::string piece;
  for (const Extent& extent : extents_) {
    for (int64_t begin = 0; begin < extent.size_bytes; begin += kPieceBytes) {
      piece.resize(static_cast<size_t>(std::min(kPieceBytes, extent.size_bytes - begin)));
      STRUCTTENSOR_RETURN_IF_ERROR(file.Read(extent.offset + begin, piece.size(), piece.data()));
      STRUCTTENSOR_RETURN_IF_ERROR(use(piece));
    }
  }
  return end_.empty() ? absl::OkStatus() : use(end_);
}

uint32_t Crc32(std::string_view bytes, uint32_t crc32) {
  if (bytes.empty()) return crc32;  // a null address has another meaning for zlib
  return static_cast<uint32_t>(crc32_z(crc32, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t Crc32OfBoth(uint32_t first, uint32_t second, int64_t size_bytes_of_second) {
  static_assert(sizeof(z_off_t) == sizeof(int64_t));
  return static_cast<uint32_t>(crc32_combine(first, second, size_bytes_of_second));
}

}  // namespace structtensor::sinks_internal
