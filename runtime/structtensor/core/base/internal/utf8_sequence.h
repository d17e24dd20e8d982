// Well-formed UTF-8.
#ifndef STRUCTTENSOR_CORE_BASE_INTERNAL_UTF8_SEQUENCE_H_
#define STRUCTTENSOR_CORE_BASE_INTERNAL_UTF8_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace structtensor::base_internal {

// Returns the size of the well-formed UTF-8 sequence at the start of `text`, or 0 if there is none. Requires: `text` starts
// with a byte of 0x80 or more. The table is that of the Unicode standard, chapter 3, "Well-Formed UTF-8 Byte Sequences".
inline size_t Utf8SequenceSizeBytes(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto continues = [&](size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const uint8_t first = byte(0);
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;  // shorter forms exist
    if (first == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_INTERNAL_UTF8_SEQUENCE_H_
