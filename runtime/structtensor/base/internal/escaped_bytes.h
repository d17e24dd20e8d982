// Which bytes of a text JSON cannot have as they are.
#ifndef STRUCTTENSOR_BASE_INTERNAL_ESCAPED_BYTES_H_
#define STRUCTTENSOR_BASE_INTERNAL_ESCAPED_BYTES_H_

#ifdef __SSE2__  // part of x86-64
#include <emmintrin.h>

#include <cstdint>

namespace structtensor::base_internal {

// A bit for each of the 16 bytes at `text` that is a control character, no ASCII, or, with kQuotes, a quote or a backslash.
template <bool kQuotes>
uint32_t EscapedBytes(const char* text) {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  // Bytes of 0x80 and more are less than a space, too, as signed numbers.
  __m128i escaped = _mm_or_si128(_mm_cmplt_epi8(block, _mm_set1_epi8(0x20)), _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f)));
  if (kQuotes) {
    escaped = _mm_or_si128(escaped,
                           _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
  }
  return static_cast<uint32_t>(_mm_movemask_epi8(escaped));
}

}  // namespace structtensor::base_internal
#endif

#endif  // STRUCTTENSOR_BASE_INTERNAL_ESCAPED_BYTES_H_
