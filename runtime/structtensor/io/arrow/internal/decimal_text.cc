#include "structtensor/io/arrow/internal/decimal_text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <string_view>

namespace structtensor::arrow_internal {

void AppendDecimal(std::span<const uint8_t> value, int scale, std::string& text) {
  std::array<uint32_t, 8> words = {};
  assert(value.size() <= sizeof(words) && value.size() % 4 == 0);
  std::memcpy(words.data(), value.data(), value.size());
  const std::span<uint32_t> number = std::span(words).first(value.size() / 4);
  const bool negative = (number.back() >> 31) != 0;
  if (negative) {
    uint64_t carry = 1;
    for (uint32_t& word : number) {
      carry += uint64_t{~word};
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  // The digits, the last one first. 2^256 has 78 digits.
  std::array<char, 80> digits;
  size_t count = 0;
  const auto is_zero = [&number] { return std::all_of(number.begin(), number.end(), [](uint32_t word) { return word == 0; }); };
  while (!is_zero()) {
    uint64_t rest = 0;
    for (size_t i = number.size(); i > 0; --i) {
      rest = rest << 32 | number[i - 1];
      number[i - 1] = static_cast<uint32_t>(rest / 10);
      rest %= 10;
    }
    digits[count++] = static_cast<char>('0' + rest);
  }
  if (negative) text += '-';
  const size_t after_point = static_cast<size_t>(std::max(scale, 0));
  for (size_t i = std::max(count, after_point + 1); i > 0; --i) {
    if (i == after_point) text += '.';
    text += i > count ? '0' : digits[i - 1];
  }
  if (scale < 0 && count > 0) text.append(static_cast<size_t>(-scale), '0');
}

}  // namespace structtensor::arrow_internal
