// The name of a field, to be compared with names in JSON.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_JSON_NAME_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_JSON_NAME_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "absl/base/attributes.h"

namespace structtensor::json_internal {

// Up to 16 bytes are compared without a loop or a call.
class JsonName {
 public:
  // `name`, without escapes, must outlive this.
  explicit JsonName(std::string_view name)
      : bytes_(name.data()),
        size_bytes_(name.find_first_of("\"\\") == std::string_view::npos ? name.size() : std::string_view::npos) {
    std::memcpy(&first_, name.data(), std::min(name.size(), sizeof(first_)));
    std::memset(&mask_, 0xff, std::min(name.size(), sizeof(mask_)));
    if (name.size() >= sizeof(last_)) std::memcpy(&last_, name.data() + name.size() - sizeof(last_), sizeof(last_));
  }

  // Whether `raw`, a name as written in JSON, is this name, without escapes. `readable`: how many bytes may be read
  // from the beginning of `raw` on.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool Is(std::string_view raw, size_t readable) const {
    if (raw.size() != size_bytes_) return false;
    if (readable < sizeof(uint64_t)) [[unlikely]]
      return std::memcmp(raw.data(), bytes_, size_bytes_) == 0;
    uint64_t first;
    std::memcpy(&first, raw.data(), sizeof(first));
    if (((first ^ first_) & mask_) != 0) return false;
    if (size_bytes_ <= sizeof(uint64_t)) return true;
    uint64_t last;
    std::memcpy(&last, raw.data() + size_bytes_ - sizeof(last), sizeof(last));
    return last == last_ && (size_bytes_ <= 2 * sizeof(uint64_t) || std::memcmp(raw.data(), bytes_, size_bytes_) == 0);
  }

 private:
  const char* bytes_;
  size_t size_bytes_;  // more than any name has if JSON writes the name with a backslash
  uint64_t first_ = 0;
  uint64_t mask_ = 0;  // of the bytes of first_ that belong to the name
  uint64_t last_ = 0;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_JSON_NAME_H_
