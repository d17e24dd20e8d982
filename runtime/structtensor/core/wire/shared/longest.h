// The longest encodings of tags, numbers and lengths. Longer ones are malformed.
#ifndef STRUCTTENSOR_CORE_WIRE_SHARED_LONGEST_H_
#define STRUCTTENSOR_CORE_WIRE_SHARED_LONGEST_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/core/wire/abi/decode_error.h"

namespace structtensor::wire_internal {

inline constexpr ptrdiff_t kLongestTagBytes = 5;
inline constexpr ptrdiff_t kLongestVarintBytes = 10;
inline constexpr ptrdiff_t kLongestLengthBytes = 5;

// Why a function that read `begin`, and perhaps the bytes after `end`, has found no tag, number or length there: `malformed`,
// or kTruncated if fewer than `longest_bytes` are left.
inline DecodeError IfWhole(DecodeError malformed, const uint8_t* begin, const uint8_t* end, ptrdiff_t longest_bytes) {
  return end - begin < longest_bytes ? DecodeError::kTruncated : malformed;
}

}  // namespace structtensor::wire_internal

#endif  // STRUCTTENSOR_CORE_WIRE_SHARED_LONGEST_H_
