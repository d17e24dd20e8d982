#include "structtensor/column/internal/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace structtensor::column_internal {
namespace {

constexpr size_t kCacheLineBytes = 64;
constexpr size_t kStaggerBytes = 5 * kCacheLineBytes;
constexpr size_t kMinBlockBytes = 256;
constexpr size_t kMaxChunkBytes = size_t{1} << 25;
constexpr size_t kHugePageBytes = size_t{1} << 21;

// Asks for huge pages where they fit into a large chunk, since columns are many streams through memory (0 to 6 % of the time for a batch,
// 8 % where one message of 20 MB makes it). A wish, which the system may refuse.
void WishForHugePages([[maybe_unused]] void* chunk, [[maybe_unused]] size_t size_bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(chunk) + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(chunk) + size_bytes) / kHugePageBytes * kHugePageBytes;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace

ColumnMemory::~ColumnMemory() {
  for (void* chunk : chunks_) std::free(chunk);
}

void* ColumnMemory::Allocate(size_t size_bytes, size_t* granted_bytes) {
  if (size_bytes > limit_bytes_) return nullptr;
  const size_t block_bytes = std::bit_ceil(std::max(size_bytes, kMinBlockBytes));
  *granted_bytes = block_bytes;
  FreeBlock*& head = free_[static_cast<size_t>(std::countr_zero(block_bytes))];
  if (head != nullptr) {
    void* block = head;
    head = head->next;
    return block;
  }
  return FromChunk(block_bytes + kStaggerBytes);
}

void ColumnMemory::Release(void* block, size_t granted_bytes) {
  if (block == nullptr) return;
  FreeBlock*& head = free_[static_cast<size_t>(std::countr_zero(granted_bytes))];
  head = new (block) FreeBlock{head};
}

void* ColumnMemory::FromChunk(size_t block_bytes) {
  if (static_cast<size_t>(chunk_end_ - chunk_position_) < block_bytes) {
    const size_t chunk_bytes = std::max(next_chunk_bytes_, block_bytes);
    if (chunk_bytes > limit_bytes_ - used_bytes_) return nullptr;
    void* const chunk = std::aligned_alloc(kCacheLineBytes, chunk_bytes);
    if (chunk == nullptr) return nullptr;
    WishForHugePages(chunk, chunk_bytes);
    chunks_.push_back(chunk);
    used_bytes_ += chunk_bytes;
    chunk_position_ = static_cast<uint8_t*>(chunk);
    chunk_end_ = chunk_position_ + chunk_bytes;
    next_chunk_bytes_ = std::min(next_chunk_bytes_ * 2, kMaxChunkBytes);
  }
  void* block = chunk_position_;
  chunk_position_ += block_bytes;
  return block;
}

}  // namespace structtensor::column_internal
