#include "structtensor/wire/varint.h"

namespace structtensor::wire {

const uint8_t* ReadLongVarint(const uint8_t* p, uint64_t* value) {
  const uint64_t low = CloseGaps(Load<uint64_t>(p) & 0x7f7f7f7f7f7f7f7f) | static_cast<uint64_t>(p[8] & 0x7f) << 56;
  if (p[8] < 0x80) {
    *value = low;
    return p + 9;
  }
  *value = low | static_cast<uint64_t>(p[9]) << 63;
  return p[9] < 0x80 ? p + 10 : nullptr;
}

const uint8_t* ReadLongLength(const uint8_t* p, uint32_t* length_bytes) {
  uint64_t result = 0;
  for (int i = 0; i < 5; ++i) {
    const uint64_t byte = p[i];
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      if (result > kMaxLengthBytes) return nullptr;
      *length_bytes = static_cast<uint32_t>(result);
      return p + i + 1;
    }
  }
  return nullptr;
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

const uint8_t* FailSkip(SkipError code, SkipError* error) {
  *error = code;
  return nullptr;
}

const uint8_t* SkipGroup(const uint8_t* p, const uint8_t* end, uint32_t start_tag, int max_depth, SkipError* error) {
  if (max_depth <= 0) return FailSkip(SkipError::kDepth, error);
  while (p < end) {
    uint32_t tag;
    p = PeekTag(p, &tag);
    if (p == nullptr) return FailSkip(SkipError::kMalformedTag, error);
    p += TagSizeBytes(tag);
    if ((tag & 7) == kEgroup) {
      if (tag != (start_tag - kSgroup + kEgroup)) return FailSkip(SkipError::kEndGroup, error);
      return p <= end ? p : FailSkip(SkipError::kTruncated, error);
    }
    p = SkipValue(p, end, tag, max_depth - 1, error);
    if (p == nullptr) return nullptr;
  }
  return FailSkip(SkipError::kTruncated, error);
}

}  // namespace

const uint8_t* SkipValue(const uint8_t* p, const uint8_t* end, uint32_t tag, int max_depth, SkipError* error) {
  if (tag >> 3 == 0) return FailSkip(SkipError::kMalformedTag, error);
  switch (tag & 7) {
    case kVarint: {
      uint64_t value;
      p = ReadVarint(p, &value);
      if (p == nullptr) return FailSkip(SkipError::kMalformedVarint, error);
      break;
    }
    case kI64:
      p += 8;
      break;
    case kLen: {
      uint32_t length_bytes;
      p = ReadLength(p, &length_bytes);
      if (p == nullptr) return FailSkip(SkipError::kMalformedVarint, error);
      if (static_cast<ptrdiff_t>(length_bytes) > end - p) return FailSkip(SkipError::kTruncated, error);
      p += length_bytes;
      break;
    }
    case kSgroup:
      return SkipGroup(p, end, tag, max_depth, error);
    case kEgroup:
      return FailSkip(SkipError::kEndGroup, error);
    case kI32:
      p += 4;
      break;
    default:
      return FailSkip(SkipError::kMalformedTag, error);
  }
  return p <= end ? p : FailSkip(SkipError::kTruncated, error);
}

}  // namespace structtensor::wire
