#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/row_partitions.h"

namespace structtensor {
namespace {

std::vector<Buffer<int64_t>> Buffers(std::vector<std::vector<int64_t>> lists) {
  std::vector<Buffer<int64_t>> buffers;
  for (std::vector<int64_t>& list : lists) buffers.push_back(Buffer<int64_t>::FromVector(std::move(list)));
  return buffers;
}

std::string Joined(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors) text += ToJson(tensor);
  return text;
}

TEST(NestedRows, IntoRaggedTensors) {
  const Tensor values = MakeTensor("[1,2,3]");
  EXPECT_EQ(Json(FromNestedRowSplits(values, Buffers({{0, 1, 2}, {0, 2, 3}}))), "[[[1,2]],[[3]]]");
  EXPECT_EQ(Json(FromNestedRowLengths(values, Buffers({{1, 1}, {2, 1}}))), "[[[1,2]],[[3]]]");
  EXPECT_EQ(Json(FromRowPartition(Make("[[1],[2,3]]"), Splits({0, 0, 2}))), "[[],[[1],[2,3]]]");
  EXPECT_EQ(FromRowPartition(values, Uniform(3, 1))->shape().DebugString(), "[1, 3]");
}

TEST(NestedRows, OutOfRaggedTensors) {
  const Value value = Make("[[[1],[2,3]],[],[[4,5,6],[]]]");
  EXPECT_EQ(Joined(NestedRowSplits(*value.ragged())), "[0,2,2,4][0,1,3,6,6]");
  EXPECT_EQ(Joined(NestedRowLengths(*value.ragged())), "[2,0,2][1,2,3,0]");
  EXPECT_EQ(Joined(NestedValueRowids(*value.ragged())), "[0,0,2,2][0,1,1,2,2,2]");
  EXPECT_EQ(ToJson(RowStartsTensor(value.ragged()->row_partition(1))), "[0,1,3,6]");
  EXPECT_EQ(ToJson(RowLimitsTensor(value.ragged()->row_partition(1))), "[1,3,6,6]");
  EXPECT_EQ(RowSplitsTensor(Splits({0, 1}).WithDtype(DType::kInt32)).dtype(), DType::kInt32);
}

TEST(NestedRows, Refuses) {
  EXPECT_THAT(Json(FromNestedRowSplits(MakeTensor("[1]"), Buffers({{0, 1}, {0, 2, 1}}))),
              testing::HasSubstr("row partition 1: "));
  EXPECT_THAT(Json(FromNestedRowSplits(MakeTensor("[1]"), {})), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(FromRowPartition(Docs(), Splits({0, 3}))), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(FromRowPartition(Tensor::Scalar(int64_t{5}), Splits({0, 1}))), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(FromRowPartition(MakeTensor("[1]"), Splits({0, 2}))), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
