// Values to bytes: the base of all writers of fields.
//
// Common to all of them: the written bytes end at `p`, and the result is where they begin. Up to kWritableSlackBytes before the
// result are overwritten with anything: stores of a fixed size need no loop and no branch on the length, and the next write
// overwrites the rest. With AC 02 (300) stored as eight bytes:
//
//     xx xx xx xx xx xx AC 02 | what was written before
//                       ^ result ^ p
#ifndef STRUCTTENSOR_CORE_ENCODE_ABI_VARINT_H_
#define STRUCTTENSOR_CORE_ENCODE_ABI_VARINT_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "structtensor/core/wire/abi/varint.h"

#define STRUCTTENSOR_ENCODE_INLINE inline __attribute__((always_inline))

#pragma GCC visibility push(default)

namespace structtensor::encode_internal {

inline constexpr size_t kWritableSlackBytes = 64;

// The low 56 bits of `value`, seven to a byte: 0x12C (300) becomes 0x022C. wire::CloseGaps is the inverse.
inline uint64_t OpenGaps(uint64_t value) {
  value = (value & 0x000000000fffffff) | (value & 0x00fffffff0000000) << 4;
  value = (value & 0x00003fff00003fff) | (value & 0x0fffc0000fffc000) << 2;
  return (value & 0x007f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
}

// A varint of nine or ten bytes, such as any negative number.
uint8_t* WriteLongestVarint(uint8_t* p, uint64_t value);

// Writes a varint of any length, without a branch up to eight bytes.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteAnyVarint(uint8_t* p, uint64_t value) {
  if (value >> 56 != 0) [[unlikely]]
    return WriteLongestVarint(p, value);
  const uint64_t groups = OpenGaps(value);
  const int unused_bits = std::countl_zero(groups | 1) & ~7;
  const uint64_t continues = (0x8080808080808080 >> unused_bits) >> 8;
  const uint64_t word = (groups | continues) << unused_bits;
  std::memcpy(p - 8, &word, 8);
  return p - 8 + unused_bits / 8;
}

// WriteAnyVarint by PDEP where that is fast: 14 instructions instead of 30.
using WriteVarintFunction = uint8_t* (*)(uint8_t* p, uint64_t value);
extern const WriteVarintFunction kPortableVarint;
// Starts out as the portable function, so that encoding works even while static objects are being initialised.
extern std::atomic<WriteVarintFunction> g_write_any_varint;

STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteVarint(uint8_t* p, uint64_t value) {
  if (value < 0x80) [[likely]] {
    *--p = static_cast<uint8_t>(value);
    return p;
  }
  return g_write_any_varint.load(std::memory_order_relaxed)(p, value);
}

template <uint32_t kTag>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteTag(uint8_t* p) {
  constexpr uint32_t kSize = wire_internal::TagSizeBytes(kTag);
  if constexpr (kSize == 1) {
    *--p = static_cast<uint8_t>(kTag);
  } else if constexpr (kSize == 2) {
    constexpr uint16_t kBytes = static_cast<uint16_t>((kTag & 0x7f) | 0x80 | kTag >> 7 << 8);
    p -= 2;
    std::memcpy(p, &kBytes, 2);
  } else {
    p -= kSize;
    wire_internal::WriteTag(kTag, p);
  }
  return p;
}

// Tags that the functions of fields.h write before a value.
//
// A tag that generated code knows.
template <uint32_t kTag>
struct ConstantTag {
  static constexpr uint32_t value() { return kTag; }
};
// A tag that the engine has from a plan.
class VariableTag {
 public:
  VariableTag() = default;
  explicit VariableTag(uint32_t tag) : value_(tag), size_bytes_(wire_internal::TagSizeBytes(tag)) {
    uint8_t bytes[16] = {};
    wire_internal::WriteTag(tag, bytes + 8 - size_bytes_);
    std::memcpy(&word_, bytes, sizeof(word_));
  }

  uint32_t value() const { return value_; }
  // The last bytes of this word in memory are the tag's bytes.
  uint64_t word() const { return word_; }
  uint32_t size_bytes() const { return size_bytes_; }

 private:
  uint64_t word_ = 0;
  uint32_t value_ = 0;
  uint32_t size_bytes_ = 0;
};

STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteTag(uint8_t* p, VariableTag tag) {
  const uint64_t word = tag.word();
  std::memcpy(p - sizeof(word), &word, sizeof(word));
  return p - tag.size_bytes();
}
template <uint32_t kTag>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteTag(uint8_t* p, ConstantTag<kTag>) {
  return WriteTag<kTag>(p);
}

// A varint with its tag before it. Small varints, the most common, take one store.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteTagAndVarint(uint8_t* p, VariableTag tag, uint64_t value) {
  if (value >= 0x80) return WriteTag(WriteVarint(p, value), tag);
  const uint64_t word = tag.word() >> 8 | value << 56;
  std::memcpy(p - sizeof(word), &word, sizeof(word));
  return p - tag.size_bytes() - 1;
}
template <uint32_t kTag>
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteTagAndVarint(uint8_t* p, ConstantTag<kTag>, uint64_t value) {
  constexpr uint32_t kSize = wire_internal::TagSizeBytes(kTag);
  if (kSize > 2 || value >= 0x80) return WriteTag<kTag>(WriteVarint(p, value));
  const uint32_t small = static_cast<uint32_t>(value);
  if constexpr (kSize == 1) {
    const uint16_t word = static_cast<uint16_t>(kTag | small << 8);
    std::memcpy(p - 2, &word, 2);
  } else {
    const uint32_t word = ((kTag & 0x7f) | 0x80 | kTag >> 7 << 8) << 8 | small << 24;
    std::memcpy(p - 4, &word, 4);
  }
  return p - kSize - 1;
}

STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteBytes(uint8_t* p, const char* bytes, size_t size_bytes) {
  p -= size_bytes;
  std::memcpy(p, bytes, size_bytes);
  return p;
}

// Writes more than 64 bytes.
uint8_t* WriteLongText(uint8_t* p, const char* text, size_t size_bytes);

// Writes the bytes [begin, end) of `bytes`. Short strings are copied together with the bytes before them, if there are enough.
STRUCTTENSOR_ENCODE_INLINE uint8_t* WriteText(uint8_t* p, const char* bytes, uint32_t begin, uint32_t end) {
  const uint32_t size_bytes = end - begin;
  if (size_bytes > 64) [[unlikely]]
    return WriteLongText(p, bytes + begin, size_bytes);
  if (end < 64) [[unlikely]]
    return WriteBytes(p, bytes + begin, size_bytes);
  const char* const from = bytes + end;
  std::memcpy(p - 16, from - 16, 16);
  if (size_bytes > 16) std::memcpy(p - 64, from - 64, 48);
  return p - size_bytes;
}

}  // namespace structtensor::encode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_ENCODE_ABI_VARINT_H_
