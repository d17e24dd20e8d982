#include "structtensor/json_cursor/internal/json_number.h"

#include <algorithm>

namespace structtensor::json_cursor_internal {

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
  // The number of digits in front of the point, counted from the first digit that is not 0. Less than 1 if that digit is behind
  // it.
  const auto whole_digits = static_cast<int64_t>(point) - static_cast<int64_t>(first) + (first > point ? 1 : 0);
  return exponent < 1 - whole_digits;
}

}  // namespace structtensor::json_cursor_internal
