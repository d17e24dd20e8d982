#include "structtensor/tensor/math/unary.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Unary, OfIntegers) {
  const Value x = Make("[[1,-2],[],[0]]");
  EXPECT_EQ(Json(Negative(x)), "[[-1,2],[],[0]]");
  EXPECT_EQ(Json(Abs(x)), "[[1,2],[],[0]]");
  EXPECT_EQ(Json(Sign(x)), "[[1,-1],[],[0]]");
  EXPECT_EQ(Json(Square(x)), "[[1,4],[],[0]]");
  EXPECT_EQ(Negative(x)->ragged()->row_splits().data(), x.ragged()->row_splits().data());
}

TEST(Unary, TheLeastIntegerWrapsAround) {
  const Tensor least = Vector<int32_t>({std::numeric_limits<int32_t>::min()});
  EXPECT_EQ(Json(Negative(least)), "[-2147483648]");
  EXPECT_EQ(Json(Abs(least)), "[-2147483648]");
  EXPECT_EQ(Json(Square(Vector<uint32_t>({1u << 16}))), "[0]");
}

TEST(Unary, OfFloatingPoint) {
  EXPECT_EQ(Json(Sqrt(MakeTensor("[4.0,2.25]"))), "[2,1.5]");
  EXPECT_EQ(Json(Exp(Log(MakeTensor("[1.0]")).value())), "[1]");
  EXPECT_EQ(Json(Sign(Vector<double>({-2.5, 0, kNan}))), R"([-1,0,"NaN"])");
  EXPECT_EQ(Json(Abs(Vector<float>({-0.5f}))), "[0.5]");
  EXPECT_TRUE(std::signbit(Negative(Vector<double>({0.0}))->tensor()->values<double>()[0]));
}

TEST(Unary, Rounding) {
  const Tensor x = MakeTensor("[0.5,1.5,-0.5,-1.2]");
  EXPECT_EQ(Json(Floor(x)), "[0,1,-1,-2]");
  EXPECT_EQ(Json(Ceil(x)), "[1,2,-0.0,-1]");
  EXPECT_EQ(Json(Round(x)), "[0,2,-0.0,-1]");
  const Tensor integers = MakeTensor("[1,2]");
  EXPECT_EQ(Round(integers)->tensor()->values<int64_t>().data(), integers.values<int64_t>().data());
}

TEST(Unary, Trunc) {
  EXPECT_EQ(Json(Trunc(MakeTensor("[1.7,-1.7,-0.5]"))), "[1,-1,-0.0]");
  EXPECT_FALSE(Trunc(MakeTensor("[1]")).ok());
}

TEST(Unary, IsInfAndIsFinite) {
  const Tensor x = Nullable<double>({1, kNan, kInfinity, -kInfinity, 2}, {true, true, true, true, false});
  EXPECT_EQ(Json(IsInf(x)), "[false,false,true,true,null]");
  EXPECT_EQ(Json(IsFinite(x)), "[true,false,false,false,null]");
  EXPECT_EQ(DTypeOfResult(IsInf(x)), DType::kBool);
  EXPECT_EQ(Json(IsFinite(Vector<Float16>({Float16(1.0f), Float16(1e9f)}))), "[true,false]");
  EXPECT_THAT(Message(IsInf(MakeTensor("[1]"))), HasSubstr("IsInf is not defined for int64"));
}

TEST(Unary, IsNan) {
  EXPECT_EQ(Json(IsNan(Vector<double>({1, kNan}))), "[false,true]");
  EXPECT_EQ(Json(IsNan(Vector<BFloat16>({BFloat16(std::nanf(""))}))), "[true]");
}

TEST(Unary, HalvesAreComputedAsFloats) {
  const absl::StatusOr<Value> roots = Sqrt(Vector<Float16>({Float16(9.0f)}));
  EXPECT_EQ(Json(roots), "[3]");
  EXPECT_EQ(DTypeOfResult(roots), DType::kFloat16);
  EXPECT_EQ(Json(Negative(Vector<BFloat16>({BFloat16(9.0f)}))), "[-9]");
}

TEST(Unary, AbsentInAbsentOut) {
  EXPECT_EQ(Json(Sqrt(Nullable<double>({4, -1}, {true, false}))), "[2,null]");
  EXPECT_EQ(Json(Negative(Nullable<int64_t>({4, 5, 6}, {true, false, true}).SliceRows(1, 3))), "[null,-6]");
}

TEST(Unary, NeedsNumbersThatTheFunctionIsFor) {
  EXPECT_THAT(Message(Sqrt(MakeTensor("[1]"))),
              HasSubstr("Sqrt is not defined for int64; it needs floating point numbers; cast"));
  EXPECT_THAT(Message(Negative(Vector<uint32_t>({1}))), HasSubstr("cast to int64"));
  EXPECT_THAT(Message(Abs(MakeTensor("[true]"))), HasSubstr("Abs is not defined for bool"));
  EXPECT_THAT(Message(Ceil(MakeTensor("[1]"))), HasSubstr("Ceil is not defined for int64"));
  EXPECT_THAT(Message(Floor(Docs())), HasSubstr("Floor needs a tensor or ragged tensor"));
}

}  // namespace
}  // namespace structtensor
