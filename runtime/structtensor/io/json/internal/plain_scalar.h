// Scalars as most writers write them, read in a loop without calls: numbers of digits, strings without escapes, true and false.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_PLAIN_SCALAR_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_PLAIN_SCALAR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "absl/base/attributes.h"
#include "structtensor/core/base/shared/base64.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/core/wire/shared/number_kinds.h"
#include "structtensor/io/json/internal/json_number.h"
#include "structtensor/io/json/internal/message_bytes.h"

namespace structtensor::json_internal {

// What WritePlainScalar() may write, for a token of `token_bytes`.
constexpr size_t MaxPlainScalarBytes(size_t token_bytes) { return token_bytes + 2 * kMaxVarintBytes; }

// Writes `size_bytes` bytes to `at`, and perhaps seven more. False if there is a backslash among them, or perhaps among the
// seven after them. Requires: seven bytes after them are readable, and writable at `at`.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool CopyWithoutBackslash(const char* text, size_t size_bytes, char* at) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  uint64_t found = 0;
  for (size_t i = 0; i < size_bytes; i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, text + i, sizeof(word));
    std::memcpy(at + i, &word, sizeof(word));
    word ^= kOnes * '\\';
    found |= (word - kOnes) & ~word;
  }
  return (found & (kOnes << 7)) == 0;
}

// Reads an integer of digits only, perhaps with a minus and in quotes. False for all others. Requires: the token is not empty.
template <typename T>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadPlainInteger(std::string_view token, size_t readable, T* value) {
  if (token[0] == '"') {
    if (token.back() != '"') return false;
    token = {token.data() + 1, token.size() - 2};
    --readable;
  }
  const bool negative = !token.empty() && token[0] == '-';
  if (negative) {
    if (std::is_unsigned_v<T>) return false;
    token.remove_prefix(1);
    --readable;
  }
  uint64_t magnitude;
  if (!ParseDigits(token, readable, &magnitude)) return false;
  if (magnitude > static_cast<uint64_t>(std::numeric_limits<T>::max()) + (negative ? 1 : 0)) return false;
  *value = static_cast<T>(negative ? -magnitude : magnitude);
  return true;
}

// Writes the value of a number field, without its tag. Calls read(&value) with a value of the type that the kind has; if that
// returns false, this returns null, else where the value ends. Requires: the kind is one of numbers, or of enums; room for
// kMaxVarintBytes.
template <typename Read>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline char* WriteNumber(plan::Kind kind, char* at, const Read& read) {
  return wire_internal::VisitNumberKind(kind, [&](auto number_kind) ABSL_ATTRIBUTE_ALWAYS_INLINE -> char* {
    using NumberKind = decltype(number_kind);
    typename NumberKind::Type value{};
    if (!read(&value)) return nullptr;
    if constexpr (wire_internal::kIsFixed<NumberKind>) {
      std::memcpy(at, &value, sizeof(value));
      return at + sizeof(value);
    } else {
      return WriteVarint(NumberKind::ToWire(value), at);
    }
  });
}

// Writes the value of a scalar field, without its tag, from its token. Returns where the value ends; null if the token is not
// what most writers write, is too large for the kind, or is wrong: the caller then reads it in the general way. `token` ends
// where the next token begins. `readable`: how many bytes may be read from the token's beginning on. Requires: the token is
// not empty; room for MaxPlainScalarBytes(token.size()) bytes.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline char* WritePlainScalar(plan::Kind kind, std::string_view token, size_t readable, char* at) {
  using plan::Kind;
  if (kind == Kind::kString || kind == Kind::kBytes) {
    if (token[0] != '"' || token.back() != '"' || readable < token.size() + sizeof(uint64_t)) return nullptr;
    const std::string_view text(token.data() + 1, token.size() - 2);
    if (kind == Kind::kString) {
      at = WriteVarint(text.size(), at);
      return CopyWithoutBackslash(text.data(), text.size(), at) ? at + text.size() : nullptr;
    }
    return base_internal::DecodeBase64(text, WriteVarint(base_internal::DecodedBase64Bytes(text), at));
  }
  if (kind == Kind::kBool) {
    // Without a call of memcmp().
    const auto is = [token]<size_t kSize>(const char(&word)[kSize]) {
      return token.size() == kSize - 1 && std::memcmp(token.data(), word, kSize - 1) == 0;
    };
    const bool value = is("true");
    if (!value && !is("false")) return nullptr;
    *at = value ? '\1' : '\0';
    return at + 1;
  }
  if (kind == Kind::kEnum && token[0] == '"') return nullptr;  // a name
  return WriteNumber(kind, at, [&]<typename T>(T* value) ABSL_ATTRIBUTE_ALWAYS_INLINE {
    if constexpr (std::is_same_v<T, double>) {
      return ParseSimpleDouble(token, value);
    } else if constexpr (std::is_same_v<T, float>) {
      return ParseSimpleFloat(token, value);
    } else {
      return ReadPlainInteger(token, readable, value);
    }
  });
}

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_PLAIN_SCALAR_H_
