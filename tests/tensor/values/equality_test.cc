#include "structtensor/tensor/values/equality.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "structtensor/tensor/values/text.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

std::string Json(const std::optional<Value>& value) { return value ? ToJson(*value) : "no pairs"; }

Tensor Ints(std::vector<int32_t> values) { return Tensor::FromVector(std::move(values)); }
Value Ragged(std::vector<int64_t> row_splits, std::vector<int32_t> values) {
  return RaggedTensor::FromRowPartitions({Partition(std::move(row_splits))}, Ints(std::move(values))).value();
}
StructuredTensor Structs(std::vector<Field> fields) {
  const int64_t nrows = fields.front().value.nrows();
  return StructuredTensor::FromFields(nrows, std::move(fields)).value();
}

TEST(ElementsEqual, OfTensorsIsAboutEachElement) {
  EXPECT_EQ(Json(ElementsEqual(Ints({1, 2}), Ints({1, 3}))), "[true,false]");
  EXPECT_EQ(Json(ElementsEqual(Tensor::FromVector({"a"}), Tensor::FromVector({"a"}))), "[true]");
  EXPECT_EQ(Json(ElementsEqual(Ragged({0, 1, 1}, {1}), Ragged({0, 1, 1}, {2}))), "[[false],[]]");
  EXPECT_EQ(Json(ElementsEqual(NullableVector<int32_t>({1, 1}, {true, false}), Ints({1, 1}))), "[true,false]");
  EXPECT_EQ(Json(ElementsEqual(NullableVector<int32_t>({1}, {false}), NullableVector<int32_t>({2}, {false}))), "[true]");
}

TEST(ElementsEqual, OfStructsIsOneAnswer) {
  EXPECT_EQ(Json(ElementsEqual(Recipes(), Recipes())), "true");
  EXPECT_EQ(Json(ElementsEqual(Structs({{"x", Ints({1})}}), Structs({{"x", Ints({2})}}))), "false");
  EXPECT_EQ(Json(ElementsEqual(Structs({{"x", Ragged({0, 1}, {1})}}), Structs({{"x", Ragged({0, 2}, {1, 2})}}))), "false");
  const Value nan = Tensor::FromVector(std::vector<double>{std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(Json(ElementsEqual(Structs({{"x", nan}}), Structs({{"x", nan}}))), "false");
}

TEST(ElementsEqual, DoesNotCareAboutTheOrderOfFields) {
  EXPECT_EQ(Json(ElementsEqual(Structs({{"x", Ints({1})}, {"y", Ints({2})}}), Structs({{"y", Ints({2})}, {"x", Ints({1})}}))),
            "true");
}

TEST(ElementsEqual, NeedsOneType) {
  EXPECT_EQ(Json(ElementsEqual(Ints({1}), Tensor::FromVector(std::vector<int64_t>{1}))), "no pairs");
  EXPECT_EQ(Json(ElementsEqual(Ints({1}), Ints({1, 2}))), "no pairs");
  EXPECT_EQ(Json(ElementsEqual(Ragged({0, 1, 1}, {1}), Ragged({0, 0, 1}, {1}))), "no pairs");
  EXPECT_EQ(Json(ElementsEqual(Recipes(), Recipes().Row(0))), "no pairs");
  EXPECT_EQ(Json(ElementsEqual(Recipes(), Recipes().SliceRows(0, 1))), "no pairs");
  EXPECT_EQ(Json(ElementsEqual(Structs({{"x", Ints({1})}}), Structs({{"y", Ints({1})}}))), "no pairs");
  EXPECT_EQ(Json(ElementsEqual(Structs({{"x", Ints({1})}}), Ints({1}))), "no pairs");
}

TEST(HaveSameType, LooksAtWhatIsKnownWithoutData) {
  EXPECT_TRUE(HaveSameType(Ragged({0, 1, 1}, {1}), Ragged({0, 0, 2}, {1, 2})));
  EXPECT_FALSE(
      HaveSameType(Ragged({0, 1}, {1}), WithOuterPartition(RowPartition::FromUniformRowLength(1, 1).value(), Ints({1}))));
}

}  // namespace
}  // namespace structtensor
