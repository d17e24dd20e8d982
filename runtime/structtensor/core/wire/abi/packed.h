// Packed runs: the values of a LEN field without tags between them.
//
// A run of a single byte is read here. Longer runs go to a kernel, chosen by the level of the processor (core/base/abi/cpu.h)
// when the program starts:
//   avx512    64 bytes at a time, every varint in a lane of its own   (packed_avx512.cc)
//   avx2      16 bytes at a time where varints have 1 or 2 bytes,     (packed_avx2.cc)
//              8 where they have up to 4, else a PEXT per varint
//   portable  a mask of the last bytes of 64, then varint by varint   (packed_portable.cc)
#ifndef STRUCTTENSOR_CORE_WIRE_ABI_PACKED_H_
#define STRUCTTENSOR_CORE_WIRE_ABI_PACKED_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "structtensor/core/base/abi/cpu.h"
#include "structtensor/core/wire/abi/varint.h"

#pragma GCC visibility push(default)

namespace structtensor::wire_internal {

// Kernels store whole vectors: up to this many bytes after the last value of a run are overwritten with anything.
inline constexpr size_t kWritableSlackBytes = 64;

// One kernel's functions; their contracts are given at the functions with these names below.
struct PackedFunctions {
  size_t (*count)(const uint8_t* p, size_t size_bytes);
  uint32_t* (*uint32)(const uint8_t* p, const uint8_t* end, uint32_t* out);
  uint64_t* (*uint64)(const uint8_t* p, const uint8_t* end, uint64_t* out);
  int32_t* (*sint32)(const uint8_t* p, const uint8_t* end, int32_t* out);
  int64_t* (*sint64)(const uint8_t* p, const uint8_t* end, int64_t* out);
  uint8_t* (*boolean)(const uint8_t* p, const uint8_t* end, uint8_t* out);
};

// The functions of the kernel for `level`, or null if this processor does not have that level.
const PackedFunctions* PackedFunctionsOf(base_internal::CpuLevel level);

// Makes every thread use the kernel for `level` from now on. Returns false, with no effect, if the processor does not have that
// level. For tests: the kernel of the level in use is set when the program starts.
bool SetPackedKernel(base_internal::CpuLevel level);

namespace kernels {

// Starts out as the portable kernel, so that decoding works even while static objects are being initialised.
extern constinit std::atomic<const PackedFunctions*> g_packed_functions;
inline const PackedFunctions& Packed() { return *g_packed_functions.load(std::memory_order_relaxed); }

// A run of at most one byte. A loop for two or three does not help if their number is random: it mispredicts, which costs more
// than starting a kernel does (measured on runs of 2 to 6 one-byte uint32 or uint64: 1.9 to 2.8 ns per value for a loop, 0.8 to
// 1.6 for the kernels).
template <typename T, typename Convert>
inline T* UnpackOneByte(const uint8_t* p, const uint8_t* end, T* out, Convert convert) {
  if (p == end) return out;
  if (*p >= 0x80) return nullptr;
  *out = convert(*p);
  return out + 1;
}

}  // namespace kernels

// Number of varints that end in [p, p + size_bytes). Reads nothing past that.
inline size_t CountVarints(const uint8_t* p, size_t size_bytes) { return kernels::Packed().count(p, size_bytes); }

// Each of these decodes the varints in [p, end) to `out` and returns the position after the last value written, or null if the
// run ends within a varint or a varint has more than 10 bytes; then the contents of `out` are undefined. 32-bit kinds keep the
// low 32 bits, bool is 1 if any of the 64 bits is set.
// Requires: kReadableSlackBytes readable bytes after `end`; room at `out` for CountVarints(p, end - p) values (end - p is never
// less), and for kWritableSlackBytes more bytes after these values.
inline uint32_t* UnpackUint32(const uint8_t* p, const uint8_t* end, uint32_t* out) {
  if (end - p > 1) return kernels::Packed().uint32(p, end, out);
  return kernels::UnpackOneByte(p, end, out, [](uint64_t v) { return static_cast<uint32_t>(v); });
}
inline uint64_t* UnpackUint64(const uint8_t* p, const uint8_t* end, uint64_t* out) {
  if (end - p > 1) return kernels::Packed().uint64(p, end, out);
  return kernels::UnpackOneByte(p, end, out, [](uint64_t v) { return v; });
}
inline int32_t* UnpackSint32(const uint8_t* p, const uint8_t* end, int32_t* out) {
  if (end - p > 1) return kernels::Packed().sint32(p, end, out);
  return kernels::UnpackOneByte(p, end, out, [](uint64_t v) { return ZigZag32(static_cast<uint32_t>(v)); });
}
inline int64_t* UnpackSint64(const uint8_t* p, const uint8_t* end, int64_t* out) {
  if (end - p > 1) return kernels::Packed().sint64(p, end, out);
  return kernels::UnpackOneByte(p, end, out, [](uint64_t v) { return ZigZag64(v); });
}
inline uint8_t* UnpackBool(const uint8_t* p, const uint8_t* end, uint8_t* out) {
  if (end - p > 1) return kernels::Packed().boolean(p, end, out);
  return kernels::UnpackOneByte(p, end, out, [](uint64_t v) { return static_cast<uint8_t>(v != 0); });
}

}  // namespace structtensor::wire_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_WIRE_ABI_PACKED_H_
