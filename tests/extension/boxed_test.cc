#include "structtensor/extension/boxed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "masked_tensor_testutil.h"
#include "structtensor/construct/constant.h"
#include "structtensor/tensor/text.h"
#include "structtensor/type_spec/row_axes.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using List = NestedValue::List;
using Dict = NestedValue::Dict;

Value Ragged() { return Constant(List{List{1, 2}, List{}, List{3}}).value(); }
Value PlainStructs() {
  return Constant(List{Dict{{"x", 1}, {"y", List{"a"}}, {"z", List{Dict{{"w", 1}}}}},
                       Dict{{"x", 2}, {"y", List{}}, {"z", List{}}},
                       Dict{{"x", 3}, {"y", List{"b", "c"}}, {"z", List{Dict{{"w", 2}}, Dict{{"w", 3}}}}}})
      .value();
}
std::vector<Value> ValuesToBox() {
  return {Tensor::FromVector(std::vector<int64_t>{1, 2, 3}), Ragged(), PlainStructs(),
          Constant(List{List{Dict{{"x", 1}}, Dict{{"x", 2}}}, List{}, List{Dict{{"x", 3}}}}).value(),
          Constant(List{Dict{}, Dict{}}).value()};
}

TEST(Boxed, UnstackingBoxesIsUnstackingTheValue) {
  for (const Value& value : ValuesToBox()) {
    const TypeSpec spec = value.spec();
    const std::vector<BoxedTensor> rows = UnstackBoxes(ToBoxed(spec, value, 1).value()).value();
    ASSERT_EQ(static_cast<int64_t>(rows.size()), value.nrows());
    for (int64_t i = 0; i < value.nrows(); ++i) {
      EXPECT_EQ(FromBoxed(Unstacked(spec).value(), rows[static_cast<size_t>(i)]).value(), value.Row(i));
    }
  }
}

TEST(Boxed, StackingBoxesIsStackingTheValues) {
  for (const Value& value : ValuesToBox()) {
    const TypeSpec row_spec = Unstacked(value.spec()).value();
    std::vector<BoxedTensor> boxes;
    for (int64_t i = 0; i < value.nrows(); ++i) boxes.push_back(ToBoxed(row_spec, value.Row(i)).value());
    const BoxedTensor boxed = StackBoxes(boxes).value();
    EXPECT_EQ(boxed.shape(), Shape({value.nrows()}));
    const TypeSpec spec = Stacked(row_spec, value.nrows()).value();
    const Value stacked = FromBoxed(spec, boxed).value();
    EXPECT_EQ(ToJson(stacked), ToJson(value));
    EXPECT_TRUE(stacked.spec().IsSubtypeOf(spec));
  }
}

TEST(Boxed, RowsOfOneLengthByChanceStayRagged) {
  const Value value = PlainStructs().SliceRows(0, 1);
  const TypeSpec row_spec = Unstacked(PlainStructs().spec()).value();
  const BoxedTensor boxed = StackBoxes(std::vector<BoxedTensor>{ToBoxed(row_spec, value.Row(0)).value()}).value();
  const Value stacked = FromBoxed(Stacked(row_spec, 1).value(), boxed).value();
  EXPECT_NE(stacked.structured()->FindFlatField("y")->ragged(), nullptr);
  EXPECT_EQ(stacked.structured()->FindFlatField("z")->structured()->row_partitions()[0].uniform_row_length(), std::nullopt);
}

TEST(Boxed, ScalarsOfKnownSizesStackToUniformAxes) {
  const Value a = Constant(Dict{{"b", List{1, 2}}, {"s", List{Dict{{"x", 1}}, Dict{{"x", 2}}}}}).value();
  const Value b = Constant(Dict{{"b", List{3, 4}}, {"s", List{Dict{{"x", 3}}, Dict{{"x", 4}}}}}).value();
  const BoxedTensor boxed = BoxedTensor::Make({2}, {a, b}).value();
  const Value stacked = FromBoxed(Stacked(a.spec(), 2).value(), boxed).value();
  EXPECT_EQ(ToJson(stacked), R"([{"b":[1,2],"s":[{"x":1},{"x":2}]},{"b":[3,4],"s":[{"x":3},{"x":4}]}])");
  EXPECT_EQ(stacked.structured()->field_value(1).shape(), Shape({2, 2}));
}

TEST(Boxed, ConcatenatingBoxesIsConcatenatingTheValues) {
  const TypeSpec spec = Ragged().spec();
  const BoxedTensor boxed = ToBoxed(spec, Ragged(), 1).value();
  const BoxedTensor twice = ConcatBoxes(std::vector<BoxedTensor>{boxed, boxed}).value();
  const Value value = FromBoxed(Stacked(Unstacked(spec).value(), 6).value(), twice).value();
  EXPECT_EQ(ToJson(value), "[[1,2],[],[3],[1,2],[],[3]]");
}

TEST(Boxed, MatricesAreArraysOfTheirElements) {
  const Value matrix = Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({2, 3}));
  const BoxedTensor boxed = ToBoxed(matrix.spec(), matrix, 2).value();
  EXPECT_EQ(boxed.shape(), Shape({2, 3}));
  EXPECT_EQ(boxed.values()[4], Value(Tensor::Scalar(int64_t{5})));
  EXPECT_EQ(FromBoxed(matrix.spec(), boxed).value(), matrix);
  EXPECT_EQ(BoxedSpec(matrix.spec(), 2).value(),
            (BoxedTensorSpec{Shape({2, 3}), TypeSpec(TensorSpec(Shape(), DType::kInt64))}));
  EXPECT_THAT(std::string(ToBoxed(Ragged().spec(), Ragged(), 2).status().message()),
              HasSubstr("axis 1 has rows of 2 and of 0"));
}

TEST(Boxed, ArraysWithoutElementsMakeEmptyValues) {
  for (const Value& value : ValuesToBox()) {
    const TypeSpec spec = Stacked(Unstacked(value.spec()).value(), 0).value();
    const Value empty = FromBoxed(spec, BoxedTensor::Make({0}, {}).value()).value();
    EXPECT_EQ(empty.nrows(), 0);
    EXPECT_TRUE(empty.spec().IsSubtypeOf(spec)) << spec.DebugString() << " " << empty.spec().DebugString();
  }
}

TEST(Boxed, ExtensionTypesAreBoxedLikeOthers) {
  const Value masked = Masked({1, 2, 3}, {1, 0, 1});
  const std::vector<BoxedTensor> rows = UnstackBoxes(ToBoxed(masked.spec(), masked, 1).value()).value();
  EXPECT_EQ(ToJson(AsMasked(FromBoxed(Unstacked(masked.spec()).value(), rows[1]).value()).values()), "2");
  EXPECT_EQ(FromBoxed(Stacked(Unstacked(masked.spec()).value(), 0).value(), BoxedTensor::Make({0}, {}).value()).value().nrows(),
            0);
}

TEST(Boxed, WhatDoesNotFitIsAnError) {
  const Value tensor = Tensor::FromVector(std::vector<int64_t>{1, 2});
  EXPECT_FALSE(ToBoxed(TensorSpec({3}, DType::kInt64), tensor).ok());
  EXPECT_FALSE(ToBoxed(tensor.spec(), tensor, 2).ok());
  EXPECT_FALSE(ToBoxed(tensor.spec(), tensor, -1).ok());
  EXPECT_FALSE(BoxedTensor::Make({3}, {tensor}).ok());
  EXPECT_FALSE(BoxedTensor::Make({kUnknownDimension}, {tensor}).ok());
  const BoxedTensor scalar = ToBoxed(tensor.spec(), tensor).value();
  const BoxedTensor vector = ToBoxed(tensor.spec(), tensor, 1).value();
  EXPECT_FALSE(StackBoxes(std::vector<BoxedTensor>{scalar, vector}).ok());
  EXPECT_FALSE(StackBoxes({}).ok());
  EXPECT_FALSE(ConcatBoxes(std::vector<BoxedTensor>{scalar}).ok());
  EXPECT_FALSE(UnstackBoxes(scalar).ok());
  EXPECT_FALSE(FromBoxed(TensorSpec(Shape(), DType::kInt64), vector).ok());
  EXPECT_FALSE(FromBoxed(TensorSpec({2}, DType::kBool), vector).ok());
}

}  // namespace
}  // namespace structtensor
