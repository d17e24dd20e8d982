#include "structtensor/tensor/take_rows.h"

#include <gtest/gtest.h>

#include "structtensor/tensor/text.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

std::string TakeJson(const Value& value, std::vector<int64_t> rows) { return ToJson(TakeRows(value, rows)); }

TEST(TakeRows, OfTensors) {
  EXPECT_EQ(TakeJson(Tensor::FromVector(std::vector<int32_t>{1, 2, 3}), {2, 0, 2}), "[3,1,3]");
  EXPECT_EQ(TakeJson(Tensor::FromVector({"a", "bc", ""}), {2, 1, 1}), R"(["","bc","bc"])");
  EXPECT_EQ(TakeJson(NullableVector<int32_t>({1, 2, 3}, {true, false, true}), {2, 1}), "[3,null]");
  EXPECT_EQ(TakeJson(Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({3, 2})), {2, 0}),
            "[[5,6],[1,2]]");
}

TEST(TakeRows, OfRaggedTensorsKeepsRowsWhole) {
  const RaggedTensor ragged = RaggedTensor::FromRowPartitions({Partition({0, 2, 3}), Partition({0, 2, 2, 3})},
                                                              Tensor::FromVector(std::vector<int64_t>{1, 2, 3}))
                                  .value();
  EXPECT_EQ(TakeJson(ragged, {1, 0}), "[[[3]],[[1,2],[]]]");
}

TEST(TakeRows, OfStructuredTensorsTakesAllColumns) {
  EXPECT_EQ(
      TakeJson(Recipes(), {1, 0, 1}),
      R"([{"title":"bread","rating":[],"ingredients":[{"name":"flour","grams":300}],"tags":{"dry":2,"baked":3}},)"
      R"({"title":"soup","rating":[4.5],"ingredients":[{"name":"water","grams":500},{"name":"salt","grams":null}],"tags":{"hot":1}},)"
      R"({"title":"bread","rating":[],"ingredients":[{"name":"flour","grams":300}],"tags":{"dry":2,"baked":3}}])");
  EXPECT_TRUE(
      TakeRows(Recipes(), std::vector<int64_t>{1, 0}).structured()->flat_field(1).ragged()->row_partition(0).is_optional());
}

TEST(TakeRows, KeepsAbsentStructsAbsent) {
  const StructuredTensor value = StructuredTensor::Create({}, 3, {{"x", Tensor::FromVector(std::vector<int32_t>{1, 2, 3})}},
                                                          StructKind::kStruct, Bits({true, false, true}));
  EXPECT_EQ(TakeJson(value, {2, 1}), R"([{"x":3},null])");
}

TEST(TakeRows, OfARunSharesMemory) {
  const Tensor tensor = Tensor::FromVector(std::vector<int32_t>{1, 2, 3});
  const Value taken = TakeRows(tensor, std::vector<int64_t>{1, 2});
  EXPECT_EQ(taken.tensor()->values<int32_t>().data(), tensor.values<int32_t>().data() + 1);
}

TEST(TakeRows, OfNothingHasNoRows) { EXPECT_EQ(TakeJson(Recipes(), {}), "[]"); }

}  // namespace
}  // namespace structtensor
