#include <gmock/gmock.h>

#include <cmath>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/order.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Sort, EachRowOfARaggedAxis) {
  const Value rows = Make("[[3,1,2],[],[5,4],[7]]");
  EXPECT_EQ(Json(Sort(rows)), "[[1,2,3],[],[4,5],[7]]");
  EXPECT_EQ(Json(Sort(rows, 1, SortOrder::kDescending)), "[[3,2,1],[],[5,4],[7]]");
  EXPECT_EQ(Json(Argsort(rows)), "[[1,2,0],[],[1,0],[0]]");
  EXPECT_EQ(Json(Argsort(rows, -1, SortOrder::kDescending)), "[[0,2,1],[],[0,1],[0]]");
  EXPECT_EQ(Json(Sort(Make("[[[2,1],[]],[],[[6,5,4]]]"))), "[[[1,2],[]],[],[[4,5,6]]]");
  EXPECT_EQ(Argsort(rows)->ragged()->dtype(), DType::kInt32);
}

TEST(Sort, SharesTheRowPartitions) {
  const Value rows =
      RaggedTensor::FromRowPartitions({Splits({0, 2, 3}).WithDtype(DType::kInt32)}, MakeTensor("[2,1,3]")).value();
  EXPECT_EQ(Sort(rows)->ragged()->row_partition(0).dtype(), DType::kInt32);
  EXPECT_EQ(Sort(rows)->ragged()->row_splits().data(), rows.ragged()->row_splits().data());
}

TEST(Sort, EachColumnOfDenseAxes) {
  const Tensor matrix = MakeTensor("[[3,1],[2,5],[1,4]]");
  EXPECT_EQ(Json(Sort(matrix, 0)), "[[1,1],[2,4],[3,5]]");
  EXPECT_EQ(Json(Argsort(matrix, 0)), "[[2,0],[1,2],[0,1]]");
  EXPECT_EQ(Json(Sort(matrix, 1)), "[[1,3],[2,5],[1,4]]");
  EXPECT_EQ(Json(Sort(matrix, -2)), "[[1,1],[2,4],[3,5]]");
  const Value rows = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 2, 3})}, MakeTensor("[[3,7],[1,8],[6,5]]"));
  EXPECT_EQ(Json(Sort(rows, 1)), "[[[1,7],[3,8]],[[6,5]]]");
  EXPECT_EQ(Json(Argsort(rows, 1)), "[[[1,0],[0,1]],[[0,0]]]");
  EXPECT_EQ(Json(Sort(rows, 2)), "[[[3,7],[1,8]],[[5,6]]]");
}

TEST(Sort, IsStable) {
  EXPECT_EQ(Json(Argsort(Make("[[2,1,2,1],[0,0]]"))), "[[1,3,0,2],[0,1]]");
  EXPECT_EQ(Json(Argsort(Make("[[2,1,2,1],[0,0]]"), 1, SortOrder::kDescending)), "[[0,2,1,3],[0,1]]");
}

TEST(Sort, NanAndAbsentComeLastInBothOrders) {
  const Tensor values =
      Tensor::FromBuffer(Buffer<double>::FromVector({0, std::nan(""), 2, 1}), DType::kDouble, Bits({false, true, true, true}));
  EXPECT_EQ(Json(Sort(values)), R"([1,2,"NaN",null])");
  EXPECT_EQ(Json(Sort(values, 0, SortOrder::kDescending)), R"([2,1,"NaN",null])");
  EXPECT_EQ(Json(Argsort(values)), "[3,2,1,0]");
}

TEST(Sort, StringsAndBooleans) {
  EXPECT_EQ(Json(Sort(Make(R"([["b","","ab"],["z"]])"))), R"([["","ab","b"],["z"]])");
  EXPECT_EQ(Json(Sort(Make("[[true,false],[]]"))), "[[false,true],[]]");
}

TEST(Sort, OfNothing) {
  EXPECT_EQ(Json(Sort(Make("[[],[]]"))), "[[],[]]");
  EXPECT_EQ(ShapeOf(Sort(Tensor::Empty(Shape({3, 0, 2}), DType::kInt64), 0)), "[3, 0, 2]");
  EXPECT_EQ(ShapeOf(Argsort(Tensor::Empty(Shape({int64_t{1} << 40, 0, int64_t{1} << 40}), DType::kInt64), 1)),
            ShapeOf(Tensor::Empty(Shape({int64_t{1} << 40, 0, int64_t{1} << 40}), DType::kInt64)));
}

TEST(Sort, Refuses) {
  EXPECT_THAT(Json(Sort(Make("[[1],[2]]"), 0)), HasSubstr("INVALID_ARGUMENT: axis 0 has ragged axes after it"));
  EXPECT_THAT(Json(Sort(Make("[[1],[2]]"), 2)), HasSubstr("INVALID_ARGUMENT: axis is 2"));
  EXPECT_THAT(Json(Argsort(Tensor::Scalar(int64_t{1}))), HasSubstr("scalar"));
  EXPECT_THAT(Json(Sort(Docs())), HasSubstr("INVALID_ARGUMENT: structs have no order of their own; SortByField"));
}

}  // namespace
}  // namespace structtensor
