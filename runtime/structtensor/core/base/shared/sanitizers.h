// Sanitizers, as seen at run time. An application may use them while the library is built without them, so macros of the
// compiler do not show whether a sanitizer checks the memory of this process.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_SANITIZERS_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_SANITIZERS_H_

#include <cstddef>

namespace structtensor::base_internal {

// Whether any code of this process is checked by a sanitizer of memory accesses: address, hardware-assisted address, memory or
// thread. Always gives the same answer.
bool HasMemorySanitizer();

// Makes the address sanitizer report all accesses to the bytes until UnpoisonMemory. Without the address sanitizer, these do
// nothing. Requires: the bytes begin and end at multiples of 8.
void PoisonMemory(const void* bytes, size_t size_bytes);
void UnpoisonMemory(const void* bytes, size_t size_bytes);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_SANITIZERS_H_
