// Numbers of JSON.
#ifndef STRUCTTENSOR_JSON_CURSOR_INTERNAL_JSON_NUMBER_H_
#define STRUCTTENSOR_JSON_CURSOR_INTERNAL_JSON_NUMBER_H_

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

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

// Reads a number that has only digits, and too few of them to overflow 64 bits.
inline std::optional<uint64_t> ParseDigits(std::string_view number) {
  constexpr size_t kMaxDigits = 19;
  if (number.empty() || number.size() > kMaxDigits || (number[0] == '0' && number.size() > 1)) return std::nullopt;
  uint64_t value = 0;
  for (const char c : number) {
    const auto digit = static_cast<uint64_t>(static_cast<uint8_t>(c)) - '0';
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
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
