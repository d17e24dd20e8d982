// Code shared by the kernels of packed runs. Only packed*.cc include it.
//
// All of them see a run as blocks of up to 64 bytes and turn the continuation bits of a block into a mask with a bit per byte.
// With 05 AC 02 07 80 at `p`, the first byte leftmost:
//   continues  0 1 0 0 1     the byte's high bit
//   stops      1 0 1 1 0     the last bytes of varints: as many varints end in the block
//   starts     1 1 0 1 1     (stops << 1) | 1
// A varint that continues beyond the block is left to the next block, which starts with it. So every byte position that a value
// depends on comes from one mask, and no load waits for the length of the previous varint.
#ifndef STRUCTTENSOR_CORE_WIRE_INTERNAL_PACKED_KERNELS_H_
#define STRUCTTENSOR_CORE_WIRE_INTERNAL_PACKED_KERNELS_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "structtensor/core/wire/abi/packed.h"
#include "structtensor/core/wire/abi/varint.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define STRUCTTENSOR_X86_KERNELS 1
#endif

namespace structtensor::wire_internal::kernels {

inline constexpr ptrdiff_t kBlockBytes = 64;

// Up to this size it is random whether a run has only one-byte values, so a branch on it is often mispredicted.
inline constexpr ptrdiff_t kShortRunBytes = 16;

extern const PackedFunctions kPortableFunctions;
#ifdef STRUCTTENSOR_X86_KERNELS
extern const PackedFunctions kAvx2Functions;
extern const PackedFunctions kAvx512Functions;
#endif

// --- What a varint becomes.

struct ToUint32 {
  using Type = uint32_t;
  static Type From(uint64_t v) { return static_cast<uint32_t>(v); }
};
struct ToUint64 {
  using Type = uint64_t;
  static Type From(uint64_t v) { return v; }
};
struct ToSint32 {
  using Type = int32_t;
  static Type From(uint64_t v) { return ZigZag32(static_cast<uint32_t>(v)); }
};
struct ToSint64 {
  using Type = int64_t;
  static Type From(uint64_t v) { return ZigZag64(v); }
};

// Whether a run is a single varint of up to 8 bytes: only its last byte has no continuation bit. Lists of one value are common,
// as in tf.Example, and a PEXT reads them faster than a block (2 ns instead of 4).
inline bool IsOneVarint(const uint8_t* p, ptrdiff_t run_bytes) {
  if (run_bytes < 1 || run_bytes > 8) return false;
  return (~Load<uint64_t>(p) & 0x8080808080808080) << (64 - 8 * run_bytes) == uint64_t{1} << 63;
}

// --- Masks of one block

// Bits for the bytes of a block that belong to a run with `left_bytes` bytes left. Requires: left_bytes > 0.
inline uint64_t BytesOfRun(ptrdiff_t left_bytes) {
  return left_bytes >= kBlockBytes ? ~uint64_t{0} : (uint64_t{1} << left_bytes) - 1;
}

// The starts of at least 8 continuation bytes in a row: only there can a varint have more than 8 bytes.
inline uint64_t EightContinue(uint64_t continues) {
  const uint64_t two = continues & continues >> 1;
  const uint64_t four = two & two >> 2;
  return four & four >> 4;
}

// Whether the block has a varint of more than 10 bytes, given EightContinue of its mask.
inline bool HasTooLong(uint64_t continues, uint64_t eight_continue) {
  return (eight_continue & continues >> 8 & continues >> 9) != 0;
}

// Bits 56 to 63 of the varint at `p`: seven from byte 8 and one from byte 9, as far as it has them. Does not branch on the
// length, which is 1 to 10.
inline uint64_t TopBits(const uint8_t* p, ptrdiff_t length_bytes) {
  static constexpr uint16_t kUsed[11] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0x007f, 0x017f};
  const uint64_t bytes = Load<uint16_t>(p + 8) & kUsed[length_bytes];
  return bytes << 56 | bytes >> 8 << 63;
}

}  // namespace structtensor::wire_internal::kernels

#endif  // STRUCTTENSOR_CORE_WIRE_INTERNAL_PACKED_KERNELS_H_
