#include "structtensor/tensor/math/comparison.h"

#include <gmock/gmock.h>

#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Comparison, OfNumbers) {
  const Value x = Make("[[1,2],[3]]");
  const Tensor two = Tensor::Scalar(int64_t{2});
  EXPECT_EQ(Json(Equal(x, two)), "[[false,true],[false]]");
  EXPECT_EQ(Json(NotEqual(x, two)), "[[true,false],[true]]");
  EXPECT_EQ(Json(Less(x, two)), "[[true,false],[false]]");
  EXPECT_EQ(Json(LessEqual(x, two)), "[[true,true],[false]]");
  EXPECT_EQ(Json(Greater(x, two)), "[[false,false],[true]]");
  EXPECT_EQ(Json(GreaterEqual(two, x)), "[[true,true],[false]]");
  EXPECT_EQ(Json(Less(Vector<uint64_t>({~uint64_t{0}}), Vector<uint64_t>({1}))), "[false]");
  EXPECT_EQ(Json(Less(Vector<Float16>({Float16(0.5f)}), Vector<Float16>({Float16(1.0f)}))), "[true]");
}

TEST(Comparison, NanEqualsNothing) {
  const Tensor nan = Vector<double>({std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(Json(Equal(nan, nan)), "[false]");
  EXPECT_EQ(Json(NotEqual(nan, nan)), "[true]");
  EXPECT_EQ(Json(LessEqual(nan, nan)), "[false]");
}

TEST(Comparison, OfStringsByteByByte) {
  EXPECT_EQ(Json(Equal(MakeTensor(R"(["a","b",""])"), Tensor::Scalar("b"))), "[false,true,false]");
  EXPECT_EQ(Json(Less(Make(R"([["a","ab"],["é"]])"), Tensor::Scalar("ab"))), "[[true,false],[false]]");
}

TEST(Comparison, OfBooleansForEqualityOnly) {
  EXPECT_EQ(Json(Equal(MakeTensor("[true,false]"), Tensor::Scalar(false))), "[false,true]");
  EXPECT_THAT(Message(Less(Tensor::Scalar(true), Tensor::Scalar(false))), HasSubstr("Less is not defined for bool"));
}

TEST(Comparison, AbsentElementsAreNeitherEqualNorDifferent) {
  const Tensor x = Nullable<int64_t>({1, 2}, {true, false});
  EXPECT_EQ(Json(Equal(x, MakeTensor("[1,2]"))), "[true,null]");
  EXPECT_EQ(Json(NotEqual(x, MakeTensor("[1,2]"))), "[false,null]");
}

TEST(Comparison, NeedsEqualDTypes) {
  EXPECT_THAT(Message(Equal(MakeTensor("[1]"), MakeTensor(R"(["1"])"))), HasSubstr("x is int64 and y is string"));
}

}  // namespace
}  // namespace structtensor
