// Arrow decimals as text.
#ifndef STRUCTTENSOR_IO_ARROW_INTERNAL_DECIMAL_TEXT_H_
#define STRUCTTENSOR_IO_ARROW_INTERNAL_DECIMAL_TEXT_H_

#include <cstdint>
#include <span>
#include <string>

namespace structtensor::arrow_internal {

// The most digits that a decimal may have, and the largest distance of its point from the last digit.
inline constexpr int kMaxDecimalScale = 76;

// Appends a decimal to `text`: a little-endian integer in two's complement, divided by 10 to the power of `scale`. It has
// `scale` digits after the point, and no exponent: "-0.50", "1200".
// Requires: value has 4, 8, 16 or 32 bytes; -kMaxDecimalScale <= scale <= kMaxDecimalScale.
void AppendDecimal(std::span<const uint8_t> value, int scale, std::string& text);

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_IO_ARROW_INTERNAL_DECIMAL_TEXT_H_
