// The portable kernel, and the choice among kernels.
#include "structtensor/core/encode/abi/packed.h"

#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/wire/abi/kinds.h"

namespace structtensor::encode_internal {
namespace kernels {
namespace {

template <typename Kind>
uint8_t* Write(uint8_t* p, const typename Kind::Type* begin, const typename Kind::Type* end) {
  while (end != begin) p = WriteAnyVarint(p, Kind::ToWire(*--end));
  return p;
}

}  // namespace

constinit const PackedWriters kPortableWriters = {Write<wire_internal::Int32>, Write<wire_internal::Uint32>,
                                                  Write<wire_internal::Sint32>, Write<wire_internal::Uint64>,
                                                  Write<wire_internal::Sint64>};

constinit const PackedWriters* g_packed_writers = &kPortableWriters;

namespace {

[[maybe_unused]] const bool g_chosen = (g_packed_writers = PackedWritersOf(base_internal::ChosenCpuLevel()), true);

}  // namespace
}  // namespace kernels

const PackedWriters* PackedWritersOf(base_internal::CpuLevel level) {
  if (level > base_internal::BestCpuLevel()) return nullptr;
  switch (level) {
    case base_internal::CpuLevel::kPortable:
    case base_internal::CpuLevel::kAvx2:
      return &kernels::kPortableWriters;
    case base_internal::CpuLevel::kAvx512:
      break;
  }
#if defined(__x86_64__) && defined(__GNUC__)
  return &kernels::kAvx512Writers;
#else
  return nullptr;
#endif
}

}  // namespace structtensor::encode_internal
