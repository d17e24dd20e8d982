// Decimal numbers of Arrow as text.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_DECIMAL_TEXT_H_
#define STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_DECIMAL_TEXT_H_

#include <cstdint>
#include <span>
#include <string>

namespace structtensor::arrow_internal {

// The digits of the longest decimal, and the farthest that its point may be from the last of them.
inline constexpr int kMaxDecimalScale = 76;

// Appends the number to `text`: a little-endian integer in two's complement, divided by 10 to the power of `scale`. There are
// `scale` digits behind the point, and no exponent: "-0.50", "1200".
// Requires: value has 4, 8, 16 or 32 bytes; -kMaxDecimalScale <= scale <= kMaxDecimalScale.
void AppendDecimal(std::span<const uint8_t> value, int scale, std::string& text);

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_DECIMAL_TEXT_H_
