#include "structtensor/core/wire/abi/varint.h"

#include <bit>

#include "structtensor/core/base/abi/cpu.h"
#include "structtensor/core/wire/shared/longest.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace structtensor::wire_internal {

namespace {

// Reads a varint of nine or ten bytes. Its first eight bytes make up `low`.
inline Varint ReadLongestVarint(const uint8_t* p, uint64_t low) {
  low |= static_cast<uint64_t>(p[8] & 0x7f) << 56;
  if (p[8] < 0x80) return {p + 9, low};
  return {p[9] < 0x80 ? p + 10 : nullptr, low | static_cast<uint64_t>(p[9]) << 63};
}

// Has no loop. `stops` has the top bit of each byte that ends a varint. The mask made from the lowest bit of `stops` keeps the
// bytes up to the first such byte.
Varint ReadLongVarint(const uint8_t* p) {
  const uint64_t word = Load<uint64_t>(p);
  const uint64_t stops = ~word & 0x8080808080808080;
  if (stops == 0) [[unlikely]]
    return ReadLongestVarint(p, CloseGaps(word & 0x7f7f7f7f7f7f7f7f));
  return {p + (std::countr_zero(stops) >> 3) + 1, CloseGaps(word & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7f)};
}

#if defined(__x86_64__) && defined(__GNUC__)

// Needs 12 instructions, where ReadLongVarint needs 32.
__attribute__((target("bmi,bmi2"))) Varint ReadLongVarintBmi2(const uint8_t* p) {
  const uint64_t word = Load<uint64_t>(p);
  const uint64_t stops = ~word & 0x8080808080808080;
  if (stops == 0) [[unlikely]]
    return ReadLongestVarint(p, _pext_u64(word, 0x7f7f7f7f7f7f7f7f));
  return {p + (_tzcnt_u64(stops) >> 3) + 1, _pext_u64(word & _blsmsk_u64(stops), 0x7f7f7f7f7f7f7f7f)};
}

kernels::ReadLongVarintFunction BestLongVarint() { return base_internal::HasFastPext() ? ReadLongVarintBmi2 : ReadLongVarint; }

#else

kernels::ReadLongVarintFunction BestLongVarint() { return ReadLongVarint; }

#endif

}  // namespace

namespace kernels {

constinit const ReadLongVarintFunction kPortableLongVarint = ReadLongVarint;
constinit std::atomic<ReadLongVarintFunction> g_read_long_varint{ReadLongVarint};

namespace {

[[maybe_unused]] const bool g_long_varints_chosen =
    (g_read_long_varint.store(BestLongVarint(), std::memory_order_relaxed), true);

}  // namespace
}  // namespace kernels

Length ReadLongLength(const uint8_t* p) {
  uint64_t result = p[0] & 0x7f;
  for (int i = 1; i < 5; ++i) {
    const uint64_t byte = p[i];
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return {result <= kMaxLengthBytes ? p + i + 1 : nullptr, result};
  }
  return {nullptr, 0};
}

const uint8_t* PeekLongTag(const uint8_t* p, uint32_t* tag) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    const uint32_t byte = p[i];
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *tag = result;
      return p + (i + 1) - TagSizeBytes(result);
    }
  }
  return nullptr;
}

namespace {

const uint8_t* FailSkip(DecodeError code, DecodeError* error) {
  *error = code;
  return nullptr;
}

}  // namespace

const uint8_t* FindEndGroup(const uint8_t* p, const uint8_t* end, uint32_t start_tag, int max_depth, const uint8_t** next,
                            DecodeError* error) {
  if (max_depth <= 0) return FailSkip(DecodeError::kDepth, error);
  while (p < end) {
    uint32_t tag;
    const uint8_t* const tag_begin = p;
    p = PeekTag(p, &tag);
    if (p == nullptr) return FailSkip(IfWhole(DecodeError::kMalformedTag, tag_begin, end, kLongestTagBytes), error);
    p += TagSizeBytes(tag);
    if (p > end) return FailSkip(DecodeError::kTruncated, error);
    if ((tag & 7) == kEgroup) {
      if (tag != (start_tag - kSgroup + kEgroup)) return FailSkip(DecodeError::kEndGroup, error);
      *next = p;
      return tag_begin;
    }
    p = SkipValue(p, end, tag, max_depth - 1, error);
    if (p == nullptr) return nullptr;
  }
  return FailSkip(p > end ? DecodeError::kTruncated : DecodeError::kUnterminatedGroup, error);
}

const uint8_t* SkipValue(const uint8_t* p, const uint8_t* end, uint32_t tag, int max_depth, DecodeError* error) {
  if (tag >> 3 == 0) return FailSkip(DecodeError::kMalformedTag, error);
  const uint8_t* const value = p;
  switch (tag & 7) {
    case kVarint:
      p = ReadVarint(p).next;
      if (p == nullptr) return FailSkip(IfWhole(DecodeError::kMalformedVarint, value, end, kLongestVarintBytes), error);
      break;
    case kI64:
      p += 8;
      break;
    case kLen: {
      const Length length = ReadLength(p);
      p = length.next;
      if (p == nullptr) return FailSkip(IfWhole(DecodeError::kMalformedLength, value, end, kLongestLengthBytes), error);
      if (static_cast<ptrdiff_t>(length.size_bytes) > end - p) return FailSkip(DecodeError::kTruncated, error);
      p += length.size_bytes;
      break;
    }
    case kSgroup: {
      const uint8_t* next = nullptr;
      return FindEndGroup(p, end, tag, max_depth, &next, error) == nullptr ? nullptr : next;
    }
    case kEgroup:
      return FailSkip(DecodeError::kEndGroup, error);
    case kI32:
      p += 4;
      break;
    default:
      return FailSkip(DecodeError::kMalformedTag, error);
  }
  return p <= end ? p : FailSkip(DecodeError::kTruncated, error);
}

}  // namespace structtensor::wire_internal
