#include "structtensor/io/column_files/internal/page_codec.h"

#include <arrow/status.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace structtensor::column_files_internal {
namespace {

// Memory of this thread for the next `size_bytes`. It is kept unless it is large: the kernel clears new memory.
uint8_t* Scratch(size_t size_bytes) {
  constexpr size_t kMostKept = size_t{4} << 20;
  thread_local std::vector<uint8_t> memory;
  if (memory.size() > kMostKept) memory = std::vector<uint8_t>();
  if (memory.size() < size_bytes) memory.resize(size_bytes);
  return memory.data();
}

// Requires: `bytes` has less than 2^31, and there is a codec. The result is in this thread's memory until the next call.
arrow::Result<std::span<const uint8_t>> CompressToScratch(ArrowCodec with, const Bytes& bytes) {
  ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<arrow::util::Codec> codec, arrow::util::Codec::Create(with.type, with.level));
  const auto size_bytes = static_cast<int64_t>(bytes.size());
  const int64_t capacity = codec->MaxCompressedLen(size_bytes, bytes.data());
  // The size is known only afterwards, and is much smaller.
  uint8_t* const scratch = Scratch(static_cast<size_t>(capacity));
  ARROW_ASSIGN_OR_RAISE(const int64_t compressed_bytes, codec->Compress(size_bytes, bytes.data(), capacity, scratch));
  return std::span<const uint8_t>(scratch, static_cast<size_t>(compressed_bytes));
}

}  // namespace

std::shared_ptr<arrow::Buffer> BufferOf(Bytes bytes) {
  class Owner : public arrow::Buffer {
   public:
    explicit Owner(Bytes bytes) : Buffer(bytes.data(), static_cast<int64_t>(bytes.size())), bytes_(std::move(bytes)) {}

   private:
    const Bytes bytes_;
  };
  return std::make_shared<Owner>(std::move(bytes));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> Compressed(ArrowCodec codec, Bytes page) {
  if (page.size() > INT32_MAX) return arrow::Status::CapacityError("a page of ", page.size(), " bytes; write smaller batches");
  if (codec.type == arrow::Compression::UNCOMPRESSED) return BufferOf(std::move(page));
  ARROW_ASSIGN_OR_RAISE(const std::span<const uint8_t> compressed, CompressToScratch(codec, page));
  return arrow::Buffer::FromVector(std::vector<uint8_t>(compressed.begin(), compressed.end()));
}

arrow::Result<size_t> CompressedSize(ArrowCodec codec, const Bytes& sample) {
  if (codec.type == arrow::Compression::UNCOMPRESSED) return sample.size();
  ARROW_ASSIGN_OR_RAISE(const std::span<const uint8_t> compressed, CompressToScratch(codec, sample));
  return compressed.size();
}

}  // namespace structtensor::column_files_internal
