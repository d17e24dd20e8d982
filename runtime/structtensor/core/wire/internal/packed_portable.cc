// The kernel for packed runs in plain C++.
//
// A loop of ReadVarint mispredicts a branch for almost every varint if the lengths are random. It also cannot load a varint
// before it knows the length of the one before. Here the positions come from a mask (packed_kernels.h). One multiplication
// makes the mask bits of eight bytes.
#include <bit>
#include <cstring>

#include "structtensor/core/wire/internal/packed_kernels.h"

namespace structtensor::wire_internal::kernels {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

size_t Count(const uint8_t* p, size_t size_bytes) {
  size_t count = 0;
  size_t i = 0;
  for (; i + 8 <= size_bytes; i += 8) count += static_cast<size_t>(std::popcount(~Load<uint64_t>(p + i) & kHighBits));
  for (; i < size_bytes; ++i) count += p[i] < 0x80;
  return count;
}

// Returns a mask with a bit for each of the 64 bytes at `p`: set if the high bit of the byte is set. The multiplication adds up
// eight shifted copies of the bits, which moves bits 7, 15, ... 63 of `high` to 56, 57, ... 63. For 80 00 80 00 00 00 00 00,
// which has bits 7 and 23, the top byte becomes 0b101.
inline uint64_t Continues(const uint8_t* p, ptrdiff_t left_bytes) {
  uint64_t mask = 0;
  for (int i = 0; i < 64 && i < left_bytes; i += 8) {
    const uint64_t high = Load<uint64_t>(p + i) & kHighBits;
    mask |= (high >> 7) * 0x0102040810204080 >> 56 << i;
  }
  return mask & BytesOfRun(left_bytes);
}

// Returns the low 56 bits of the varint that `word` starts with. Like ReadVarint, but without a branch: the mask is made from
// the word whether or not the varint ends within it.
inline uint64_t Fold(uint64_t word) {
  const uint64_t stops = ~word & kHighBits;
  word &= (stops ^ (stops - 1)) & ~kHighBits;
  word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
  word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
  return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

// Decodes the varints whose last bytes are marked in `stops`. The first varint starts at `p`. `kLong`: some varints may have
// more than 8 bytes, and the type needs bits from after the eighth byte.
template <typename To, bool kLong>
typename To::Type* UnpackBlock(const uint8_t* p, uint64_t stops, typename To::Type* out) {
  ptrdiff_t begin = 0;
  do {
    const ptrdiff_t next = std::countr_zero(stops) + 1;
    uint64_t value = Fold(Load<uint64_t>(p + begin));
    if (kLong) value |= TopBits(p + begin, next - begin);
    *out++ = To::From(value);
    begin = next;
    stops &= stops - 1;
  } while (stops != 0);
  return out;
}

template <typename To>
typename To::Type* Unpack(const uint8_t* p, const uint8_t* end, typename To::Type* out) {
  while (p < end) {
    const ptrdiff_t left_bytes = end - p;
    const uint64_t continues = Continues(p, left_bytes);
    if (continues == 0) {
      // Writes eight values at a time. The slack has room for what is written beyond the run.
      const ptrdiff_t count = left_bytes < kBlockBytes ? left_bytes : kBlockBytes;
      for (ptrdiff_t k = 0; k < count; k += 8) {
        uint8_t bytes[8];
        std::memcpy(bytes, p + k, 8);
        for (int i = 0; i < 8; ++i) out[k + i] = To::From(bytes[i]);
      }
      p += count;
      out += count;
      continue;
    }
    const uint64_t stops = ~continues & BytesOfRun(left_bytes);
    if (stops == 0) return nullptr;
    const uint64_t eight_continue = EightContinue(continues);
    if (HasTooLong(continues, eight_continue)) return nullptr;
    if (sizeof(typename To::Type) == 8 && eight_continue != 0) {
      out = UnpackBlock<To, true>(p, stops, out);
    } else {
      out = UnpackBlock<To, false>(p, stops, out);
    }
    p += std::bit_width(stops);
  }
  return out;
}

// Almost every bool is one byte, so longer bools are read one by one.
uint8_t* UnpackBool(const uint8_t* p, const uint8_t* end, uint8_t* out) {
  while (p < end) {
    const uint64_t word = Load<uint64_t>(p);
    if (end - p >= 8 && (word & kHighBits) == 0) {
      const uint64_t bools = (word + ~kHighBits) >> 7 & 0x0101010101010101;
      std::memcpy(out, &bools, 8);
      p += 8;
      out += 8;
      continue;
    }
    const Varint varint = ReadVarint(p);
    if (varint.next == nullptr) return nullptr;
    p = varint.next;
    *out++ = varint.value != 0;
  }
  return p == end ? out : nullptr;
}

}  // namespace

constinit const PackedFunctions kPortableFunctions = {
    Count, Unpack<ToUint32>, Unpack<ToUint64>, Unpack<ToSint32>, Unpack<ToSint64>, UnpackBool};

}  // namespace structtensor::wire_internal::kernels
