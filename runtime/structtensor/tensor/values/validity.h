// Which elements of a tensor, or which structs, are present: one bit each.
#ifndef STRUCTTENSOR_TENSOR_VALUES_VALIDITY_H_
#define STRUCTTENSOR_TENSOR_VALUES_VALIDITY_H_

#include <cassert>
#include <cstdint>
#include <utility>

#include "structtensor/core/base/buffer.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Bit (bit_offset + i), counted from the least significant bit of byte 0, is 1 if element i is present. Without bits all
// elements are present. Shares its memory; slicing moves the offset.
class Validity {
 public:
  Validity() = default;  // all present
  // Requires: bits has bit_offset + n bits, where n is the number of elements.
  explicit Validity(Buffer<uint8_t> bits, int64_t bit_offset = 0) : bits_(std::move(bits)), bit_offset_(bit_offset) {}

  // False: there are no bits, so every element is present. True: some may be absent.
  bool has_bits() const { return bits_.data() != nullptr; }
  bool is_valid(int64_t i) const {
    if (!has_bits()) return true;
    const int64_t bit_index = bit_offset_ + i;
    return (bits_[static_cast<size_t>(bit_index >> 3)] >> (bit_index & 7)) & 1;
  }

  const Buffer<uint8_t>& bits() const { return bits_; }
  int64_t bit_offset() const { return bit_offset_; }

  // The validity of the elements from `begin` on.
  Validity Slice(int64_t begin) const { return has_bits() ? Validity(bits_, bit_offset_ + begin) : Validity(); }

 private:
  Buffer<uint8_t> bits_;
  int64_t bit_offset_ = 0;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_VALIDITY_H_
