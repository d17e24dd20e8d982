// Numbers of JSON.
#ifndef STRUCTTENSOR_JSON_CURSOR_INTERNAL_JSON_NUMBER_H_
#define STRUCTTENSOR_JSON_CURSOR_INTERNAL_JSON_NUMBER_H_

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "absl/base/attributes.h"

namespace structtensor::json_cursor_internal {

// Whether `text` is a number as JSON writes it: no spaces, no sign except a minus, no leading zeros.
bool IsJsonNumber(std::string_view text);

// Whether the JSON number is closer to 0 than 1 is. For numbers out of a type's range, this tells the too small from the too
// large.
bool IsSmall(std::string_view number);

// Returns the JSON number as a float or double, 0 if it is too small for one. Nothing if it is too large, or not a number.
template <typename Real>
std::optional<Real> ParseReal(std::string_view number) {
  Real value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!IsSmall(number)) return std::nullopt;
    return number.starts_with('-') ? -Real{0} : Real{0};
  }
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return value;
}

// Reads the number that the first `count` characters of `text`, 1 to 8 digits, stand for. False if one is not a digit.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ParseEightDigits(uint64_t text, size_t count, uint64_t* value) {
  constexpr uint64_t kZeros = 0x3030303030303030;
  if (count < sizeof(text)) text = text << (64 - 8 * count) | kZeros >> (8 * count);  // zeros in front
  // A digit is 0x30 to 0x39, and stays below 0x40 with 6 added.
  constexpr uint64_t kHighHalves = 0xf0f0f0f0f0f0f0f0;
  if (((text & kHighHalves) ^ kZeros) != 0 || (((text + 0x0606060606060606) & kHighHalves) ^ kZeros) != 0) return false;
  // Pairs of digits, then of pairs, then of these: the first digit is in the lowest byte.
  text -= kZeros;
  text = text * 10 + (text >> 8);
  *value = ((text & 0x000000ff000000ff) * (100 + (uint64_t{1000000} << 32)) +
            (text >> 16 & 0x000000ff000000ff) * (1 + (uint64_t{10000} << 32))) >>
           32;
  return true;
}

// Reads a number that has only digits, and too few of them to overflow 64 bits. False if it is not such a number. `readable`:
// how many bytes may be read from the number's beginning on. With 8 or more, short numbers are read without a branch on their
// length. (Not a std::optional, which gcc returns in memory.)
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ParseDigits(std::string_view number, size_t readable, uint64_t* value) {
  constexpr size_t kMaxDigits = 19;
  if (number.empty() || number.size() > kMaxDigits || (number[0] == '0' && number.size() > 1)) return false;
  if (number.size() <= 16 && readable >= 8) [[likely]] {
    uint64_t text;
    std::memcpy(&text, number.data(), sizeof(text));
    if (number.size() <= 8) return ParseEightDigits(text, number.size(), value);
    uint64_t high;
    if (!ParseEightDigits(text, number.size() - 8, &high)) return false;
    std::memcpy(&text, number.data() + number.size() - 8, sizeof(text));
    if (!ParseEightDigits(text, 8, value)) return false;
    *value += high * 100000000;
    return true;
  }
  *value = 0;
  for (const char c : number) {
    const auto digit = static_cast<uint64_t>(static_cast<uint8_t>(c)) - '0';
    if (digit > 9) return false;
    *value = *value * 10 + digit;
  }
  return true;
}

// Returns the integer that the JSON number stands for, even with a fraction of zeros or an exponent. Nothing if T cannot hold
// it.
template <typename T>
std::optional<T> ParseInteger(std::string_view number) {
  T value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc() && end == number.data() + number.size()) return value;
  if (number.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  const std::optional<double> real = ParseReal<double>(number);
  constexpr double kLimit = std::is_signed_v<T> ? static_cast<double>(uint64_t{1} << (8 * sizeof(T) - 1))
                                                : 2 * static_cast<double>(uint64_t{1} << (8 * sizeof(T) - 1));
  if (!real.has_value() || std::trunc(*real) != *real || *real >= kLimit || *real < (std::is_signed_v<T> ? -kLimit : 0)) {
    return std::nullopt;
  }
  return static_cast<T>(*real);
}

}  // namespace structtensor::json_cursor_internal

#endif  // STRUCTTENSOR_JSON_CURSOR_INTERNAL_JSON_NUMBER_H_
