// On the wire a map is a list of entries. If several entries have the same key, the last one counts. Writers hardly ever repeat
// a key, so this code finds out cheaply that no key is repeated:
//   - keys that ascend strictly, as a sorting writer produces them, need one comparison each;
//   - other keys go through a small open-addressing table. A slot holds the number of an entry. Entries are numbered upwards
//     from one map to the next, so a slot that an earlier map used is recognised as empty, and nothing needs to be cleared;
//   - if a key collides more than kMaxProbes times (perhaps on purpose), its map goes to a seeded hash map.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/column/internal/map_scratch.h"
#include "structtensor/core/column/internal/remove_rows.h"

namespace structtensor::column_internal {
namespace {

constexpr size_t kMaxProbes = 32;
constexpr size_t kMinSlots = 64;
// The bytes that the hash map takes for each entry: a slot and its control byte. At most 7 of 8 slots are used, and growing
// doubles the number of slots.
constexpr size_t kHashMapBytes = 64;

// The number of slots that the small table needs for the keys of one map.
size_t SlotsFor(size_t keys) { return std::bit_ceil(std::max(keys * 4, kMinSlots)); }

uint64_t Mix(uint64_t a, uint64_t b) { return (a ^ std::rotl(b, 32)) * 0x9e3779b97f4a7c15; }

uint64_t Hash(uint64_t key) { return Mix(key, key >> 7); }

// Hashes the two ends and the length of the key. Short keys are hashed whole.
uint64_t Hash(absl::string_view key) {
  uint64_t head = 0;
  uint64_t tail = 0;
  if (key.size() >= 8) {
    std::memcpy(&head, key.data(), 8);
    std::memcpy(&tail, key.data() + key.size() - 8, 8);
  } else {
    for (const char c : key) head = head << 8 | static_cast<uint8_t>(c);
  }
  return Mix(head + key.size(), tail);
}

template <typename Key>
class ReplacedEntries {
 public:
  // `slots` is as the previous columns left it, with entry numbers up to `first_entry`.
  ReplacedEntries(std::vector<uint32_t>& slots, uint32_t first_entry, ColumnMemory& memory)
      : slots_(slots), first_entry_(first_entry), memory_(memory) {}

  // Appends to `replaced`, in ascending order, the entries of [begin, begin + keys.size()) that a later entry replaces. Returns
  // false if the memory limit is reached.
  bool Find(uint32_t begin, const std::vector<Key>& keys, std::vector<uint32_t>& replaced) {
    if (std::adjacent_find(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return !(a < b); }) == keys.end())
      return true;
    const size_t size_before = replaced.size();
    if (!FindInTable(begin, keys, replaced)) {
      replaced.resize(size_before);
      const size_t map_bytes = keys.size() * kHashMapBytes;
      if (!memory_.Charge(map_bytes)) return false;
      FindInMap(begin, keys, replaced);
      memory_.Discharge(map_bytes);
    }
    std::sort(replaced.begin() + static_cast<ptrdiff_t>(size_before), replaced.end());
    return true;
  }

 private:
  bool FindInTable(uint32_t begin, const std::vector<Key>& keys, std::vector<uint32_t>& replaced) {
    if (slots_.size() < keys.size() * 4) slots_.assign(SlotsFor(keys.size()), 0);
    const uint32_t base = first_entry_ + begin;  // the number of the map's first entry, less one
    const size_t mask = slots_.size() - 1;
    const int shift = 64 - std::countr_zero(slots_.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      size_t slot = Hash(keys[i]) >> shift;
      size_t probes = 0;
      while (slots_[slot] > base && keys[slots_[slot] - 1 - base] != keys[i]) {
        if (++probes > kMaxProbes) return false;
        slot = (slot + 1) & mask;
      }
      if (slots_[slot] > base) replaced.push_back(slots_[slot] - 1 - first_entry_);
      slots_[slot] = base + static_cast<uint32_t>(i) + 1;
    }
    return true;
  }

  static void FindInMap(uint32_t begin, const std::vector<Key>& keys, std::vector<uint32_t>& replaced) {
    absl::flat_hash_map<Key, uint32_t> last;
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint32_t entry = begin + static_cast<uint32_t>(i);
      const auto [it, inserted] = last.try_emplace(keys[i], entry);
      if (inserted) continue;
      replaced.push_back(it->second);
      it->second = entry;
    }
  }

  std::vector<uint32_t>& slots_;
  uint32_t first_entry_;
  ColumnMemory& memory_;
};

absl::string_view TextAt(const ColumnBuffer& column, uint32_t i) {
  const StringRef& ref = static_cast<const StringRef*>(column.values)[i];
  return {ref.data, ref.size_bytes};
}

uint64_t BitsAt(const ColumnBuffer& column, const plan::FieldPlan& field, uint32_t i) {
  switch (plan::ElementSizeBytes(field.element)) {
    case 1:
      return static_cast<const uint8_t*>(column.values)[i];
    case 4:
      return static_cast<const uint32_t*>(column.values)[i];
    default:
      return static_cast<const uint64_t*>(column.values)[i];
  }
}

// The entries of row `row` of a map column.
struct EntryRange {
  uint32_t begin;
  uint32_t end;
};
EntryRange EntriesOf(const ColumnBuffer& map, uint32_t row) {
  return {static_cast<uint32_t>(map.row_splits[row]),
          row + 1 < map.filled ? static_cast<uint32_t>(map.row_splits[row + 1]) : map.size};
}

// `map` is the column of a map field. Map entries have presence words. Returns false if the memory limit is reached.
template <typename Key, typename Scratch, typename KeyAtIndex>
bool FindReplaced(const ColumnBuffer& map, const plan::FieldPlan& key_field, uint32_t nrows, Scratch& scratch,
                  KeyAtIndex key_at) {
  const TreeNode& entries = *map.child;
  const uint32_t rows = std::min(map.filled, nrows);
  uint32_t longest = 0;
  for (uint32_t row = 0; row < rows; ++row) longest = std::max(longest, EntriesOf(map, row).end - EntriesOf(map, row).begin);
  scratch.replaced.clear();
  if (longest < 2) return true;
  if (!scratch.ChargeUpTo(SlotsFor(longest) * sizeof(uint32_t) + longest * sizeof(Key), scratch.keys_charged_bytes))
    return false;
  std::vector<Key>& keys = scratch.KeysOf(Key{});
  keys.reserve(longest);
  if (scratch.first_entry > ~uint32_t{0} - map.size) {
    scratch.slots.clear();
    scratch.first_entry = 0;
  }
  ReplacedEntries<Key> finder(scratch.slots, scratch.first_entry, scratch.memory);
  scratch.first_entry += map.size;
  for (uint32_t row = 0; row < rows; ++row) {
    const auto [begin, end] = EntriesOf(map, row);
    if (end - begin < 2) continue;
    keys.clear();
    for (uint32_t entry = begin; entry < end; ++entry) {
      // An entry without a key has the default key.
      const bool present = (entries.presence[entry] >> key_field.presence_bit & 1) != 0;
      keys.push_back(present ? key_at(entry) : Key{});
    }
    if (!finder.Find(begin, keys, scratch.replaced)) return false;
  }
  return true;
}

template <typename Scratch>
bool DropReplacedEntries(ColumnBuffer& map, uint32_t nrows, Scratch& scratch) {
  TreeNode* entries = map.child;
  const plan::FieldPlan& key_field = entries->plan->fields[0];
  const ColumnBuffer& key_column = ColumnAt(entries, key_field);
  const bool found =
      key_field.element == plan::Element::kString
          ? FindReplaced<absl::string_view>(map, key_field, nrows, scratch, [&](uint32_t i) { return TextAt(key_column, i); })
          : FindReplaced<uint64_t>(map, key_field, nrows, scratch,
                                   [&](uint32_t i) { return BitsAt(key_column, key_field, i); });
  if (!found) return false;
  const std::vector<uint32_t>& replaced = scratch.replaced;
  if (replaced.empty()) return true;
  // The memory for `replaced` and for the ranges of rows here and below. Vectors may hold twice as much as they need.
  const size_t list_bytes = replaced.size() * (2 * sizeof(uint32_t) + 4 * sizeof(RowRange));
  if (!scratch.ChargeUpTo(list_bytes, scratch.replaced_charged_bytes)) return false;

  RowRanges ranges = scratch.ranges.Take();
  for (const uint32_t entry : replaced) AppendRange(ranges, entry, entry + 1);
  RemoveFromNode(entries, ranges, RowsLeft::kNone, scratch.ranges);
  scratch.ranges.Give(std::move(ranges));
  size_t removed = 0;
  for (uint32_t row = 0; row < map.filled; ++row) {
    while (removed < replaced.size() && replaced[removed] < map.row_splits[row]) ++removed;
    map.row_splits[row] -= static_cast<int64_t>(removed);
  }
  map.size -= static_cast<uint32_t>(replaced.size());
  return true;
}

template <typename Scratch>
bool DropDuplicates(TreeNode* node, Scratch& scratch) {
  if (!node->has_maps) return true;
  bool ok = true;
  ForEachChild(node, [&](const plan::FieldPlan& field, ColumnBuffer& column) {
    if (field.cardinality == plan::Cardinality::kMap && column.size > 1)
      ok = ok && DropReplacedEntries(column, *node->nrows, scratch);
    ok = ok && DropDuplicates(column.child, scratch);
  });
  return ok;
}

}  // namespace

bool ColumnTree::DropDuplicateMapKeys() {
  if (map_scratch_ == nullptr) map_scratch_ = std::make_unique<MapScratch>(memory_);
  return DropDuplicates(root_, *map_scratch_);
}

}  // namespace structtensor::column_internal
