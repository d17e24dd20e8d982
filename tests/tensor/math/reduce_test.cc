#include "structtensor/tensor/math/reduce.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

ReduceOptions Along(std::vector<int64_t> axes, bool keep_dims = false) {
  return {.axes = std::move(axes), .keep_dims = keep_dims};
}

Value Ragged() { return Make("[[1,2,3],[],[4],[5,6]]"); }
// The same as int32.
Value Int32s() {
  return RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 3, 3, 4, 6})}, Vector<int32_t>({1, 2, 3, 4, 5, 6}));
}
Value Deep() { return Make("[[[1],[2,3]],[],[[4,5,6],[]]]"); }

TEST(ReduceSum, AlongEachAxisOfARaggedValue) {
  EXPECT_EQ(Json(ReduceSum(Ragged())), "21");
  EXPECT_EQ(Json(ReduceSum(Ragged(), Along({0}))), "[10,8,3]");
  EXPECT_EQ(Json(ReduceSum(Ragged(), Along({1}))), "[6,0,4,11]");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({0}))), "[[5,5,6],[2,3]]");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({1}))), "[[3,3],[],[4,5,6]]");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({-1}))), "[[1,5],[],[15,0]]");
}

TEST(ReduceSum, AlongSeveralAxes) {
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({0, 1}))), "[7,8,6]");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({2, 0}))), "[16,5]");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({1, -1}))), "[6,0,15]");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({0, 1, 2}))), "21");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({}))), ToJson(Deep()));
}

TEST(ReduceSum, OfDenseValues) {
  const Tensor cube = MakeTensor("[[[1,2,3],[4,5,6]],[[7,8,9],[10,11,12]]]");
  EXPECT_EQ(Json(ReduceSum(cube)), "78");
  EXPECT_EQ(Json(ReduceSum(cube, Along({0}))), "[[8,10,12],[14,16,18]]");
  EXPECT_EQ(Json(ReduceSum(cube, Along({1}))), "[[5,7,9],[17,19,21]]");
  EXPECT_EQ(Json(ReduceSum(cube, Along({2}))), "[[6,15],[24,33]]");
  EXPECT_EQ(Json(ReduceSum(cube, Along({0, 2}))), "[30,48]");
  EXPECT_EQ(Json(ReduceSum(cube, Along({0, 1}))), "[22,26,30]");
  EXPECT_EQ(Json(ReduceSum(Tensor::Scalar(int64_t{7}))), "7");
  EXPECT_EQ(Json(ReduceSum(Tensor::Empty({2, 0}, DType::kInt64), Along({1}))), "[0,0]");
  EXPECT_EQ(Json(ReduceSum(Tensor::Empty({0, 2}, DType::kInt64), Along({0}))), "[0,0]");
}

TEST(ReduceSum, OfDenseAxesAfterRaggedOnes) {
  const Value x = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 2, 2, 3})}, MakeTensor("[[[1,2]],[[3,4]],[[5,6]]]"));
  EXPECT_EQ(Json(ReduceSum(x, Along({3}))), "[[[3],[7]],[],[[11]]]");
  EXPECT_EQ(Json(ReduceSum(x, Along({1}))), "[[[4,6]],[[0,0]],[[5,6]]]");
  EXPECT_EQ(Json(ReduceSum(x, Along({0}))), "[[[6,8]],[[3,4]]]");
  EXPECT_EQ(Json(ReduceSum(x, Along({0, 3}))), "[[14],[7]]");
  EXPECT_EQ(Json(ReduceSum(x, Along({1, 2}))), "[[4,6],[0,0],[5,6]]");
}

TEST(ReduceSum, OfUniformPartitions) {
  const Value x = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 1, 1}), Uniform(2, 1)}, MakeTensor("[1,2]"));
  EXPECT_EQ(Json(ReduceSum(x, Along({1}))), "[[1,2],[0,0]]");
  EXPECT_EQ(ShapeOf(ReduceSum(x, Along({0}))), "[1, 2]");
}

TEST(Reduce, KeepDimsLeavesAxesOfSizeOne) {
  EXPECT_EQ(Json(ReduceSum(Ragged(), Along({1}, true))), "[[6],[0],[4],[11]]");
  EXPECT_EQ(ShapeOf(ReduceSum(Ragged(), Along({1}, true))), "[4, 1]");
  EXPECT_EQ(Json(ReduceSum(Deep(), Along({1}, true))), "[[[3,3]],[[]],[[4,5,6]]]");
  EXPECT_EQ(ShapeOf(ReduceSum(Deep(), Along({1}, true))), "[3, 1, None]");
  EXPECT_EQ(ShapeOf(ReduceSum(Deep(), Along({0, 2}, true))), "[1, 2, 1]");
  EXPECT_EQ(ShapeOf(ReduceSum(Deep(), {.keep_dims = true})), "[1, 1, 1]");
  EXPECT_EQ(ShapeOf(ReduceMean(Deep(), Along({-1}, true))), "[3, None, 1]");
}

TEST(Reduce, SharesTheRowsOfOuterAxes) {
  const Value deep = Deep();
  EXPECT_EQ(ReduceMax(deep, Along({2}))->ragged()->row_splits().data(), deep.ragged()->row_splits().data());
}

TEST(Reduce, OptionalRowsStayOptional) {
  const RowPartition optional = Splits({0, 1, 1, 2}, RowPartition::Optional::kYes);
  const Value x = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 2, 3}), optional}, MakeTensor("[1,2]"));
  const absl::StatusOr<Value> sums = ReduceSum(x, Along({1}));
  EXPECT_EQ(Json(sums), "[[1],[2]]");
  EXPECT_TRUE(sums->ragged()->row_partition(0).is_optional());
}

TEST(ReduceSum, IntegersWrapAroundAndFloatsAddUpAsDouble) {
  EXPECT_EQ(Json(ReduceSum(Vector<int32_t>({std::numeric_limits<int32_t>::max(), 1}))), "-2147483648");
  EXPECT_EQ(Json(ReduceSum(Vector<float>(std::vector<float>(1000, 0.1f)))), "100");
  EXPECT_EQ(Json(ReduceSum(Vector<Float16>(std::vector<Float16>(3000, Float16(1.0f))))), "3000");
}

TEST(ReduceProd, OfNothingIsOne) {
  EXPECT_EQ(Json(ReduceProd(Ragged(), Along({1}))), "[6,1,4,30]");
  EXPECT_EQ(Json(ReduceProd(Make("[[1.5,2.0],[]]"), Along({1}))), "[3,1]");
}

TEST(ReduceMinMax, OfNothingIsTheFarthestFiniteNumber) {
  EXPECT_EQ(Json(ReduceMax(Int32s(), Along({1}))), "[3,-2147483648,4,6]");
  EXPECT_EQ(Json(ReduceMin(Int32s(), Along({1}))), "[1,2147483647,4,5]");
  EXPECT_EQ(Json(ReduceMin(Make("[[1.0],[]]"), Along({1}))), "[1,1.7976931348623157e+308]");
  EXPECT_EQ(Json(ReduceMax(Make("[[1.0],[]]"), Along({1}))), "[1,-1.7976931348623157e+308]");
  const Value halves = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 1, 1})}, Vector<Float16>({Float16(1.0f)}));
  EXPECT_EQ(Json(ReduceMax(halves, Along({1}))), "[1,-65504]");
}

TEST(ReduceMinMax, InfinitiesAndNan) {
  EXPECT_EQ(Json(ReduceMax(Vector<double>({-kInfinity, -kInfinity}))), R"("-Infinity")");
  EXPECT_EQ(Json(ReduceMin(Vector<double>({1, kNan, 0, 7, 8, 9}))), R"("NaN")");
  EXPECT_EQ(Json(ReduceMax(Vector<double>({1, 2, 3, 4, 5, kNan}))), R"("NaN")");
  EXPECT_EQ(Json(ReduceMax(Vector<int64_t>({1, 3, 2}, DType::kDurationNs))), R"("0.000000003s")");
}

TEST(ReduceMean, OfIntegersIsDouble) {
  EXPECT_EQ(Json(ReduceMean(Ragged(), Along({1}))), R"([2,"NaN",4,5.5])");
  EXPECT_EQ(Json(ReduceMean(Deep(), Along({0, 2}))), "[4,2.5]");
  EXPECT_EQ(DTypeOfResult(ReduceMean(Vector<float>({1, 2}))), DType::kFloat);
  EXPECT_EQ(Json(ReduceMean(Vector<int64_t>({std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()}))),
            "9223372036854775808");
}

TEST(ReduceVariance, OfThePopulation) {
  EXPECT_EQ(Json(ReduceVariance(MakeTensor("[1,2,3,4]"))), "1.25");
  EXPECT_EQ(Json(ReduceStd(MakeTensor("[[1,3],[2,2]]"), Along({1}))), "[1,0]");
  EXPECT_EQ(Json(ReduceVariance(Make("[[1,2,3],[],[5]]"), Along({0}))), "[4,0,0]");
  EXPECT_EQ(Json(ReduceStd(Make("[[1,3],[]]"), Along({1}))), R"([1,"NaN"])");
  // The squares of these have no digit left for their difference.
  EXPECT_EQ(Json(ReduceVariance(Vector<double>({1e9, 1e9 + 2}))), "1");
}

TEST(ReduceAnyAll, OfBooleans) {
  const Value x = Make("[[true,false],[],[true]]");
  EXPECT_EQ(Json(ReduceAny(x)), "true");
  EXPECT_EQ(Json(ReduceAny(x, Along({1}))), "[true,false,true]");
  EXPECT_EQ(Json(ReduceAll(x, Along({1}))), "[false,true,true]");
  EXPECT_EQ(Json(ReduceAll(x, Along({0}))), "[true,false]");
  EXPECT_THAT(Message(ReduceAll(Ragged())), HasSubstr("ReduceAll is not defined for int64"));
}

TEST(Reduce, AbsentElementsDoNotCount) {
  const Tensor x = Nullable<int64_t>({1, 100, 3, 100}, {true, false, true, false});
  EXPECT_EQ(Json(ReduceSum(x)), "4");
  EXPECT_EQ(Json(ReduceProd(x)), "3");
  EXPECT_EQ(Json(ReduceMax(x)), "3");
  EXPECT_EQ(Json(ReduceMean(x)), "2");
  EXPECT_EQ(Json(ReduceVariance(x)), "1");
  const Value rows = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 1, 2, 4})}, x);
  EXPECT_EQ(Json(ReduceMean(rows, Along({1}))), R"([1,"NaN",3])");
  EXPECT_EQ(Json(ReduceMean(rows, Along({0}))), R"([2,"NaN"])");
  EXPECT_EQ(Json(ReduceMin(Nullable<double>({1, 2}, {false, false}))), "1.7976931348623157e+308");
  EXPECT_EQ(Json(ReduceAll(Nullable<uint8_t>({1, 0}, {true, false}))), "true");
}

TEST(Reduce, ViewsAreReadAsTheyLook) {
  EXPECT_EQ(Json(ReduceSum(MakeTensor("[[1,2,3],[4,5,6]]").SliceAxis(1, 2, 2, -2), Along({0}))), "[9,5]");
}

TEST(Reduce, ErrorsSayWhatToDo) {
  EXPECT_THAT(Message(ReduceSum(Ragged(), Along({2}))), HasSubstr("ReduceSum(): axis is 2; of a value with 2 axes"));
  EXPECT_THAT(Message(ReduceSum(Ragged(), Along({0, -2}))), HasSubstr("axis 0 is given twice"));
  EXPECT_THAT(Message(ReduceSum(Tensor::Scalar(1.5), Along({0}))), HasSubstr("scalar"));
  EXPECT_THAT(Message(ReduceMean(Docs())), HasSubstr("select one of its fields: its fields are x, y, z"));
  EXPECT_THAT(Message(ReduceSum(MakeTensor(R"(["a"])"))), HasSubstr("ReduceSum is not defined for string"));
  EXPECT_THAT(Message(ReduceMax(MakeTensor("[true]"))), HasSubstr("ReduceMax is not defined for bool"));
}

}  // namespace
}  // namespace structtensor
