#include "structtensor/io/json/internal/json_number.h"

#include <algorithm>

namespace structtensor::json_internal {

bool IsJsonNumber(std::string_view text) {
  size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&]() {
    const size_t begin = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - begin;
  };
  const size_t first = i;
  const size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

bool IsSmall(std::string_view number) {
  const size_t end = std::min(number.find_first_of("eE"), number.size());
  int64_t exponent = 0;
  if (end < number.size()) {
    const std::string_view digits = number.substr(end + (number[end + 1] == '+' ? 2 : 1));
    if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc()) return digits[0] == '-';
  }
  const size_t point = std::min(number.substr(0, end).find('.'), end);
  const size_t first = number.substr(0, end).find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  // The number of digits before the point, counted from the first digit that is not 0. Less than 1 if that digit is after it.
  const auto whole_digits = static_cast<int64_t>(point) - static_cast<int64_t>(first) + (first > point ? 1 : 0);
  return exponent < 1 - whole_digits;
}

std::string DigitsOfInteger(std::string_view number) {
  constexpr int64_t kMaxDigits = 20;
  const size_t end = std::min(number.find_first_of("eE"), number.size());
  const size_t point = std::min(number.substr(0, end).find('.'), end);
  const bool negative = number.starts_with('-');
  std::string digits(number.substr(negative ? 1 : 0, point - (negative ? 1 : 0)));
  if (point < end) digits += number.substr(point + 1, end - point - 1);
  int64_t exponent = point < end ? static_cast<int64_t>(point + 1) - static_cast<int64_t>(end) : 0;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  if (end < number.size()) {
    const std::string_view written = number.substr(end + (number[end + 1] == '+' ? 2 : 1));
    int64_t value = 0;
    constexpr int64_t kLimit = int64_t{1} << 40;  // more than there are digits
    if (std::from_chars(written.data(), written.data() + written.size(), value).ec != std::errc()) return "";
    exponent += std::clamp(value, -kLimit, kLimit);
  }
  for (; exponent < 0 && digits.ends_with('0'); ++exponent) digits.pop_back();
  if (exponent < 0 || static_cast<int64_t>(digits.size()) + exponent > kMaxDigits) return "";
  digits.append(static_cast<size_t>(exponent), '0');
  return negative ? "-" + digits : digits;
}

}  // namespace structtensor::json_internal
