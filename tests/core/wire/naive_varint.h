// Reads and writes varints one byte at a time. The wire functions are compared with these.
#ifndef STRUCTTENSOR_TESTS_CORE_WIRE_NAIVE_VARINT_H_
#define STRUCTTENSOR_TESTS_CORE_WIRE_NAIVE_VARINT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::testing {

// `bytes`, followed by slack that may be read and whose contents would be noticed if they were used.
inline std::string WithSlack(std::string_view bytes, char fill = '\xff') {
  return std::string(bytes) + std::string(wire_internal::kReadableSlackBytes, fill);
}
inline const uint8_t* Begin(const std::string& bytes) { return reinterpret_cast<const uint8_t*>(bytes.data()); }

// `value` in `size_bytes` bytes, which may be more than it needs.
inline std::string VarintOf(uint64_t value, size_t size_bytes) {
  std::string out;
  for (size_t i = 0; i < size_bytes; ++i) {
    const uint64_t group = i < 10 ? value >> (7 * i) & 0x7f : 0;
    out += static_cast<char>(i + 1 < size_bytes ? group | 0x80 : group);
  }
  return out;
}

inline size_t VarintSize(uint64_t value) {
  size_t size_bytes = 1;
  while (value >>= 7) ++size_bytes;
  return size_bytes;
}

// Size of the varint at the start of `bytes`, 0 if it has no end within `max_bytes`.
inline size_t NaiveRead(std::string_view bytes, size_t max_bytes, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < bytes.size() && i < max_bytes; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return i + 1;
  }
  return 0;
}

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_CORE_WIRE_NAIVE_VARINT_H_
