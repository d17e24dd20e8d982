// Properties of all values of extension types: an operation does the same to their rows as to rows of other values, or returns
// an error.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bundle_testutil.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "structtensor/tensor/extension_types/boxed.h"
#include "structtensor/tensor/extension_types/components.h"
#include "structtensor/tensor/extension_types/registry.h"
#include "structtensor/tensor/extension_types/serialize.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/row_partitions.h"
#include "structtensor/tensor/ops/shape_ops.h"
#include "structtensor/tensor/ops/split.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/promote.h"
#include "structtensor/tensor/struct_ops/query.h"
#include "structtensor/tensor/struct_ops/reroot.h"
#include "structtensor/tensor/struct_ops/select.h"
#include "structtensor/tensor/struct_ops/with_updates.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/equality.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/text.h"
#include "user_types_testutil.h"

namespace structtensor {
namespace extension_value_property_test {

constexpr uint32_t kSeeds = 400;

using Strings = std::vector<std::string>;

Tensor Ints(std::vector<int64_t> values) { return Tensor::FromVector(std::move(values)); }

// Random values of every kind, and of extension types whose components fit each other as often as not.
class RandomValues {
 public:
  explicit RandomValues(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t limit) { return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random_); }
  bool Chance(uint32_t one_in) { return Below(one_in) == 0; }
  // Whatever its type.
  Value Extension(int depth = 2) {
    const Shape shape = AnyShape();
    switch (Below(7)) {
      case 0:
        return rfc::SimpleMaskedTensor::Make(Array(shape), Mask(shape));
      case 1:
        return rfc::SimpleMaskedTensor::Make(Array(shape), Mask(AnyShape()));
      case 2: {
        const int64_t nvals = Below(4);
        return rfc::SparseTensor::Make(Array(Shape({nvals, 2})), Array(Shape({nvals})), Ints({nvals, 2}));
      }
      case 3:
        return rfc::LabeledTensor::Make({"a", "b"}, Array(shape));
      default:
        return Bundle(shape, depth);
    }
  }
  // A value of `nrows` rows: dense or ragged, structs, or an extension type.
  Value Rows(int64_t nrows, int depth) {
    switch (Below(depth > 0 ? 6 : 3)) {
      case 0:
        return Array(Shape({nrows}));
      case 1:
        return Array(Shape({nrows, Below(3)}));
      case 2: {
        const RowPartition partition = Lengths(nrows);
        return WithOuterPartition(partition, Array(Shape({partition.nvals()})));
      }
      case 3:
        return *StructuredTensor::FromFields(nrows, {{"x", Array(Shape({nrows}))}});
      case 4: {
        const RowPartition partition = Lengths(nrows);
        const int64_t nvals = partition.nvals();
        return WithOuterPartition(partition, *StructuredTensor::FromFields(nvals, {{"x", Array(Shape({nvals}))}}));
      }
      default:
        return rfc::SimpleMaskedTensor::Make(Array(Shape({nrows})), Mask(Shape({nrows})));
    }
  }
  RowPartition Lengths(int64_t nrows) {
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < nrows; ++i) lengths.push_back(Below(3));
    return *RowPartition::FromRowLengths(Buffer<int64_t>::FromVector(std::move(lengths)));
  }
  // Into rows of several lengths.
  RowPartition Grouping(int64_t nvals) {
    std::vector<int64_t> splits = {0, static_cast<int64_t>(Below(static_cast<uint32_t>(nvals) + 1)), nvals, nvals};
    return *RowPartition::FromRowSplits(Buffer<int64_t>::FromVector(std::move(splits)));
  }

 private:
  Shape AnyShape() {
    Shape shape;
    for (uint32_t rank = Below(3); rank > 0; --rank) shape = shape.Prepend(Below(4));
    return shape;
  }
  Tensor Array(const Shape& shape) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(next_++);
    return Tensor::FromBuffer(Buffer<int64_t>::FromVector(std::move(values)), shape);
  }
  Tensor Mask(const Shape& shape) {
    std::vector<uint8_t> values;
    for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(static_cast<uint8_t>(Below(2)));
    return Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(values)), shape, DType::kBool);
  }
  Value Bundle(const Shape& shape, int depth) {
    Nest<Value>::NamedItems components;
    const bool fits = !Chance(3);
    for (uint32_t i = Below(4); i > 0; --i) {
      const int64_t nrows = shape.rank() > 0 && fits ? shape[0] : Below(3);
      Value component = Chance(3) && depth > 0 ? Extension(depth - 1) : Chance(6) ? Value(Array(Shape())) : Rows(nrows, depth);
      components.emplace_back(std::string(1, static_cast<char>('a' + i)), std::move(component));
    }
    return rfc::Bundle::Make(Chance(4)          ? shape
                             : shape.rank() > 0 ? shape.Outer(1)
                                                : shape,
                             Chance(2), Nest<Value>::Dict(std::move(components)));
  }

  std::mt19937 random_;
  int64_t next_ = 0;
};

std::string Naive(const Value& value);

// Components in their structure, each as `of_leaf` says it.
template <typename OfLeaf>
std::string Naive(const Nest<Value>& nest, const OfLeaf& of_leaf) {
  if (nest.kind() == NestKind::kNone) return "null";
  if (nest.is_leaf()) return of_leaf(nest.leaf());
  const bool named = nest.kind() == NestKind::kDict;
  std::string items;
  for (size_t i = 0; i < nest.items().size(); ++i) {
    items += (i > 0 ? "," : "") + (named ? '"' + nest.names()[i] + "\":" : std::string());
    items += Naive(nest.items()[i], of_leaf);
  }
  return named ? "{" + items + "}" : "[" + items + "]";
}

// What each row says, by the rows of its components. Requires: value.rank() >= 1.
Strings RowsOf(const Value& value) {
  Strings rows;
  for (int64_t i = 0; i < value.nrows(); ++i) {
    if (value.extension() == nullptr || value.rank() > 1) {
      rows.push_back(Naive(value.Row(i)));
      continue;
    }
    rows.push_back(Naive(value.extension()->spec()->ToComponents(*value.extension()),
                         [i](const Value& component) { return Naive(component.Row(i)); }));
  }
  return rows;
}
std::string Listed(const Strings& rows) {
  std::string text;
  for (const std::string& row : rows) text += (text.empty() ? "" : ",") + row;
  return "[" + text + "]";
}

std::string Naive(const Value& value) {
  if (value.extension() == nullptr) return ToJson(value);
  if (value.rank() > 0) return Listed(RowsOf(value));
  return Naive(value.extension()->spec()->ToComponents(*value.extension()),
               [](const Value& component) { return Naive(component); });
}

// A result that is as expected, and a value like others; an error is fine.
template <typename T>
void ExpectRows(const absl::StatusOr<T>& result, const Strings& expected, const char* operation) {
  if (!result.ok()) {
    EXPECT_FALSE(result.status().message().empty());
    return;
  }
  EXPECT_EQ(ToJson(*result), Listed(expected)) << operation;
  EXPECT_EQ(Value(*result).nrows(), static_cast<int64_t>(expected.size())) << operation;
}
// Uses a result that has no naive model to compare with. It must only not crash.
template <typename T>
void Touch(const absl::StatusOr<T>& result) {
  if constexpr (std::is_constructible_v<Value, T>) {
    if (!result.ok()) return;
    EXPECT_FALSE((ToJson(*result) + DebugString(Value(*result)) + Value(*result).spec().DebugString()).empty());
  }
}

Strings Taken(const Strings& rows, const std::vector<int64_t>& indices) {
  Strings taken;
  for (const int64_t i : indices) taken.push_back(rows[static_cast<size_t>(i)]);
  return taken;
}

TEST(ExtensionValueProperty, RowsAreRowsOfTheComponents) {
  int with_rows = 0;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Value value = RandomValues(seed).Extension();
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << value.spec().DebugString());
    EXPECT_EQ(ToJson(value), Naive(value));
    EXPECT_EQ(value.rank(), value.shape().rank());
    if (value.rank() == 0) continue;
    ++with_rows;
    const Strings rows = RowsOf(value);
    for (int64_t i = 0; i < value.nrows(); ++i) {
      EXPECT_EQ(ToJson(value.Row(i)), rows[static_cast<size_t>(i)]);
      EXPECT_EQ(value.Row(i).rank(), value.rank() - 1);
      EXPECT_EQ(ToJson(value.SliceRows(i, value.nrows())), Listed({rows.begin() + i, rows.end()}));
    }
    EXPECT_EQ(ToJson(value.SliceRows(0, 0)), "[]");
  }
  EXPECT_GT(with_rows, static_cast<int>(kSeeds) / 8);
}

TEST(ExtensionValueProperty, OperationsDoToRowsWhatTheyDoToOthers) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomValues random(seed);
    const Value value = random.Extension();
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << value.spec().DebugString());
    Strings rows = value.rank() > 0 ? RowsOf(value) : Strings();
    const int64_t n = static_cast<int64_t>(rows.size());
    std::vector<int64_t> all, some;
    for (int64_t i = 0; i < n; ++i) all.push_back(i);
    for (int64_t i = 0; i < n + 1 && n > 0; ++i) some.push_back(random.Below(static_cast<uint32_t>(n)));
    const std::vector<int64_t> backwards(all.rbegin(), all.rend());
    Strings twice = rows;
    twice.insert(twice.end(), rows.begin(), rows.end());
    std::vector<uint8_t> stays(rows.size());
    std::vector<int64_t> kept;
    for (size_t i = 0; i < stays.size(); ++i) {
      stays[i] = static_cast<uint8_t>(random.Below(2));
      if (stays[i] != 0) kept.push_back(static_cast<int64_t>(i));
    }
    const Value mask = Tensor::FromVector(stays);
    const std::vector<Value> pair = {value, value};
    const std::string whole = ToJson(value);

    ExpectRows(Stack(pair), {whole, whole}, "Stack");
    ExpectRows(ExpandDims(value, 0), {whole}, "ExpandDims");
    for (int64_t axis = -3; axis < 3; ++axis) {
      Touch(Stack(pair, axis));
      Touch(Concat(pair, axis));
      Touch(ExpandDims(value, axis));
      Touch(Gather(value, Ints({0}), {.axis = axis}));
      Touch(Repeat(value, std::vector<int64_t>{2}, axis));
      Touch(Roll(value, std::vector<int64_t>{1}, std::vector<int64_t>{axis}));
      Touch(Reverse(value, std::vector<int64_t>{axis}));
      Touch(Squeeze(value, std::vector<int64_t>{axis}));
      Touch(Unstack(value, axis));
      Touch(SplitEvenly(value, 1, axis));
      Touch(MergeDims(value, 0, axis));
    }
    for (const Value& other : {random.Extension(), random.Rows(2, 1), value}) {
      Touch(Stack(std::vector<Value>{value, other}));
      Touch(Concat(std::vector<Value>{value, other}, 0));
      Touch(Where(mask, value, other));
      Touch(BatchGather(value, other));
      Touch(BatchGather(other, value));
      Touch(BooleanMask(value, other));
      Touch(Gather(value, other));
      Touch(GatherNd(value, other));
      EXPECT_EQ(value == other, other == value);
      ElementsEqual(value, other);
    }
    EXPECT_TRUE(value == value && HaveSameType(value, value));
    Touch(Where(value));
    Touch(Size(value));
    BoundingShape(value);
    Touch(ZerosLike(value));
    Touch(OnesLike(value));
    Touch(Reshape(value, std::vector<int64_t>{-1}));
    Touch(WithShapeDtype(value, DType::kInt32));
    Touch(BatchGather(value, mask));
    ToNestedValue(value);
    for (const Key& key : {Key(0), Key::All(), Key::Range(1, 2), Key::Ellipsis(), Key::NewAxis(), Key("x"), Key::Rows({0})}) {
      Touch(Index(value, {key}));
      Touch(Index(value, {Key::All(), key}));
      Touch(Index(value, {key, key}));
    }
    if (value.rank() == 0) continue;

    ExpectRows(Concat(pair, 0), twice, "Concat");
    ExpectRows(Gather(value, Ints(some)), Taken(rows, some), "Gather");
    ExpectRows(Index(value, {Key::Rows(some)}), Taken(rows, some), "Index by rows");
    ExpectRows(Index(value, {Key::Range(std::nullopt, std::nullopt, -1)}), Taken(rows, backwards), "Index backwards");
    ExpectRows(Index(value, {Key::NewAxis()}), {whole}, "Index with a new axis");
    ExpectRows(Index(value, {Key::Mask(mask)}), Taken(rows, kept), "Index by mask");
    ExpectRows(BooleanMask(value, mask), Taken(rows, kept), "BooleanMask");
    ExpectRows(Reverse(value, std::vector<int64_t>{0}), Taken(rows, backwards), "Reverse");
    std::vector<int64_t> multiples(static_cast<size_t>(value.rank()), 1);
    multiples[0] = 2;
    ExpectRows(Tile(value, multiples), twice, "Tile");
    ExpectRows(Where(mask, value, value), rows, "Where");
    Strings rolled = rows;
    if (n > 0) std::rotate(rolled.begin(), rolled.end() - 1, rolled.end());
    ExpectRows(Roll(value, std::vector<int64_t>{1}, std::vector<int64_t>{0}), rolled, "Roll");
    if (const absl::StatusOr<Value> shuffled = Shuffle(value, seed); shuffled.ok()) {
      Strings found = RowsOf(*shuffled);
      std::sort(found.begin(), found.end());
      std::sort(rows.begin(), rows.end());
      EXPECT_EQ(found, rows);
    }
  }
}

TEST(ExtensionValueProperty, FieldsOfStructsKeepTheirRows) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomValues random(seed);
    const Value value = random.Extension();
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << value.spec().DebugString());
    const absl::StatusOr<StructuredTensor> made =
        StructuredTensor::FromFields(value.rank() == 0 ? 1 : value.nrows(), {{"e", value}});
    EXPECT_EQ(made.ok(), value.rank() > 0);
    if (!made.ok()) continue;
    const Strings rows = RowsOf(value);
    const StructuredTensor flat =
        *StructuredTensor::FromFields(value.nrows(), {{"e", value}, {"x", random.Rows(value.nrows(), 1)}});
    const RowPartition partition = random.Grouping(value.nrows());
    Strings groups;
    for (int64_t i = 0; i < partition.nrows(); ++i) {
      const RowRange row = partition.row(i);
      groups.push_back(Listed({rows.begin() + row.begin, rows.begin() + row.end}));
    }
    EXPECT_EQ(FormatTable(flat, 10, 80).empty(), false);
    EXPECT_EQ(ToJson(*flat.field_value("e")), Listed(rows));
    const StructuredTensor grouped = flat.WithOuterPartition(partition);
    ExpectRows(grouped.field_value("e"), groups, "field_value");
    ExpectRows(absl::StatusOr<Value>(grouped.field_value(0)), groups, "field_value by position");
    ExpectRows(PartitionOuterDimension(value, partition), groups, "PartitionOuterDimension");
    const StructuredTensor twice = grouped.WithOuterPartition(random.Grouping(grouped.nrows()));
    for (const StructuredTensor& structs : {flat, grouped, twice, grouped.SliceRows(0, 1), grouped.Row(0), twice.Row(1)}) {
      Touch(structs.field_value("e"));
      Touch(Select(structs, Path{"e"}));
      Touch(Reroot(structs, Path{"e"}));
      Touch(Has(structs, Path{"e"}, "has"));
      Touch(SizeEach(structs, Path{"e"}, "size"));
      Touch(IndexEach(structs, Path{"e"}, "first", 0));
      Touch(SlicePath(structs, Path{"e"}, 0, 1));
      Touch(Truncate(structs, Path{"e"}, 1));
      Touch(Filter(structs, Path{"e"}, Path{"x"}));
      Touch(Broadcast(structs, Path{"e"}, Path{"x", "copy"}));
      Touch(WithUpdates(structs, {Update::Set(Path{"f"}, structs.field_value(0))}));
      Touch(WithUpdates(structs, {Update::Set(Path{"f"}, value)}));
      Touch(Stack(std::vector<Value>{structs, structs}));
      Touch(ToComponents(structs.spec(), structs));
      const absl::StatusOr<Nest<Value>> packed =
          PackCompositesAs(Nest<TypeSpec>(TypeSpec(structs.spec())), FlattenComposites(Nest<Value>(Value(structs))));
      if (packed.ok()) {
        EXPECT_EQ(ToJson(packed->leaf()), ToJson(structs));
      }
      ToNestedValue(structs);
    }
    const StructuredTensor outer = *StructuredTensor::FromFields(grouped.nrows(), {{"g", grouped}});
    Touch(Promote(outer, Path{"g", "e"}, Path{"promoted"}));
    Touch(Select(outer, Path{"g", "e"}));
  }
}

TEST(ExtensionValueProperty, BoxesAndComponentsAndSpecsGiveTheValueBack) {
  TypeRegistry types;
  const Value scalar = Tensor::Scalar(int64_t{1});
  ASSERT_TRUE(types.Register(*rfc::Bundle::Make(Shape(), false, scalar).spec().extension(), rfc::BundleSpec::FromState).ok());
  const rfc::SimpleMaskedTensorSpec masked(Shape(), DType::kBool);
  ASSERT_TRUE(types.Register(masked, rfc::SimpleMaskedTensorSpec::Deserialize).ok());
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomValues random(seed);
    const Value value = random.Extension();
    const TypeSpec spec = value.spec();
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << spec.DebugString());
    EXPECT_TRUE(spec.IsSubtypeOf(spec.WithUnknownSizes()) && spec.IsCompatibleWith(spec));
    const absl::StatusOr<std::string> serialized = SerializeTypeSpec(spec);
    ASSERT_TRUE(serialized.ok()) << serialized.status();
    if (const absl::StatusOr<TypeSpec> parsed = ParseTypeSpec(*serialized, types); parsed.ok()) {
      EXPECT_EQ(*parsed, spec);
    }
    const absl::StatusOr<Nest<Value>> components = ToComponents(spec, value);
    ASSERT_TRUE(components.ok()) << components.status();
    EXPECT_EQ(ToJson(*FromComponents(spec, *components)), ToJson(value));
    Touch(PackCompositesAs(spec, FlattenComposites(Nest<Value>(value))));
    EXPECT_EQ(ToJson(*FromBoxed(spec, *BoxedTensor::Make({}, {value}))), ToJson(value));
    if (const absl::StatusOr<TypeSpec> row_spec = Unstacked(spec); row_spec.ok() && value.rank() > 0) {
      for (int64_t i = 0; i < value.nrows(); ++i) Touch(FromBoxed(*row_spec, *BoxedTensor::Make({}, {value.Row(i)})));
    }
    const absl::StatusOr<BoxedTensor> pair = BoxedTensor::Make({2}, {value, value});
    const absl::StatusOr<TypeSpec> stacked = Stacked(spec, 2);
    if (stacked.ok()) ExpectRows(FromBoxed(*stacked, *pair), {ToJson(value), ToJson(value)}, "FromBoxed");
  }
}

}  // namespace extension_value_property_test
}  // namespace structtensor
