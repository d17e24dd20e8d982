#include "structtensor/core/base/shared/printable_path.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "structtensor/core/base/internal/utf8_sequence.h"

namespace structtensor::base_internal {
namespace {

void AppendHex(std::string_view bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  }
}

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Whether `text` begins as AppendHex writes a byte.
bool BeginsWithHex(std::string_view text) {
  return text.size() >= 4 && text.starts_with("\\x") && IsHexDigit(text[2]) && IsHexDigit(text[3]);
}

// `sequence` is well-formed UTF-8 of one character that is not ASCII.
bool IsControl(std::string_view sequence) {
  const std::string_view c1_begin = "\xc2\x80", c1_end = "\xc2\x9f";                      // U+0080 to U+009F
  const std::string_view lines_begin = "\xe2\x80\xa8", lines_end = "\xe2\x80\xae";        // U+2028 to U+202E
  const std::string_view isolates_begin = "\xe2\x81\xa6", isolates_end = "\xe2\x81\xa9";  // U+2066 to U+2069
  return (sequence >= c1_begin && sequence <= c1_end) || (sequence >= lines_begin && sequence <= lines_end) ||
         (sequence >= isolates_begin && sequence <= isolates_end);
}

bool IsAsciiControl(char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string PrintablePath(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const char first = path.front();
    const bool ascii = static_cast<uint8_t>(first) < 0x80;
    const size_t sequence_bytes = ascii ? 1 : Utf8SequenceSizeBytes(path);
    const std::string_view taken = path.substr(0, std::max<size_t>(sequence_bytes, 1));
    const bool shown = ascii ? !IsAsciiControl(first) && !BeginsWithHex(path) : sequence_bytes > 0 && !IsControl(taken);
    if (shown) {
      result += taken;
    } else {
      AppendHex(taken, result);
    }
    path.remove_prefix(taken.size());
  }
  return result;
}

std::string WithoutControlCharacters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char first = text.front();
    const bool ascii = static_cast<uint8_t>(first) < 0x80;
    const std::string_view taken = text.substr(0, ascii ? 1 : std::max<size_t>(Utf8SequenceSizeBytes(text), 1));
    if (ascii ? IsAsciiControl(first) && first != '\n' && first != '\t' : IsControl(taken)) {
      AppendHex(taken, result);
    } else {
      result += taken;
    }
    text.remove_prefix(taken.size());
  }
  return result;
}

}  // namespace structtensor::base_internal
