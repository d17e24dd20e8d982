// How lengths are stored in files.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_LENGTHS_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_LENGTHS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace structtensor::records_internal {

inline constexpr size_t kMaxVarintBytes = 10;

template <typename T>
T LoadLittleEndian(const char* p) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<uint8_t>(p[i])) << (8 * i);
  return value;
}

inline void AppendLittleEndian(uint64_t value, size_t size_bytes, std::string& out) {
  for (size_t i = 0; i < size_bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

inline uint32_t LoadBigEndian32(const char* p) { return __builtin_bswap32(LoadLittleEndian<uint32_t>(p)); }

// A varint.
struct LengthPrefix {
  uint64_t value = 0;
  size_t size_bytes = 0;  // of the prefix; 0 if it does not end within `bytes` or its value does not fit in 64 bits
};

inline LengthPrefix ParseLengthPrefix(std::string_view bytes) {
  LengthPrefix prefix;
  for (size_t i = 0; i < bytes.size() && i < kMaxVarintBytes; ++i) {
    const uint8_t byte = static_cast<uint8_t>(bytes[i]);
    if (i == kMaxVarintBytes - 1 && byte > 1) break;  // bits beyond the 64th, or an eleventh byte
    prefix.value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      prefix.size_bytes = i + 1;
      break;
    }
  }
  return prefix;
}

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_LENGTHS_H_
