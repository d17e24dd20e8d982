#include "structtensor/wire/packed.h"

#include <bit>

#include "structtensor/wire/varint.h"

namespace structtensor::wire {

size_t CountVarints(const uint8_t* p, size_t size_bytes) {
  size_t count = 0;
  size_t i = 0;
  for (; i + 8 <= size_bytes; i += 8) count += static_cast<size_t>(std::popcount(~Load<uint64_t>(p + i) & 0x8080808080808080));
  for (; i < size_bytes; ++i) count += p[i] < 0x80;
  return count;
}

namespace {

// Eight one-byte varints in a row are recognised with one test and only widened; mesh and histogram data is mostly that.
template <typename T, typename Convert>
inline T* Unpack(const uint8_t* p, const uint8_t* end, T* out, Convert convert) {
  while (p < end) {
    if (end - p >= 8 && (Load<uint64_t>(p) & 0x8080808080808080) == 0) {
      for (int i = 0; i < 8; ++i) out[i] = convert(p[i]);
      out += 8;
      p += 8;
      continue;
    }
    uint64_t value;
    p = ReadVarint(p, &value);
    if (p == nullptr) return nullptr;
    *out++ = convert(value);
  }
  return p == end ? out : nullptr;
}

}  // namespace

uint32_t* UnpackUint32(const uint8_t* p, const uint8_t* end, uint32_t* out) {
  return Unpack(p, end, out, [](uint64_t v) { return static_cast<uint32_t>(v); });
}

uint64_t* UnpackUint64(const uint8_t* p, const uint8_t* end, uint64_t* out) {
  return Unpack(p, end, out, [](uint64_t v) { return v; });
}

int32_t* UnpackSint32(const uint8_t* p, const uint8_t* end, int32_t* out) {
  return Unpack(p, end, out, [](uint64_t v) { return ZigZag32(static_cast<uint32_t>(v)); });
}

int64_t* UnpackSint64(const uint8_t* p, const uint8_t* end, int64_t* out) {
  return Unpack(p, end, out, [](uint64_t v) { return ZigZag64(v); });
}

uint8_t* UnpackBool(const uint8_t* p, const uint8_t* end, uint8_t* out) {
  return Unpack(p, end, out, [](uint64_t v) { return static_cast<uint8_t>(v != 0); });
}

}  // namespace structtensor::wire
