#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/axes.h"

namespace structtensor {
namespace {

std::string ReshapeJson(const Value& value, std::vector<int64_t> dims) { return Json(Reshape(value, dims)); }

TEST(Reshape, InRowMajorOrder) {
  EXPECT_EQ(ReshapeJson(MakeTensor("[[1,2,3],[4,5,6]]"), {3, -1}), "[[1,2],[3,4],[5,6]]");
  EXPECT_EQ(ReshapeJson(Make(R"([{"x":1},{"x":2},{"x":3},{"x":4}])"), {2, 2}), R"([[{"x":1},{"x":2}],[{"x":3},{"x":4}]])");
  EXPECT_EQ(ReshapeJson(Make(R"({"x":1})"), {1, 1}), R"([[{"x":1}]])");
  EXPECT_EQ(ReshapeJson(Make(R"([{"x":1}])"), {}), R"({"x":1})");
  const Value uniform = RaggedTensor::FromRowPartitions({Uniform(2, 2)}, MakeTensor("[1,2,3,4]")).value();
  EXPECT_EQ(ReshapeJson(uniform, {4}), "[1,2,3,4]");
}

TEST(Reshape, KeepsFieldsOfStructsAsTheyAre) {
  const std::vector<int64_t> dims = {1, 3};
  const Value reshaped = Reshape(Docs(), dims).value();
  EXPECT_EQ(reshaped.shape().DebugString(), "[1, 3]");
  EXPECT_EQ(ToJson(reshaped.structured()->field_value("y").value()), R"([[["a"],[],["b","cd"]]])");
}

TEST(Reshape, Refuses) {
  EXPECT_THAT(ReshapeJson(Make("[[1],[2,3]]"), {3}), testing::HasSubstr("axis 1 is ragged"));
  EXPECT_THAT(ReshapeJson(MakeTensor("[1,2,3]"), {2, -1}), testing::HasSubstr("cannot have shape"));
  EXPECT_THAT(ReshapeJson(MakeTensor("[1,2,3]"), {-1, -1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(ReshapeJson(MakeTensor("[1,2,3]"), {INT64_MAX, 4}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(ReshapeJson(Tensor::Empty(Shape({0}), DType::kInt64), {0, -1}), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
