#include "structtensor/io/tf_example/internal/feature_stream.h"

#include <algorithm>
#include <limits>

namespace structtensor::tf_example_internal {

bool FeatureStream::ReadLongVarint(uint64_t* value) {
  constexpr size_t kMaxVarintBytes = 10;
  const size_t size = std::min(left_bytes(), kMaxVarintBytes);
  uint64_t result = 0;
  for (size_t i = 0; i < size; ++i) {
    const uint64_t byte = position_[i];
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      position_ += i + 1;
      *value = result;
      return true;
    }
  }
  return false;
}

bool FeatureStream::SkipField() {
  uint32_t varint;
  std::string_view bytes;
  switch (ReadTag() & 7) {
    case 0:
      return ReadVarint32(&varint);
    case 1:
      return ReadRaw(8, &bytes);
    case 2:
      if (!ReadVarint32(&varint)) return false;
      // A value that is too long ends with the message. If no int can hold the length, nothing is skipped at all.
      if (varint <= static_cast<uint32_t>(std::numeric_limits<int32_t>::max()) && !ReadRaw(varint, &bytes)) SkipToEnd();
      return true;
    case 5:
      return ReadRaw(4, &bytes);
    default:
      return false;
  }
}

}  // namespace structtensor::tf_example_internal
