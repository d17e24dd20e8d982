// The memory of one column tree: blocks handed out from few large chunks, and kept for the next batch.
#ifndef STRUCTTENSOR_COLUMN_INTERNAL_MEMORY_H_
#define STRUCTTENSOR_COLUMN_INTERNAL_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)

namespace structtensor::column_internal {

// Gives out blocks and takes them back; returns chunks to the system when it dies, and large blocks that nobody uses when the
// limit comes near. Not thread-safe.
//
// Blocks are powers of two plus an odd number of cache lines. Columns of equal size thus start at different offsets in
// their pages: appending to a hundred columns that all start at offset 0 fights for one set of each cache (measured on a
// message of about 100 columns: 281 ns page-aligned, 31 ns staggered). Small blocks are cut from chunks; a large one has a
// chunk of its own.
//
// The limit is on what is taken from the system, with what is counted besides. Near it, chunks become as small as what is left,
// blocks as small as what is asked for, and a block may be one that was larger than that.
class ColumnMemory {
 public:
  explicit ColumnMemory(size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~ColumnMemory();
  ColumnMemory(const ColumnMemory&) = delete;
  ColumnMemory& operator=(const ColumnMemory&) = delete;

  // At least `size_bytes` bytes, not initialised, aligned to a cache line; `*granted_bytes` says how many. Null when the limit
  // is reached or the system has no more.
  void* Allocate(size_t size_bytes, size_t* granted_bytes);

  // Takes back a block that Allocate granted `granted_bytes` for. Null is ignored.
  void Release(void* block, size_t granted_bytes);

  // Counts `size_bytes` that a batch has elsewhere. False, and nothing is counted, if the limit would be exceeded.
  bool Charge(size_t size_bytes);
  // Takes that back. Requires: as much was counted.
  void Discharge(size_t size_bytes) { used_bytes_ -= size_bytes; }

  // What was taken from the system and not given back, and what is counted besides.
  size_t used_bytes() const { return used_bytes_; }
  size_t limit_bytes() const { return limit_bytes_; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct LargeBlock {
    void* chunk;
    void* block;
    size_t chunk_bytes;
  };
  void* TakeFree(size_t size_class);
  void* FromSystem(size_t block_bytes);
  void* FromChunk(size_t block_bytes);
  void* LargeFromSystem(size_t block_bytes);
  void* NewChunk(size_t chunk_bytes);
  void FreeRestOfChunk();
  bool ReturnFreeLargeBlocks();

  size_t limit_bytes_;
  size_t used_bytes_ = 0;
  uint8_t* chunk_position_ = nullptr;
  uint8_t* chunk_end_ = nullptr;
  size_t next_chunk_bytes_ = size_t{1} << 16;
  std::array<FreeBlock*, 64> free_{};  // by log2 of the size, rounded down
  std::vector<void*> chunks_;
  std::vector<LargeBlock> large_;
  size_t large_count_ = 0;  // that there have been
};

}  // namespace structtensor::column_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_COLUMN_INTERNAL_MEMORY_H_
