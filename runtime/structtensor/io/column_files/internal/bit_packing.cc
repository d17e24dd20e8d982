#include "structtensor/io/column_files/internal/bit_packing.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

namespace structtensor::column_files_internal {
namespace {

static_assert(std::endian::native == std::endian::little, "bits are packed from the least significant one on");

// For a bit width that the compiler knows, all shifts are constants, and the words stay in registers.
template <typename T, size_t kBitWidth>
uint8_t* Pack(const T* values, size_t groups, uint8_t* out) {
  constexpr size_t kWordBits = 64;
  if constexpr (kBitWidth > 0) {
    for (size_t group = 0; group < groups; ++group) {
      std::array<uint64_t, (kPackedGroup * kBitWidth + kWordBits - 1) / kWordBits> words = {};
#pragma GCC unroll 8
      for (size_t i = 0; i < kPackedGroup; ++i) {
        const uint64_t value = values[group * kPackedGroup + i];
        const size_t word = i * kBitWidth / kWordBits;
        const size_t shift = i * kBitWidth % kWordBits;
        words[word] |= value << shift;
        if constexpr (kWordBits % kBitWidth != 0) {
          if (shift + kBitWidth > kWordBits) words[word + 1] |= value >> (kWordBits - shift);
        }
      }
      std::memcpy(out, words.data(), sizeof(words));
      out += kBitWidth;
    }
  }
  return out;
}

template <typename T, size_t... kBitWidths>
uint8_t* PackWith(const T* values, size_t groups, int bit_width, uint8_t* out, std::index_sequence<kBitWidths...>) {
  static constexpr std::array<uint8_t* (*)(const T*, size_t, uint8_t*), sizeof...(kBitWidths)> kPack = {Pack<T, kBitWidths>...};
  assert(bit_width >= 0 && static_cast<size_t>(bit_width) < kPack.size());
  return kPack[static_cast<size_t>(bit_width)](values, groups, out);
}

template <typename T>
using BitWidths = std::make_index_sequence<std::numeric_limits<T>::digits + 1>;

}  // namespace

uint8_t* PackBits(const uint16_t* values, size_t groups, int bit_width, uint8_t* out) {
  return PackWith(values, groups, bit_width, out, BitWidths<uint16_t>());
}
uint8_t* PackBits(const uint32_t* values, size_t groups, int bit_width, uint8_t* out) {
  return PackWith(values, groups, bit_width, out, BitWidths<uint32_t>());
}
uint8_t* PackBits(const uint64_t* values, size_t groups, int bit_width, uint8_t* out) {
  return PackWith(values, groups, bit_width, out, BitWidths<uint64_t>());
}

}  // namespace structtensor::column_files_internal
