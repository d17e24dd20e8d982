// Integers as decimal digits.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_DECIMAL_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_DECIMAL_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace structtensor::json_internal {

// How many bytes WriteDecimal() may write: the 20 digits of a number of 64 bits, or a minus and 19, in whole words.
inline constexpr size_t kDecimalBytes = 28;

// The eight digits of a number below 100,000,000, as characters. The first digit is in the lowest byte. Numbers of four, two
// and one digits are split at once, in lanes of 32, 16 and 8 bits. The divisions are multiplications, which are exact for
// such numbers.
inline uint64_t EightDigits(uint32_t number) {
  const uint64_t fours = number / 10000 | static_cast<uint64_t>(number % 10000) << 32;
  const uint64_t hundreds = (fours * 5243 >> 19) & 0x0000007f0000007f;
  const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
  const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;
  return (tens | (twos - tens * 10) << 8) | 0x3030303030303030;
}

// Writes the digits of a number without leading zeros. Returns where they end. Requires: room for kDecimalBytes.
inline char* WriteDecimal(uint64_t number, char* at) {
  constexpr uint32_t kEightDigits = 100000000;
  if (number >= kEightDigits) {
    const uint64_t high = number / kEightDigits;
    at = WriteDecimal(high, at);
    const uint64_t digits = EightDigits(static_cast<uint32_t>(number % kEightDigits));
    std::memcpy(at, &digits, sizeof(digits));
    return at + sizeof(digits);
  }
  uint64_t digits = EightDigits(static_cast<uint32_t>(number));
  // The last digit stays, even if it is a zero.
  const int zeros = std::countr_zero((digits & 0x0f0f0f0f0f0f0f0f) | uint64_t{1} << 56) / 8;
  digits >>= 8 * zeros;
  std::memcpy(at, &digits, sizeof(digits));
  return at + sizeof(digits) - zeros;
}

inline char* WriteDecimal(int64_t number, char* at) {
  *at = '-';
  const bool negative = number < 0;
  return WriteDecimal(negative ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number), at + (negative ? 1 : 0));
}

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_DECIMAL_H_
