// The memory of one column tree: blocks handed out from few large chunks, and kept for the next batch.
#ifndef STRUCTTENSOR_CORE_COLUMN_ABI_MEMORY_H_
#define STRUCTTENSOR_CORE_COLUMN_ABI_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)

namespace structtensor::column_internal {

// Gives out blocks and takes them back. Returns chunks to the system when it is destroyed, and unused large blocks when the
// limit is near. Not thread-safe.
//
// Blocks are powers of two, with an odd number of cache lines between two of them. Columns of equal size thus start at
// different offsets in their pages: appending to a hundred columns that all start at offset 0 fights for one set of each cache
// (measured on a message of about 100 columns: 281 ns page-aligned, 31 ns staggered). Blocks below two kilobytes are side by
// side, so that the columns of a type with thousands of fields stay near the processor. All but large blocks are cut from
// chunks. A large one has a chunk of its own.
//
// The limit applies to the memory taken from the system plus the charged bytes (Charge). Near the limit, chunks shrink to what
// is left and blocks to the size asked for, and a request may get a larger free block.
class ColumnMemory {
 public:
  explicit ColumnMemory(size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~ColumnMemory();
  ColumnMemory(const ColumnMemory&) = delete;
  ColumnMemory& operator=(const ColumnMemory&) = delete;

  // At least `size_bytes` bytes, not initialised, aligned to a cache line; `*granted_bytes` says how many. Null when the limit
  // is reached or the system has no more.
  void* Allocate(size_t size_bytes, size_t* granted_bytes);

  // The same, for a block that is never released. It takes no more than `size_bytes`, rounded up to whole cache lines.
  void* AllocatePermanent(size_t size_bytes);

  // Takes back a block that Allocate granted `granted_bytes` for. Null is ignored.
  void Release(void* block, size_t granted_bytes);

  // Counts `size_bytes` that a batch uses elsewhere. Returns false and counts nothing if the limit would be exceeded.
  bool Charge(size_t size_bytes);
  // Undoes Charge. Requires: at least `size_bytes` are charged.
  void Discharge(size_t size_bytes) { used_bytes_ -= size_bytes; }

  // Lets the address sanitizer report every access to the memory until Unpoison, for while no batch uses it. No other function
  // may be called in between, except the destructor.
  void Poison() const;
  void Unpoison() const;

  // Bytes taken from the system and not given back, plus charged bytes.
  size_t used_bytes() const { return used_bytes_; }
  size_t limit_bytes() const { return limit_bytes_; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Chunk {
    void* data;
    size_t size_bytes;
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
  std::vector<Chunk> chunks_;
  std::vector<LargeBlock> large_;
  size_t large_count_ = 0;  // number of large blocks so far
};

}  // namespace structtensor::column_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_COLUMN_ABI_MEMORY_H_
