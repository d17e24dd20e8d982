// The portable kernel, and the choice among kernels.
#include "structtensor/encode/internal/packed.h"

#include "structtensor/encode/internal/kinds.h"
#include "structtensor/encode/internal/varint.h"

namespace structtensor::encode_internal {
namespace kernels {
namespace {

template <typename Kind>
uint8_t* Write(uint8_t* p, const typename Kind::Type* begin, const typename Kind::Type* end) {
  while (end != begin) p = WriteAnyVarint(p, Kind::ToWire(*--end));
  return p;
}

}  // namespace

constinit const PackedWriters kPortableWriters = {Write<Int32>, Write<Uint32>, Write<Sint32>, Write<Uint64>, Write<Sint64>};

constinit const PackedWriters* g_packed_writers = &kPortableWriters;

namespace {

[[maybe_unused]] const bool g_kernel_chosen = [] {
  if (const PackedWriters* best = PackedWritersOf(wire_internal::PackedKernel::kAvx512)) g_packed_writers = best;
  return true;
}();

}  // namespace
}  // namespace kernels

const PackedWriters* PackedWritersOf(wire_internal::PackedKernel kernel) {
  switch (kernel) {
    case wire_internal::PackedKernel::kPortable:
      return &kernels::kPortableWriters;
    case wire_internal::PackedKernel::kAvx2:
      return nullptr;
    case wire_internal::PackedKernel::kAvx512:
      break;
  }
#if defined(__x86_64__) && defined(__GNUC__)
  // The kernel that reads runs needs all that this one does, but for VPLZCNT.
  if (wire_internal::PackedFunctionsOf(kernel) != nullptr && __builtin_cpu_supports("avx512cd"))
    return &kernels::kAvx512Writers;
#endif
  return nullptr;
}

}  // namespace structtensor::encode_internal
