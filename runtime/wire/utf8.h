// UTF-8 as protobuf wants it: RFC 3629, no surrogates, no over-long forms.
#ifndef STRUCTTENSOR_WIRE_UTF8_H_
#define STRUCTTENSOR_WIRE_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/wire/varint.h"

namespace structtensor::wire {

// Whether the bytes [p, p + size_bytes) are UTF-8, for any bytes.
bool IsUtf8Slow(const uint8_t* p, size_t size_bytes);

// The same. Requires: kReadableSlackBytes readable bytes behind the string (their values do not matter). ASCII, what most
// strings are, is recognised inline eight bytes at a time.
inline bool IsUtf8(const uint8_t* p, size_t size_bytes) {
  uint64_t seen = 0;
  size_t i = 0;
  for (; i + 8 <= size_bytes; i += 8) seen |= Load<uint64_t>(p + i);
  if (const size_t rest = size_bytes - i; rest != 0) seen |= Load<uint64_t>(p + i) << (64 - 8 * rest);
  if ((seen & 0x8080808080808080) == 0) [[likely]]
    return true;
  return IsUtf8Slow(p, size_bytes);
}

}  // namespace structtensor::wire

#endif  // STRUCTTENSOR_WIRE_UTF8_H_
