// Memory for Arrow, with a limit.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_LIMITED_POOL_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_LIMITED_POOL_H_

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "structtensor/io/column_files/internal/arrow_pool.h"

namespace structtensor::column_files_internal {

// The memory of ArrowPool(), with a limit. Buffers keep it alive: it is deleted when its owner and all memory are gone, in
// whatever thread.
class LimitedPool final : public arrow::MemoryPool {
 public:
  struct Release {
    void operator()(LimitedPool* pool) const { pool->Drop(); }  // NOLINT(clang-analyzer-cplusplus.NewDelete): users_ counts
  };
  using Owner = std::unique_ptr<LimitedPool, Release>;
  static Owner Create() { return Owner(new LimitedPool); }

  // Allows `bytes` in all.
  void AllowInAll(int64_t bytes) { limit_ = bytes; }
  // Allows `bytes` more than there are now, to the calling thread, which is then the one that reads. What other threads free
  // meanwhile does not allow it more, so the limit does not depend on when they do so.
  void AllowMore(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    reader_ = std::this_thread::get_id();
    const int64_t allocated = bytes_allocated();
    limit_ = bytes > INT64_MAX - allocated ? INT64_MAX : allocated + bytes;
  }

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(Check(size));
    ARROW_RETURN_NOT_OK(pool_->Allocate(size, alignment, out));
    users_.fetch_add(1, std::memory_order_relaxed);
    Note(size);
    return arrow::Status::OK();
  }
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** ptr) override {
    ARROW_RETURN_NOT_OK(Check(new_size - old_size));
    ARROW_RETURN_NOT_OK(pool_->Reallocate(old_size, new_size, alignment, ptr));
    Note(new_size - old_size);
    return arrow::Status::OK();
  }
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override {
    pool_->Free(buffer, size, alignment);
    NoteFreed(size);
    Drop();
  }

  int64_t bytes_allocated() const override { return allocated_.load(std::memory_order_relaxed); }
  int64_t max_memory() const override { return -1; }  // not known
  int64_t total_bytes_allocated() const override { return total_bytes_.load(std::memory_order_relaxed); }
  int64_t num_allocations() const override { return allocations_.load(std::memory_order_relaxed); }
  std::string backend_name() const override { return pool_->backend_name(); }

 private:
  LimitedPool() = default;
  ~LimitedPool() override = default;

  arrow::Status Check(int64_t more_bytes) const {
    if (more_bytes <= limit_ - bytes_allocated()) return arrow::Status::OK();
    return arrow::Status::OutOfMemory("the limit does not allow ", more_bytes, " more bytes");
  }
  void Note(int64_t more_bytes) {
    allocated_.fetch_add(more_bytes, std::memory_order_relaxed);
    allocations_.fetch_add(1, std::memory_order_relaxed);
    if (more_bytes > 0) total_bytes_.fetch_add(more_bytes, std::memory_order_relaxed);
  }
  void NoteFreed(int64_t size) {
    const std::thread::id reader = reader_;
    if (reader == std::thread::id() || reader == std::this_thread::get_id()) {
      allocated_.fetch_sub(size, std::memory_order_relaxed);
      return;
    }
    const std::lock_guard lock(mutex_);
    allocated_.fetch_sub(size, std::memory_order_relaxed);
    if (limit_ != INT64_MAX) limit_ -= size;
  }
  void Drop() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  arrow::MemoryPool* const pool_ = ArrowPool();
  std::mutex mutex_;                       // keeps limit_ and allocated_ together
  std::atomic<std::thread::id> reader_{};  // the thread that called AllowMore() last
  std::atomic<int64_t> limit_ = INT64_MAX;
  std::atomic<int64_t> users_ = 1;  // the owner, and each piece of memory
  std::atomic<int64_t> allocated_ = 0;
  std::atomic<int64_t> total_bytes_ = 0;
  std::atomic<int64_t> allocations_ = 0;
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_LIMITED_POOL_H_
