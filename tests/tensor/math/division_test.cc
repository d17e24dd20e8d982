#include <gmock/gmock.h>

#include <limits>

#include "math_testutil.h"
#include "structtensor/tensor/math/arithmetic.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Divide, IntegersBecomeDouble) {
  const absl::StatusOr<Value> quotient = Divide(Make("[[1,2],[3]]"), Tensor::Scalar(int64_t{2}));
  EXPECT_EQ(Json(quotient), "[[0.5,1],[1.5]]");
  EXPECT_EQ(DTypeOfResult(quotient), DType::kDouble);
  EXPECT_EQ(Json(Divide(MakeTensor("[1,0]"), MakeTensor("[0,0]"))), R"(["Infinity","NaN"])");
  EXPECT_EQ(DTypeOfResult(Divide(Vector<float>({1}), Vector<float>({3}))), DType::kFloat);
}

TEST(FloorDivide, RoundsDown) {
  EXPECT_EQ(Json(FloorDivide(MakeTensor("[7,-7,7,-7,6]"), MakeTensor("[2,2,-2,-2,-3]"))), "[3,-4,-4,3,-2]");
  EXPECT_EQ(Json(FloorDivide(Vector<double>({7, -7, 1}), Vector<double>({2, 2, 0}))), R"([3,-4,"Infinity"])");
  EXPECT_EQ(Json(FloorDivide(Vector<uint64_t>({~uint64_t{0}}), Vector<uint64_t>({2}))), "[9223372036854775807]");
}

TEST(FloorDivide, TheOneQuotientThatDoesNotFitWrapsAround) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Json(FloorDivide(Vector<int32_t>({kMin}), Vector<int32_t>({-1}))), "[-2147483648]");
  EXPECT_EQ(Json(Mod(Vector<int32_t>({kMin}), Vector<int32_t>({-1}))), "[0]");
}

TEST(Mod, HasTheSignOfTheDivisor) {
  EXPECT_EQ(Json(Mod(MakeTensor("[7,-7,7,-7,6]"), MakeTensor("[2,2,-2,-2,-3]"))), "[1,1,-1,-1,0]");
  EXPECT_EQ(Json(Mod(Vector<double>({7.5, -7.5, 5, -1}), Vector<double>({2, 2, kInfinity, kInfinity}))),
            R"([1.5,0.5,5,"Infinity"])");
}

TEST(TruncateDiv, RoundsTowardZero) {
  EXPECT_EQ(Json(TruncateDiv(MakeTensor("[7,-7,7,-7,6]"), MakeTensor("[2,2,-2,-2,-3]"))), "[3,-3,-3,3,-2]");
  EXPECT_EQ(Json(TruncateDiv(Vector<double>({7, -7, 1}), Vector<double>({2, 2, 0}))), R"([3,-3,"Infinity"])");
  EXPECT_EQ(Json(TruncateDiv(Vector<uint64_t>({~uint64_t{0}}), Vector<uint64_t>({2}))), "[9223372036854775807]");
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Json(TruncateDiv(Vector<int32_t>({kMin}), Vector<int32_t>({-1}))), "[-2147483648]");
  EXPECT_THAT(Message(TruncateDiv(MakeTensor("[1]"), MakeTensor("[0]"))),
              HasSubstr("TruncateDiv(): an integer is divided by 0"));
}

TEST(Fmod, HasTheSignOfTheDividend) {
  EXPECT_EQ(Json(Fmod(MakeTensor("[7,-7,7,-7]"), MakeTensor("[3,3,-3,-3]"))), "[1,-1,1,-1]");
  EXPECT_EQ(Json(Fmod(Vector<double>({5.5, -5.5}), Vector<double>({2, 2}))), "[1.5,-1.5]");
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Json(Fmod(Vector<int32_t>({kMin}), Vector<int32_t>({-1}))), "[0]");
  EXPECT_THAT(Message(Fmod(MakeTensor("[1]"), MakeTensor("[0]"))), HasSubstr("Fmod(): an integer is divided by 0"));
}

TEST(IntegerDivision, ByZeroIsAnErrorThatNamesTheElement) {
  EXPECT_THAT(Message(FloorDivide(Make("[[1,2],[3]]"), MakeTensor("[[1],[0]]"))),
              HasSubstr("FloorDivide(): an integer is divided by 0 at element 2"));
  EXPECT_THAT(Message(Mod(MakeTensor("[1]"), MakeTensor("[0]"))), HasSubstr("Mod"));
  // Without a present element that is divided nothing is wrong.
  EXPECT_EQ(Json(FloorDivide(Nullable<int64_t>({1, 2}, {false, true}), MakeTensor("[0,2]"))), "[null,1]");
  EXPECT_EQ(Json(Mod(MakeTensor("[1,2]"), Nullable<int64_t>({0, 2}, {false, true}))), "[null,0]");
  EXPECT_EQ(Json(FloorDivide(Tensor::Empty({0}, DType::kInt64), MakeTensor("[0]"))), "[]");
}

TEST(Power, OfIntegersAndFractions) {
  EXPECT_EQ(Json(Power(MakeTensor("[2,-3,0,7]"), MakeTensor("[10,3,0,1]"))), "[1024,-27,1,7]");
  EXPECT_EQ(Json(Power(Vector<int32_t>({2}), Vector<int32_t>({40}))), "[0]");
  EXPECT_EQ(Json(Power(Make("[[4.0],[9.0]]"), Tensor::Scalar(0.5))), "[[2],[3]]");
  EXPECT_THAT(Message(Power(MakeTensor("[2,2]"), MakeTensor("[1,-1]"))), HasSubstr("negative exponent at element 1"));
}

TEST(Division, HalvesAreComputedAsFloats) {
  const Tensor x = Vector<Float16>({Float16(7.0f)}), y = Vector<Float16>({Float16(2.0f)});
  EXPECT_EQ(Json(Divide(x, y)), "[3.5]");
  EXPECT_EQ(Json(FloorDivide(x, y)), "[3]");
  EXPECT_EQ(Json(Mod(x, y)), "[1]");
  EXPECT_EQ(Json(Power(x, y)), "[49]");
}

TEST(DivideNoNan, IsZeroWhereTheDivisorIs) {
  EXPECT_EQ(Json(DivideNoNan(Vector<double>({1, 0, kNan, 3}), Vector<double>({0, 0, 0, 2}))), "[0,0,0,1.5]");
  EXPECT_EQ(Json(DivideNoNan(Make("[[1.0],[]]"), Tensor::Scalar(0.0))), "[[0],[]]");
  EXPECT_FALSE(DivideNoNan(MakeTensor("[1]"), MakeTensor("[1]")).ok());
}

}  // namespace
}  // namespace structtensor
