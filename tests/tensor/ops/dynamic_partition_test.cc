#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/split.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(DynamicPartition, RowsKeepTheirOrder) {
  EXPECT_EQ(Json(DynamicPartition(MakeTensor("[10,20,30,40]"), MakeTensor("[1,0,1,1]"), 3)), "[20] [10,30,40] []");
  EXPECT_EQ(Json(DynamicPartition(Make("[[1,2],[],[3]]"), MakeTensor("[1,0,1]"), 2)), "[[]] [[1,2],[3]]");
  EXPECT_EQ(Json(DynamicPartition(Docs(), MakeTensor("[1,1,0]"), 2)),
            R"([{"x":3,"y":["b","cd"],"z":{"w":2.5}}] [{"x":1,"y":["a"],"z":{"w":0.5}},{"x":2,"y":[],"z":{"w":1.5}}])");
}

TEST(DynamicPartition, PartitionsOfInnerAxes) {
  EXPECT_EQ(Json(DynamicPartition(Make("[[1,2],[],[3]]"), Make("[[0,1],[],[0]]"), 2)), "[1,3] [2]");
  EXPECT_EQ(Json(DynamicPartition(MakeTensor("[[1,2],[3,4]]"), MakeTensor("[[0,1],[1,0]]"), 2)), "[1,4] [2,3]");
  EXPECT_EQ(Json(DynamicPartition(Make("[[[1],[2,3]],[],[[4,5]]]"), Make("[[1,0],[],[1]]"), 2)), "[[2,3]] [[1],[4,5]]");
  EXPECT_EQ(Json(DynamicPartition(Make(R"([[{"x":1}],[{"x":2},{"x":3}]])"), Make("[[1],[0,1]]"), 2)),
            R"([{"x":2}] [{"x":1},{"x":3}])");
}

TEST(DynamicPartition, AScalarTakesAll) {
  EXPECT_EQ(Json(DynamicPartition(Make("[[1,2],[]]"), Tensor::Scalar(int64_t{1}), 2)), "[] [[[1,2],[]]]");
  EXPECT_EQ(Json(DynamicPartition(Tensor::Scalar(int64_t{7}), Tensor::Scalar(int64_t{0}), 1)), "[7]");
}

TEST(DynamicPartition, Stacked) {
  const Value stacked = StackDynamicPartitions(Make("[[1,2],[],[3]]"), MakeTensor("[1,0,1]"), 3).value();
  EXPECT_EQ(ToJson(stacked), "[[[]],[[1,2],[3]],[]]");
  EXPECT_EQ(stacked.ragged()->ragged_rank(), 2);
  EXPECT_EQ(Json(StackDynamicPartitions(MakeTensor("[1,2]"), MakeTensor("[0,0]"), 1)), "[[1,2]]");
  EXPECT_EQ(Json(StackDynamicPartitions(Make("[]"), Tensor::Empty(Shape({0}), DType::kInt64), 2)), "[[],[]]");
}

TEST(DynamicPartition, Refuses) {
  const auto error = [](const Value& data, const Value& partitions, int64_t count) {
    return DynamicPartition(data, partitions, count).status().ToString();
  };
  EXPECT_THAT(error(Make("[1,2]"), MakeTensor("[0,2]"), 2), HasSubstr("INVALID_ARGUMENT: partition number 1 is 2"));
  EXPECT_THAT(error(Make("[1,2]"), MakeTensor("[0,-1]"), 2), HasSubstr("partition number 1 is -1; it must be in [0, 2)"));
  EXPECT_THAT(error(Make("[1,2]"), MakeTensor("[0]"), 2), HasSubstr("axis 0 of data has 2 rows"));
  EXPECT_THAT(error(Make("[[1],[2,3]]"), Make("[[0,0],[1]]"), 2), HasSubstr("axis 1: row 0"));
  EXPECT_THAT(error(Make("[1,2]"), MakeTensor("[[0],[1]]"), 2), HasSubstr("partitions have 2 axes and data has 1"));
  EXPECT_THAT(error(Make("[1]"), MakeTensor("[0.5]"), 2), HasSubstr("must be integers"));
  EXPECT_THAT(error(Make("[1]"), Docs(), 2), HasSubstr("partitions are Struct"));
  EXPECT_THAT(error(Make("[]"), Tensor::Empty(Shape({0}), DType::kInt64), -1), HasSubstr("num_partitions is -1"));
  EXPECT_THAT(error(Make("[1]"), MakeTensor("[0]"), kMaxDynamicPartitions + 1), HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_THAT(error(Make("[1]"), MakeTensor("[0]"), INT64_MAX), HasSubstr("RESOURCE_EXHAUSTED"));
}

}  // namespace
}  // namespace structtensor
