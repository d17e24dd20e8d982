#include "heap_meter.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

std::atomic<size_t> used_bytes{0};
std::atomic<size_t> peak_bytes{0};
std::atomic<size_t> allocation_count{0};

}  // namespace

#ifndef STRUCTTENSOR_SANITIZED_TESTS

namespace {

void* Count(void* block) {
  ++allocation_count;
  if (block == nullptr) return nullptr;
  const size_t used = used_bytes += malloc_usable_size(block);
  if (used > peak_bytes) peak_bytes = used;
  return block;
}

void Discount(void* block) {
  if (block != nullptr) used_bytes -= malloc_usable_size(block);
}

}  // namespace

// Every way to the heap of this program, operator new among them.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t size_bytes) { return Count(__libc_malloc(size_bytes)); }
void* calloc(size_t count, size_t size_bytes) { return Count(__libc_calloc(count, size_bytes)); }
void* realloc(void* block, size_t size_bytes) {
  Discount(block);
  return Count(__libc_realloc(block, size_bytes));
}
void* aligned_alloc(size_t alignment, size_t size_bytes) { return Count(__libc_memalign(alignment, size_bytes)); }
int posix_memalign(void** block, size_t alignment, size_t size_bytes) {
  *block = Count(__libc_memalign(alignment, size_bytes));
  return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  Discount(block);
  __libc_free(block);
}
}

#endif

namespace structtensor::testing {

HeapMeter::HeapMeter() : begin_bytes_(used_bytes), begin_allocations_(allocation_count) { ::peak_bytes = begin_bytes_; }

size_t HeapMeter::peak_bytes() const { return ::peak_bytes - begin_bytes_; }

size_t HeapMeter::live_bytes() const { return used_bytes - begin_bytes_; }

size_t HeapMeter::allocations() const { return allocation_count - begin_allocations_; }

}  // namespace structtensor::testing
