// Finds the bytes of a text that cannot be copied into JSON unchecked, and copies text with escapes.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_ESCAPED_BYTES_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_ESCAPED_BYTES_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)  // part of x86-64
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace structtensor::base_internal {

// One bit for each of the 16 bytes at `text`: 1 for a control character, with kNonAscii for non-ASCII, and with kQuotes for a
// quote or a backslash.
template <bool kQuotes, bool kNonAscii = true>
uint32_t EscapedBytes(const char* text) {
#if defined(__SSE2__)
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  // As signed numbers, bytes of 0x80 and more are less than a space, too.
  const __m128i control =
      kNonAscii ? _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)) : _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
  __m128i escaped = _mm_or_si128(control, _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f)));
  if (kQuotes) {
    escaped = _mm_or_si128(escaped,
                           _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
  }
  return static_cast<uint32_t>(_mm_movemask_epi8(escaped));
#elif defined(__aarch64__)
  const int8x16_t block = vld1q_s8(reinterpret_cast<const int8_t*>(text));
  const uint8x16_t control =
      kNonAscii ? vcltq_s8(block, vdupq_n_s8(0x20)) : vcltq_u8(vreinterpretq_u8_s8(block), vdupq_n_u8(0x20));
  uint8x16_t escaped = vorrq_u8(control, vceqq_s8(block, vdupq_n_s8(0x7f)));
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
    const bool is_escaped =
        byte < 0x20 || byte == 0x7f || (kNonAscii && byte > 0x7f) || (kQuotes && (byte == '"' || byte == '\\'));
    escaped |= static_cast<uint32_t>(is_escaped) << i;
  }
  return escaped;
#endif
}

// How JSON writes a byte that must be escaped.
struct Escape {
  char text[7];
  uint8_t size_bytes;
};

inline constexpr std::array<Escape, 128> kEscapes = [] {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::array<Escape, 128> escapes{};
  for (uint8_t c = 0; c < 128; ++c) {
    escapes[c] = {{'\\', 'u', '0', '0', kHexDigits[c >> 4], kHexDigits[c & 15]}, 6};
  }
  const auto short_form = [&escapes](char c, char letter) { escapes[static_cast<uint8_t>(c)] = {{'\\', letter}, 2}; };
  short_form('\n', 'n');
  short_form('\r', 'r');
  short_form('\t', 't');
  short_form('\b', 'b');
  short_form('\f', 'f');
  short_form('"', '"');
  short_form('\\', '\\');
  return escapes;
}();

// The most bytes that WriteEscaped writes for `size_bytes` bytes of text. It writes over some more bytes than it needs.
constexpr size_t EscapedRoomBytes(size_t size_bytes) { return 6 * size_bytes + 16; }

// Where WriteEscaped stopped, in the text and in the output.
struct Escaped {
  const char* next;
  char* out;
};

// Copies [text, end) to `out`, with escapes for control characters and, with kQuotes, for quotes and backslashes. With
// kStopAtNonAscii it stops at the first byte that is not ASCII; else it copies such bytes.
// Requires: 16 bytes after `end` can be read, and `out` has EscapedRoomBytes(end - text) bytes.
template <bool kQuotes, bool kStopAtNonAscii>
Escaped WriteEscaped(const char* text, const char* end, char* out) {
  while (text < end) {
    std::memcpy(out, text, 16);
    uint32_t escaped = EscapedBytes<kQuotes, kStopAtNonAscii>(text);
    const auto left = static_cast<size_t>(end - text);
    if (left < 16) escaped &= (uint32_t{1} << left) - 1;
    if (escaped == 0) {
      const size_t copied = left < 16 ? left : 16;
      text += copied;
      out += copied;
      continue;
    }
    const int plain = std::countr_zero(escaped);
    text += plain;
    out += plain;
    const auto byte = static_cast<uint8_t>(*text);
    if (kStopAtNonAscii && byte >= 0x80) break;
    const Escape& escape = kEscapes[byte];
    std::memcpy(out, &escape, sizeof(escape));
    out += escape.size_bytes;
    ++text;
  }
  return {text, out};
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_ESCAPED_BYTES_H_
