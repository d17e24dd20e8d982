#include "structtensor/base/internal/json_string.h"

#include <cstddef>
#include <cstdint>

#include "structtensor/base/internal/escaped_bytes.h"

namespace structtensor {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";  // U+FFFD

// Returns the size of the well-formed UTF-8 sequence at the start of `text`, or 0 if there is none. Requires: `text` starts
// with a byte of 0x80 or more. The table is that of the Unicode standard, chapter 3, "Well-Formed UTF-8 Byte Sequences".
size_t Utf8SequenceSizeBytes(std::string_view text) {
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

void AppendControlCharacter(uint8_t c, std::string& out) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      out += "\\u00";
      out += kHexDigits[c >> 4];
      out += kHexDigits[c & 15];
  }
}

// Returns how many bytes from `text` on need no escape, counted in blocks of 16 bytes. Up to 15 bytes more may need none.
template <bool kEscapeQuotes>
size_t PlainPrefixBytes(const char* text, size_t size_bytes) {
  size_t i = 0;
  while (i + 16 <= size_bytes && base_internal::EscapedBytes<kEscapeQuotes>(text + i) == 0) i += 16;
  return i;
}

// Appends each run of bytes that need no escape at once.
template <bool kEscapeQuotes>
void AppendEscaped(std::string_view text, std::string& out) {
  size_t run_begin = 0;
  size_t i = 0;
  const auto flush = [&](size_t next) {
    out.append(text, run_begin, i - run_begin);
    run_begin = i = next;
  };
  while (i < text.size()) {
    i += PlainPrefixBytes<kEscapeQuotes>(text.data() + i, text.size() - i);
    if (i == text.size()) break;
    const uint8_t c = static_cast<uint8_t>(text[i]);
    if (c < 0x20 || c == 0x7f) {
      flush(i + 1);
      AppendControlCharacter(c, out);
    } else if (kEscapeQuotes && (c == '"' || c == '\\')) {
      flush(i + 1);
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x80) {
      ++i;
    } else if (const size_t size_bytes = Utf8SequenceSizeBytes(text.substr(i)); size_bytes > 0) {
      i += size_bytes;
    } else {
      flush(i + 1);
      out += kReplacementCharacter;
    }
  }
  flush(i);
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  AppendEscaped<true>(text, out);
  out += '"';
}

void AppendPrintable(std::string_view text, std::string& out) { AppendEscaped<false>(text, out); }

}  // namespace structtensor
