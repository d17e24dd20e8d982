#include "structtensor/tensor/extension_types/boxed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "masked_tensor_testutil.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"

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

std::vector<Value> RowsOf(const Value& value) {
  std::vector<Value> rows;
  for (int64_t i = 0; i < value.nrows(); ++i) rows.push_back(value.Row(i));
  return rows;
}

TEST(Boxed, BoxedRowsAreStacked) {
  for (const Value& value : ValuesToBox()) {
    const TypeSpec row_spec = Unstacked(value.spec()).value();
    const TypeSpec spec = Stacked(row_spec, value.nrows()).value();
    const Value stacked = FromBoxed(spec, BoxedTensor::Make({value.nrows()}, RowsOf(value)).value()).value();
    EXPECT_EQ(ToJson(stacked), ToJson(value));
    EXPECT_TRUE(stacked.spec().IsSubtypeOf(spec));
    for (const Value& row : RowsOf(value)) EXPECT_EQ(FromBoxed(row_spec, BoxedTensor::Make({}, {row}).value()).value(), row);
  }
}

TEST(Boxed, RowsOfOneLengthByChanceStayRagged) {
  const Value value = PlainStructs().SliceRows(0, 1);
  const TypeSpec row_spec = Unstacked(PlainStructs().spec()).value();
  const Value stacked = FromBoxed(Stacked(row_spec, 1).value(), BoxedTensor::Make({1}, {value.Row(0)}).value()).value();
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

TEST(Boxed, MatricesAreArraysOfTheirElements) {
  const Value matrix = Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({2, 3}));
  std::vector<Value> elements;
  for (int64_t i = 1; i <= 6; ++i) elements.emplace_back(Tensor::Scalar(i));
  EXPECT_EQ(FromBoxed(matrix.spec(), BoxedTensor::Make({2, 3}, elements).value()).value(), matrix);
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
  const BoxedTensor row = BoxedTensor::Make({}, {masked.Row(1)}).value();
  EXPECT_EQ(ToJson(AsMasked(FromBoxed(Unstacked(masked.spec()).value(), row).value()).values()), "2");
  EXPECT_EQ(FromBoxed(masked.spec(), BoxedTensor::Make({3}, RowsOf(masked)).value()).value(), masked);
  EXPECT_EQ(FromBoxed(Stacked(Unstacked(masked.spec()).value(), 0).value(), BoxedTensor::Make({0}, {}).value()).value().nrows(),
            0);
}

TEST(Boxed, WhatDoesNotFitIsAnError) {
  const Value tensor = Tensor::FromVector(std::vector<int64_t>{1, 2});
  EXPECT_FALSE(BoxedTensor::Make({3}, {tensor}).ok());
  EXPECT_FALSE(BoxedTensor::Make({kUnknownDimension}, {tensor}).ok());
  const BoxedTensor vector = BoxedTensor::Make({2}, RowsOf(tensor)).value();
  EXPECT_THAT(
      std::string(FromBoxed(TensorSpec({3}, DType::kInt64), BoxedTensor::Make({}, {tensor}).value()).status().message()),
      HasSubstr("expected a value of TensorSpec([3], int64), found one of TensorSpec([2], int64)"));
  EXPECT_FALSE(FromBoxed(TensorSpec(Shape(), DType::kInt64), vector).ok());
  EXPECT_FALSE(FromBoxed(TensorSpec({2}, DType::kBool), vector).ok());
}

}  // namespace
}  // namespace structtensor
