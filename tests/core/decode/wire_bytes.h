// Serialized messages written by hand, wrong ones too.
#ifndef STRUCTTENSOR_TESTS_CORE_DECODE_WIRE_BYTES_H_
#define STRUCTTENSOR_TESTS_CORE_DECODE_WIRE_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::testing {

inline std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
  return out;
}
inline std::string TagBytes(uint32_t number, wire_internal::WireType type) { return Varint(uint64_t{number} << 3 | type); }
inline std::string VarintField(uint32_t number, uint64_t value) {
  return TagBytes(number, wire_internal::kVarint) + Varint(value);
}
inline std::string LenField(uint32_t number, std::string_view value) {
  return TagBytes(number, wire_internal::kLen) + Varint(value.size()) + std::string(value);
}
inline std::string GroupField(uint32_t number, std::string_view fields) {
  // Appended, because gcc 12 warns by mistake of an overlap in operator+ of two temporaries.
  std::string out = TagBytes(number, wire_internal::kSgroup);
  out += fields;
  out += TagBytes(number, wire_internal::kEgroup);
  return out;
}

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_CORE_DECODE_WIRE_BYTES_H_
