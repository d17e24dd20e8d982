// Detects whether a map has a key twice.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_KEYS_OF_MAP_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_KEYS_OF_MAP_H_

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"

namespace structtensor::json_internal {

// The keys of a map, as they are on the wire. The keys of small maps are not copied: they are compared in the message.
class KeysOfMap {
 public:
  // Adds the key that begins at `begin` and ends with `out`; false if the map has it already.
  bool Insert(std::string_view out, size_t begin) {
    const std::string_view key = out.substr(begin);
    if (many_.empty()) {
      for (const auto& [at, size_bytes] : few_) {
        if (size_bytes == key.size() && std::memcmp(out.data() + at, key.data(), size_bytes) == 0) return false;
      }
      few_.emplace_back(begin, key.size());
      if (few_.size() <= kFew) return true;
      for (const auto& [at, size_bytes] : few_) many_.emplace(out.substr(at, size_bytes));
      return true;
    }
    return many_.insert(std::string(key)).second;
  }
  // Records that the last key has moved `size_bytes` bytes towards the end.
  void MoveLast(size_t size_bytes) {
    if (many_.empty()) few_.back().first += size_bytes;
  }
  // Copies all keys: call it before the last key is removed from `out`.
  void KeepKeys(std::string_view out) {
    if (!many_.empty()) return;
    for (const auto& [at, size_bytes] : few_) many_.emplace(out.substr(at, size_bytes));
  }

 private:
  static constexpr size_t kFew = 24;

  absl::InlinedVector<std::pair<size_t, size_t>, kFew + 1> few_;
  absl::flat_hash_set<std::string> many_;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_KEYS_OF_MAP_H_
