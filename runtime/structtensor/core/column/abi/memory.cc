#include "structtensor/core/column/abi/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "structtensor/core/base/shared/sanitizers.h"

namespace structtensor::column_internal {
namespace {

constexpr size_t kCacheLineBytes = 64;
constexpr size_t kStaggerBytes = 5 * kCacheLineBytes;
constexpr size_t kMinBlockBytes = 64;
constexpr size_t kMinStaggeredBytes = 2048;  // smaller blocks are side by side, so that many columns take few cache lines
constexpr size_t kMaxChunkBytes = size_t{1} << 25;
constexpr size_t kMinLargeBytes = size_t{1} << 22;
constexpr size_t kPageBytes = 4096;
constexpr size_t kHugePageBytes = size_t{1} << 21;

// Asks for huge pages where they fit into a large chunk, because columns are many streams through memory. Saves 0 to 6 % of the
// time for a batch, and 8 % if one message of 20 MB makes up the batch. The system may refuse.
void WishForHugePages([[maybe_unused]] void* chunk, [[maybe_unused]] size_t size_bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(chunk) + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(chunk) + size_bytes) / kHugePageBytes * kHugePageBytes;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace

ColumnMemory::~ColumnMemory() {
  for (const Chunk& chunk : chunks_) std::free(chunk.data);
  for (const LargeBlock& large : large_) std::free(large.chunk);
}

void ColumnMemory::Poison() const {
  for (const Chunk& chunk : chunks_) base_internal::PoisonMemory(chunk.data, chunk.size_bytes);
  for (const LargeBlock& large : large_) base_internal::PoisonMemory(large.chunk, large.chunk_bytes);
}

void ColumnMemory::Unpoison() const {
  for (const Chunk& chunk : chunks_) base_internal::UnpoisonMemory(chunk.data, chunk.size_bytes);
  for (const LargeBlock& large : large_) base_internal::UnpoisonMemory(large.chunk, large.chunk_bytes);
}

bool ColumnMemory::Charge(size_t size_bytes) {
  if (size_bytes > limit_bytes_ - used_bytes_) {
    ReturnFreeLargeBlocks();
    if (size_bytes > limit_bytes_ - used_bytes_) return false;
  }
  used_bytes_ += size_bytes;
  return true;
}

void* ColumnMemory::TakeFree(size_t size_class) {
  FreeBlock* const block = free_[size_class];
  if (block != nullptr) free_[size_class] = block->next;
  return block;
}

void* ColumnMemory::Allocate(size_t size_bytes, size_t* granted_bytes) {
  if (size_bytes > limit_bytes_ || size_bytes > ~size_t{0} / 4) return nullptr;
  const size_t block_bytes = std::bit_ceil(std::max(size_bytes, kMinBlockBytes));
  const size_t size_class = static_cast<size_t>(std::countr_zero(block_bytes));
  *granted_bytes = block_bytes;
  if (void* const block = TakeFree(size_class)) return block;
  if (void* const block = FromSystem(block_bytes)) return block;
  // The limit is near: take a larger free block, or only what is needed.
  for (size_t larger = size_class + 1; larger < free_.size(); ++larger) {
    *granted_bytes = size_t{1} << larger;
    if (void* const block = TakeFree(larger)) return block;
  }
  const size_t least_bytes = (std::max(size_bytes, kMinBlockBytes) + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
  *granted_bytes = least_bytes;
  if (void* const block = FromSystem(least_bytes)) return block;
  return ReturnFreeLargeBlocks() ? FromSystem(least_bytes) : nullptr;
}

void* ColumnMemory::AllocatePermanent(size_t size_bytes) {
  if (size_bytes < kMinStaggeredBytes) {
    if (void* const block = FromChunk((size_bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes)) return block;
  }
  size_t granted_bytes;
  return Allocate(size_bytes, &granted_bytes);
}

void ColumnMemory::Release(void* block, size_t granted_bytes) {
  if (block == nullptr) return;
  FreeBlock*& head = free_[static_cast<size_t>(std::bit_width(granted_bytes)) - 1];
  head = new (block) FreeBlock{head};
}

void* ColumnMemory::FromSystem(size_t block_bytes) {
  return block_bytes >= kMinLargeBytes ? LargeFromSystem(block_bytes)
                                       : FromChunk(block_bytes + (block_bytes < kMinStaggeredBytes ? 0 : kStaggerBytes));
}

// Requires: chunk_bytes is a multiple of a cache line.
void* ColumnMemory::NewChunk(size_t chunk_bytes) {
  if (chunk_bytes > limit_bytes_ - used_bytes_) return nullptr;
  void* const chunk = std::aligned_alloc(kCacheLineBytes, chunk_bytes);
  if (chunk == nullptr) return nullptr;
  WishForHugePages(chunk, chunk_bytes);
  used_bytes_ += chunk_bytes;
  return chunk;
}

void* ColumnMemory::LargeFromSystem(size_t block_bytes) {
  const size_t chunk_bytes = block_bytes + kPageBytes;
  void* const chunk = NewChunk(chunk_bytes);
  if (chunk == nullptr) return nullptr;
  void* const block = static_cast<uint8_t*>(chunk) + large_count_++ * kStaggerBytes % kPageBytes;
  large_.push_back({chunk, block, chunk_bytes});
  return block;
}

void* ColumnMemory::FromChunk(size_t block_bytes) {
  if (static_cast<size_t>(chunk_end_ - chunk_position_) < block_bytes) {
    const size_t left_bytes = (limit_bytes_ - used_bytes_) / kCacheLineBytes * kCacheLineBytes;
    const size_t chunk_bytes = std::min(std::max(next_chunk_bytes_, block_bytes), left_bytes);
    if (chunk_bytes < block_bytes) return nullptr;
    void* const chunk = NewChunk(chunk_bytes);
    if (chunk == nullptr) return nullptr;
    FreeRestOfChunk();
    chunks_.push_back({chunk, chunk_bytes});
    chunk_position_ = static_cast<uint8_t*>(chunk);
    chunk_end_ = chunk_position_ + chunk_bytes;
    next_chunk_bytes_ = std::min(next_chunk_bytes_ * 2, kMaxChunkBytes);
  }
  void* block = chunk_position_;
  chunk_position_ += block_bytes;
  return block;
}

void ColumnMemory::FreeRestOfChunk() {
  while (static_cast<size_t>(chunk_end_ - chunk_position_) >= kMinBlockBytes) {
    // The free lists of large blocks must hold nothing else.
    const size_t piece_bytes = std::min(std::bit_floor(static_cast<size_t>(chunk_end_ - chunk_position_)), kMinLargeBytes / 2);
    Release(chunk_position_, piece_bytes);
    chunk_position_ += piece_bytes;
  }
}

bool ColumnMemory::ReturnFreeLargeBlocks() {
  bool any = false;
  for (size_t size_class = static_cast<size_t>(std::countr_zero(kMinLargeBytes)); size_class < free_.size(); ++size_class) {
    while (void* const block = TakeFree(size_class)) {
      const auto large =
          std::find_if(large_.begin(), large_.end(), [&](const LargeBlock& each) { return each.block == block; });
      std::free(large->chunk);
      used_bytes_ -= large->chunk_bytes;
      large_.erase(large);
      any = true;
    }
  }
  return any;
}

}  // namespace structtensor::column_internal
