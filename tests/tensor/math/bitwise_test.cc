#include "structtensor/tensor/math/bitwise.h"

#include <gmock/gmock.h>

#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Bitwise, OfIntegers) {
  const Value x = Make("[[12,-1],[],[5]]");
  EXPECT_EQ(Json(BitwiseAnd(x, Tensor::Scalar(int64_t{10}))), "[[8,10],[],[0]]");
  EXPECT_EQ(Json(BitwiseOr(x, Tensor::Scalar(int64_t{10}))), "[[14,-1],[],[15]]");
  EXPECT_EQ(Json(BitwiseXor(x, Tensor::Scalar(int64_t{10}))), "[[6,-11],[],[15]]");
  EXPECT_EQ(Json(Invert(x)), "[[-13,0],[],[-6]]");
  EXPECT_EQ(Json(Invert(Vector<uint32_t>({0}))), "[4294967295]");
}

TEST(Bitwise, OfBooleansIsLogic) {
  const Tensor x = MakeTensor("[[false],[true]]"), y = MakeTensor("[false,true]");
  EXPECT_EQ(Json(BitwiseAnd(x, y)), "[[false,false],[false,true]]");
  EXPECT_EQ(Json(BitwiseOr(x, y)), "[[false,true],[true,true]]");
  EXPECT_EQ(Json(BitwiseXor(x, y)), "[[false,true],[true,false]]");
  EXPECT_EQ(Json(Invert(Make("[[true],[]]"))), "[[false],[]]");
}

TEST(Shift, MovesBits) {
  EXPECT_EQ(Json(LeftShift(Make("[[1,3],[]]"), Tensor::Scalar(int64_t{4}))), "[[16,48],[]]");
  EXPECT_EQ(Json(RightShift(MakeTensor("[256,-256,-1]"), Tensor::Scalar(int64_t{4}))), "[16,-16,-1]");
  EXPECT_EQ(Json(RightShift(Vector<uint32_t>({0x80000000u}), Vector<uint32_t>({31}))), "[1]");
  EXPECT_EQ(Json(LeftShift(Vector<int32_t>({1}), Vector<int32_t>({31}))), "[-2147483648]");
}

TEST(Shift, ByMoreBitsThanThereAre) {
  EXPECT_EQ(Json(LeftShift(Vector<int32_t>({5, 5}), Vector<int32_t>({32, std::numeric_limits<int32_t>::max()}))), "[0,0]");
  EXPECT_EQ(Json(RightShift(Vector<int32_t>({5, -5}), Vector<int32_t>({32, 99}))), "[0,-1]");
  EXPECT_EQ(Json(RightShift(Vector<uint64_t>({5}), Vector<uint64_t>({64}))), "[0]");
}

TEST(Shift, ByNegativeNumbersIsAnErrorUnlessAbsent) {
  EXPECT_THAT(Message(LeftShift(MakeTensor("[1,1]"), MakeTensor("[1,-1]"))),
              HasSubstr("LeftShift(): an integer is shifted by a negative number of bits at element 1"));
  EXPECT_THAT(Message(RightShift(MakeTensor("[1]"), MakeTensor("[-1]"))), HasSubstr("shift to the other side"));
  EXPECT_EQ(Json(LeftShift(MakeTensor("[1,1]"), Nullable<int64_t>({1, -1}, {true, false}))), "[2,null]");
}

TEST(Bitwise, NeedsIntegers) {
  EXPECT_THAT(Message(BitwiseAnd(MakeTensor("[1.5]"), MakeTensor("[1.5]"))),
              HasSubstr("BitwiseAnd is not defined for double; it needs integers"));
  EXPECT_THAT(Message(Invert(MakeTensor(R"(["a"])"))), HasSubstr("Invert is not defined for string"));
  EXPECT_THAT(Message(LeftShift(MakeTensor("[true]"), MakeTensor("[true]"))), HasSubstr("LeftShift is not defined for bool"));
  EXPECT_FALSE(Invert(Make(R"([{"a":1}])")).ok());
}

}  // namespace
}  // namespace structtensor
