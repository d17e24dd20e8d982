#include "structtensor/tensor/values/structured_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string FieldJson(const StructuredTensor& value, std::string_view path) {
  const absl::StatusOr<Value> field = value.field_value(path);
  return field.ok() ? ToJson(*field) : std::string(field.status().message());
}

TEST(StructuredTensor, KeepsFieldsInOrder) {
  EXPECT_THAT(Recipes().field_names(), ElementsAre("title", "rating", "ingredients", "tags"));
  EXPECT_EQ(Recipes().rank(), 1);
  EXPECT_EQ(Recipes().nrows(), 2);
  EXPECT_EQ(Recipes().shape(), Shape({2}));
}

TEST(StructuredTensor, FieldValueFollowsThePath) {
  EXPECT_EQ(FieldJson(Recipes(), "title"), R"(["soup","bread"])");
  EXPECT_EQ(FieldJson(Recipes(), "ingredients.name"), R"([["water","salt"],["flour"]])");
  EXPECT_EQ(FieldJson(Recipes(), "ingredients.grams"), "[[500,null],[300]]");
  EXPECT_EQ(FieldJson(Recipes(), "rating"), "[[4.5],[]]");
}

TEST(StructuredTensor, FieldValueSharesMemory) {
  const StructuredTensor recipes = Recipes();
  const Tensor& flat = *recipes.FindFlatField("ingredients")->structured()->FindFlatField("grams")->tensor();
  const Value wrapped = recipes.field_value("ingredients.grams").value();
  EXPECT_EQ(wrapped.ragged()->flat_values().values<int32_t>().data(), flat.values<int32_t>().data());
}

TEST(StructuredTensor, AScalarGivesFieldsWithoutAxisZero) {
  const StructuredTensor bread = Recipes().Row(1);
  EXPECT_EQ(bread.rank(), 0);
  EXPECT_EQ(bread.shape(), Shape());
  EXPECT_EQ(FieldJson(bread, "title"), R"("bread")");
  EXPECT_EQ(FieldJson(bread, "ingredients.name"), R"(["flour"])");
  EXPECT_EQ(FieldJson(bread, "rating"), "[]");
}

TEST(StructuredTensor, UnknownFieldsAreNotFound) {
  const absl::Status status = Recipes().field_value("ingredients.colour").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "field path ingredients.colour: there is no field colour in ingredients; its fields are name, grams");
  EXPECT_THAT(FieldJson(Recipes(), "nope"), HasSubstr("there is no field nope; its fields are title,"));
  EXPECT_THAT(FieldJson(Recipes(), "ingredients.nam"), HasSubstr("; did you mean name?"));
}

TEST(StructuredTensor, PathsEndAtFieldsWithoutFields) {
  const absl::Status status = Recipes().field_value("title.x").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("title is TensorSpec([2], string), which has no fields"));
}

TEST(StructuredTensor, MalformedPathsAreInvalid) {
  for (const char* path : {"", ".", "a.", ".title", "title.", "ingredients..name", "[pkg.x", "[pkg.x]y"}) {
    EXPECT_EQ(Recipes().field_value(path).status().code(), absl::StatusCode::kInvalidArgument) << path;
  }
}

TEST(StructuredTensor, ABracketedNameIsOneStep) {
  const auto inner = StructuredTensor::FromFields(1, {{"y", Tensor::FromVector(std::vector<int32_t>{7})}}).value();
  const auto value = StructuredTensor::FromFields(1, {{"[pkg.x]", inner}}).value();
  EXPECT_EQ(FieldJson(value, "[pkg.x].y"), "[7]");
  EXPECT_EQ(FieldJson(value, "[pkg.x]"), R"([{"y":7}])");
}

TEST(StructuredTensor, FromFieldsChecksNamesAndRows) {
  const Tensor two = Tensor::FromVector(std::vector<int32_t>{1, 2});
  const auto message = [](absl::StatusOr<StructuredTensor> value) {
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(value.status().message());
  };
  EXPECT_THAT(message(StructuredTensor::FromFields(3, {{"x", two}})), HasSubstr("field x has 2 rows; the structs have 3"));
  EXPECT_THAT(message(StructuredTensor::FromFields(2, {{"x", two}, {"x", two}})), HasSubstr("field x is given twice"));
  EXPECT_THAT(message(StructuredTensor::FromFields(2, {{"", two}})), HasSubstr("name is empty"));
  EXPECT_THAT(message(StructuredTensor::FromFields(1, {{"x", Tensor::Scalar(1)}})), HasSubstr("field x is a scalar"));
  EXPECT_THAT(message(StructuredTensor::FromFields(-1, {})), HasSubstr("nrows is -1"));
}

TEST(StructuredTensor, WithoutFieldsStillHasRows) {
  const StructuredTensor empty = StructuredTensor::FromFields(3, {}).value();
  EXPECT_EQ(empty.nrows(), 3);
  EXPECT_EQ(ToJson(empty), "[{},{},{}]");
  EXPECT_EQ(empty.SliceRows(1, 3).nrows(), 2);
}

TEST(StructuredTensor, SliceRowsSlicesAllColumnsWithoutCopying) {
  const StructuredTensor recipes = Recipes();
  const StructuredTensor tail = recipes.SliceRows(1, 2);
  EXPECT_EQ(ToJson(tail),
            R"([{"title":"bread","rating":[],"ingredients":[{"name":"flour","grams":300}],"tags":{"dry":2,"baked":3}}])");
  const auto grams = [](const StructuredTensor& value) {
    return value.FindFlatField("ingredients")->structured()->FindFlatField("grams")->tensor()->values<int32_t>().data();
  };
  EXPECT_EQ(grams(tail), grams(recipes) + 2);
  EXPECT_EQ(&recipes.SliceRows(0, 2).field_names(), &recipes.field_names());
  EXPECT_EQ(&tail.field_names(), &recipes.field_names());
}

TEST(StructuredTensor, RowsOfHigherRanksLoseOneAxis) {
  const StructuredTensor matrix = *Recipes().field_value("ingredients")->structured();
  EXPECT_EQ(matrix.rank(), 2);
  EXPECT_EQ(matrix.Row(0).rank(), 1);
  EXPECT_EQ(ToJson(matrix.Row(0)), R"([{"name":"water","grams":500},{"name":"salt","grams":null}])");
  EXPECT_EQ(ToJson(matrix.Row(1).Row(0)), R"({"name":"flour","grams":300})");
}

TEST(StructuredTensor, NestedPartitionsStack) {
  const StructuredTensor cube =
      Recipes().WithOuterPartition(Partition({0, 2, 2})).field_value("ingredients")->structured()->SliceRows(0, 2);
  EXPECT_EQ(cube.rank(), 3);
  EXPECT_EQ(ToJson(cube.field_value("name").value()), R"([[["water","salt"],["flour"]],[]])");
  EXPECT_EQ(ToJson(cube.Row(0).Row(1).Row(0).field_value("name").value()), R"("flour")");
}

TEST(StructuredTensor, UniformPartitionsGiveDenseFields) {
  const auto flat = StructuredTensor::FromFields(4, {{"x", Tensor::FromVector(std::vector<int32_t>{1, 2, 3, 4})}}).value();
  const StructuredTensor matrix = flat.WithOuterPartition(RowPartition::FromUniformRowLength(2, 2).value());
  EXPECT_EQ(matrix.shape(), Shape({2, 2}));
  const Value x = matrix.field_value("x").value();
  ASSERT_NE(x.tensor(), nullptr);
  EXPECT_EQ(x.shape(), Shape({2, 2}));
}

TEST(StructuredTensor, AbsentStructsAreSlicedWithTheirRows) {
  const StructuredTensor value = StructuredTensor::Create({}, 3, {{"x", Tensor::FromVector(std::vector<int32_t>{1, 2, 3})}},
                                                          StructKind::kStruct, Bits({true, false, true}, 3));
  EXPECT_TRUE(value.nullable());
  EXPECT_TRUE(value.spec().nullable());
  EXPECT_EQ(ToJson(value), R"([{"x":1},null,{"x":3}])");
  EXPECT_EQ(ToJson(value.SliceRows(1, 3)), R"([null,{"x":3}])");
  EXPECT_EQ(ToJson(value.Row(1)), "null");
}

TEST(StructuredTensor, SpecMatchesTheValuesOfFields) {
  for (const StructuredTensor& value : {Recipes(), Recipes().Row(1), *Recipes().field_value("ingredients")->structured(),
                                        Recipes().WithOuterPartition(Partition({0, 0, 2}))}) {
    EXPECT_EQ(value.spec().shape(), value.shape());
    for (size_t i = 0; i < value.num_fields(); ++i) {
      EXPECT_EQ(value.spec().flat_fields()[i].spec, value.flat_field(i).spec());
      EXPECT_EQ(value.spec().field_spec(i), value.field_value(i).spec()) << value.field_names()[i];
    }
  }
}

TEST(StructuredTensor, SpecPrintsAsATree) {
  EXPECT_EQ(TypeSpec(Recipes().spec()).TreeString(),
            "struct [2]\n"
            "  title: string [2]\n"
            "  rating: double [2, 0..1]\n"
            "  ingredients: struct [2, None]\n"
            "    name: string [2, None]\n"
            "    grams: int32 [2, None] nullable\n"
            "  tags: map [2, None]\n"
            "    key: string [2, None]\n"
            "    value: int64 [2, None]\n");
}

// Two fields of two rows: x, and a struct with y.
class CountingSource : public FieldSource {
 public:
  Value MakeField(size_t i) const override {
    ++made;
    if (i == 0) return Tensor::FromVector<int64_t>({1, 2});
    return *StructuredTensor::FromFields(2, {{"y", Tensor::FromVector<int64_t>({3, 4})}});
  }
  bool MayHaveValues(size_t i) const override { return i == 1; }
  mutable std::atomic<int> made = 0;
};

StructuredTensor FromSource(std::shared_ptr<const FieldSource> source) {
  auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "s"});
  return StructuredTensor::CreateDeferred({}, 2, std::move(names), std::move(source));
}

TEST(StructuredTensor, ASourceMakesEachFieldOnceWhenItIsRead) {
  const auto source = std::make_shared<CountingSource>();
  const StructuredTensor value = FromSource(source);
  EXPECT_EQ(value.field_names(), (std::vector<std::string>{"x", "s"}));
  const StructuredTensor under_an_axis = value.WithOuterPartition(*RowPartition::FromUniformRowLength(2, 1));
  EXPECT_FALSE(under_an_axis.may_have_values(0));
  EXPECT_TRUE(under_an_axis.may_have_values(1));
  EXPECT_EQ(source->made, 0);
  EXPECT_EQ(FieldJson(under_an_axis, "s.y"), "[[3,4]]");
  EXPECT_EQ(FieldJson(value, "s.y"), "[3,4]");
  EXPECT_EQ(source->made, 1);
  EXPECT_EQ(FieldJson(value.SliceRows(1, 2), "x"), "[2]");
  EXPECT_EQ(ToJson(value), R"([{"x":1,"s":{"y":3}},{"x":2,"s":{"y":4}}])");
  EXPECT_EQ(source->made, 2);
}

// Each call waits until there is another one.
class SlowSource : public CountingSource {
 public:
  Value MakeField(size_t i) const override {
    Value field = CountingSource::MakeField(i);
    while (made < 2) std::this_thread::yield();
    return field;
  }
};

TEST(StructuredTensor, ThreadsThatMakeAFieldAtOnceGetTheSame) {
  const auto source = std::make_shared<SlowSource>();
  const StructuredTensor value = FromSource(source);
  std::vector<const Value*> fields(2);
  std::vector<std::thread> threads;
  for (const Value*& field : fields) threads.emplace_back([&] { field = &value.flat_field(0); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(source->made, 2);
  EXPECT_EQ(fields[0], fields[1]);
}

TEST(StructuredTensor, EqualityIsByValue) {
  EXPECT_EQ(Recipes(), Recipes());
  EXPECT_EQ(Recipes().SliceRows(1, 2), Recipes().SliceRows(1, 2));
  EXPECT_FALSE(Recipes() == Recipes().SliceRows(0, 1));
  EXPECT_FALSE(Recipes().Row(0) == Recipes().SliceRows(0, 1));
}

}  // namespace
}  // namespace structtensor
