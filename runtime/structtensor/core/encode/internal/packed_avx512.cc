// The kernel for packed runs with AVX-512 VBMI and VBMI2: 16 values of up to 28 bits at a time, or 8 of up to 56.
//
//   1. VPMULTISHIFTQB takes the eight bits from bit 0, 7, 14, ... on of each lane, a byte each. Their top bits are cleared.
//   2. VPLZCNT shows how many bytes of a lane are used. All of these except the last get the continuation bit.
//   3. VPCOMPRESSB moves the used bytes together.
// With the 32-bit values 5, 300 and 7:
//   spread      05 00 00 00 | 2C 02 00 00 | 07 00 00 00
//   used        ^^          | ^^ ^^       | ^^
//   compressed  05 AC 02 07
// Blocks with longer values are written in halves. Blocks with values of more than 56 bits are written value by value.
#include "structtensor/core/encode/abi/packed.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if !defined(__clang__)
// gcc 12 warns about undefined operands inside its own intrinsics, as if the callers had made a mistake (gcc bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/wire/abi/kinds.h"

#define STRUCTTENSOR_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512cd,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,lzcnt,popcnt")))

namespace structtensor::encode_internal::kernels {
namespace {

// Writes the bytes of `bytes` whose top bit is set in `used`.
STRUCTTENSOR_AVX512 inline uint8_t* WriteUsed(uint8_t* p, __m512i bytes, __m512i used) {
  const __mmask64 mask = _mm512_movepi8_mask(used);
  p -= _mm_popcnt_u64(mask);
  _mm512_mask_storeu_epi8(p, _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(_mm_popcnt_u64(mask))),
                          _mm512_maskz_compress_epi8(mask, bytes));
  return p;
}

// Writes the values in the lanes of `lanes`, which have at most 28 bits.
STRUCTTENSOR_AVX512 inline uint8_t* Write16(uint8_t* p, __m512i values, __mmask16 lanes) {
  const __m512i first_bits = _mm512_set1_epi64(0x352e2720150e0700);
  const __m512i bytes = _mm512_and_si512(_mm512_multishift_epi64_epi8(first_bits, values), _mm512_set1_epi8(0x7f));
  const __m512i unused_bits =
      _mm512_and_si512(_mm512_lzcnt_epi32(_mm512_or_si512(bytes, _mm512_set1_epi32(1))), _mm512_set1_epi32(0x18));
  const __m512i used = _mm512_maskz_srlv_epi32(lanes, _mm512_set1_epi32(-1), unused_bits);
  const __m512i continues = _mm512_and_si512(_mm512_srli_epi32(used, 8), _mm512_set1_epi8(static_cast<char>(0x80)));
  return WriteUsed(p, _mm512_or_si512(bytes, continues), used);
}

// Like Write16, for values of at most 56 bits.
STRUCTTENSOR_AVX512 inline uint8_t* Write8(uint8_t* p, __m512i values, __mmask8 lanes) {
  const __m512i first_bits = _mm512_set1_epi64(0x312a231c150e0700);
  const __m512i bytes = _mm512_and_si512(_mm512_multishift_epi64_epi8(first_bits, values), _mm512_set1_epi8(0x7f));
  const __m512i unused_bits =
      _mm512_and_si512(_mm512_lzcnt_epi64(_mm512_or_si512(bytes, _mm512_set1_epi64(1))), _mm512_set1_epi64(0x38));
  const __m512i used = _mm512_maskz_srlv_epi64(lanes, _mm512_set1_epi64(-1), unused_bits);
  const __m512i continues = _mm512_and_si512(_mm512_srli_epi64(used, 8), _mm512_set1_epi8(static_cast<char>(0x80)));
  return WriteUsed(p, _mm512_or_si512(bytes, continues), used);
}

template <typename Kind>
uint8_t* WriteSingly(uint8_t* p, const typename Kind::Type* begin, const typename Kind::Type* end) {
  while (end != begin) p = WriteAnyVarint(p, Kind::ToWire(*--end));
  return p;
}

template <typename Kind>
struct Lanes;

template <>
struct Lanes<wire_internal::Uint32> {
  STRUCTTENSOR_AVX512 static __m512i ToWire(__m512i x) { return x; }
  STRUCTTENSOR_AVX512 static __m512i Widen(__m256i x) { return _mm512_cvtepu32_epi64(x); }
};
template <>
struct Lanes<wire_internal::Int32> : Lanes<wire_internal::Uint32> {
  STRUCTTENSOR_AVX512 static __m512i Widen(__m256i x) { return _mm512_cvtepi32_epi64(x); }
};
template <>
struct Lanes<wire_internal::Sint32> : Lanes<wire_internal::Uint32> {
  STRUCTTENSOR_AVX512 static __m512i ToWire(__m512i x) {
    return _mm512_xor_si512(_mm512_add_epi32(x, x), _mm512_srai_epi32(x, 31));
  }
};
template <>
struct Lanes<wire_internal::Uint64> {
  STRUCTTENSOR_AVX512 static __m512i ToWire(__m512i x) { return x; }
};
template <>
struct Lanes<wire_internal::Sint64> {
  STRUCTTENSOR_AVX512 static __m512i ToWire(__m512i x) {
    return _mm512_xor_si512(_mm512_add_epi64(x, x), _mm512_srai_epi64(x, 63));
  }
};

// How far in front of the current block values are prefetched. The runs of a column follow each other, and each is read
// from its end, which processors do not foresee (with prefetching, made-up tiles are 2.7 times as fast).
constexpr ptrdiff_t kPrefetchBytes = 1024;

// Whether a 64-bit lane has more than 28 bits.
STRUCTTENSOR_AVX512 inline bool Exceed28Bits(__m512i x) {
  return _mm512_test_epi64_mask(x, _mm512_set1_epi64(~int64_t{0x0fffffff})) != 0;
}
STRUCTTENSOR_AVX512 inline bool Exceed56Bits(__m512i x) {
  return _mm512_test_epi64_mask(x, _mm512_set1_epi64(~int64_t{0x00ffffffffffffff})) != 0;
}

// Writes blocks of 16 values from the end of the run. The last block, at the beginning of the run, may have fewer.
template <typename Kind>
STRUCTTENSOR_AVX512 uint8_t* Write32(uint8_t* p, const typename Kind::Type* begin, const typename Kind::Type* end) {
  using L = Lanes<Kind>;
  while (end != begin) {
    const ptrdiff_t count = end - begin < 16 ? end - begin : 16;
    const __mmask16 lanes = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<uint32_t>(count)));
    end -= count;
    _mm_prefetch(reinterpret_cast<const char*>(end) - kPrefetchBytes, _MM_HINT_T0);
    const __m512i x = L::ToWire(_mm512_maskz_loadu_epi32(lanes, end));
    if (_mm512_test_epi32_mask(x, _mm512_set1_epi32(static_cast<int>(0xf0000000))) == 0) [[likely]] {
      p = Write16(p, x, lanes);
      continue;
    }
    const __m512i low = L::Widen(_mm512_castsi512_si256(x));
    const __m512i high = L::Widen(_mm512_extracti64x4_epi64(x, 1));
    if (Exceed56Bits(_mm512_or_si512(low, high))) {
      p = WriteSingly<Kind>(p, end, end + count);
    } else {
      p = Write8(p, high, static_cast<__mmask8>(lanes >> 8));
      p = Write8(p, low, static_cast<__mmask8>(lanes));
    }
  }
  return p;
}

template <typename Kind>
STRUCTTENSOR_AVX512 uint8_t* Write64(uint8_t* p, const typename Kind::Type* begin, const typename Kind::Type* end) {
  using L = Lanes<Kind>;
  while (end != begin) {
    const ptrdiff_t count = end - begin < 16 ? end - begin : 16;
    const __mmask16 lanes = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<uint32_t>(count)));
    end -= count;
    _mm_prefetch(reinterpret_cast<const char*>(end) - kPrefetchBytes, _MM_HINT_T0);
    const __m512i low = L::ToWire(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), end));
    const __m512i high = L::ToWire(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes >> 8), end + 8));
    const __m512i all = _mm512_or_si512(low, high);
    if (!Exceed28Bits(all)) [[likely]] {
      p = Write16(p, _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)), _mm512_cvtepi64_epi32(high), 1),
                  lanes);
    } else if (Exceed56Bits(all)) {
      p = WriteSingly<Kind>(p, end, end + count);
    } else {
      p = Write8(p, high, static_cast<__mmask8>(lanes >> 8));
      p = Write8(p, low, static_cast<__mmask8>(lanes));
    }
  }
  return p;
}

}  // namespace

constinit const PackedWriters kAvx512Writers = {Write32<wire_internal::Int32>, Write32<wire_internal::Uint32>,
                                                Write32<wire_internal::Sint32>, Write64<wire_internal::Uint64>,
                                                Write64<wire_internal::Sint64>};

}  // namespace structtensor::encode_internal::kernels

#endif  // defined(__x86_64__) && defined(__GNUC__)
