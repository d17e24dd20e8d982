#include "structtensor/io/records/internal/codec_source.h"

#include <lz4frame.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::records_internal {
namespace {

constexpr size_t kCompressedPieceBytes = 256 << 10;

// The result of one call of a library's decompressor. After a problem, the numbers of bytes are not known.
struct CodecStep {
  size_t taken_bytes = 0;
  size_t made_bytes = 0;
  size_t wanted_bytes = 0;        // for the next block and the header after it; 0 after a whole frame
  const char* problem = nullptr;  // a string of the library
  // The kind of the problem: damage, or a valid file needs something that is not available.
  absl::StatusCode code = absl::StatusCode::kDataLoss;
};

absl::StatusCode CodeOfZstd(size_t result) {
  switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_frameParameter_windowTooLarge:
    case ZSTD_error_memory_allocation:
      return absl::StatusCode::kResourceExhausted;
    case ZSTD_error_dictionary_wrong:
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kDataLoss;
  }
}

class Zstd {
 public:
  static constexpr std::string_view kName = "zstd";
  static constexpr size_t kBlockHeaderBytes = 3;

  Zstd() : context_(ZSTD_createDCtx()) {}
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  ~Zstd() { ZSTD_freeDCtx(context_); }

  bool usable() const { return context_ != nullptr; }

  CodecStep Step(std::string_view from, char* to, size_t capacity_bytes) {
    ZSTD_inBuffer in = {from.data(), from.size(), 0};
    ZSTD_outBuffer out = {to, capacity_bytes, 0};
    const size_t result = ZSTD_decompressStream(context_, &out, &in);
    if (ZSTD_isError(result) != 0) return {.problem = ZSTD_getErrorName(result), .code = CodeOfZstd(result)};
    return {in.pos, out.pos, result};
  }

 private:
  ZSTD_DCtx* const context_;
};

class Lz4 {
 public:
  static constexpr std::string_view kName = "LZ4";
  static constexpr size_t kBlockHeaderBytes = 4;

  Lz4() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) context_ = nullptr;
  }
  Lz4(const Lz4&) = delete;
  Lz4& operator=(const Lz4&) = delete;
  ~Lz4() { LZ4F_freeDecompressionContext(context_); }

  bool usable() const { return context_ != nullptr; }

  CodecStep Step(std::string_view from, char* to, size_t capacity_bytes) {
    size_t taken_bytes = from.size();
    size_t made_bytes = capacity_bytes;
    const size_t result = LZ4F_decompress(context_, to, &made_bytes, from.data(), &taken_bytes, nullptr);
    if (LZ4F_isError(result) != 0) return {.problem = LZ4F_getErrorName(result)};
    return {taken_bytes, made_bytes, result};
  }

 private:
  LZ4F_dctx* context_ = nullptr;
};

template <typename Codec>
class CodecSource : public ByteSource {
 public:
  explicit CodecSource(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)), in_(kCompressedPieceBytes) {}

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    if (!codec_.usable()) return absl::ResourceExhaustedError(absl::StrCat(Name(), " could not allocate its memory"));
    if (!damage_.ok()) return damage_;
    while (true) {
      // More of a block may be waiting for room. Get it by a call of its own: if a call finds damage, all bytes that it made
      // are lost.
      const bool flushes = room_was_full_;
      if (!flushes && rest_.empty() && !input_ended_) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t size_bytes, compressed_->Read(in_.data(), in_.size()));
        rest_ = std::string_view(in_.data(), size_bytes);
        input_ended_ = size_bytes == 0;
      }
      // The input may end after a whole frame, and before the first frame.
      if (!flushes && rest_.empty() && wanted_bytes_ == 0) return 0;
      const CodecStep step = codec_.Step(rest_.substr(0, flushes ? 0 : StepBytes()), to, capacity_bytes);
      if (step.problem != nullptr && step.code != absl::StatusCode::kDataLoss) {
        damage_ = absl::Status(step.code, absl::StrCat("the ", Name(), " stream cannot be decompressed here (", step.problem,
                                                       "); decompress it by the program ", Name(), " first"));
        return damage_;
      }
      if (step.problem != nullptr) return Damaged(absl::StrCat("is damaged (", step.problem, ")"));
      rest_.remove_prefix(step.taken_bytes);
      wanted_bytes_ = step.wanted_bytes;
      room_was_full_ = step.made_bytes == capacity_bytes && wanted_bytes_ > 0;
      if (step.made_bytes > 0) return step.made_bytes;
      if (!flushes && input_ended_ && wanted_bytes_ > 0) return Damaged("ends early");
    }
  }

 private:
  static std::string Name() { return std::string(Codec::kName); }

  // A block by itself, then a header by itself, so that damage does not cost more bytes than necessary.
  size_t StepBytes() const {
    return wanted_bytes_ > Codec::kBlockHeaderBytes ? wanted_bytes_ - Codec::kBlockHeaderBytes
                                                    : std::max<size_t>(wanted_bytes_, 1);
  }

  absl::Status Damaged(std::string_view how) {
    damage_ = absl::DataLossError(absl::StrCat("the ", Name(), " stream ", std::string(how)));
    return damage_;
  }

  const std::unique_ptr<ByteSource> compressed_;
  std::vector<char> in_;
  std::string_view rest_;  // of in_, not yet taken
  bool input_ended_ = false;
  size_t wanted_bytes_ = 0;
  bool room_was_full_ = false;  // after the last call, and the frame continues
  Codec codec_;
  absl::Status damage_;
};

}  // namespace

std::unique_ptr<ByteSource> MakeZstdSource(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<CodecSource<Zstd>>(std::move(compressed));
}

std::unique_ptr<ByteSource> MakeLz4Source(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<CodecSource<Lz4>>(std::move(compressed));
}

}  // namespace structtensor::records_internal
