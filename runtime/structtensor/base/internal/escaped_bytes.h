// Finds the bytes of a text that cannot be copied into JSON unchecked.
#ifndef STRUCTTENSOR_BASE_INTERNAL_ESCAPED_BYTES_H_
#define STRUCTTENSOR_BASE_INTERNAL_ESCAPED_BYTES_H_

#include <cstdint>

#if defined(__SSE2__)  // part of x86-64
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace structtensor::base_internal {

// One bit for each of the 16 bytes at `text`: 1 for a control character, for non-ASCII, and, with kQuotes, for a quote or a
// backslash.
template <bool kQuotes>
uint32_t EscapedBytes(const char* text) {
#if defined(__SSE2__)
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  // As signed numbers, bytes of 0x80 and more are less than a space, too.
  __m128i escaped = _mm_or_si128(_mm_cmplt_epi8(block, _mm_set1_epi8(0x20)), _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f)));
  if (kQuotes) {
    escaped = _mm_or_si128(escaped,
                           _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
  }
  return static_cast<uint32_t>(_mm_movemask_epi8(escaped));
#elif defined(__aarch64__)
  const int8x16_t block = vld1q_s8(reinterpret_cast<const int8_t*>(text));
  uint8x16_t escaped = vorrq_u8(vcltq_s8(block, vdupq_n_s8(0x20)), vceqq_s8(block, vdupq_n_s8(0x7f)));
  if (kQuotes) {
    escaped = vorrq_u8(escaped, vorrq_u8(vceqq_s8(block, vdupq_n_s8('"')), vceqq_s8(block, vdupq_n_s8('\\'))));
  }
  // Each escaped byte becomes the bit of its place. The sum of each half then has the bits of all its bytes.
  constexpr uint8_t kPlaces[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t places = vandq_u8(escaped, vld1q_u8(kPlaces));
  return static_cast<uint32_t>(vaddv_u8(vget_low_u8(places))) | static_cast<uint32_t>(vaddv_u8(vget_high_u8(places))) << 8;
#else
  uint32_t escaped = 0;
  for (uint32_t i = 0; i < 16; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool is_escaped = byte < 0x20 || byte >= 0x7f || (kQuotes && (byte == '"' || byte == '\\'));
    escaped |= static_cast<uint32_t>(is_escaped) << i;
  }
  return escaped;
#endif
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_BASE_INTERNAL_ESCAPED_BYTES_H_
