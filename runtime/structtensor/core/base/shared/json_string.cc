#include "structtensor/core/base/shared/json_string.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "structtensor/core/base/internal/utf8_sequence.h"
#include "structtensor/core/base/shared/escaped_bytes.h"

namespace structtensor {
namespace {

constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";  // U+FFFD

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
      const size_t sequence_bytes = base_internal::Utf8SequenceSizeBytes(rest);
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
