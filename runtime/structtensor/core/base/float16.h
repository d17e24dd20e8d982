// The two floating point types of 16 bits. They are for storage: arithmetic goes through float.
#ifndef STRUCTTENSOR_CORE_BASE_FLOAT16_H_
#define STRUCTTENSOR_CORE_BASE_FLOAT16_H_

#include <bit>
#include <cstdint>

#pragma GCC visibility push(default)

namespace structtensor {

namespace float16_internal {
// Both round to nearest, ties to even; numbers too big for a half become infinite; NaN stays NaN. Source: IEEE 754-2008, 5.4.2.
uint16_t HalfFromFloat(float value);
float FloatFromHalf(uint16_t bits);
uint16_t BrainFromFloat(float value);
}  // namespace float16_internal

// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits.
class Float16 {
 public:
  Float16() = default;
  explicit Float16(float value) : bits_(float16_internal::HalfFromFloat(value)) {}
  static Float16 FromBits(uint16_t bits) {
    Float16 result;
    result.bits_ = bits;
    return result;
  }
  uint16_t bits() const { return bits_; }
  operator float() const { return float16_internal::FloatFromHalf(bits_); }  // NOLINT: exact, as from float to double

 private:
  uint16_t bits_ = 0;
};

// The upper half of a float: 1 sign, 8 exponent and 7 fraction bits.
class BFloat16 {
 public:
  BFloat16() = default;
  explicit BFloat16(float value) : bits_(float16_internal::BrainFromFloat(value)) {}
  static BFloat16 FromBits(uint16_t bits) {
    BFloat16 result;
    result.bits_ = bits;
    return result;
  }
  uint16_t bits() const { return bits_; }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16); }  // NOLINT: exact

 private:
  uint16_t bits_ = 0;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_BASE_FLOAT16_H_
