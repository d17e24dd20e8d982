// The kernel for packed runs with AVX2 and BMI2: vectors find where varints end and widen those of one byte; PEXT decodes the
// others, one a step, without a branch on their lengths.
#include "structtensor/wire/packed_kernels.h"

#ifdef STRUCTTENSOR_X86_KERNELS
#include <immintrin.h>

#include <type_traits>

#define STRUCTTENSOR_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

namespace structtensor::wire::internal {
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

// Writes the values of the eight one-byte varints at `p`.
template <typename To>
STRUCTTENSOR_AVX2 inline void WidenEight(const uint8_t* p, typename To::Type* out) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  // Zigzag while the values are bytes: (v >> 1) ^ -(v & 1), which a signed widening then extends.
  constexpr bool kZigZag = std::is_signed_v<typename To::Type>;
  __m128i values = bytes;
  if (kZigZag) {
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

// Decodes the varints whose last bytes are marked in `stops`, the first of which starts at `p`. `kLong`: some may have more
// than 8 bytes and the type wants bits of these.
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
  while (p < end) {
    const ptrdiff_t left_bytes = end - p;
    const uint64_t continues = Continues(p, left_bytes);
    if (continues == 0) {
      // Eight at a time: what is written beyond the run fits in the slack.
      const ptrdiff_t count = left_bytes < kBlockBytes ? left_bytes : kBlockBytes;
      for (ptrdiff_t k = 0; k < count; k += 8) WidenEight<To>(p + k, out + k);
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
    p += 64 - static_cast<ptrdiff_t>(_lzcnt_u64(stops));
  }
  return out;
}

// Almost every bool is one byte, so longer ones are read singly.
STRUCTTENSOR_AVX2 uint8_t* UnpackBool(const uint8_t* p, const uint8_t* end, uint8_t* out) {
  while (p < end) {
    // The one-byte varints in front of the next longer one, if any.
    const ptrdiff_t left_bytes = end - p;
    const __m256i bytes = Load32Bytes(p);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_min_epu8(bytes, _mm256_set1_epi8(1)));
    ptrdiff_t count =
        static_cast<ptrdiff_t>(_tzcnt_u64(static_cast<uint32_t>(_mm256_movemask_epi8(bytes)) | uint64_t{1} << 32));
    if (count > left_bytes) count = left_bytes;
    p += count;
    out += count;
    if (count == 32 || p == end) continue;
    uint64_t value;
    p = ReadVarint(p, &value);
    if (p == nullptr) return nullptr;
    *out++ = value != 0;
  }
  return p == end ? out : nullptr;
}

}  // namespace

constinit const PackedFunctions kAvx2Functions = {
    Count, Unpack<ToUint32>, Unpack<ToUint64>, Unpack<ToSint32>, Unpack<ToSint64>, UnpackBool};

}  // namespace structtensor::wire::internal

#endif  // STRUCTTENSOR_X86_KERNELS
