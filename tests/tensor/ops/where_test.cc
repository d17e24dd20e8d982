#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/gather.h"

namespace structtensor {
namespace {

TEST(Where, ChoosesRows) {
  EXPECT_EQ(Json(Where(MakeTensor("[true,false]"), Make(R"([{"x":1,"y":[1]},{"x":2,"y":[]}])"),
                       Make(R"([{"x":8,"y":[]},{"x":9,"y":[7,8]}])"))),
            R"([{"x":1,"y":[1]},{"x":9,"y":[7,8]}])");
  EXPECT_EQ(Json(Where(MakeTensor("[false,true,true]"), Make("[[1],[2],[]]"), Make("[[7,8],[],[9]]"))), "[[7,8],[2],[]]");
}

TEST(Where, ChoosesInsideRows) {
  EXPECT_EQ(Json(Where(Make("[[true,false],[true]]"), Make("[[1,2],[3]]"), Make("[[4,5],[6]]"))), "[[1,5],[3]]");
  EXPECT_EQ(Json(Where(MakeTensor("[[true,false]]"), MakeTensor("[[1,2]]"), MakeTensor("[[4,5]]"))), "[[1,5]]");
}

TEST(Where, AScalarConditionChoosesWholeValues) {
  EXPECT_EQ(Json(Where(Tensor::Scalar(true), Make("[1,2]"), Make("[3]"))), "[1,2]");
  EXPECT_EQ(Json(Where(Tensor::Scalar(false), Make(R"({"a":1})"), Make(R"({"a":2})"))), R"({"a":2})");
  EXPECT_FALSE(Where(Tensor::Scalar(true), Make("[1]"), Make("[0.5]")).ok());
}

TEST(Where, Refuses) {
  EXPECT_THAT(Json(Where(MakeTensor("[true]"), Make("[1,2]"), Make("[3,4]"))), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(Where(MakeTensor("[1,0]"), Make("[1,2]"), Make("[3,4]"))),
              testing::HasSubstr("must be a tensor or ragged tensor of bool"));
  EXPECT_THAT(Json(Where(MakeTensor("[true,true]"), Make("[1,2]"), Make("[[3],[4]]"))), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(Where(Make("[[true,true],[]]"), Make("[[1],[2]]"), Make("[[3],[4]]"))), testing::HasSubstr("axis 1: row 0"));
}

TEST(Where, Coordinates) {
  EXPECT_EQ(Json(Where(MakeTensor("[[true,false],[true,true]]"))), "[[0,0],[1,0],[1,1]]");
  EXPECT_EQ(Json(Where(Make("[[[true],[]],[],[[false,true]]]"))), "[[0,0,0],[2,0,1]]");
  EXPECT_EQ(Where(Tensor::Scalar(true))->shape().DebugString(), "[1, 0]");
  EXPECT_EQ(Where(MakeTensor("[false]"))->shape().DebugString(), "[0, 1]");
  EXPECT_FALSE(Where(Docs()).ok());
}

}  // namespace
}  // namespace structtensor
