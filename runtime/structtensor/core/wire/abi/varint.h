// Bytes to values: the lowest layer. Knows the wire format, but not columns.
//
// Bounds: every function here may read up to kReadableSlackBytes past the end of the message that it reads from, and draws no
// conclusion from the bytes there. The caller makes those bytes readable and checks, once per field, that the returned position
// is not past the end. Source of every rule: the protobuf encoding guide, and libprotobuf where the guide is silent.
#ifndef STRUCTTENSOR_CORE_WIRE_ABI_VARINT_H_
#define STRUCTTENSOR_CORE_WIRE_ABI_VARINT_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "structtensor/core/plan/kinds.h"
#include "structtensor/core/wire/abi/decode_error.h"

#pragma GCC visibility push(default)

namespace structtensor::wire_internal {

static_assert(std::endian::native == std::endian::little, "the wire format is read by little-endian loads");

inline constexpr size_t kReadableSlackBytes = 64;

using plan::Tag;
using plan::TagSizeBytes;
using plan::WireType;
using enum plan::WireType;

// The largest length prefix that is accepted: libprotobuf's limit for a message.
inline constexpr uint32_t kMaxLengthBytes = 0x7fffffff - 16;

template <typename T>
inline T Load(const void* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

// The groups of seven bits in the bytes of `word`, whose top bits must be clear, without the gaps between them: 0x022C, the
// bytes AC 02 (300) without their continuation bit, becomes 0x12C.
inline uint64_t CloseGaps(uint64_t word) {
  word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
  word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
  return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

// A varint and the position after it, which is null if it has more than 10 bytes. Fits in two registers: a decoder that passed
// the address of a local variable instead would keep that in memory.
struct Varint {
  const uint8_t* next;
  uint64_t value;
};

namespace kernels {

// A varint of more than two bytes: by PEXT where that is fast, else by shifts and masks.
using ReadLongVarintFunction = Varint (*)(const uint8_t* p);
extern const ReadLongVarintFunction kPortableLongVarint;
extern std::atomic<ReadLongVarintFunction> g_read_long_varint;

}  // namespace kernels

// Reads the varint at `p`. Bits beyond 64 are dropped.
__attribute__((always_inline)) inline Varint ReadVarint(const uint8_t* p) {
  const uint64_t low = p[0];
  if (low < 0x80) [[likely]]
    return {p + 1, low};
  const uint64_t high = p[1];
  if (high < 0x80) return {p + 2, (low & 0x7f) | high << 7};
  return kernels::g_read_long_varint.load(std::memory_order_relaxed)(p);
}

// A length prefix and the position after it, which is null if it has more than five bytes or exceeds kMaxLengthBytes.
struct Length {
  const uint8_t* next;
  uint64_t size_bytes;
};

// A length prefix of two to five bytes.
Length ReadLongLength(const uint8_t* p);

__attribute__((always_inline)) inline Length ReadLength(const uint8_t* p) {
  if (*p < 0x80) [[likely]]
    return {p + 1, *p};
  return ReadLongLength(p);
}

// The rest of PeekTag: a tag that is longer than two bytes, or longer than necessary.
const uint8_t* PeekLongTag(const uint8_t* p, uint32_t* tag);

// Writes the shortest encoding of `tag`, five bytes at most, and returns the position after it.
inline uint8_t* WriteTag(uint32_t tag, uint8_t* out) {
  for (; tag >= 0x80; tag >>= 7) *out++ = static_cast<uint8_t>(tag | 0x80);
  *out++ = static_cast<uint8_t>(tag);
  return out;
}

// Looks at the tag at `p` and returns where to continue: adding TagSizeBytes(*tag) to the result gives the position after the
// tag, whatever its length in the input. So a decoder that already knows the tag adds a constant. Returns null if the tag has
// more than five bytes.
inline const uint8_t* PeekTag(const uint8_t* p, uint32_t* tag) {
  const uint32_t low = p[0];
  if (low < 0x80) [[likely]] {
    *tag = low;
    return p;
  }
  const uint32_t high = p[1];
  if (high < 0x80 && high != 0) [[likely]] {
    *tag = (low & 0x7f) | high << 7;
    return p;
  }
  return PeekLongTag(p, tag);
}

// Whether the bytes at `p` are the shortest encoding of `kTag`.
template <uint32_t kTag>
inline bool TagIs(const uint8_t* p) {
  constexpr uint32_t kSize = TagSizeBytes(kTag);
  if constexpr (kSize == 1) {
    return *p == kTag;
  } else if constexpr (kSize == 2) {
    return Load<uint16_t>(p) == ((kTag & 0x7f) | 0x80 | (kTag >> 7) << 8);
  } else if constexpr (kSize == 3) {
    return (Load<uint32_t>(p) & 0xffffff) == ((kTag & 0x7f) | 0x80 | ((kTag >> 7 & 0x7f) | 0x80) << 8 | (kTag >> 14) << 16);
  } else {
    return false;
  }
}

constexpr int32_t ZigZag32(uint32_t v) { return static_cast<int32_t>(v >> 1) ^ -static_cast<int32_t>(v & 1); }
constexpr int64_t ZigZag64(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

// Returns the position after the value of `tag`; null and sets `*error` if the value is malformed or does not end before `end`.
// `p` is the position after the tag. A group is skipped with all its contents, up to `max_depth` nested groups.
const uint8_t* SkipValue(const uint8_t* p, const uint8_t* end, uint32_t tag, int max_depth, DecodeError* error);

// Returns the position of the END_GROUP of the group that `start_tag` begins, and sets `*next` to the position after it; null
// and sets `*error` as SkipValue does. `p` is the position after `start_tag`.
const uint8_t* FindEndGroup(const uint8_t* p, const uint8_t* end, uint32_t start_tag, int max_depth, const uint8_t** next,
                            DecodeError* error);

}  // namespace structtensor::wire_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_WIRE_ABI_VARINT_H_
