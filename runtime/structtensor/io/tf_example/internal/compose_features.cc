#include "structtensor/io/tf_example/internal/compose_features.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/tf_example/internal/row_error.h"

namespace structtensor::tf_example_internal {
namespace {

using Kind = RaggedFeaturePartition::Kind;

// The most rows that value_rowids may ask for in one call, most of them empty: 512 MB of row splits.
constexpr int64_t kMaxRowsOfIds = int64_t{1} << 26;

// Appends the lengths of the groups into which one row's `numbers` divide `count` items. Returns what is wrong, or "".
std::string AppendLengths(Kind kind, std::span<const int64_t> numbers, int64_t count, std::vector<int64_t>& lengths) {
  const auto append_limits = [&](std::span<const int64_t> limits) -> std::string {
    int64_t before = 0;
    for (const int64_t limit : limits) {
      if (limit < before) return absl::StrCat(limit, " comes after ", before);
      if (limit > count) return absl::StrCat(limit, " is more than the ", count, " items that there are");
      lengths.push_back(limit - before);
      before = limit;
    }
    return before == count ? "" : absl::StrCat("they end at ", before, ", but there are ", count, " items");
  };
  switch (kind) {
    case Kind::kRowSplits:
      if (!numbers.empty() && numbers[0] != 0) return absl::StrCat("they begin with ", numbers[0], " instead of 0");
      return append_limits(numbers.empty() ? numbers : numbers.subspan(1));
    case Kind::kRowLimits:
      return append_limits(numbers);
    case Kind::kRowStarts:
      if (numbers.empty()) return count == 0 ? "" : absl::StrCat("there are none for ", count, " items");
      if (numbers[0] != 0) return absl::StrCat("they begin with ", numbers[0], " instead of 0");
      for (size_t i = 0; i < numbers.size(); ++i) {
        const int64_t end = i + 1 < numbers.size() ? numbers[i + 1] : count;
        if (end < numbers[i]) return absl::StrCat(end, " comes after ", numbers[i]);
        if (end > count) return absl::StrCat(end, " is more than the ", count, " items that there are");
        lengths.push_back(end - numbers[i]);
      }
      return "";
    case Kind::kRowLengths: {
      int64_t left = count;
      for (const int64_t length : numbers) {
        if (length < 0) return absl::StrCat(length, " is not a length");
        if (length > left) return absl::StrCat("they are for more than the ", count, " items that there are");
        lengths.push_back(length);
        left -= length;
      }
      return left == 0 ? "" : absl::StrCat("they are for ", count - left, " items, but there are ", count);
    }
    case Kind::kValueRowids: {
      if (static_cast<int64_t>(numbers.size()) != count) {
        return absl::StrCat("there are ", numbers.size(), " for ", count, " items");
      }
      const size_t first = lengths.size();
      for (size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] < 0) return absl::StrCat(numbers[i], " is not a row");
        if (i > 0 && numbers[i] < numbers[i - 1]) return absl::StrCat(numbers[i], " comes after ", numbers[i - 1]);
        if (numbers[i] >= kMaxRowsOfIds - static_cast<int64_t>(first)) {
          return absl::StrCat(numbers[i], " asks for more rows than ", kMaxRowsOfIds, ", which is all that one call makes");
        }
        lengths.resize(std::max(lengths.size(), first + static_cast<size_t>(numbers[i]) + 1));
        ++lengths[first + static_cast<size_t>(numbers[i])];
      }
      return "";
    }
    case Kind::kUniformRowLength:
      break;
  }
  return "";
}

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kRowSplits:
      return "row splits";
    case Kind::kRowLengths:
      return "row lengths";
    case Kind::kRowStarts:
      return "row starts";
    case Kind::kRowLimits:
      return "row limits";
    case Kind::kValueRowids:
      return "value rowids";
    case Kind::kUniformRowLength:
      return "uniform row length";
  }
  return "";
}

}  // namespace

absl::StatusOr<Value> GroupValues(const std::string& name, const RaggedFeature& feature, std::span<const int64_t> row_splits,
                                  const Value& values, std::span<const FeatureRows> partition_rows, PlaceOfRow place_of_row) {
  // Which items each row has: values at first, then groups of values.
  std::vector<int64_t> splits(row_splits.begin(), row_splits.end());
  const int64_t nrows = static_cast<int64_t>(splits.size()) - 1;
  Value items = values;
  const auto wrong = [&](int64_t row, auto... text) {
    const RowPlace place = place_of_row(row);
    return FeatureError({place.row, 0, name, absl::StrCat(place.inner, text...)});
  };
  const auto with_dtype = [&](RowPartition partition) { return partition.Cast(feature.row_splits_dtype); };
  for (size_t i = feature.partitions.size(); i-- > 0;) {
    const RaggedFeaturePartition& partition = feature.partitions[i];
    std::vector<int64_t> group_splits = {0};
    if (partition.kind == Kind::kUniformRowLength) {
      const int64_t length = partition.uniform_row_length;
      for (int64_t row = 0; row < nrows; ++row) {
        const int64_t count = splits[static_cast<size_t>(row) + 1] - splits[static_cast<size_t>(row)];
        if (count % length != 0) {
          return wrong(row, count, " items do not make groups of ", length);
        }
        group_splits.push_back(group_splits.back() + count / length);
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition groups, RowPartition::FromUniformRowLength(length, group_splits.back()));
      STRUCTTENSOR_ASSIGN_OR_RETURN(groups, with_dtype(groups));
      items = WithOuterPartition(groups, items);
    } else {
      const FeatureRows& numbers = partition_rows[i];
      std::vector<int64_t> lengths;
      for (int64_t row = 0; row < nrows; ++row) {
        const auto at = static_cast<size_t>(row);
        const std::string problem =
            AppendLengths(partition.kind,
                          numbers.int64s.subspan(static_cast<size_t>(numbers.row_splits[at]),
                                                 static_cast<size_t>(numbers.row_splits[at + 1] - numbers.row_splits[at])),
                          splits[at + 1] - splits[at], lengths);
        if (!problem.empty()) {
          return wrong(row, "the ", std::string(KindName(partition.kind)), " of feature \"", partition.key,
                       "\" do not fit: ", problem);
        }
        group_splits.push_back(static_cast<int64_t>(lengths.size()));
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition groups,
                                    RowPartition::FromRowLengths(Buffer<int64_t>::FromVector(std::move(lengths))));
      STRUCTTENSOR_ASSIGN_OR_RETURN(groups, with_dtype(groups));
      items = WithOuterPartition(groups, items);
    }
    splits = std::move(group_splits);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const RowPartition rows,
      with_dtype(RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)))));
  return WithOuterPartition(rows, items);
}

absl::StatusOr<Value> SparseValues(const std::string& name, const SparseFeature& feature, std::span<const int64_t> row_splits,
                                   const Tensor& values, std::span<const FeatureRows> indices) {
  const size_t axes = indices.size();
  const auto total = static_cast<size_t>(row_splits.back());
  std::vector<int64_t> all(total * axes);
  std::vector<int64_t> order(total);
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto indices_of = [&](int64_t i) { return std::span(all).subspan(static_cast<size_t>(i) * axes, axes); };
  bool in_order = true;
  for (size_t row = 0; row + 1 < row_splits.size(); ++row) {
    const auto begin = static_cast<size_t>(row_splits[row]), end = static_cast<size_t>(row_splits[row + 1]);
    const auto fail = [&](auto... text) { return FeatureError({static_cast<int64_t>(row), 0, name, absl::StrCat(text...)}); };
    for (size_t axis = 0; axis < axes; ++axis) {
      const std::string& key = feature.index_keys[axis];
      const auto first = static_cast<size_t>(indices[axis].row_splits[row]);
      const auto last = static_cast<size_t>(indices[axis].row_splits[row + 1]);
      if (last - first != end - begin) {
        return fail("it has ", end - begin, " values, but feature \"", key, "\" ", last - first, " indices");
      }
      for (size_t i = begin; i < end; ++i) {
        const int64_t index = indices[axis].int64s[first + i - begin];
        if (index < 0 || index >= feature.size[axis]) {
          return fail("feature \"", key, "\" has the index ", index, ", which is not in [0, ", feature.size[axis], ")");
        }
        all[i * axes + axis] = index;
      }
    }
    if (feature.already_sorted) continue;
    const auto less = [&](int64_t a, int64_t b) { return std::ranges::lexicographical_compare(indices_of(a), indices_of(b)); };
    const auto row_order = std::span(order).subspan(begin, end - begin);
    if (std::ranges::is_sorted(row_order, less)) continue;
    std::ranges::stable_sort(row_order, less);
    in_order = false;
  }
  Tensor sorted = values;
  if (!in_order) {
    std::vector<int64_t> sorted_indices;
    sorted_indices.reserve(all.size());
    for (const int64_t i : order) {
      for (const int64_t index : indices_of(i)) sorted_indices.push_back(index);
    }
    all = std::move(sorted_indices);
    if (values.dtype() == DType::kInt64 || values.dtype() == DType::kFloat) {
      const auto take = [&]<typename T>(std::span<const T> from) {
        std::vector<T> taken;
        for (const int64_t i : order) taken.push_back(from[static_cast<size_t>(i)]);
        return Tensor::FromVector(std::move(taken));
      };
      sorted = values.dtype() == DType::kInt64 ? take(values.values<int64_t>()) : take(values.values<float>());
    } else {
      std::vector<std::string> taken;
      for (const int64_t i : order) taken.emplace_back(values.string_at(i));
      sorted = Tensor::FromVector(taken, values.dtype());
    }
  }
  const RowPartition rows = RowPartition::FromRowSplitsUnchecked(
      Buffer<int64_t>::FromVector(std::vector<int64_t>(row_splits.begin(), row_splits.end())));
  const Shape shape({static_cast<int64_t>(total), static_cast<int64_t>(axes)});
  return Value(StructuredTensor::Create(
      {rows}, static_cast<int64_t>(total),
      std::vector<Field>{{"indices", Tensor::FromBuffer(Buffer<int64_t>::FromVector(std::move(all)), shape)},
                         {"values", sorted}}));
}

}  // namespace structtensor::tf_example_internal
