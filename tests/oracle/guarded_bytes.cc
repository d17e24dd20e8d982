#include "guarded_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace structtensor::testing {
namespace {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

GuardedBytes::~GuardedBytes() { Release(); }

void GuardedBytes::Release() {
  if (memory_ != nullptr) munmap(memory_, usable_bytes_ + PageBytes());
  memory_ = nullptr;
  usable_bytes_ = 0;
}

std::string_view GuardedBytes::Place(std::string_view bytes, size_t distance_bytes) {
  const size_t needed_bytes = bytes.size() + distance_bytes;
  if (memory_ == nullptr || needed_bytes > usable_bytes_) {
    Release();
    const size_t pages = needed_bytes / PageBytes() + 1;
    void* memory = mmap(nullptr, (pages + 1) * PageBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(static_cast<char*>(memory) + pages * PageBytes(), PageBytes(), PROT_NONE) != 0) {
      std::perror("guarded memory");
      std::abort();
    }
    memory_ = static_cast<char*>(memory);
    usable_bytes_ = pages * PageBytes();
  }
  char* begin = memory_ + usable_bytes_ - needed_bytes;
  if (!bytes.empty()) std::memcpy(begin, bytes.data(), bytes.size());
  std::memset(begin + bytes.size(), 0xff, distance_bytes);
  return {begin, bytes.size()};
}

}  // namespace structtensor::testing
