#include "structtensor/io/records/internal/gzip_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::records_internal {
namespace {

constexpr size_t kCompressedBytes = 256 << 10;
constexpr int kGzipWindowBits = 15 + 16;  // the largest window; 16 asks zlib for the gzip header and trailer

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed) : compressed_(std::move(compressed)), in_(kCompressedBytes) {
    usable_ = inflateInit2(&stream_, kGzipWindowBits) == Z_OK;
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    if (!usable_) return absl::ResourceExhaustedError("zlib could not allocate its memory");
    capacity_bytes = std::min<size_t>(capacity_bytes, std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(capacity_bytes);
    while (stream_.avail_out == capacity_bytes) {
      if (stream_.avail_in == 0) STRUCTTENSOR_RETURN_IF_ERROR(Refill());
      const bool input_ended = stream_.avail_in == 0;
      if (!in_member_) {
        if (input_ended) return 0;
        if (!StartMember()) continue;  // only padding
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        in_member_ = false;
      } else if (result == Z_BUF_ERROR && input_ended) {
        if (stream_.avail_out != capacity_bytes) break;
        return absl::DataLossError("the gzip stream ends early");
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        // The bytes before the damage are delivered first. The next call of inflate repeats its error.
        if (stream_.avail_out != capacity_bytes) break;
        return absl::DataLossError(
            absl::StrCat("the gzip stream is damaged (", stream_.msg != nullptr ? stream_.msg : "no reason given", ")"));
      }
    }
    return capacity_bytes - stream_.avail_out;
  }

 private:
  absl::Status Refill() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t size_bytes, compressed_->Read(in_.data(), in_.size()));
    stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
    stream_.avail_in = static_cast<uInt>(size_bytes);
    return absl::OkStatus();
  }

  // Skips zeros between members. Returns whether a member follows in the available bytes.
  bool StartMember() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    inflateReset2(&stream_, kGzipWindowBits);
    in_member_ = true;
    return true;
  }

  const std::unique_ptr<ByteSource> compressed_;
  std::vector<char> in_;
  z_stream stream_ = {};
  bool usable_ = false;
  bool in_member_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> MakeGzipSource(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<GzipSource>(std::move(compressed));
}

}  // namespace structtensor::records_internal
