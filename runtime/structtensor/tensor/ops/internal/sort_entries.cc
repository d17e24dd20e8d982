#include "structtensor/tensor/ops/internal/sort_entries.h"

#include <algorithm>
#include <type_traits>

namespace structtensor::ops_internal {
namespace {

// Sorts entries by less(key, key). `is_last`: whether a key comes after all others in any order, like NaN.
template <typename Less, typename IsLast>
void SortEntries(std::span<SortEntry> entries, SortOrder order, Less less, IsLast is_last) {
  if (entries.size() < 2) return;
  const auto is_first = [&](const SortEntry& entry) { return entry.key >= 0 && !is_last(entry.key); };
  const auto numbers_end = std::stable_partition(entries.begin(), entries.end(), is_first);
  std::stable_partition(numbers_end, entries.end(), [](const SortEntry& entry) { return entry.key >= 0; });
  if (order == SortOrder::kAscending) {
    std::stable_sort(entries.begin(), numbers_end, [&](const SortEntry& a, const SortEntry& b) { return less(a.key, b.key); });
  } else {
    std::stable_sort(entries.begin(), numbers_end, [&](const SortEntry& a, const SortEntry& b) { return less(b.key, a.key); });
  }
}

}  // namespace

void SortEntriesByValue(const Tensor& values, SortOrder order,
                        absl::FunctionRef<void(absl::FunctionRef<void(std::span<SortEntry>)> sort)> run) {
  if (IsStringLike(values.dtype())) {
    const auto less = [&](int64_t a, int64_t b) { return values.string_at(a) < values.string_at(b); };
    run([&](std::span<SortEntry> entries) { SortEntries(entries, order, less, [](int64_t) { return false; }); });
    return;
  }
  VisitStoredType(values.dtype(), [&]<typename T>() {
    const T* keys = values.values<T>().data();
    // 16-bit floats compare as floats; NaN differs from itself.
    const auto number = [keys](int64_t i) {
      if constexpr (std::is_arithmetic_v<T>) {
        return keys[i];
      } else {
        return static_cast<float>(keys[i]);
      }
    };
    const auto less = [&](int64_t a, int64_t b) { return number(a) < number(b); };
    const auto is_nan = [&](int64_t i) { return number(i) != number(i); };
    run([&](std::span<SortEntry> entries) { SortEntries(entries, order, less, is_nan); });
  });
}

}  // namespace structtensor::ops_internal
