// Random arrays, indexed with random keys, against nested lists: a model so plain that it cannot be wrong in the same way.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/shared/take_rows.h"
#include "structtensor/tensor/values/text.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

struct Nested {
  std::optional<int32_t> leaf;
  std::vector<Nested> items;

  std::string ToJson() const {
    if (leaf) return std::to_string(*leaf);
    std::string text = "[";
    for (const Nested& item : items) {
      if (text.size() > 1) text += ',';
      text += item.ToJson();
    }
    text += ']';
    return text;
  }
};

class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  int64_t Between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  // One number an axis: its size if the axis is uniform, else kUnknownDimension. The first is always a size.
  std::vector<int64_t> Axes() {
    std::vector<int64_t> axes(static_cast<size_t>(Between(1, 4)));
    for (int64_t& axis : axes) axis = Between(0, 2) == 0 ? Between(0, 3) : kUnknownDimension;
    axes[0] = Between(0, 4);
    return axes;
  }

  Nested Array(std::span<const int64_t> axes) {
    Nested nested;
    if (axes.empty()) {
      nested.leaf = next_leaf_++;
      return nested;
    }
    const int64_t length = axes[0] == kUnknownDimension ? Between(0, 3) : axes[0];
    for (int64_t i = 0; i < length; ++i) nested.items.push_back(Array(axes.subspan(1)));
    return nested;
  }

  // Integers and slices for the first axes.
  // One piece for each of the first axes; and, if asked for, new axes among them.
  std::vector<Key> Keys(size_t rank, bool new_axes) {
    std::vector<Key> keys;
    const auto bound = [this]() -> std::optional<int64_t> {
      if (Between(0, 1) == 0) return std::nullopt;
      return Between(-4, 4);
    };
    for (size_t i = 0, count = static_cast<size_t>(Between(0, static_cast<int64_t>(rank))); i < count; ++i) {
      if (new_axes && Between(0, 5) == 0) keys.push_back(Key::NewAxis());
      const int64_t kind = Between(0, 8);
      if (kind < 3) {
        keys.push_back(Between(-3, 2));
      } else if (kind == 3) {
        std::vector<int64_t> rows(static_cast<size_t>(Between(0, 3)));
        for (int64_t& row : rows) row = Between(-2, 1);
        keys.push_back(Key::Rows(rows));
      } else {
        const auto begin = bound();
        const auto end = bound();
        const int64_t step = kind < 7 ? 1 : Between(-3, 2);
        keys.push_back(Key::Range(begin, end, step == 0 ? -1 : step));
      }
    }
    return keys;
  }

 private:
  std::mt19937 random_;
  int32_t next_leaf_ = 0;
};

// The lengths of the lists at each depth, in order, and the leaves.
void Collect(const Nested& nested, size_t depth, std::vector<std::vector<int64_t>>& lengths, std::vector<int32_t>& leaves) {
  if (nested.leaf) {
    leaves.push_back(*nested.leaf);
    return;
  }
  lengths[depth].push_back(static_cast<int64_t>(nested.items.size()));
  for (const Nested& item : nested.items) Collect(item, depth + 1, lengths, leaves);
}

Value MakeValue(const Nested& nested, std::span<const int64_t> axes) {
  std::vector<std::vector<int64_t>> lengths(axes.size());
  std::vector<int32_t> leaves;
  Collect(nested, 0, lengths, leaves);
  Value value = Tensor::FromVector(leaves);
  for (size_t axis = axes.size() - 1; axis >= 1; --axis) {
    const int64_t nrows = static_cast<int64_t>(lengths[axis].size());
    const RowPartition partition = axes[axis] == kUnknownDimension
                                       ? RowPartition::FromRowLengths(Buffer<int64_t>::FromVector(lengths[axis])).value()
                                       : RowPartition::FromUniformRowLength(axes[axis], nrows).value();
    value = WithOuterPartition(partition, value);
  }
  return value;
}

// What a slice selects of a list, by Python's definition.
std::vector<int64_t> ModelSlice(const Key::Slice& slice, int64_t size) {
  const int64_t first = slice.step > 0 ? 0 : -1;
  const int64_t last = slice.step > 0 ? size : size - 1;
  const auto bound = [&](int64_t i) { return std::clamp(i < 0 ? i + size : i, first, last); };
  const int64_t begin = slice.begin ? bound(*slice.begin) : slice.step > 0 ? 0 : size - 1;
  const int64_t end = slice.end ? bound(*slice.end) : slice.step > 0 ? size : -1;
  std::vector<int64_t> selected;
  for (int64_t i = begin; slice.step > 0 ? i < end : i > end; i += slice.step) selected.push_back(i);
  return selected;
}

// Nothing if an integer is outside one of the lists it selects from.
std::optional<Nested> ModelIndex(const Nested& nested, std::span<const Key> keys) {
  if (keys.empty()) return nested;
  const int64_t size = static_cast<int64_t>(nested.items.size());
  const auto item = [&](int64_t i) -> std::optional<Nested> {
    const int64_t position = i < 0 ? i + size : i;
    if (position < 0 || position >= size) return std::nullopt;
    return ModelIndex(nested.items[static_cast<size_t>(position)], keys.subspan(1));
  };
  if (keys[0].index() != nullptr) return item(*keys[0].index());
  Nested selected;
  if (keys[0].kind() == Key::Kind::kNewAxis) {
    std::optional<Nested> inner = ModelIndex(nested, keys.subspan(1));
    if (!inner) return std::nullopt;
    selected.items.push_back(*std::move(inner));
    return selected;
  }
  std::vector<int64_t> rows;
  if (const Tensor* list = keys[0].rows()) {
    rows.assign(list->values<int64_t>().begin(), list->values<int64_t>().end());
  } else {
    rows = ModelSlice(*keys[0].slice(), size);
  }
  for (const int64_t row : rows) {
    std::optional<Nested> inner = item(row);
    if (!inner) return std::nullopt;
    selected.items.push_back(*std::move(inner));
  }
  return selected;
}

// Lists do not show the size of an axis without rows, which integers are checked against where it is known.
bool MayBeCheckedWithoutRows(const std::optional<Nested>& expected, const absl::Status& status) {
  return expected && status.code() == absl::StatusCode::kOutOfRange &&
         expected->ToJson().find_first_of("0123456789") == std::string::npos;
}

std::string KeyText(const std::vector<Key>& keys) {
  std::string text;
  for (const Key& key : keys) text += key.DebugString() + " ";
  return text;
}

TEST(TensorProperty, IndexAgreesWithNestedLists) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomValues random(seed);
    const std::vector<int64_t> axes = random.Axes();
    const Nested nested = random.Array(axes);
    const Value value = MakeValue(nested, axes);
    ASSERT_EQ(ToJson(value), nested.ToJson()) << "seed " << seed;
    for (int repetition = 0; repetition < 5; ++repetition) {
      const std::vector<Key> keys = random.Keys(axes.size(), true);
      const std::optional<Nested> expected = ModelIndex(nested, keys);
      const absl::StatusOr<Value> actual = Index(value, keys);
      if (MayBeCheckedWithoutRows(expected, actual.status())) continue;
      if (expected) {
        ASSERT_TRUE(actual.ok()) << actual.status() << ", seed " << seed;
        ASSERT_EQ(ToJson(*actual), expected->ToJson())
            << "seed " << seed << ", key " << KeyText(keys) << "of " << nested.ToJson();
      } else {
        ASSERT_EQ(actual.status().code(), absl::StatusCode::kOutOfRange) << "seed " << seed << ", key " << KeyText(keys);
      }
    }
  }
}

TEST(TensorProperty, FieldsOfStructsAreIndexedLikeArrays) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomValues random(seed);
    const std::vector<int64_t> axes = random.Axes();
    const Nested nested = random.Array(axes);
    const Value array = MakeValue(nested, axes);
    // The field has all axes, the struct only the outer ones of them.
    const int64_t struct_rank = random.Between(1, static_cast<int64_t>(axes.size()));
    std::vector<RowPartition> partitions;
    Value flat = array;
    for (int64_t axis = 1; axis < struct_rank; ++axis) {
      std::vector<int64_t> lengths;
      for (int64_t row = 0; row < flat.nrows(); ++row) lengths.push_back(flat.Row(row).nrows());
      partitions.push_back(RowPartition::FromRowLengths(Buffer<int64_t>::FromVector(lengths)).value());
      const Tensor* tensor = flat.tensor();
      flat = tensor != nullptr
                 ? Value(tensor->Reshape(tensor->shape().DropOuter(2).Prepend(tensor->shape()[0] * tensor->shape()[1])))
                 : flat.ragged()->values();
    }
    const StructuredTensor structs = StructuredTensor::Create(partitions, flat.nrows(), {{"x", flat}});
    ASSERT_EQ(ToJson(structs.field_value("x").value()), nested.ToJson()) << "seed " << seed;

    std::vector<Key> keys = random.Keys(axes.size(), false);
    const std::optional<Nested> expected = ModelIndex(nested, keys);
    while (keys.size() < static_cast<size_t>(struct_rank)) keys.push_back(Key::All());
    std::vector<Key> struct_keys = keys;
    struct_keys.insert(struct_keys.begin() + struct_rank, "x");
    const absl::StatusOr<Value> actual = Index(structs, struct_keys);
    if (MayBeCheckedWithoutRows(expected, actual.status())) continue;
    ASSERT_EQ(actual.ok(), expected.has_value()) << actual.status() << ", seed " << seed;
    if (!expected) continue;
    ASSERT_EQ(ToJson(*actual), expected->ToJson()) << "seed " << seed << ", key " << KeyText(struct_keys);
    // First the structs, then their field: the same.
    if (keys.size() != static_cast<size_t>(struct_rank)) continue;
    const Value selected = Index(structs, keys).value();
    ASSERT_EQ(ToJson(selected.structured()->field_value("x").value()), expected->ToJson()) << "seed " << seed;
  }
}

TEST(TensorProperty, TakeRowsIsTheListOfItsRows) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomValues random(seed);
    const std::vector<int64_t> axes = random.Axes();
    const Nested nested = random.Array(axes);
    const Value value = MakeValue(nested, axes);
    std::vector<int64_t> rows;
    Nested expected;
    for (int64_t i = 0, count = value.nrows() == 0 ? 0 : random.Between(0, 6); i < count; ++i) {
      rows.push_back(random.Between(0, value.nrows() - 1));
      expected.items.push_back(nested.items[static_cast<size_t>(rows.back())]);
    }
    ASSERT_EQ(ToJson(values_internal::TakeRows(value, rows)), expected.ToJson()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace structtensor
