// Memory that map_keys.cc reuses from map to map and from batch to batch.
#ifndef STRUCTTENSOR_CORE_COLUMN_INTERNAL_MAP_SCRATCH_H_
#define STRUCTTENSOR_CORE_COLUMN_INTERNAL_MAP_SCRATCH_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/column/internal/remove_rows.h"

namespace structtensor::column_internal {

struct ColumnTree::MapScratch {
  explicit MapScratch(ColumnMemory& column_memory) : memory(column_memory) {}

  // Charges kept memory: `charged_bytes` are charged already; afterwards at least `size_bytes` are. False: the limit is
  // reached.
  bool ChargeUpTo(size_t size_bytes, size_t& charged_bytes) {
    if (size_bytes <= charged_bytes) return true;
    if (!memory.Charge(size_bytes - charged_bytes)) return false;
    charged_bytes = size_bytes;
    return true;
  }

  ColumnMemory& memory;
  size_t keys_charged_bytes = 0;      // for `slots`, `strings` and `numbers`
  size_t replaced_charged_bytes = 0;  // for `replaced` and `ranges`
  std::vector<uint32_t> slots;        // entry numbers, counted from `first_entry`; 0 = never used
  uint32_t first_entry = 0;           // the number of the first entry in the current column
  std::vector<absl::string_view> strings;
  std::vector<uint64_t> numbers;
  std::vector<uint32_t> replaced;
  RangesPool ranges;

  std::vector<absl::string_view>& KeysOf(absl::string_view) { return strings; }
  std::vector<uint64_t>& KeysOf(uint64_t) { return numbers; }
};

}  // namespace structtensor::column_internal

#endif  // STRUCTTENSOR_CORE_COLUMN_INTERNAL_MAP_SCRATCH_H_
