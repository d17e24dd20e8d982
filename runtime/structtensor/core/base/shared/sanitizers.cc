#include "structtensor/core/base/shared/sanitizers.h"

// The functions by which instrumented code starts its sanitizer, and the interface of the address sanitizer
// (sanitizer/asan_interface.h). They are null in a process without the sanitizer.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __hwasan_init();
[[gnu::weak]] void __msan_init();
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* bytes, size_t size_bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* bytes, size_t size_bytes);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace structtensor::base_internal {

bool HasMemorySanitizer() {
  return __asan_init != nullptr || __hwasan_init != nullptr || __msan_init != nullptr || __tsan_init != nullptr;
}

void PoisonMemory(const void* bytes, size_t size_bytes) {
  if (__asan_poison_memory_region != nullptr) __asan_poison_memory_region(bytes, size_bytes);
}

void UnpoisonMemory(const void* bytes, size_t size_bytes) {
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(bytes, size_bytes);
}

}  // namespace structtensor::base_internal
