#include "structtensor/core/base/shared/base64.h"

#include <array>
#include <cstdint>

namespace structtensor::base_internal {
namespace {

// The six bits that a character encodes; kNoBits for characters that are not part of base64.
constexpr uint8_t kNoBits = 0xff;
constexpr std::array<uint8_t, 256> kBits = [] {
  constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<uint8_t, 256> bits{};
  bits.fill(kNoBits);
  for (size_t i = 0; i < kStandard.size(); ++i) bits[static_cast<uint8_t>(kStandard[i])] = static_cast<uint8_t>(i);
  bits['-'] = bits['+'];
  bits['_'] = bits['/'];
  return bits;
}();

// Without its padding, which only whole groups of four have.
std::string_view WithoutPadding(std::string_view text) {
  if (text.size() % 4 != 0) return text;
  return text.substr(0, text.size() - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));
}

}  // namespace

size_t DecodedBase64Bytes(std::string_view text) {
  const size_t size = WithoutPadding(text).size();
  return size / 4 * 3 + size % 4 * 3 / 4;
}

char* DecodeBase64(std::string_view text, char* at) {
  text = WithoutPadding(text);
  const auto bits = [&text](size_t i) { return uint32_t{kBits[static_cast<uint8_t>(text[i])]}; };
  uint32_t all = 0;
  size_t i = 0;
  for (; i + 4 <= text.size(); i += 4, at += 3) {
    const uint32_t a = bits(i), b = bits(i + 1), c = bits(i + 2), d = bits(i + 3);
    all |= a | b | c | d;
    const uint32_t three = a << 18 | b << 12 | c << 6 | d;
    at[0] = static_cast<char>(three >> 16);
    at[1] = static_cast<char>(three >> 8);
    at[2] = static_cast<char>(three);
  }
  const size_t left = text.size() - i;
  if (left == 1) return nullptr;
  if (left > 0) {
    const uint32_t a = bits(i), b = bits(i + 1), c = left == 3 ? bits(i + 2) : 0;
    all |= a | b | c;
    *at++ = static_cast<char>(a << 2 | b >> 4);
    if (left == 3) *at++ = static_cast<char>(b << 4 | c >> 2);
  }
  return (all & 0xc0) == 0 ? at : nullptr;
}

}  // namespace structtensor::base_internal
