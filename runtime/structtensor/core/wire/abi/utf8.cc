#include "structtensor/core/wire/abi/utf8.h"

#include <simdjson.h>

namespace structtensor::wire_internal {

bool IsUtf8Slow(const uint8_t* p, size_t size_bytes) {
  return simdjson::validate_utf8(reinterpret_cast<const char*>(p), size_bytes);
}

}  // namespace structtensor::wire_internal
