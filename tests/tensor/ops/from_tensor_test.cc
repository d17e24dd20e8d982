#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/dense.h"

namespace structtensor {
namespace {

TEST(FromTensor, UniformRowsShareMemory) {
  const Tensor tensor = MakeTensor("[[[1],[2]],[[3],[4]]]");
  const RaggedTensor ragged = FromTensor(tensor, {.ragged_rank = 2}).value();
  EXPECT_EQ(ragged.ragged_rank(), 2);
  EXPECT_EQ(ragged.shape().DebugString(), "[2, 2, 1]");
  EXPECT_EQ(ragged.flat_values().values<int64_t>().data(), tensor.values<int64_t>().data());
  EXPECT_EQ(FromTensor(tensor)->ragged_rank(), 1);
}

TEST(FromTensor, LeavesPaddingOut) {
  const FromTensorOptions zeros = {.padding = Tensor::Scalar(int64_t{0})};
  EXPECT_EQ(Json(FromTensor(MakeTensor("[[1,0,2,0],[0,0,0,0],[3,4,5,6]]"), zeros)), "[[1,0,2],[],[3,4,5,6]]");
  const FromTensorOptions inner = {.ragged_rank = 2, .padding = Tensor::Scalar(int64_t{0})};
  EXPECT_EQ(Json(FromTensor(MakeTensor("[[[1,0],[0,0]],[[2,3],[4,0]]]"), inner)), "[[[1],[]],[[2,3],[4]]]");
  const FromTensorOptions pairs = {.padding = MakeTensor("[0,0]")};
  EXPECT_EQ(Json(FromTensor(MakeTensor("[[[1,0],[0,0]],[[0,0],[0,0]]]"), pairs)), "[[[1,0]],[]]");
}

TEST(FromTensor, KeepsAsMuchAsLengthsSay) {
  const std::vector<int64_t> lengths = {2, 0};
  EXPECT_EQ(Json(FromTensor(MakeTensor("[[1,2,3],[4,5,6]]"), {.lengths = lengths})), "[[1,2],[]]");
  EXPECT_EQ(FromTensor(MakeTensor("[[1,2,3],[4,5,6]]"), {.lengths = lengths, .row_splits_dtype = DType::kInt32})
                ->row_partition(0)
                .dtype(),
            DType::kInt32);
}

TEST(FromTensor, Refuses) {
  const std::vector<int64_t> too_long = {3}, too_many = {1, 1};
  const Tensor tensor = MakeTensor("[[1,2]]");
  EXPECT_THAT(Json(FromTensor(tensor, {.ragged_rank = 2})), testing::HasSubstr("ragged_rank is 2"));
  EXPECT_THAT(Json(FromTensor(tensor, {.ragged_rank = 0})), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(FromTensor(tensor, {.padding = Tensor::Scalar(0.5)})), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(FromTensor(tensor, {.lengths = too_long})), testing::HasSubstr("lengths[0] is 3"));
  EXPECT_THAT(Json(FromTensor(tensor, {.lengths = too_many})), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(FromTensor(tensor, {.row_splits_dtype = DType::kBool})), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
