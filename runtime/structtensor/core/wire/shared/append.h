// Appends encoded values to a string: for the few fields that are written outside of encoders.
#ifndef STRUCTTENSOR_CORE_WIRE_SHARED_APPEND_H_
#define STRUCTTENSOR_CORE_WIRE_SHARED_APPEND_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "structtensor/core/wire/abi/varint.h"
#include "structtensor/core/wire/shared/number_kinds.h"

namespace structtensor::wire_internal {

inline void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

inline void AppendTag(uint32_t number, WireType type, std::string& out) { AppendVarint(Tag(number, type), out); }

// A value of a kind of number (number_kinds.h), without its tag.
template <typename NumberKind>
void AppendNumber(typename NumberKind::Type value, std::string& out) {
  if constexpr (kIsFixed<NumberKind>) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  } else {
    AppendVarint(NumberKind::ToWire(value), out);
  }
}

// A field of length-delimited bytes.
inline void AppendBytes(uint32_t number, std::string_view bytes, std::string& out) {
  AppendTag(number, kLen, out);
  AppendVarint(bytes.size(), out);
  out += bytes;
}

}  // namespace structtensor::wire_internal

#endif  // STRUCTTENSOR_CORE_WIRE_SHARED_APPEND_H_
