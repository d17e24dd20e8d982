// A reference to a string in the input.
#ifndef STRUCTTENSOR_CORE_COLUMN_ABI_STRING_REF_H_
#define STRUCTTENSOR_CORE_COLUMN_ABI_STRING_REF_H_

#include <cstdint>

#pragma GCC visibility push(default)

namespace structtensor::column_internal {

// A string or bytes value while its batch is decoded, and afterwards if it is not copied: a range of the input.
struct StringRef {
  const char* data;
  uint32_t size_bytes;
  uint32_t joined;  // opaque columns: 1 + index of the block that holds the joined bytes; 0 for a range of the input
};
static_assert(sizeof(StringRef) == 16);

}  // namespace structtensor::column_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_COLUMN_ABI_STRING_REF_H_
