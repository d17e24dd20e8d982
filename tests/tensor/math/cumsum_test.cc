#include "structtensor/tensor/math/cumsum.h"

#include <gmock/gmock.h>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Cumsum, AlongEachAxis) {
  const Value x = Make("[[1,2,3],[],[4],[5,6]]");
  EXPECT_EQ(Json(Cumsum(x)), "[[1,2,3],[],[5],[10,8]]");
  EXPECT_EQ(Json(Cumsum(x, 1)), "[[1,3,6],[],[4],[5,11]]");
  const Value deep = Make("[[[1],[2,3]],[],[[4,5,6],[]]]");
  EXPECT_EQ(Json(Cumsum(deep, 0)), "[[[1],[2,3]],[],[[5,5,6],[]]]");
  EXPECT_EQ(Json(Cumsum(deep, 1)), "[[[1],[3,3]],[],[[4,5,6],[]]]");
  EXPECT_EQ(Json(Cumsum(deep, -1)), "[[[1],[2,5]],[],[[4,9,15],[]]]");
}

TEST(Cumsum, OfDenseAxes) {
  const Tensor matrix = MakeTensor("[[1,2],[3,4]]");
  EXPECT_EQ(Json(Cumsum(matrix, 0)), "[[1,2],[4,6]]");
  EXPECT_EQ(Json(Cumsum(matrix, 1)), "[[1,3],[3,7]]");
  const Value rows = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 2, 3})}, MakeTensor("[[1,2],[3,4],[5,6]]"));
  EXPECT_EQ(Json(Cumsum(rows, 1)), "[[[1,2],[4,6]],[[5,6]]]");
  EXPECT_EQ(Json(Cumsum(rows, 2)), "[[[1,3],[3,7]],[[5,11]]]");
}

TEST(Cumsum, ExclusiveAndReverse) {
  const Value x = Make("[[1,2,3],[4]]");
  EXPECT_EQ(Json(Cumsum(x, 1, {.exclusive = true})), "[[0,1,3],[0]]");
  EXPECT_EQ(Json(Cumsum(x, 1, {.reverse = true})), "[[6,5,3],[4]]");
  EXPECT_EQ(Json(Cumsum(x, 1, {.exclusive = true, .reverse = true})), "[[5,3,0],[0]]");
  EXPECT_EQ(Json(Cumsum(x, 0, {.reverse = true})), "[[5,2,3],[4]]");
}

TEST(Cumsum, AbsentElementsAddNothing) {
  EXPECT_EQ(Json(Cumsum(Nullable<int64_t>({1, 100, 3}, {true, false, true}))), "[1,null,4]");
}

TEST(Cumsum, HalvesAreAddedUpWithoutRounding) {
  const absl::StatusOr<Value> sums = Cumsum(Vector<Float16>({Float16(2048.0f), Float16(1.0f), Float16(1.0f)}));
  EXPECT_EQ(Json(sums), "[2048,2048,2050]");
  EXPECT_EQ(DTypeOfResult(sums), DType::kFloat16);
}

TEST(Cumsum, Errors) {
  EXPECT_THAT(Message(Cumsum(MakeTensor("[1]"), 1)), HasSubstr("Cumsum(): axis is 1"));
  EXPECT_THAT(Message(Cumsum(Tensor::Scalar(1.0))), HasSubstr("scalar"));
  EXPECT_THAT(Message(Cumsum(MakeTensor("[true]"))), HasSubstr("Cumsum is not defined for bool"));
}

}  // namespace
}  // namespace structtensor
