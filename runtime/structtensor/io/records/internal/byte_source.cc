#include "structtensor/io/records/internal/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/records/internal/codec_source.h"
#include "structtensor/io/records/internal/gzip_source.h"
#include "structtensor/io/records/internal/remote_source.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::records_internal {
namespace {

class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int fd, bool owned) : fd_(fd), owned_(owned) {}
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;
  ~DescriptorSource() override {
    if (owned_) close(fd_);
  }

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    const ssize_t size_bytes = ReadSome(fd_, to, capacity_bytes);
    if (size_bytes < 0) return absl::ErrnoToStatus(errno, "cannot read");
    return static_cast<size_t>(size_bytes);
  }

 private:
  const int fd_;
  const bool owned_;
};

// A source whose first bytes have already been read. Delivers these bytes, then the rest.
class PeekedSource : public ByteSource {
 public:
  PeekedSource(std::string first, std::unique_ptr<ByteSource> rest) : first_(std::move(first)), rest_(std::move(rest)) {}

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    if (delivered_bytes_ == first_.size()) return rest_->Read(to, capacity_bytes);
    const size_t size_bytes = std::min(capacity_bytes, first_.size() - delivered_bytes_);
    std::memcpy(to, first_.data() + delivered_bytes_, size_bytes);
    delivered_bytes_ += size_bytes;
    return size_bytes;
  }

 private:
  const std::string first_;
  size_t delivered_bytes_ = 0;
  const std::unique_ptr<ByteSource> rest_;
};

// Magic, method 8 (deflate) and reserved flags zero (RFC 1952, 2.3). Two bytes of magic alone would also be the beginning of a
// TFRecord file whose first record has 35,615 bytes.
bool StartsLikeGzip(std::string_view first) {
  return first.size() == 4 && first.substr(0, 3) == "\x1f\x8b\x08" && (static_cast<uint8_t>(first[3]) & 0xe0) == 0;
}

using MakeSource = std::unique_ptr<ByteSource> (*)(std::unique_ptr<ByteSource> compressed);

// The function that makes a decompressor for a file that begins like this; null if the file is not compressed. Files of records
// hardly ever begin like a Zstandard or LZ4 frame. In varint framing, the magic of LZ4 and of the skippable frames that pzstd
// writes would begin an impossible message, and the magic of Zstandard a message of 40 bytes with a field 758 of 32 bits. In
// TFRecord framing, all of them would be lengths that no record has.
MakeSource DecompressionOf(std::string_view first) {
  if (StartsLikeGzip(first)) return MakeGzipSource;
  if (first == "\x28\xb5\x2f\xfd" || first == "\x50\x2a\x4d\x18") return MakeZstdSource;
  if (first == "\x04\x22\x4d\x18") return MakeLz4Source;
  return nullptr;
}

// Opens a source without looking whether it is compressed.
absl::StatusOr<OpenedSource> OpenPlainSource(const std::string& path) {
  if (IsRemotePath(path)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source, OpenRemoteSource(path));
    return OpenedSource{.source = std::move(source), .regular_file = true};
  }
  const bool standard_input = path == "-";
  const int fd = standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open");
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);  // only advice, so a failure does not matter
  struct stat status;
  const bool regular_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  return OpenedSource{.source = std::make_unique<DescriptorSource>(fd, !standard_input), .regular_file = regular_file};
}

}  // namespace

absl::StatusOr<OpenedSource> OpenByteSource(const std::string& path) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(OpenedSource opened, OpenPlainSource(path));
  std::unique_ptr<ByteSource> source = std::move(opened.source);

  std::string first(4, '\0');
  size_t first_bytes = 0;
  while (first_bytes < first.size()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t more, source->Read(first.data() + first_bytes, first.size() - first_bytes));
    if (more == 0) break;
    first_bytes += more;
  }
  first.resize(first_bytes);

  const MakeSource decompress = DecompressionOf(first);
  opened.compressed = decompress != nullptr;
  opened.source = std::make_unique<PeekedSource>(std::move(first), std::move(source));
  if (opened.compressed) opened.source = decompress(std::move(opened.source));
  return opened;
}

}  // namespace structtensor::records_internal
