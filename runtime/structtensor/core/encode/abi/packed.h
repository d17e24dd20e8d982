// Packed runs, written by the kernel for the level of the processor (core/base/abi/cpu.h):
//   avx512    16 values of up to 28 bits at a time, or 8 of up to 56     (packed_avx512.cc)
//   portable  one value at a time, without a branch on its length        (packed.cc)
#ifndef STRUCTTENSOR_CORE_ENCODE_ABI_PACKED_H_
#define STRUCTTENSOR_CORE_ENCODE_ABI_PACKED_H_

#include <cstdint>

#include "structtensor/core/base/abi/cpu.h"

#pragma GCC visibility push(default)

namespace structtensor::encode_internal {

// Each writes the varints of [begin, end) so that they end at `p`, and returns where they begin (varint.h says what is
// overwritten before that).
struct PackedWriters {
  uint8_t* (*int32)(uint8_t* p, const int32_t* begin, const int32_t* end);
  uint8_t* (*uint32)(uint8_t* p, const uint32_t* begin, const uint32_t* end);
  uint8_t* (*sint32)(uint8_t* p, const int32_t* begin, const int32_t* end);
  uint8_t* (*uint64)(uint8_t* p, const uint64_t* begin, const uint64_t* end);  // int64, too
  uint8_t* (*sint64)(uint8_t* p, const int64_t* begin, const int64_t* end);
};

// The writers for `level`, or null if this processor does not have that level. The level avx2 has no writers of its own: it
// uses the portable ones.
const PackedWriters* PackedWritersOf(base_internal::CpuLevel level);

namespace kernels {

extern const PackedWriters kPortableWriters;
extern const PackedWriters kAvx512Writers;

// Starts out as the portable writers, so that encoding works even while static objects are being initialised.
extern constinit const PackedWriters* g_packed_writers;

}  // namespace kernels

// The writers of the level in use.
inline const PackedWriters& ChosenPackedWriters() { return *kernels::g_packed_writers; }

}  // namespace structtensor::encode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_ENCODE_ABI_PACKED_H_
