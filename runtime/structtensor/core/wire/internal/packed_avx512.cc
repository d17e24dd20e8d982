// The kernel for packed runs with AVX-512 VBMI and VBMI2: varints of any length, several at a time, no branch on lengths.
//
// Per block of up to 64 bytes (packed_kernels.h has the masks):
//   1. VPCOMPRESSB packs the positions of the first bytes of all varints.
//   2. VPERMB spreads the bytes from each of these positions over a lane of its own: 4 bytes for 32-bit
//      values, 8 for 64-bit ones.
//   3. In each lane, the bytes after the varint's last byte are cleared, and the groups of 7 bits are moved together.
// With 05 AC 02 07 as 32-bit values:
//   positions  0 1 3
//   lanes      05 AC 02 07 | AC 02 07 xx | 07 xx xx xx
//   cleared    05 -- -- -- | 2C 02 -- -- | 07 -- -- --
//   values     5           | 300         | 7
// A second VPERMB fetches the remaining bits of varints that are longer than a lane. Blocks without such varints skip it.
//
// Bytes after the block never get into a value: a varint that the block cuts off is left to the next block.
#include "structtensor/core/wire/internal/packed_kernels.h"

#ifdef STRUCTTENSOR_X86_KERNELS
#if !defined(__clang__)
// gcc 12 warns about undefined operands inside its own intrinsics, as if the callers had made a mistake (gcc bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <type_traits>

#define STRUCTTENSOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,lzcnt,popcnt")))

namespace structtensor::wire_internal::kernels {
namespace {

alignas(64) constexpr uint8_t kPositions[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

// The continuation bits of the 64 bytes.
STRUCTTENSOR_AVX512 inline uint64_t HighBits(__m512i bytes) { return _mm512_movepi8_mask(bytes); }

STRUCTTENSOR_AVX512 size_t Count(const uint8_t* p, size_t size_bytes) {
  size_t continues = 0;
  size_t i = 0;
  for (; i + 64 <= size_bytes; i += 64) continues += static_cast<size_t>(_mm_popcnt_u64(HighBits(_mm512_loadu_si512(p + i))));
  if (const size_t rest = size_bytes - i; rest != 0) {
    const uint64_t bytes_of_run = BytesOfRun(static_cast<ptrdiff_t>(rest));
    continues += static_cast<size_t>(_mm_popcnt_u64(HighBits(_mm512_maskz_loadu_epi8(bytes_of_run, p + i))));
  }
  return size_bytes - continues;
}

// How the lanes of `To` are made. `kCount` values fill a vector.
template <typename To, size_t kSizeBytes = sizeof(typename To::Type)>
struct Lanes;

template <typename To>
struct Lanes<To, 4> {
  static constexpr ptrdiff_t kCount = 16;

  STRUCTTENSOR_AVX512 static __m512i Widen(const uint8_t* p) {
    return ZigZag(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }

  // For each byte of a vector of 16 lanes: the number of its varint, and the number of the byte within that varint.
  STRUCTTENSOR_AVX512 static __m512i VarintOfByte() {
    return _mm512_set_epi32(0x0f0f0f0f, 0x0e0e0e0e, 0x0d0d0d0d, 0x0c0c0c0c, 0x0b0b0b0b, 0x0a0a0a0a, 0x09090909, 0x08080808,
                            0x07070707, 0x06060606, 0x05050505, 0x04040404, 0x03030303, 0x02020202, 0x01010101, 0x00000000);
  }
  STRUCTTENSOR_AVX512 static __m512i ByteOfVarint() { return _mm512_set1_epi32(0x03020100); }

  // The values of the varints whose bytes are at `positions` of `block`. `some_long`: some varints may have more than 4 bytes.
  // Of bytes 4 and later, only the low bits of byte 4 get into the low 32 bits.
  STRUCTTENSOR_AVX512 static __m512i Values(__m512i block, __m512i positions, bool some_long) {
    __m512i x = _mm512_permutexvar_epi8(positions, block);
    const __m512i stops = _mm512_andnot_si512(x, _mm512_set1_epi8(static_cast<char>(0x80)));
    const __m512i used = _mm512_xor_si512(stops, _mm512_sub_epi32(stops, _mm512_set1_epi32(1)));
    x = _mm512_and_si512(_mm512_and_si512(x, used), _mm512_set1_epi8(0x7f));
    x = _mm512_maddubs_epi16(_mm512_set1_epi16(static_cast<int16_t>(0x8001)), x);  // byte 0 + byte 1 * 2^7
    x = _mm512_madd_epi16(x, _mm512_set1_epi32(0x40000001));                       // half 0 + half 1 * 2^14
    if (some_long) {
      const __m512i byte4 = _mm512_permutexvar_epi8(_mm512_add_epi8(positions, _mm512_set1_epi8(4)), block);
      x = _mm512_mask_or_epi32(x, _mm512_testn_epi32_mask(stops, stops), x, _mm512_slli_epi32(byte4, 28));
    }
    return ZigZag(x);
  }

 private:
  STRUCTTENSOR_AVX512 static __m512i ZigZag(__m512i x) {
    if constexpr (std::is_unsigned_v<typename To::Type>) return x;
    const __m512i sign = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_and_si512(x, _mm512_set1_epi32(1)));
    return _mm512_xor_si512(_mm512_srli_epi32(x, 1), sign);
  }
};

template <typename To>
struct Lanes<To, 8> {
  static constexpr ptrdiff_t kCount = 8;

  STRUCTTENSOR_AVX512 static __m512i Widen(const uint8_t* p) {
    return ZigZag(_mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }

  STRUCTTENSOR_AVX512 static __m512i VarintOfByte() {
    return _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404, 0x0303030303030303,
                            0x0202020202020202, 0x0101010101010101, 0x0000000000000000);
  }
  STRUCTTENSOR_AVX512 static __m512i ByteOfVarint() { return _mm512_set1_epi64(0x0706050403020100); }

  // Like Values of the 32-bit lanes. `some_long`: some varints may have more than 8 bytes.
  STRUCTTENSOR_AVX512 static __m512i Values(__m512i block, __m512i positions, bool some_long) {
    __m512i x = _mm512_permutexvar_epi8(positions, block);
    const __m512i stops = _mm512_andnot_si512(x, _mm512_set1_epi8(static_cast<char>(0x80)));
    const __m512i used = _mm512_xor_si512(stops, _mm512_sub_epi64(stops, _mm512_set1_epi64(1)));
    x = _mm512_and_si512(_mm512_and_si512(x, used), _mm512_set1_epi8(0x7f));
    x = _mm512_maddubs_epi16(_mm512_set1_epi16(static_cast<int16_t>(0x8001)), x);
    x = _mm512_madd_epi16(x, _mm512_set1_epi32(0x40000001));
    // Two halves of 28 bits are left: bits 0 to 27 stay, the upper half moves down by 4.
    x = _mm512_or_si512(_mm512_and_si512(x, _mm512_set1_epi64(0x0fffffff)),
                        _mm512_and_si512(_mm512_srli_epi64(x, 4), _mm512_set1_epi64(0x00fffffff0000000)));
    if (some_long) {
      // Bytes 8 and 9 get into bits 0 to 15 of `rest`. Bit 63 of the value is bit 0 of byte 9, if byte 8 continues.
      const __m512i rest = _mm512_permutexvar_epi8(_mm512_add_epi8(positions, _mm512_set1_epi8(8)), block);
      const __m512i byte8 = _mm512_slli_epi64(rest, 56);
      const __m512i byte9 = _mm512_or_si512(_mm512_slli_epi64(rest, 55), _mm512_set1_epi64(0x7fffffffffffffff));
      x = _mm512_mask_or_epi64(x, _mm512_testn_epi64_mask(stops, stops), x, _mm512_and_si512(byte8, byte9));
    }
    return ZigZag(x);
  }

 private:
  STRUCTTENSOR_AVX512 static __m512i ZigZag(__m512i x) {
    if constexpr (std::is_unsigned_v<typename To::Type>) return x;
    const __m512i sign = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(x, _mm512_set1_epi64(1)));
    return _mm512_xor_si512(_mm512_srli_epi64(x, 1), sign);
  }
};

// Every store below writes one vector of 64 bytes. At least its first element is a value of the run. The slack after the run
// has room for the rest.

// For 64-bit types: decodes the `count` varints of up to 4 bytes that begin at the positions `firsts` of `block`. The values
// are made in 32-bit lanes and then widened.
template <typename To>
STRUCTTENSOR_AVX512 inline void UnpackUpToFour(__m512i block, __m512i firsts, ptrdiff_t count, typename To::Type* out) {
  using L = Lanes<std::conditional_t<std::is_signed_v<typename To::Type>, ToSint32, ToUint32>>;
  __m512i varint_of_byte = L::VarintOfByte();
  for (ptrdiff_t k = 0; k < count; k += L::kCount) {
    const __m512i positions = _mm512_add_epi8(_mm512_permutexvar_epi8(varint_of_byte, firsts), L::ByteOfVarint());
    const __m512i values = L::Values(block, positions, false);
    _mm512_storeu_si512(out + k, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(values)));
    // A branch instead of a masked store: masked stores take twice as long where runs are short.
    if (k + 8 < count) _mm512_storeu_si512(out + k + 8, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(values, 1)));
    varint_of_byte = _mm512_add_epi8(varint_of_byte, _mm512_set1_epi8(L::kCount));
  }
}

// Decodes a block with varints of any length, given the block's masks. Returns false if a varint has more than 10 bytes.
template <typename To>
STRUCTTENSOR_AVX512 inline bool UnpackLonger(__m512i block, __m512i firsts, ptrdiff_t count, uint64_t continues,
                                             uint64_t four_continue, typename To::Type* out) {
  using L = Lanes<To>;
  bool some_long = four_continue != 0;
  if (some_long) [[unlikely]] {
    const uint64_t eight_continue = four_continue & four_continue >> 4;
    if (HasTooLong(continues, eight_continue)) return false;
    if (L::kCount == 8) some_long = eight_continue != 0;
  }
  __m512i varint_of_byte = L::VarintOfByte();
  for (ptrdiff_t k = 0; k < count; k += L::kCount) {
    const __m512i positions = _mm512_add_epi8(_mm512_permutexvar_epi8(varint_of_byte, firsts), L::ByteOfVarint());
    _mm512_storeu_si512(out + k, L::Values(block, positions, some_long));
    varint_of_byte = _mm512_add_epi8(varint_of_byte, _mm512_set1_epi8(L::kCount));
  }
  return true;
}

template <typename To>
STRUCTTENSOR_AVX512 typename To::Type* Unpack(const uint8_t* p, const uint8_t* end, typename To::Type* out) {
  using L = Lanes<To>;
  if (IsOneVarint(p, end - p)) {
    *out = To::From(_pext_u64(Load<uint64_t>(p), 0x7f7f7f7f7f7f7f7f >> (64 - 8 * (end - p))));
    return out + 1;
  }
  while (p < end) {
    const ptrdiff_t left_bytes = end - p;
    const __m512i block = _mm512_loadu_si512(p);
    const uint64_t bytes_of_run = BytesOfRun(left_bytes);
    const uint64_t continues = HighBits(block) & bytes_of_run;
    if (left_bytes > kShortRunBytes && continues == 0) {
      const ptrdiff_t count = left_bytes < kBlockBytes ? left_bytes : kBlockBytes;
      for (ptrdiff_t k = 0; k < count; k += L::kCount) _mm512_storeu_si512(out + k, L::Widen(p + k));
      p += count;
      out += count;
      continue;
    }
    const uint64_t stops = ~continues & bytes_of_run;
    if (stops == 0) return nullptr;
    const uint64_t two_continue = continues & continues >> 1;
    const uint64_t four_continue = two_continue & two_continue >> 2;
    // An incomplete varint at the block's end gets a position too, after the positions of the `count` complete varints.
    const __m512i firsts = _mm512_maskz_compress_epi8(stops << 1 | 1, _mm512_load_si512(kPositions));
    const ptrdiff_t count = static_cast<ptrdiff_t>(_mm_popcnt_u64(stops));
    if (L::kCount == 8 && four_continue == 0) {
      UnpackUpToFour<To>(block, firsts, count, out);
    } else {
      if (!UnpackLonger<To>(block, firsts, count, continues, four_continue, out)) return nullptr;
    }
    p += 64 - static_cast<ptrdiff_t>(_lzcnt_u64(stops));
    out += count;
  }
  return out;
}

// Almost every bool is one byte, so longer bools are read one by one.
STRUCTTENSOR_AVX512 uint8_t* UnpackBool(const uint8_t* p, const uint8_t* end, uint8_t* out) {
  while (p < end) {
    // Takes the one-byte varints up to the next longer varint, if there is one.
    const ptrdiff_t left_bytes = end - p;
    const __m512i bytes = _mm512_loadu_si512(p);
    _mm512_storeu_si512(out, _mm512_min_epu8(bytes, _mm512_set1_epi8(1)));
    ptrdiff_t count = static_cast<ptrdiff_t>(_tzcnt_u64(HighBits(bytes)));
    if (count > left_bytes) count = left_bytes;
    p += count;
    out += count;
    if (count == kBlockBytes || p == end) continue;
    const Varint varint = ReadVarint(p);
    if (varint.next == nullptr) return nullptr;
    p = varint.next;
    *out++ = varint.value != 0;
  }
  return p == end ? out : nullptr;
}

}  // namespace

constinit const PackedFunctions kAvx512Functions = {
    Count, Unpack<ToUint32>, Unpack<ToUint64>, Unpack<ToSint32>, Unpack<ToSint64>, UnpackBool};

}  // namespace structtensor::wire_internal::kernels

#endif  // STRUCTTENSOR_X86_KERNELS
