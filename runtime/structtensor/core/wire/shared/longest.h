// Maximum encoded sizes of tags, varints and lengths. Longer encodings are malformed.
#ifndef STRUCTTENSOR_CORE_WIRE_SHARED_LONGEST_H_
#define STRUCTTENSOR_CORE_WIRE_SHARED_LONGEST_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/core/wire/abi/decode_error.h"

namespace structtensor::wire_internal {

inline constexpr ptrdiff_t kLongestTagBytes = 5;
inline constexpr ptrdiff_t kLongestVarintBytes = 10;
inline constexpr ptrdiff_t kLongestLengthBytes = 5;

// Returns the error for a tag, varint or length at `begin` that could not be read: kTruncated if fewer than `longest_bytes`
// remain before `end`, otherwise `malformed`.
inline DecodeError IfWhole(DecodeError malformed, const uint8_t* begin, const uint8_t* end, ptrdiff_t longest_bytes) {
  return end - begin < longest_bytes ? DecodeError::kTruncated : malformed;
}

}  // namespace structtensor::wire_internal

#endif  // STRUCTTENSOR_CORE_WIRE_SHARED_LONGEST_H_
