// Numbers of JSON.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_JSON_NUMBER_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_JSON_NUMBER_H_

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "absl/base/attributes.h"

namespace structtensor::json_internal {

// Whether `text` is a number as JSON writes it: no spaces, no sign except a minus, no leading zeros.
bool IsJsonNumber(std::string_view text);

// Whether the JSON number is closer to 0 than 1 is. For numbers out of a type's range, this distinguishes too small from too
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

// The integer of at most 20 digits, with its minus, that the JSON number is equal to ("-1.50e1" is "-15"). "" if there is none.
std::string DigitsOfInteger(std::string_view number);

// Reads the number in the first `count` characters of `text`, 1 to 8 digits. False if one is not a digit.
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

// Reads a number that has only digits and fits in 64 bits. False if it is not such a number. `readable`:
// how many bytes may be read from the number's beginning on. With 8 or more, short numbers are read without a branch on their
// length. (Not a std::optional, which gcc returns in memory.)
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ParseDigits(std::string_view number, size_t readable, uint64_t* value) {
  constexpr size_t kMaxDigits = std::numeric_limits<uint64_t>::digits10 + 1;
  if (number.empty() || number.size() > kMaxDigits || (number[0] == '0' && number.size() > 1)) return false;
  if (readable >= 8) [[likely]] {
    const auto load = [&](size_t begin) {
      uint64_t text;
      std::memcpy(&text, number.data() + begin, sizeof(text));
      return text;
    };
    constexpr uint64_t kEightDigits = 100000000;
    const size_t size = number.size();
    if (size <= 8) return ParseEightDigits(load(0), size, value);
    uint64_t high;
    if (!ParseEightDigits(load(size - 8), 8, value)) return false;
    if (size <= 16) {
      if (!ParseEightDigits(load(0), size - 8, &high)) return false;
      *value += high * kEightDigits;
      return true;
    }
    uint64_t highest;
    if (!ParseEightDigits(load(size - 16), 8, &high) || !ParseEightDigits(load(0), size - 16, &highest)) return false;
    high += highest * kEightDigits;
    return !__builtin_mul_overflow(high, kEightDigits, &high) && !__builtin_add_overflow(*value, high, value);
  }
  *value = 0;
  for (const char c : number) {
    const auto digit = static_cast<uint64_t>(static_cast<uint8_t>(c)) - '0';
    if (digit > 9 || __builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, digit, value)) return false;
  }
  return true;
}

// Reads a JSON number of up to 19 digits that make at most 2^53, times a power of ten of at most 10^22. A double holds both
// exactly, so that one multiplication or division gives the double nearest to the number. False for other numbers, and for what
// is not a JSON number.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ParseSimpleDouble(std::string_view number, double* value) {
  constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr size_t kMaxNumberBytes = 32;  // so that the exponent stays small
  if (number.size() > kMaxNumberBytes) return false;
  const char* next = number.data();
  const char* const end = next + number.size();
  const bool negative = next != end && *next == '-';
  if (negative) ++next;
  uint64_t digits = 0;
  const auto read_digits = [&next, end](uint64_t* read) ABSL_ATTRIBUTE_ALWAYS_INLINE {
    const char* const begin = next;
    for (; next != end; ++next) {
      const auto digit = static_cast<uint64_t>(static_cast<uint8_t>(*next)) - '0';
      if (digit > 9) break;
      *read = *read * 10 + digit;
    }
    return next - begin;
  };
  const char* const first = next;
  const int64_t whole = read_digits(&digits);
  if (whole == 0 || (whole > 1 && *first == '0')) return false;
  int64_t fraction = 0;
  if (next != end && *next == '.') {
    ++next;
    fraction = read_digits(&digits);
    if (fraction == 0) return false;
  }
  int64_t exponent = -fraction;
  if (next != end) {
    if (*next != 'e' && *next != 'E') return false;
    ++next;
    const bool small = next != end && *next == '-';
    if (next != end && (small || *next == '+')) ++next;
    uint64_t written = 0;
    const int64_t exponent_digits = read_digits(&written);
    if (exponent_digits == 0 || exponent_digits > 4 || next != end) return false;
    exponent += small ? -static_cast<int64_t>(written) : static_cast<int64_t>(written);
  }
  constexpr int64_t kMaxExponent = std::size(kPowersOfTen) - 1;
  if (whole + fraction > 19 || digits > uint64_t{1} << 53 || exponent > kMaxExponent || exponent < -kMaxExponent) return false;
  const auto exact = static_cast<double>(digits);
  const double magnitude = exponent < 0 ? exact / kPowersOfTen[-exponent] : exact * kPowersOfTen[exponent];
  *value = negative ? -magnitude : magnitude;
  return true;
}

// As ParseSimpleDouble, for the nearest float. Where the nearest double is halfway between two floats, the number itself may
// be on either side of it, so this returns false. It also returns false for numbers outside the range of normal floats.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ParseSimpleFloat(std::string_view number, float* value) {
  double nearest;
  if (!ParseSimpleDouble(number, &nearest)) return false;
  constexpr uint64_t kBitsBelowFloat =
      (uint64_t{1} << (std::numeric_limits<double>::digits - std::numeric_limits<float>::digits)) - 1;
  if ((std::bit_cast<uint64_t>(nearest) & kBitsBelowFloat) == kBitsBelowFloat / 2 + 1) return false;
  const double magnitude = std::abs(nearest);
  if (magnitude > std::numeric_limits<float>::max() || (magnitude < std::numeric_limits<float>::min() && magnitude != 0)) {
    return false;
  }
  *value = static_cast<float>(nearest);
  return true;
}

// Returns the integer that the JSON number is equal to, even if it has a fraction of zeros or an exponent. Nothing if T cannot
// hold it.
template <typename T>
std::optional<T> ParseInteger(std::string_view number) {
  T value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc() && end == number.data() + number.size()) return value;
  if (number.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  const std::string digits = DigitsOfInteger(number);
  const char* const digits_end = digits.data() + digits.size();
  const auto [parsed_end, digits_error] = std::from_chars(digits.data(), digits_end, value);
  if (digits_error != std::errc() || parsed_end != digits_end) return std::nullopt;
  return value;
}

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_JSON_NUMBER_H_
