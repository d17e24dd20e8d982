// The kernel for packed runs with AVX2 and BMI2. What it does with a block of up to 64 bytes depends on the longest varint in
// it:
//   1 byte         widens bytes to values
//   up to 2 or 4   decodes at every byte as if a varint began there, eight bytes a step, and keeps the lanes where one does
//   longer         PEXT decodes varint by varint, without a branch on their lengths
// With AC 02 05 07 and varints of up to 2 bytes:
//   lanes      AC 02 | 02 05 | 05 07 | 07 xx       each byte and the one after it
//   values     300   | 2     | 5     | 7           the second byte counts where the first one continues
//   begins     1       0       1       1           an index into kCompress, whose PSHUFB closes the gap
//   kept       300   | 5     | 7
// So no step waits for the lengths of earlier varints. Only the place in the output depends on how many varints came before.
#include "structtensor/core/wire/internal/packed_kernels.h"

#ifdef STRUCTTENSOR_X86_KERNELS
#include <immintrin.h>

#include <array>
#include <type_traits>

#define STRUCTTENSOR_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

namespace structtensor::wire_internal::kernels {
namespace {

STRUCTTENSOR_AVX2 inline __m256i Load32Bytes(const uint8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

STRUCTTENSOR_AVX2 inline uint32_t HighBits(const uint8_t* p) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(Load32Bytes(p)));
}

STRUCTTENSOR_AVX2 size_t Count(const uint8_t* p, size_t size_bytes) {
  size_t continues = 0;
  size_t i = 0;
  for (; i + 32 <= size_bytes; i += 32) continues += static_cast<size_t>(_mm_popcnt_u32(HighBits(p + i)));
  for (; i < size_bytes; ++i) continues += p[i] >> 7;
  return size_bytes - continues;
}

STRUCTTENSOR_AVX2 inline uint64_t Continues(const uint8_t* p, ptrdiff_t left_bytes) {
  uint64_t mask = HighBits(p);
  if (left_bytes > 32) mask |= static_cast<uint64_t>(HighBits(p + 32)) << 32;
  return mask & BytesOfRun(left_bytes);
}

// For each set of eight lanes of two bytes, the PSHUFB that moves these lanes to the front.
struct alignas(16) Shuffle {
  uint8_t bytes[16];
};

constexpr std::array<Shuffle, 256> MakeCompress() {
  std::array<Shuffle, 256> table{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned count = 0;
    for (uint8_t lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) == 0) continue;
      table[set].bytes[2 * count] = 2 * lane;
      table[set].bytes[2 * count + 1] = 2 * lane + 1;
      ++count;
    }
  }
  return table;
}

constexpr std::array<Shuffle, 256> kCompress = MakeCompress();

STRUCTTENSOR_AVX2 inline __m128i Compress(uint8_t set) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(kCompress[set].bytes));
}

template <typename To>
inline constexpr bool kZigZag = std::is_signed_v<typename To::Type>;

// Each of the functions below writes eight values, at most 64 bytes.

// The one-byte varints at `p`.
template <typename To>
STRUCTTENSOR_AVX2 inline void WidenEight(const uint8_t* p, typename To::Type* out) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  // Zigzag is undone while the values are still bytes: (v >> 1) ^ -(v & 1). The signed widening below then extends the sign.
  __m128i values = bytes;
  if (kZigZag<To>) {
    const __m128i half = _mm_and_si128(_mm_srli_epi16(bytes, 1), _mm_set1_epi8(0x3f));
    const __m128i sign = _mm_sub_epi8(_mm_setzero_si128(), _mm_and_si128(bytes, _mm_set1_epi8(1)));
    values = _mm_xor_si128(half, sign);
  }
  __m256i* const to = reinterpret_cast<__m256i*>(out);
  if constexpr (sizeof(typename To::Type) == 4) {
    _mm256_storeu_si256(to, _mm256_cvtepi8_epi32(values));
  } else {
    _mm256_storeu_si256(to, _mm256_cvtepi8_epi64(values));
    _mm256_storeu_si256(to + 1, _mm256_cvtepi8_epi64(_mm_srli_si128(values, 4)));
  }
}

// Lanes of two bytes with values of up to 14 bits.
template <typename To>
STRUCTTENSOR_AVX2 inline void StoreEight(__m128i values, typename To::Type* out) {
  if (kZigZag<To>) {
    const __m128i sign = _mm_sub_epi16(_mm_setzero_si128(), _mm_and_si128(values, _mm_set1_epi16(1)));
    values = _mm_xor_si128(_mm_srli_epi16(values, 1), sign);
  }
  __m256i* const to = reinterpret_cast<__m256i*>(out);
  if constexpr (sizeof(typename To::Type) == 4) {
    _mm256_storeu_si256(to, _mm256_cvtepi16_epi32(values));
  } else {
    _mm256_storeu_si256(to, _mm256_cvtepi16_epi64(values));
    _mm256_storeu_si256(to + 1, _mm256_cvtepi16_epi64(_mm_srli_si128(values, 8)));
  }
}

// Lanes of four bytes with values of up to 28 bits.
template <typename To>
STRUCTTENSOR_AVX2 inline void StoreEight(__m256i values, typename To::Type* out) {
  if (kZigZag<To>) {
    const __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(values, _mm256_set1_epi32(1)));
    values = _mm256_xor_si256(_mm256_srli_epi32(values, 1), sign);
  }
  __m256i* const to = reinterpret_cast<__m256i*>(out);
  if constexpr (sizeof(typename To::Type) == 4) {
    _mm256_storeu_si256(to, values);
  } else {
    _mm256_storeu_si256(to, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(values)));
    _mm256_storeu_si256(to + 1, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(values, 1)));
  }
}

// Decodes the varints of up to 2 bytes whose first bytes are marked in `begins`. All of them are within [p, p + size_bytes).
template <typename To>
STRUCTTENSOR_AVX2 inline void UnpackUpToTwo(const uint8_t* p, ptrdiff_t size_bytes, uint64_t begins, typename To::Type* out) {
  for (ptrdiff_t i = 0; i < size_bytes; i += 16) {
    const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i + 1));
    const __m128i low = _mm_and_si128(first, _mm_set1_epi8(0x7f));
    const __m128i high = _mm_and_si128(second, _mm_cmpgt_epi8(_mm_setzero_si128(), first));
    const __m128i scale = _mm_set1_epi16(static_cast<int16_t>(0x8001));  // low + high * 2^7
    const __m128i values0 = _mm_maddubs_epi16(scale, _mm_unpacklo_epi8(low, high));
    const __m128i values1 = _mm_maddubs_epi16(scale, _mm_unpackhi_epi8(low, high));
    const auto begins0 = static_cast<uint8_t>(begins);
    const auto begins1 = static_cast<uint8_t>(begins >> 8);
    StoreEight<To>(_mm_shuffle_epi8(values0, Compress(begins0)), out);
    if (i + 8 >= size_bytes) return;
    out += _mm_popcnt_u32(begins0);
    StoreEight<To>(_mm_shuffle_epi8(values1, Compress(begins1)), out);
    out += _mm_popcnt_u32(begins1);
    begins >>= 16;
  }
}

// Like UnpackUpToTwo, for varints of up to 4 bytes.
template <typename To>
STRUCTTENSOR_AVX2 inline void UnpackUpToFour(const uint8_t* p, ptrdiff_t size_bytes, uint64_t begins, typename To::Type* out) {
  // One lane for each of eight positions: the four bytes that start there.
  const __m256i spread = _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,  //
                                          4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
  for (ptrdiff_t i = 0; i < size_bytes; i += 8) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    __m256i x = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), spread);
    const __m256i stops = _mm256_andnot_si256(x, _mm256_set1_epi8(static_cast<char>(0x80)));
    const __m256i used = _mm256_xor_si256(stops, _mm256_sub_epi32(stops, _mm256_set1_epi32(1)));
    x = _mm256_and_si256(_mm256_and_si256(x, used), _mm256_set1_epi8(0x7f));
    x = _mm256_maddubs_epi16(_mm256_set1_epi16(static_cast<int16_t>(0x8001)), x);  // byte 0 + byte 1 * 2^7
    x = _mm256_madd_epi16(x, _mm256_set1_epi32(0x40000001));                       // half 0 + half 1 * 2^14
    // kCompress has the bytes 2k and 2k + 1 for lane k. VPERMD looks at three bits of each index. After the shift they are k.
    const auto eight = static_cast<uint8_t>(begins);
    const __m256i lanes = _mm256_srli_epi32(_mm256_cvtepu16_epi32(Compress(eight)), 1);
    StoreEight<To>(_mm256_permutevar8x32_epi32(x, lanes), out);
    out += _mm_popcnt_u32(eight);
    begins >>= 8;
  }
}

// Decodes the varints whose last bytes are marked in `stops`. The first varint starts at `p`. `kLong`: some varints may have
// more than 8 bytes, and the type needs bits from after the eighth byte.
template <typename To, bool kLong>
STRUCTTENSOR_AVX2 inline typename To::Type* UnpackBlock(const uint8_t* p, uint64_t stops, typename To::Type* out) {
  ptrdiff_t begin = 0;
  do {
    const ptrdiff_t next = static_cast<ptrdiff_t>(_tzcnt_u64(stops)) + 1;
    // BZHI keeps the whole mask where the index is 64 or more.
    const uint64_t groups = _bzhi_u64(0x7f7f7f7f7f7f7f7f, static_cast<uint32_t>(8 * (next - begin)));
    uint64_t value = _pext_u64(Load<uint64_t>(p + begin), groups);
    if (kLong) value |= TopBits(p + begin, next - begin);
    *out++ = To::From(value);
    begin = next;
    stops = _blsr_u64(stops);
  } while (stops != 0);
  return out;
}

template <typename To>
STRUCTTENSOR_AVX2 typename To::Type* Unpack(const uint8_t* p, const uint8_t* end, typename To::Type* out) {
  if (IsOneVarint(p, end - p)) {
    *out = To::From(_pext_u64(Load<uint64_t>(p), 0x7f7f7f7f7f7f7f7f >> (64 - 8 * (end - p))));
    return out + 1;
  }
  while (p < end) {
    const ptrdiff_t left_bytes = end - p;
    const ptrdiff_t block_bytes = left_bytes < kBlockBytes ? left_bytes : kBlockBytes;
    const uint64_t continues = Continues(p, left_bytes);
    // In a short run, a mispredicted branch costs more than this shortcut saves.
    if (left_bytes > kShortRunBytes && continues == 0) {
      // Writes eight values at a time. The slack has room for what is written beyond the run.
      for (ptrdiff_t k = 0; k < block_bytes; k += 8) WidenEight<To>(p + k, out + k);
      p += block_bytes;
      out += block_bytes;
      continue;
    }
    const uint64_t stops = ~continues & BytesOfRun(left_bytes);
    if (stops == 0) return nullptr;
    const auto past_last_stop = static_cast<uint32_t>(64 - _lzcnt_u64(stops));
    const uint64_t two_continue = continues & continues >> 1;
    const uint64_t four_continue = two_continue & two_continue >> 2;
    if (four_continue == 0) {
      const uint64_t begins = _bzhi_u64(stops << 1 | 1, past_last_stop);
      if (two_continue == 0) {
        UnpackUpToTwo<To>(p, block_bytes, begins, out);
      } else {
        UnpackUpToFour<To>(p, block_bytes, begins, out);
      }
      out += _mm_popcnt_u64(stops);
    } else {
      const uint64_t eight_continue = four_continue & four_continue >> 4;
      if (HasTooLong(continues, eight_continue)) return nullptr;
      if (sizeof(typename To::Type) == 8 && eight_continue != 0) {
        out = UnpackBlock<To, true>(p, stops, out);
      } else {
        out = UnpackBlock<To, false>(p, stops, out);
      }
    }
    p += past_last_stop;
  }
  return out;
}

// Almost every bool is one byte, so longer bools are read one by one.
STRUCTTENSOR_AVX2 uint8_t* UnpackBool(const uint8_t* p, const uint8_t* end, uint8_t* out) {
  while (p < end) {
    // Takes the one-byte varints up to the next longer varint, if there is one.
    const ptrdiff_t left_bytes = end - p;
    const __m256i bytes = Load32Bytes(p);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_min_epu8(bytes, _mm256_set1_epi8(1)));
    ptrdiff_t count =
        static_cast<ptrdiff_t>(_tzcnt_u64(static_cast<uint32_t>(_mm256_movemask_epi8(bytes)) | uint64_t{1} << 32));
    if (count > left_bytes) count = left_bytes;
    p += count;
    out += count;
    if (count == 32 || p == end) continue;
    const Varint varint = ReadVarint(p);
    if (varint.next == nullptr) return nullptr;
    p = varint.next;
    *out++ = varint.value != 0;
  }
  return p == end ? out : nullptr;
}

}  // namespace

constinit const PackedFunctions kAvx2Functions = {
    Count, Unpack<ToUint32>, Unpack<ToUint64>, Unpack<ToSint32>, Unpack<ToSint64>, UnpackBool};

}  // namespace structtensor::wire_internal::kernels

#endif  // STRUCTTENSOR_X86_KERNELS
