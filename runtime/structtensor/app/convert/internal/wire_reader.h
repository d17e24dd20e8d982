// Serialized messages, field by field, without a schema.
#ifndef STRUCTTENSOR_APP_CONVERT_INTERNAL_WIRE_READER_H_
#define STRUCTTENSOR_APP_CONVERT_INTERNAL_WIRE_READER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "structtensor/core/plan/kinds.h"

namespace structtensor::convert_internal {

// Takes a varint from the front of `bytes`; false if there is none.
inline bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

struct WireValue {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  std::string_view bytes;  // after the length, if there is one; empty for the beginning or end of a group
};

// Takes a field from the front of `bytes`; for a group, only its beginning. False if the bytes are not a field.
inline bool TakeField(std::string_view& bytes, WireValue& value) {
  uint64_t tag = 0;
  if (!TakeVarint(bytes, tag) || tag > UINT32_MAX || tag >> 3 == 0) return false;
  value.number = static_cast<uint32_t>(tag >> 3);
  value.wire_type = static_cast<uint32_t>(tag & 7);
  value.bytes = bytes;
  uint64_t size_bytes = 0;
  switch (value.wire_type) {
    case plan::kVarint: {
      uint64_t ignored = 0;
      if (!TakeVarint(bytes, ignored)) return false;
      value.bytes.remove_suffix(bytes.size());
      return true;
    }
    case plan::kI64:
      size_bytes = 8;
      break;
    case plan::kI32:
      size_bytes = 4;
      break;
    case plan::kLen:
      if (!TakeVarint(bytes, size_bytes)) return false;
      break;
    case plan::kSgroup:
    case plan::kEgroup:
      break;
    default:
      return false;
  }
  if (size_bytes > bytes.size()) return false;
  value.bytes = bytes.substr(0, size_bytes);
  bytes.remove_prefix(size_bytes);
  return true;
}

// Takes the fields of a group and its end from the front of `bytes`. Its beginning is already taken. If the group does not end,
// takes all bytes.
inline void SkipGroup(std::string_view& bytes) {
  WireValue value;
  for (int64_t depth = 1; depth > 0;) {
    if (!TakeField(bytes, value)) {
      bytes = {};
      return;
    }
    if (value.wire_type == plan::kSgroup) ++depth;
    if (value.wire_type == plan::kEgroup) --depth;
  }
}

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_INTERNAL_WIRE_READER_H_
