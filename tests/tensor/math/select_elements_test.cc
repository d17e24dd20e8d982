#include "structtensor/tensor/math/select_elements.h"

#include <gmock/gmock.h>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(SelectElements, ChoosesElementByElement) {
  EXPECT_EQ(Json(SelectElements(MakeTensor("[true,false]"), MakeTensor("[1,2]"), MakeTensor("[10,20]"))), "[1,20]");
  EXPECT_EQ(Json(SelectElements(Make("[[true,false],[true]]"), Make("[[1,2],[3]]"), Tensor::Scalar(int64_t{0}))),
            "[[1,0],[3]]");
  EXPECT_EQ(Json(SelectElements(MakeTensor("[[true],[false]]"), Make("[[1,2],[3]]"), Make("[[7,8],[9]]"))), "[[1,2],[9]]");
  EXPECT_EQ(Json(SelectElements(Tensor::Scalar(true), MakeTensor("[[1],[2]]"), MakeTensor("[5,6]"))), "[[1,1],[2,2]]");
}

TEST(SelectElements, OfStringsAndBooleans) {
  EXPECT_EQ(Json(SelectElements(Make("[[true,false],[],[true]]"), Make(R"([["a","bb"],[],["ccc"]])"), Tensor::Scalar("-"))),
            R"([["a","-"],[],["ccc"]])");
  EXPECT_EQ(Json(SelectElements(MakeTensor("[true,false]"), MakeTensor("[true,true]"), MakeTensor("[false,false]"))),
            "[true,false]");
  EXPECT_EQ(Json(SelectElements(Tensor::Empty({0}, DType::kBool), Tensor::Scalar("a"), Tensor::Scalar("b"))), "[]");
}

TEST(SelectElements, AbsentConditionsCountAsFalse) {
  const Tensor condition = Nullable<uint8_t>({1, 0, 1}, {true, true, false});
  EXPECT_EQ(Json(SelectElements(condition, MakeTensor("[1,2,3]"), MakeTensor("[4,5,6]"))), "[1,5,6]");
  EXPECT_EQ(Json(SelectElements(MakeTensor("[true,false]"), Nullable<int64_t>({1, 2}, {true, false}),
                                Nullable<int64_t>({3, 4}, {false, true}))),
            "[1,4]");
}

TEST(SelectElements, ErrorsNameTheOperand) {
  EXPECT_THAT(Message(SelectElements(MakeTensor("[1]"), MakeTensor("[1]"), MakeTensor("[1]"))),
              HasSubstr("the condition is int64"));
  EXPECT_THAT(Message(SelectElements(MakeTensor("[true]"), MakeTensor("[1]"), MakeTensor("[1.5]"))),
              HasSubstr("x is int64 and y is double"));
  EXPECT_THAT(Message(SelectElements(MakeTensor("[true]"), MakeTensor("[1,2]"), MakeTensor("[1,2,3]"))),
              HasSubstr("axis 0 of x has size 2 and that of y has size 3"));
}

}  // namespace
}  // namespace structtensor
