#include "structtensor/base/internal/json_string.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "structtensor/base/internal/escaped_bytes.h"

namespace structtensor {
namespace {

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

// Works on pieces of the text: WriteEscaped reads a little past the end of what it copies, so a piece is moved to where it may.
template <bool kEscapeQuotes>
void AppendEscaped(std::string_view text, std::string& out) {
  constexpr size_t kPieceBytes = 256;
  char piece[kPieceBytes + 16];
  char escaped[base_internal::EscapedRoomBytes(kPieceBytes)];
  while (!text.empty()) {
    const char* const piece_end = piece + std::min(text.size(), kPieceBytes);
    std::memcpy(piece, text.data(), static_cast<size_t>(piece_end - piece));
    std::memset(piece + (piece_end - piece), 0, 16);
    base_internal::Escaped at = {piece, escaped};
    while (at.next < piece_end) {
      at = base_internal::WriteEscaped<kEscapeQuotes, /*kStopAtNonAscii=*/true>(at.next, piece_end, at.out);
      if (at.next >= piece_end) break;
      // A sequence may end after the piece.
      const std::string_view rest = text.substr(static_cast<size_t>(at.next - piece));
      const size_t sequence_bytes = Utf8SequenceSizeBytes(rest);
      const std::string_view written = sequence_bytes > 0 ? rest.substr(0, sequence_bytes) : kReplacementCharacter;
      std::memcpy(at.out, written.data(), written.size());
      at.out += written.size();
      at.next += std::max<size_t>(sequence_bytes, 1);
    }
    out.append(escaped, at.out);
    text.remove_prefix(static_cast<size_t>(at.next - piece));
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  AppendEscaped<true>(text, out);
  out += '"';
}

void AppendPrintable(std::string_view text, std::string& out) { AppendEscaped<false>(text, out); }

}  // namespace structtensor
