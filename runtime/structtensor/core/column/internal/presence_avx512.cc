#include "structtensor/core/column/internal/presence.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if !defined(__clang__)
// gcc 12 warns about undefined operands inside its own intrinsics, as if the callers had made a mistake (gcc bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include <algorithm>

#include "structtensor/core/base/abi/cpu.h"

#define STRUCTTENSOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

namespace structtensor::column_internal {
namespace {

STRUCTTENSOR_AVX512 InAnyAndAll Summarise(const uint64_t* words, uint32_t nrows) {
  __m512i any = _mm512_setzero_si512();
  __m512i all = _mm512_set1_epi64(-1);
  for (uint32_t begin = 0; begin < nrows; begin += 8) {
    const auto rows = static_cast<__mmask8>(nrows - begin < 8 ? (1u << (nrows - begin)) - 1 : 0xff);
    const __m512i block = _mm512_loadu_si512(words + begin);
    any = _mm512_mask_or_epi64(any, rows, any, block);
    all = _mm512_mask_and_epi64(all, rows, all, block);
  }
  return {static_cast<uint64_t>(_mm512_reduce_or_epi64(any)), static_cast<uint64_t>(_mm512_reduce_and_epi64(all))};
}

STRUCTTENSOR_AVX512 uint32_t ListRows(const uint64_t* words, uint64_t mask, uint32_t nrows, uint64_t* validity,
                                      uint32_t* rows) {
  const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(mask));
  const __m512i sixteen = _mm512_set1_epi32(16);
  __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  uint32_t* out = rows;
  for (uint32_t begin = 0; begin < nrows; begin += 64) {
    const uint32_t size = std::min<uint32_t>(64, nrows - begin);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i += 8) {
      bits |= static_cast<uint64_t>(_mm512_test_epi64_mask(_mm512_loadu_si512(words + begin + i), wanted)) << i;
    }
    if (size < 64) bits &= (uint64_t{1} << size) - 1;
    validity[begin / 64] = bits;
    for (uint32_t i = 0; i < size; i += 16) {
      const __mmask16 present = static_cast<__mmask16>(bits >> i);
      _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(present, numbers));
      out += _mm_popcnt_u32(present);
      numbers = _mm512_add_epi32(numbers, sixteen);
    }
  }
  return static_cast<uint32_t>(out - rows);
}

STRUCTTENSOR_AVX512 void Separate1(uint8_t* values, const uint64_t* validity, uint32_t nrows, uint8_t* compact) {
  for (uint32_t begin = 0; begin < nrows; begin += 64) {
    const __mmask64 present = validity[begin / 64];
    const __m512i block = _mm512_loadu_si512(values + begin);
    _mm512_storeu_si512(compact, _mm512_maskz_compress_epi8(present, block));
    _mm512_storeu_si512(values + begin, _mm512_maskz_mov_epi8(present, block));
    compact += _mm_popcnt_u64(present);
  }
}

STRUCTTENSOR_AVX512 void Separate4(uint32_t* values, const uint64_t* validity, uint32_t nrows, uint32_t* compact) {
  for (uint32_t begin = 0; begin < nrows; begin += 16) {
    const __mmask16 present = static_cast<__mmask16>(validity[begin / 64] >> begin % 64);
    const __m512i block = _mm512_loadu_si512(values + begin);
    _mm512_storeu_si512(compact, _mm512_maskz_compress_epi32(present, block));
    _mm512_storeu_si512(values + begin, _mm512_maskz_mov_epi32(present, block));
    compact += _mm_popcnt_u32(present);
  }
}

STRUCTTENSOR_AVX512 void Separate8(uint64_t* values, const uint64_t* validity, uint32_t nrows, uint64_t* compact) {
  for (uint32_t begin = 0; begin < nrows; begin += 8) {
    const __mmask8 present = static_cast<__mmask8>(validity[begin / 64] >> begin % 64);
    const __m512i block = _mm512_loadu_si512(values + begin);
    _mm512_storeu_si512(compact, _mm512_maskz_compress_epi64(present, block));
    _mm512_storeu_si512(values + begin, _mm512_maskz_mov_epi64(present, block));
    compact += _mm_popcnt_u32(present);
  }
}

constinit const PresenceFunctions kFunctions = {Summarise, ListRows, Separate1, Separate4, Separate8};

}  // namespace

const PresenceFunctions* Avx512Presence() {
  return base_internal::BestCpuLevel() >= base_internal::CpuLevel::kAvx512 ? &kFunctions : nullptr;
}

}  // namespace structtensor::column_internal

#else

namespace structtensor::column_internal {

const PresenceFunctions* Avx512Presence() { return nullptr; }

}  // namespace structtensor::column_internal

#endif
