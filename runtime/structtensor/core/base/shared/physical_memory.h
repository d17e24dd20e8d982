// How much memory the machine has.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_PHYSICAL_MEMORY_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_PHYSICAL_MEMORY_H_

#include <unistd.h>

#include <cstdint>

namespace structtensor {

// The machine's memory; 1 TiB if the system does not say. Systems promise more memory than they have, and end the process that
// uses it. So results that are bigger than this are refused if an argument decides their size.
inline int64_t PhysicalMemoryBytes() {
  static const int64_t bytes = [] {
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? pages * page_bytes : int64_t{1} << 40;
  }();
  return bytes;
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_PHYSICAL_MEMORY_H_
