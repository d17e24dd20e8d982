#include "structtensor/ops/sort_by_field.h"

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/new_buffer.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/ops/internal/row_reader.h"
#include "structtensor/tensor/internal/take_rows.h"

namespace structtensor {
namespace {

// One key for each struct: element key_of(i) of a vector, or nothing.
class Keys {
 public:
  // Errors: InvalidArgument if the field is anything else.
  static absl::StatusOr<Keys> Make(const Value& field, std::string_view path) {
    if (field.tensor() != nullptr && field.rank() == 1) return Keys(std::nullopt, *field.tensor());
    const RaggedTensor* ragged = field.ragged();
    if (ragged != nullptr && field.rank() == 2 && ragged->row_partition(0).is_optional()) {
      return Keys(ragged->row_partition(0), ragged->flat_values());
    }
    return absl::InvalidArgumentError(absl::StrCat("field ", ToAbsl(path), " is ", field.spec().DebugString(),
                                                   "; structs are sorted by a field that has one value in each of them"));
  }

  const Tensor& values() const { return values_; }

  // -1 if the struct has no key.
  int64_t key_of(int64_t i) const {
    if (states_) {
      const RowRange row = states_->row(i);
      i = row.size() == 0 ? -1 : row.begin;
    }
    return i >= 0 && values_.is_valid(i) ? i : -1;
  }

 private:
  Keys(std::optional<RowPartition> states, Tensor values) : states_(std::move(states)), values_(std::move(values)) {}

  std::optional<RowPartition> states_;  // of an optional field
  Tensor values_;
};

struct Entry {
  int64_t row;
  int64_t key;  // -1: none
};

// Sorts entries by less(key, key). `is_last` tells keys that are behind all others in any order, as NaN is.
template <typename Less, typename IsLast>
void SortEntries(std::span<Entry> entries, SortOrder order, Less less, IsLast is_last) {
  const auto is_first = [&](const Entry& entry) { return entry.key >= 0 && !is_last(entry.key); };
  const auto numbers_end = std::stable_partition(entries.begin(), entries.end(), is_first);
  std::stable_partition(numbers_end, entries.end(), [](const Entry& entry) { return entry.key >= 0; });
  if (order == SortOrder::kAscending) {
    std::stable_sort(entries.begin(), numbers_end, [&](const Entry& a, const Entry& b) { return less(a.key, b.key); });
  } else {
    std::stable_sort(entries.begin(), numbers_end, [&](const Entry& a, const Entry& b) { return less(b.key, a.key); });
  }
}

// Sorts each row of entries.
template <typename Less, typename IsLast>
void SortRows(std::span<Entry> entries, const RowPartition* rows, SortOrder order, Less less, IsLast is_last) {
  if (rows == nullptr) return SortEntries(entries, order, less, is_last);
  const RowReader reader(*rows);
  for (int64_t i = 0; i < rows->nrows(); ++i) {
    const RowRange row = reader.row(i);
    if (row.size() < 2) continue;
    SortEntries(entries.subspan(static_cast<size_t>(row.begin), static_cast<size_t>(row.size())), order, less, is_last);
  }
}

void SortByValue(const Tensor& values, std::span<Entry> entries, const RowPartition* rows, SortOrder order) {
  if (IsStringLike(values.dtype())) {
    SortRows(
        entries, rows, order, [&](int64_t a, int64_t b) { return values.string_at(a) < values.string_at(b); },
        [](int64_t) { return false; });
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
    SortRows(
        entries, rows, order, [&](int64_t a, int64_t b) { return number(a) < number(b); },
        [&](int64_t i) { return number(i) != number(i); });
  });
}

}  // namespace

absl::StatusOr<StructuredTensor> SortByField(const StructuredTensor& structs, std::string_view path, SortOrder order) {
  if (structs.rank() == 0)
    return absl::InvalidArgumentError("the value is a single struct; only rows of structs can be sorted");
  const StructuredTensor flat = structs.WithRowPartitions({});
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value field, flat.field_value(path));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Keys keys, Keys::Make(field, path));
  const int64_t nrows = structs.flat_nrows();
  std::vector<Entry> entries(static_cast<size_t>(nrows));
  for (int64_t i = 0; i < nrows; ++i) entries[static_cast<size_t>(i)] = {i, keys.key_of(i)};
  SortByValue(keys.values(), entries, structs.rank() == 1 ? nullptr : &structs.row_partitions().back(), order);
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows, NewBuffer<int64_t>::Allocate(nrows));
  for (size_t i = 0; i < entries.size(); ++i) rows.data()[i] = entries[i].row;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value sorted, TakeRowsChecked(flat, {rows.data(), rows.size_elements()}));
  return sorted.structured()->WithRowPartitions(structs.row_partitions());
}

}  // namespace structtensor
