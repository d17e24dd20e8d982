// Random values through the operations, against the same on nested lists: a model so plain that it cannot be wrong in the same
// way.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/split.h"

namespace structtensor {
namespace {

constexpr unsigned kSeeds = 400;

using List = NestedValue::List;

// Sizes of the axes after axis 0, -1 if ragged. Two values can be joined only if they have the same.
using Axes = std::vector<int64_t>;

class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  int64_t Between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  bool Chance() { return Between(0, 1) == 0; }

  Axes MakeAxes() {
    Axes axes(static_cast<size_t>(Between(0, 2)));
    for (int64_t& axis : axes) axis = Between(0, 2) == 0 ? Between(0, 3) : -1;
    return axes;
  }

  RowPartition Rows(int64_t axis, int64_t nrows) {
    if (axis >= 0) return Uniform(axis, nrows);
    std::vector<int64_t> splits = {0};
    for (int64_t i = 0; i < nrows; ++i) splits.push_back(splits.back() + Between(0, 3));
    // Some partitions are slices of others, whose splits do not start at 0.
    if (!Chance()) return Splits(std::move(splits));
    for (int64_t& split : splits) split += 2;
    splits.insert(splits.begin(), 0);
    return Splits(std::move(splits)).SliceRows(1, nrows + 1);
  }

  // `nrows` rows of an array of structs, or of numbers or strings, under those axes.
  Value Array(int64_t nrows, const Axes& axes, bool structs, bool strings) {
    std::vector<RowPartition> partitions;
    for (int64_t axis : axes) {
      partitions.push_back(Rows(axis, nrows));
      nrows = partitions.back().nvals();
    }
    Value value = structs ? Structs(nrows) : Leaf(nrows, strings);
    for (auto partition = partitions.rbegin(); partition != partitions.rend(); ++partition) {
      value = WithOuterPartition(*partition, value);
    }
    return value;
  }

  Tensor Mask(int64_t size) {
    std::vector<uint8_t> values(static_cast<size_t>(size));
    for (uint8_t& value : values) value = Chance() ? 1 : 0;
    return Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(values)), DType::kBool);
  }

 private:
  Value Leaf(int64_t size, bool strings) {
    if (strings) {
      std::vector<std::string> values(static_cast<size_t>(size));
      for (std::string& value : values)
        value = std::string(static_cast<size_t>(Between(0, 3)), static_cast<char>('a' + Between(0, 25)));
      return Tensor::FromVector(values);
    }
    std::vector<int64_t> values(static_cast<size_t>(size));
    for (int64_t& value : values) value = next_++;
    std::vector<bool> present(values.size());
    for (size_t i = 0; i < present.size(); ++i) present[i] = Between(0, 3) > 0;
    return Tensor::FromBuffer(Buffer<int64_t>::FromVector(std::move(values)), DType::kInt64,
                              nullable_ ? Bits(present) : Validity());
  }

  Value Structs(int64_t nrows) {
    RowPartition rows = Rows(-1, nrows);
    const Value nested = StructuredTensor::Create({rows}, rows.nvals(), {{"w", Leaf(rows.nvals(), true)}});
    return StructuredTensor::Create(
        {}, nrows,
        {{"x", Leaf(nrows, false)}, {"s", Leaf(nrows, true)}, {"r", Array(nrows, {-1}, false, false)}, {"z", nested}});
  }

  std::mt19937 random_;
  int64_t next_ = 0;
  bool nullable_ = std::uniform_int_distribution<int>(0, 1)(random_) == 0;
};

// One random value to work on.
struct Subject {
  explicit Subject(unsigned seed)
      : random(seed),
        axes(random.MakeAxes()),
        structs(random.Chance()),
        strings(random.Chance()),
        value(Another(random.Between(0, 5))) {}

  Value Another(int64_t nrows) { return random.Array(nrows, axes, structs, strings); }
  int RandomAxis() { return static_cast<int>(random.Between(0, value.rank() - 1)); }
  NestedValue model() const { return ToNestedValue(value); }

  RandomValues random;
  Axes axes;
  bool structs;
  bool strings;
  Value value;
};

// Applies `change` to each list at that depth.
template <typename Change>
NestedValue AtDepth(const NestedValue& nested, int depth, const Change& change) {
  if (depth == 0) return change(*nested.list());
  List list;
  for (const NestedValue& item : *nested.list()) list.push_back(AtDepth(item, depth - 1, change));
  return list;
}

void ExpectSame(const absl::StatusOr<Value>& found, const NestedValue& expected, const Subject& subject, unsigned seed) {
  ASSERT_TRUE(found.ok()) << "seed " << seed << " " << found.status() << "\n" << DebugString(subject.value);
  ASSERT_TRUE(ToNestedValue(*found) == expected)
      << "seed " << seed << "\nof    " << ToJson(subject.value) << "\nfound " << ToJson(*found);
}

TEST(ArrayProperty, Slice) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    NestedValue expected = subject.model();
    std::vector<int64_t> begin, size;
    for (int axis = 0; axis < subject.value.rank(); ++axis) {
      const int64_t length = subject.value.shape()[axis];
      begin.push_back(subject.random.Between(0, length < 0 ? 3 : length));
      size.push_back(subject.random.Chance() ? -1 : subject.random.Between(0, length < 0 ? 3 : length - begin.back()));
      expected = AtDepth(expected, axis, [&](const List& list) -> NestedValue {
        const size_t first = std::min(list.size(), static_cast<size_t>(begin.back()));
        const size_t count =
            size.back() < 0 ? list.size() - first : std::min(list.size() - first, static_cast<size_t>(size.back()));
        const auto from = list.begin() + static_cast<std::ptrdiff_t>(first);
        return List(from, from + static_cast<std::ptrdiff_t>(count));
      });
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Slice(subject.value, begin, size), expected, subject, seed));
  }
}

TEST(ArrayProperty, GatherOfRows) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    if (subject.value.nrows() == 0) continue;
    std::vector<int64_t> rows(static_cast<size_t>(subject.random.Between(0, 6)));
    List expected;
    const NestedValue model = subject.model();
    for (int64_t& row : rows) {
      row = subject.random.Between(0, subject.value.nrows() - 1);
      expected.push_back((*model.list())[static_cast<size_t>(row)]);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Gather(subject.value, Tensor::FromVector(rows)), expected, subject, seed));
  }
}

// Positions that every row of an axis has, if any.
TEST(ArrayProperty, GatherAlongAnAxis) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    const int axis = subject.RandomAxis();
    size_t shortest = 1000;
    AtDepth(subject.model(), axis, [&](const List& list) -> NestedValue {
      shortest = std::min(shortest, list.size());
      return nullptr;
    });
    if (shortest == 0) continue;
    std::vector<int64_t> positions(static_cast<size_t>(subject.random.Between(1, 3)));
    for (int64_t& position : positions)
      position = subject.random.Between(0, static_cast<int64_t>(std::min<size_t>(shortest, 10)) - 1);
    const NestedValue expected = AtDepth(subject.model(), axis, [&](const List& list) -> NestedValue {
      List taken;
      for (int64_t position : positions) taken.push_back(list[static_cast<size_t>(position)]);
      return taken;
    });
    // No row at all has every position; neither has an axis of size 0, where TensorFlow's kernels refuse, too.
    if (shortest == 1000) continue;
    ASSERT_NO_FATAL_FAILURE(
        ExpectSame(Gather(subject.value, Tensor::FromVector(positions), {.axis = axis}), expected, subject, seed));
    const NestedValue single =
        AtDepth(subject.model(), axis, [&](const List& list) { return list[static_cast<size_t>(positions[0])]; });
    ASSERT_NO_FATAL_FAILURE(
        ExpectSame(Gather(subject.value, Tensor::Scalar(positions[0]), {.axis = axis}), single, subject, seed));
  }
}

NestedValue JoinLists(const std::vector<NestedValue>& lists, int depth) {
  List joined;
  if (depth == 0) {
    for (const NestedValue& list : lists) joined.insert(joined.end(), list.list()->begin(), list.list()->end());
    return joined;
  }
  for (size_t i = 0; i < lists.front().list()->size(); ++i) {
    std::vector<NestedValue> items;
    for (const NestedValue& list : lists) items.push_back((*list.list())[i]);
    joined.push_back(JoinLists(items, depth - 1));
  }
  return joined;
}

NestedValue StackLists(const std::vector<NestedValue>& lists, int depth) {
  List stacked;
  if (depth == 0) return List(lists.begin(), lists.end());
  for (size_t i = 0; i < lists.front().list()->size(); ++i) {
    std::vector<NestedValue> items;
    for (const NestedValue& list : lists) items.push_back((*list.list())[i]);
    stacked.push_back(StackLists(items, depth - 1));
  }
  return stacked;
}

TEST(ArrayProperty, ConcatOfRows) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    std::vector<Value> values = {subject.value};
    std::vector<NestedValue> models = {subject.model()};
    for (int64_t i = 0, count = subject.random.Between(0, 3); i < count; ++i) {
      values.push_back(subject.Another(subject.random.Between(0, 4)));
      models.push_back(ToNestedValue(values.back()));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Concat(values, 0), JoinLists(models, 0), subject, seed));
  }
}

// Joins a value with its own reverse along the axis, which has the same sizes before that axis.
TEST(ArrayProperty, ConcatAndStackAlongAnAxis) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    const int axis = subject.RandomAxis();
    const std::vector<int64_t> axes = {axis};
    const std::vector<Value> values = {subject.value, Reverse(subject.value, axes).value(), subject.value};
    std::vector<NestedValue> models;
    for (const Value& value : values) models.push_back(ToNestedValue(value));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Concat(values, axis), JoinLists(models, axis), subject, seed));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Stack(values, axis), StackLists(models, axis), subject, seed));
  }
}

TEST(ArrayProperty, UnstackTakesStackBack) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    const int axis = static_cast<int>(subject.random.Between(0, subject.value.rank()));
    const Value stacked = Stack(std::vector<Value>{subject.value, subject.value}, axis).value();
    const std::vector<Value> values = Unstack(stacked, axis).value();
    ASSERT_EQ(values.size(), 2u);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(values[0], subject.model(), subject, seed));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(values[1], subject.model(), subject, seed));
  }
}

// The mask as nested lists of the shape of the value's first axes.
TEST(ArrayProperty, BooleanMaskAndWhere) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    const int axis = subject.RandomAxis();
    const Value merged = MergeDims(subject.value, 0, axis).value();
    Value mask = subject.random.Mask(merged.nrows());
    const std::span<const uint8_t> bits = mask.tensor()->values<uint8_t>();
    size_t next = 0;
    const NestedValue expected = AtDepth(subject.model(), axis, [&](const List& list) -> NestedValue {
      List kept;
      for (const NestedValue& item : list) {
        if (bits[next++] != 0) kept.push_back(item);
      }
      return kept;
    });
    // Under the partitions of the value, from the innermost one outwards.
    for (int level = axis; level > 0; --level) {
      const Value inner = level == 1 ? subject.value : MergeDims(subject.value, 0, level - 1).value();
      std::vector<int64_t> splits = {0};
      for (int64_t row = 0; row < inner.nrows(); ++row) splits.push_back(splits.back() + inner.Row(row).nrows());
      mask = WithOuterPartition(Splits(std::move(splits)), mask);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(BooleanMask(subject.value, mask), expected, subject, seed));

    const std::vector<int64_t> last = {axis};
    const Value other = Reverse(subject.value, last).value();
    next = 0;
    const auto choose = [&](const auto& self, const NestedValue& x, const NestedValue& y, int depth) -> NestedValue {
      List chosen;
      for (size_t i = 0; i < x.list()->size(); ++i) {
        const NestedValue& x_item = (*x.list())[i];
        const NestedValue& y_item = (*y.list())[i];
        if (depth == 0) {
          chosen.push_back(bits[next++] != 0 ? x_item : y_item);
        } else {
          chosen.push_back(self(self, x_item, y_item, depth - 1));
        }
      }
      return chosen;
    };
    const NestedValue chosen = choose(choose, subject.model(), ToNestedValue(other), axis);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Where(mask, subject.value, other), chosen, subject, seed));
  }
}

TEST(ArrayProperty, PartitionThenMergeIsTheSame) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    std::vector<int64_t> splits = {0};
    while (splits.back() < subject.value.nrows()) {
      splits.push_back(splits.back() + subject.random.Between(0, subject.value.nrows() - splits.back()));
    }
    const absl::StatusOr<Value> partitioned = PartitionOuterDimension(subject.value, Splits(splits));
    List expected;
    const NestedValue model = subject.model();
    for (size_t i = 1; i < splits.size(); ++i) {
      expected.push_back(List(model.list()->begin() + splits[i - 1], model.list()->begin() + splits[i]));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(partitioned, expected, subject, seed));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(MergeDims(*partitioned, 0, 1), subject.model(), subject, seed));
  }
}

TEST(ArrayProperty, MergeDims) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    if (subject.value.rank() < 2) continue;
    const int outer = static_cast<int>(subject.random.Between(0, subject.value.rank() - 2));
    const NestedValue expected = AtDepth(subject.model(), outer, [&](const List& list) { return JoinLists(list, 0); });
    ASSERT_NO_FATAL_FAILURE(ExpectSame(MergeDims(subject.value, outer, outer + 1), expected, subject, seed));
  }
}

TEST(ArrayProperty, TileAndRepeat) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Subject subject(seed);
    NestedValue tiled = subject.model();
    std::vector<int64_t> multiples;
    for (int axis = 0; axis < subject.value.rank(); ++axis) {
      multiples.push_back(subject.random.Between(0, 2));
      tiled = AtDepth(tiled, axis, [&](const List& list) -> NestedValue {
        List result;
        for (int64_t i = 0; i < multiples.back(); ++i) result.insert(result.end(), list.begin(), list.end());
        return result;
      });
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Tile(subject.value, multiples), tiled, subject, seed));
    const int axis = subject.RandomAxis();
    const std::vector<int64_t> count = {subject.random.Between(0, 3)};
    const NestedValue repeated = AtDepth(subject.model(), axis, [&](const List& list) -> NestedValue {
      List result;
      for (const NestedValue& item : list) result.insert(result.end(), static_cast<size_t>(count[0]), item);
      return result;
    });
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Repeat(subject.value, count, axis), repeated, subject, seed));
  }
}

}  // namespace
}  // namespace structtensor
