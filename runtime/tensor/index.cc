// A key is worked off from the left. On axis 0 an integer is a row and a slice a slice: no data moves. Below that the outermost
// partition is set aside, the piece picks values out of each of its rows, and what is left of the key goes to the values
// picked:
//
//   v[:, 1:]    partition 0 2 2 5 of [a b | | c d e]   ->   rows b | | d e of the values, partition 0 1 1 3
#include "structtensor/tensor/index.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/status.h"
#include "structtensor/tensor/take_rows.h"

namespace structtensor {
namespace {

std::string KeyText(std::span<const Key> keys) {
  std::string text = "[";
  for (const Key& key : keys) absl::StrAppend(&text, text.size() > 1 ? ", " : "", key.DebugString());
  return text + "]";
}

bool IsWhole(const Key& key) { return key.slice() != nullptr && !key.slice()->begin && !key.slice()->end; }

// What a slice selects of an axis of that size: clipped, never out of range.
RowRange ResolveSlice(const Key::Slice& slice, int64_t size) {
  const auto resolve = [size](int64_t bound) { return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size); };
  const int64_t begin = resolve(slice.begin.value_or(0));
  const int64_t end = resolve(slice.end.value_or(size));
  return {begin, std::max(begin, end)};
}

// The position that an integer means on an axis of that size, which it may be outside of.
int64_t ResolveIndex(int64_t index, int64_t size) { return index < 0 ? index + size : index; }

// Values under one more axis than they show: row i of the whole is rows partition.row(i) of `inner`.
struct Peeled {
  RowPartition partition;
  Value inner;
};

// Takes the outermost axis off. Requires: value.rank() >= 2.
Peeled PeelOuterAxis(const Value& value) {
  assert(value.rank() >= 2);
  if (const RaggedTensor* ragged = value.ragged()) return {ragged->row_partition(0), ragged->values()};
  if (const StructuredTensor* structs = value.structured())
    return {structs->row_partitions().front(), structs->MergeOuterAxes()};
  const Tensor& tensor = *value.tensor();
  const int64_t nrows = tensor.shape()[0];
  const int64_t length = tensor.shape()[1];
  // The tensor has that many elements at least, unless an inner axis is empty; the product was checked when it was made.
  RowPartition partition = *RowPartition::FromUniformRowLength(length, nrows);
  return {std::move(partition), tensor.Reshape(tensor.shape().DropOuter(2).Prepend(nrows * length))};
}

// Applies the whole key of `value`; holds where in it errors are.
class Indexer {
 public:
  explicit Indexer(std::span<const Key> all_keys) : all_keys_(all_keys) {}

  absl::StatusOr<Value> Select(const Value& value, std::span<const Key> keys) const {
    if (keys.empty()) return value;
    const auto is_name = [](const Key& key) { return key.name() != nullptr; };
    const size_t position = static_cast<size_t>(std::find_if(keys.begin(), keys.end(), is_name) - keys.begin());
    const StructuredTensor* structs = value.structured();
    if (structs == nullptr) {
      if (position < keys.size()) {
        return Invalid(absl::StrCat("'", *keys[position].name(), "' selects a field, but the value is ",
                                    value.spec().DebugString(), ", which has no fields"));
      }
      if (keys.size() > static_cast<size_t>(value.rank())) {
        return Invalid(absl::StrCat("it selects from ", keys.size(), " axes of ", value.spec().DebugString(), ", which has ",
                                    value.rank()));
      }
      return SelectAxes(value, keys);
    }
    const size_t rank = static_cast<size_t>(structs->rank());
    if (position < rank && position < keys.size()) {
      return Invalid(absl::StrCat("field '", *keys[position].name(), "' stands where axis ", position, " of structs of shape ",
                                  structs->shape().DebugString(),
                                  " has yet to be selected from; write ':' for each whole axis"));
    }
    if (position == keys.size() && keys.size() <= rank) return SelectAxes(value, keys);
    if (position != rank) {
      return Invalid(absl::StrCat(keys[rank].DebugString(), " stands where the name of a field is expected: structs of shape ",
                                  structs->shape().DebugString(), " have no axis ", rank));
    }
    // st[D1, ..., Dn, name, rest...] is field[D1, ..., Dn, rest...]: the other fields are never touched.
    const std::vector<std::string>& names = structs->field_names();
    const auto field = std::find(names.begin(), names.end(), *keys[rank].name());
    if (field == names.end()) {
      return absl::NotFoundError(absl::StrCat("key ", KeyText(all_keys_), ": there is no field '", *keys[rank].name(), "'; ",
                                              structs->DescribeFields()));
    }
    std::vector<Key> field_keys(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(rank));
    field_keys.insert(field_keys.end(), keys.begin() + static_cast<std::ptrdiff_t>(rank) + 1, keys.end());
    return Select(structs->field_value(static_cast<size_t>(field - names.begin())), field_keys);
  }

 private:
  absl::Status Invalid(const std::string& what) const {
    return absl::InvalidArgumentError(absl::StrCat("key ", KeyText(all_keys_), ": ", what));
  }

  // Integers and slices only, from axis 0 on. Requires: keys.size() <= value.rank().
  absl::StatusOr<Value> SelectAxes(const Value& value, std::span<const Key> keys) const {
    if (keys.empty()) return value;
    if (const int64_t* index = keys[0].index()) {
      const int64_t row = ResolveIndex(*index, value.nrows());
      if (row < 0 || row >= value.nrows()) {
        return absl::OutOfRangeError(absl::StrCat("key ", KeyText(all_keys_), ": index ", *index, " is outside an axis of ",
                                                  value.nrows(), " rows; it must be in [", -value.nrows(), ", ", value.nrows(),
                                                  ")"));
      }
      return SelectAxes(value.Row(row), keys.subspan(1));
    }
    const RowRange rows = ResolveSlice(*keys[0].slice(), value.nrows());
    return SelectInnerAxes(value.SliceRows(rows.begin, rows.end), keys.subspan(1));
  }

  // The same, from axis 1 on, axis 0 staying whole. Requires: keys.size() < value.rank().
  absl::StatusOr<Value> SelectInnerAxes(const Value& value, std::span<const Key> keys) const {
    if (std::all_of(keys.begin(), keys.end(), IsWhole)) return value;
    const Peeled peeled = PeelOuterAxis(value);
    if (const int64_t* index = keys[0].index()) {
      std::vector<int64_t> taken;
      for (int64_t i = 0; i < peeled.partition.nrows(); ++i) {
        const RowRange row = peeled.partition.row(i);
        const int64_t position = ResolveIndex(*index, row.size());
        if (position < 0 || position >= row.size()) {
          return absl::OutOfRangeError(absl::StrCat("key ", KeyText(all_keys_), ": index ", *index, " is outside row ", i,
                                                    " of the axis, which has ", row.size(),
                                                    " values; a slice selects what there is instead"));
        }
        taken.push_back(row.begin + position);
      }
      return SelectInnerAxes(TakeRows(peeled.inner, taken), keys.subspan(1));
    }
    if (IsWhole(keys[0])) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, SelectInnerAxes(peeled.inner, keys.subspan(1)));
      return WithOuterPartition(peeled.partition, inner);
    }
    std::vector<int64_t> taken;
    std::vector<int64_t> row_splits = {0};
    for (int64_t i = 0; i < peeled.partition.nrows(); ++i) {
      const RowRange row = peeled.partition.row(i);
      const RowRange selected = ResolveSlice(*keys[0].slice(), row.size());
      for (int64_t j = selected.begin; j < selected.end; ++j) taken.push_back(row.begin + j);
      row_splits.push_back(static_cast<int64_t>(taken.size()));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, SelectInnerAxes(TakeRows(peeled.inner, taken), keys.subspan(1)));
    return WithOuterPartition(SlicedPartition(peeled.partition, *keys[0].slice(), std::move(row_splits)), inner);
  }

  // A uniform axis stays uniform: all its rows lost the same.
  static RowPartition SlicedPartition(const RowPartition& whole, const Key::Slice& slice, std::vector<int64_t> row_splits) {
    const auto optional = whole.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
    if (whole.uniform_row_length()) {
      return *RowPartition::FromUniformRowLength(ResolveSlice(slice, *whole.uniform_row_length()).size(), whole.nrows(),
                                                 optional);
    }
    return RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(row_splits)), optional);
  }

  std::span<const Key> all_keys_;
};

}  // namespace

std::string Key::DebugString() const {
  if (name() != nullptr) return absl::StrCat("'", *name(), "'");
  if (index() != nullptr) return absl::StrCat(*index());
  std::string text;
  if (slice()->begin) absl::StrAppend(&text, *slice()->begin);
  text += ':';
  if (slice()->end) absl::StrAppend(&text, *slice()->end);
  return text;
}

absl::StatusOr<Value> Index(const Value& value, std::span<const Key> keys) { return Indexer(keys).Select(value, keys); }

absl::StatusOr<Value> Index(const Value& value, std::initializer_list<Key> keys) {
  return Index(value, std::span<const Key>(keys.begin(), keys.size()));
}

}  // namespace structtensor
