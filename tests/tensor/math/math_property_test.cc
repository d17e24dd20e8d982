// Random values, dense and ragged, against nested lists: a model so plain that it cannot be wrong in the same way.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "math_testutil.h"
#include "structtensor/tensor/math/arithmetic.h"
#include "structtensor/tensor/math/broadcast.h"
#include "structtensor/tensor/math/cumsum.h"
#include "structtensor/tensor/math/reduce.h"
#include "structtensor/tensor/math/select_elements.h"

namespace structtensor {
namespace {

constexpr int64_t kRagged = kUnknownDimension;

struct Node {
  std::optional<int64_t> leaf;
  std::vector<Node> items;

  std::string ToJson() const {
    if (leaf) return std::to_string(*leaf);
    std::string text = "[";
    for (const Node& item : items) text += (text.size() > 1 ? "," : "") + item.ToJson();
    return text + "]";
  }
};

// A nested list, and of each axis its size or kRagged.
struct Model {
  std::vector<int64_t> axes;
  Node root;
};

// All lists of one depth, in order.
std::vector<const Node*> NodesAtDepth(const Model& model, size_t depth) {
  std::vector<const Node*> nodes = {&model.root};
  for (size_t i = 0; i < depth; ++i) {
    std::vector<const Node*> next;
    for (const Node* node : nodes) {
      for (const Node& item : node->items) next.push_back(&item);
    }
    nodes = std::move(next);
  }
  return nodes;
}

// A value with the partitions that the last ragged axis needs, and up to `more_partitions` more.
Value ToValue(const Model& model, size_t more_partitions) {
  const size_t rank = model.axes.size();
  std::vector<int64_t> leaves;
  for (const Node* node : NodesAtDepth(model, rank)) leaves.push_back(*node->leaf);
  const Tensor elements = Tensor::FromVector(leaves);
  if (rank == 0) return elements.Reshape(Shape());
  size_t num_partitions = 0;
  for (size_t axis = 1; axis < rank; ++axis) num_partitions = model.axes[axis] == kRagged ? axis : num_partitions;
  num_partitions = std::min(num_partitions + more_partitions, rank - 1);
  std::vector<RowPartition> partitions;
  for (size_t axis = 1; axis <= num_partitions; ++axis) {
    const std::vector<const Node*> rows = NodesAtDepth(model, axis);
    if (model.axes[axis] != kRagged) {
      partitions.push_back(Uniform(model.axes[axis], static_cast<int64_t>(rows.size())));
      continue;
    }
    std::vector<int64_t> splits = {0};
    for (const Node* row : rows) splits.push_back(splits.back() + static_cast<int64_t>(row->items.size()));
    partitions.push_back(Splits(splits));
  }
  std::vector<int64_t> inner = {num_partitions == 0 ? model.axes[0] : partitions.back().nvals()};
  inner.insert(inner.end(), model.axes.begin() + static_cast<std::ptrdiff_t>(num_partitions) + 1, model.axes.end());
  const Tensor flat = elements.Reshape(Shape(std::span<const int64_t>(inner)));
  if (partitions.empty()) return flat;
  return RaggedTensor::FromRowPartitions(partitions, flat).value();
}

class RandomModels {
 public:
  explicit RandomModels(unsigned seed) : random_(seed) {}

  int64_t Between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  std::vector<int64_t> Axes(int64_t max_rank) {
    std::vector<int64_t> axes(static_cast<size_t>(Between(0, max_rank)));
    for (int64_t& axis : axes) axis = Between(0, 1) == 0 ? Between(0, 3) : kRagged;
    if (!axes.empty()) axes[0] = Between(0, 4);
    return axes;
  }

  Model Of(std::vector<int64_t> axes) {
    Node root = Build(axes);
    return {std::move(axes), std::move(root)};
  }

  // What is likely to fit together with `model`: without some outer axes, and only one row of some others.
  Model Part(const Model& model) {
    Model part = model;
    while (!part.axes.empty() && Between(0, 3) == 0 && !part.root.items.empty()) {
      const Node first = part.root.items[0];
      const bool was_ragged = part.axes.size() > 1 && part.axes[1] == kRagged;
      part.axes.erase(part.axes.begin());
      if (was_ragged) part.axes[0] = static_cast<int64_t>(first.items.size());
      part.root = first;
    }
    for (size_t axis = 0; axis < part.axes.size(); ++axis) {
      if (Between(0, 2) != 0 || !AllHaveItems(part.root, axis)) continue;
      part.axes[axis] = 1;
      KeepFirst(part.root, axis);
    }
    Renumber(part.root);
    return part;
  }

 private:
  Node Build(std::span<const int64_t> axes) {
    Node node;
    if (axes.empty()) {
      node.leaf = Between(-9, 9);
      return node;
    }
    const int64_t length = axes[0] == kRagged ? Between(0, 3) : axes[0];
    for (int64_t i = 0; i < length; ++i) node.items.push_back(Build(axes.subspan(1)));
    return node;
  }
  static bool AllHaveItems(const Node& node, size_t depth) {
    if (depth == 0) return !node.items.empty();
    return std::all_of(node.items.begin(), node.items.end(), [&](const Node& item) { return AllHaveItems(item, depth - 1); });
  }
  static void KeepFirst(Node& node, size_t depth) {
    if (depth == 0) node.items.resize(1);
    for (Node& item : node.items) {
      if (depth > 0) KeepFirst(item, depth - 1);
    }
  }
  void Renumber(Node& node) {
    if (node.leaf) node.leaf = Between(-9, 9);
    for (Node& item : node.items) Renumber(item);
  }

  std::mt19937 random_;
};

using Combine = std::function<int64_t(int64_t, int64_t)>;

// Row by row, as the rules of broadcasting are written down; nothing if they forbid it.
class BroadcastModel {
 public:
  static std::optional<Model> Apply(Model a, Model b, const Combine& combine) {
    const size_t rank = std::max(a.axes.size(), b.axes.size());
    Pad(a, rank);
    Pad(b, rank);
    std::vector<int64_t> axes(rank);
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t a_size = a.axes[axis], b_size = b.axes[axis];
      if (a_size >= 0 && b_size >= 0 && a_size != b_size && a_size != 1 && b_size != 1) return std::nullopt;
      axes[axis] = a_size == kRagged || b_size == kRagged ? kRagged : a_size == 1 ? b_size : a_size;
    }
    BroadcastModel broadcast{a.axes, b.axes, combine};
    Node root = broadcast.Walk(a.root, b.root, 0);
    if (!broadcast.fits_) return std::nullopt;
    return Model{axes, root};
  }

 private:
  BroadcastModel(const std::vector<int64_t>& a_axes, const std::vector<int64_t>& b_axes, const Combine& combine)
      : a_axes_(a_axes), b_axes_(b_axes), combine_(combine) {}

  static void Pad(Model& model, size_t rank) {
    while (model.axes.size() < rank) {
      model.axes.insert(model.axes.begin(), 1);
      Node outer;
      outer.items.push_back(model.root);
      model.root = outer;
    }
  }

  Node Walk(const Node& a, const Node& b, size_t axis) {
    Node result;
    if (axis == a_axes_.size()) {
      result.leaf = combine_(*a.leaf, *b.leaf);
      return result;
    }
    const bool repeat_a = a_axes_[axis] == 1, repeat_b = b_axes_[axis] == 1;
    fits_ = fits_ && (repeat_a || repeat_b || a.items.size() == b.items.size());
    const size_t length = repeat_a ? b.items.size() : a.items.size();
    for (size_t i = 0; fits_ && i < length; ++i) {
      result.items.push_back(Walk(a.items[repeat_a ? 0 : i], b.items[repeat_b ? 0 : i], axis + 1));
    }
    return result;
  }

  const std::vector<int64_t>& a_axes_;
  const std::vector<int64_t>& b_axes_;
  const Combine& combine_;
  bool fits_ = true;
};

std::string AxesText(const std::vector<int64_t>& axes) { return Shape(std::span<const int64_t>(axes)).DebugString(); }

// Returns whether the values that it made fit together.
bool CheckBroadcasting(unsigned seed) {
  RandomModels random(seed);
  const Model model = random.Of(random.Axes(4));
  const Model a = random.Part(model), b = random.Part(model);
  const Value x = ToValue(a, static_cast<size_t>(random.Between(0, 2))),
              y = ToValue(b, static_cast<size_t>(random.Between(0, 2)));
  SCOPED_TRACE(testing::Message() << "seed " << seed << ": "
                                  << "x " << AxesText(a.axes) << " " << ToJson(x) << "  y " << AxesText(b.axes) << " "
                                  << ToJson(y));

  const std::optional<Model> difference = BroadcastModel::Apply(a, b, std::minus<>());
  const absl::StatusOr<Value> found = Subtract(x, y);
  const absl::StatusOr<DynamicRaggedShape> shape =
      BroadcastShapes(DynamicRaggedShape::FromValue(x).value(), DynamicRaggedShape::FromValue(y).value());
  EXPECT_EQ(found.ok(), shape.ok());
  if (!difference) {
    EXPECT_EQ(found.status().code(), absl::StatusCode::kInvalidArgument);
    return false;
  }
  EXPECT_TRUE(found.ok()) << found.status();
  if (!found.ok()) return false;
  EXPECT_EQ(ToJson(*found), difference->root.ToJson());
  EXPECT_EQ(ShapeOf(found), AxesText(difference->axes));
  EXPECT_EQ(shape->static_shape().DebugString(), AxesText(difference->axes));

  const auto first = [](int64_t one, int64_t) { return one; };
  const std::optional<Model> repeated = BroadcastModel::Apply(a, b, first);
  EXPECT_EQ(Json(BroadcastTo(x, *shape)), repeated->root.ToJson());
  EXPECT_EQ(Json(SelectElements(Tensor::Scalar(true), x, y)), repeated->root.ToJson());
  return true;
}

// What comes together along the reduced axes, place by place.
Node ReduceModel(const std::vector<const Node*>& nodes, std::span<const int64_t> axes, const std::vector<bool>& is_reduced,
                 const std::function<int64_t(const std::vector<int64_t>&)>& reduce) {
  const size_t axis = is_reduced.size() - axes.size();
  Node result;
  if (axes.empty()) {
    std::vector<int64_t> leaves;
    for (const Node* node : nodes) leaves.push_back(*node->leaf);
    result.leaf = reduce(leaves);
    return result;
  }
  if (is_reduced[axis]) {
    std::vector<const Node*> items;
    for (const Node* node : nodes) {
      for (const Node& item : node->items) items.push_back(&item);
    }
    return ReduceModel(items, axes.subspan(1), is_reduced, reduce);
  }
  size_t length = axes[0] == kRagged ? 0 : static_cast<size_t>(axes[0]);
  for (const Node* node : nodes) length = std::max(length, node->items.size());
  for (size_t i = 0; i < length; ++i) {
    std::vector<const Node*> items;
    for (const Node* node : nodes) {
      if (i < node->items.size()) items.push_back(&node->items[i]);
    }
    result.items.push_back(ReduceModel(items, axes.subspan(1), is_reduced, reduce));
  }
  return result;
}

int64_t SumOf(const std::vector<int64_t>& leaves) {
  int64_t sum = 0;
  for (const int64_t leaf : leaves) sum += leaf;
  return sum;
}

int64_t MaxOf(const std::vector<int64_t>& leaves) {
  return leaves.empty() ? std::numeric_limits<int64_t>::min() : *std::max_element(leaves.begin(), leaves.end());
}

void CheckReductions(unsigned seed) {
  RandomModels random(seed);
  const Model model = random.Of(random.Axes(4));
  const Value value = ToValue(model, static_cast<size_t>(random.Between(0, 2)));
  std::vector<bool> is_reduced;
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < model.axes.size(); ++axis) {
    is_reduced.push_back(random.Between(0, 1) == 0);
    if (is_reduced.back()) axes.push_back(static_cast<int64_t>(axis));
  }
  SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << AxesText(model.axes) << " " << ToJson(value) << " along "
                                  << testing::PrintToString(axes));
  ReduceOptions options{.axes = axes};
  const auto expected = [&](int64_t (*reduce)(const std::vector<int64_t>&)) {
    return ReduceModel({&model.root}, model.axes, is_reduced, reduce).ToJson();
  };
  EXPECT_EQ(Json(ReduceSum(value, options)), expected(SumOf));
  EXPECT_EQ(Json(ReduceMax(value, options)), expected(MaxOf));
  // The mean of what is equal everywhere is just that, if there is anything.
  const Value sevens = BroadcastTo(Tensor::Scalar(7.0), DynamicRaggedShape::FromValue(value).value()).value();
  const std::string sums =
      expected([](const std::vector<int64_t>& leaves) { return leaves.empty() ? int64_t{0} : int64_t{7}; });
  std::string means = Json(ReduceMean(sevens, options));
  for (size_t found = 0; (found = means.find(R"("NaN")")) != std::string::npos;) means.replace(found, 5, "0");
  EXPECT_EQ(means, sums);
  options.keep_dims = true;
  EXPECT_EQ(ReduceSum(value, options)->rank(), value.rank());
}

// Adds leaves up in their order, for each place without the axis.
void SumModel(Node& node, size_t axis, std::vector<size_t>& place, std::map<std::vector<size_t>, int64_t>& sums) {
  if (node.leaf) {
    std::vector<size_t> key = place;
    key.erase(key.begin() + static_cast<std::ptrdiff_t>(axis));
    node.leaf = sums[key] += *node.leaf;
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    place.push_back(i);
    SumModel(node.items[i], axis, place, sums);
    place.pop_back();
  }
}

void CheckRunningSums(unsigned seed) {
  RandomModels random(seed);
  Model model = random.Of(random.Axes(4));
  if (model.axes.empty()) return;
  const Value value = ToValue(model, static_cast<size_t>(random.Between(0, 2)));
  const size_t axis = static_cast<size_t>(random.Between(0, static_cast<int64_t>(model.axes.size()) - 1));
  SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << AxesText(model.axes) << " " << ToJson(value) << " along "
                                  << axis);
  std::vector<size_t> place;
  std::map<std::vector<size_t>, int64_t> sums;
  SumModel(model.root, axis, place, sums);
  EXPECT_EQ(Json(Cumsum(value, static_cast<int64_t>(axis))), model.root.ToJson());
}

constexpr unsigned kNumSeeds = 1000;

TEST(MathProperty, BroadcastingFollowsItsRules) {
  unsigned num_fitting = 0;
  for (unsigned seed = 0; seed < kNumSeeds && !testing::Test::HasFailure(); ++seed) {
    num_fitting += static_cast<unsigned>(CheckBroadcasting(seed));
  }
  EXPECT_GT(num_fitting, kNumSeeds / 4);
  EXPECT_LT(num_fitting, kNumSeeds);
}

TEST(MathProperty, ReductionsBringEqualPlacesTogether) {
  for (unsigned seed = 0; seed < kNumSeeds && !testing::Test::HasFailure(); ++seed) CheckReductions(seed);
}

TEST(MathProperty, RunningSumsAddUpEqualPlaces) {
  for (unsigned seed = 0; seed < kNumSeeds && !testing::Test::HasFailure(); ++seed) CheckRunningSums(seed);
}

}  // namespace
}  // namespace structtensor
