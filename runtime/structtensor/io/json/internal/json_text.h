// The text that MessageWriter writes.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_JSON_TEXT_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_JSON_TEXT_H_

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "structtensor/core/base/shared/escaped_bytes.h"
#include "structtensor/core/base/shared/growing_array.h"
#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/io/json/internal/decimal.h"

namespace structtensor::json_internal {

// A string that grows at its end. Unlike std::string it ends with no zero, and room that is made is not cleared: both cost as
// much as writing a short number. (Measured: pprof is written 1.4 times as fast as with std::string.)
class JsonText {
 public:
  std::string_view view() const { return {text_.data(), text_.size()}; }
  void Clear() { text_.Clear(); }

  JsonText& operator+=(char c) {
    text_.push_back(c);
    return *this;
  }
  JsonText& operator+=(std::string_view text) {
    text_.Append(text.data(), text.size());
    return *this;
  }

  // Appends a text without a call. Requires: kPaddingBytes bytes after `text` can be read.
  static constexpr size_t kPaddingBytes = 32;
  void AppendPadded(std::string_view text) {
    char* const out = text_.Room(text.size() + kPaddingBytes);
    for (size_t i = 0; i < text.size(); i += kPaddingBytes) std::memcpy(out + i, text.data() + i, kPaddingBytes);
    text_.SetEnd(out + text.size());
  }

  // Integer: int64_t or uint64_t.
  template <typename Integer>
  void AppendInteger(Integer number) {
    text_.SetEnd(WriteDecimal(number, text_.Room(kDecimalBytes)));
  }
  // With quotes, as JSON has numbers of 64 bits.
  template <typename Integer>
  void AppendQuotedInteger(Integer number) {
    char* const out = text_.Room(kDecimalBytes + 2);
    *out = '"';
    char* const out_end = WriteDecimal(number, out + 1);
    *out_end = '"';
    text_.SetEnd(out_end + 1);
  }
  template <typename Real>
  void AppendReal(Real real) {
    if (std::isnan(real)) {
      *this += "\"NaN\"";
    } else if (std::isinf(real)) {
      *this += real < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    } else if (real == 0 && std::signbit(real)) {
      *this += "-0.0";  // "-0" is an integer to some readers
    } else {
      constexpr size_t kRealBytes = 32;
      char* const out = text_.Room(kRealBytes);
      text_.SetEnd(std::to_chars(out, out + kRealBytes, real).ptr);
    }
  }

  // Appends `text` in quotes, with escapes. False if it is not UTF-8; a part of it may have been appended.
  // Requires: 64 bytes after `text` can be read.
  bool AppendString(std::string_view text) {
    *this += '"';
    const char* next = text.data();
    const char* const end = next + text.size();
    while (next < end) {
      const char* const piece_end = next + std::min<size_t>(static_cast<size_t>(end - next), kPieceBytes);
      next = AppendPiece</*kStopAtNonAscii=*/true>(next, piece_end);
      if (next < piece_end) {
        if (!wire_internal::IsUtf8(reinterpret_cast<const uint8_t*>(next), static_cast<size_t>(end - next))) return false;
        while (next < end) {
          next = AppendPiece</*kStopAtNonAscii=*/false>(next,
                                                        next + std::min<size_t>(static_cast<size_t>(end - next), kPieceBytes));
        }
      }
    }
    *this += '"';
    return true;
  }

 private:
  static constexpr size_t kPieceBytes = 1024;

  template <bool kStopAtNonAscii>
  const char* AppendPiece(const char* text, const char* end) {
    char* const out = text_.Room(base_internal::EscapedRoomBytes(static_cast<size_t>(end - text)));
    const auto [next, out_end] = base_internal::WriteEscaped</*kQuotes=*/true, kStopAtNonAscii>(text, end, out);
    text_.SetEnd(out_end);
    return next;
  }

  base_internal::GrowingArray<char> text_;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_JSON_TEXT_H_
