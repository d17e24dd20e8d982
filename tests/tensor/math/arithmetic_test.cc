#include "structtensor/tensor/math/arithmetic.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "math_testutil.h"
#include "structtensor/tensor/math/cast.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Arithmetic, OfDenseShapesAsInNumPy) {
  EXPECT_EQ(Json(Add(MakeTensor("[[1,2],[3,4]]"), MakeTensor("[10,20]"))), "[[11,22],[13,24]]");
  EXPECT_EQ(Json(Subtract(MakeTensor("[[1],[2]]"), MakeTensor("[10,20]"))), "[[-9,-19],[-8,-18]]");
  EXPECT_EQ(Json(Multiply(Tensor::Scalar(1.5), Tensor::Scalar(2.0))), "3");
  EXPECT_EQ(ShapeOf(Add(Tensor::Empty({0, 2}, DType::kInt64), MakeTensor("[1,2]"))), "[0, 2]");
}

TEST(Arithmetic, OfRaggedValues) {
  const Value x = Make("[[1,2,3],[],[4]]");
  EXPECT_EQ(Json(Add(x, x)), "[[2,4,6],[],[8]]");
  EXPECT_EQ(Json(Add(x, Tensor::Scalar(int64_t{10}))), "[[11,12,13],[],[14]]");
  EXPECT_EQ(Json(Subtract(MakeTensor("[[10],[20],[30]]"), x)), "[[9,8,7],[],[26]]");
  EXPECT_EQ(Json(Add(x, MakeTensor("[1]"))), "[[2,3,4],[],[5]]");
  EXPECT_EQ(Json(Add(Make("[[[1],[2,3]],[[4]]]"), MakeTensor("[[[10]],[[20]]]"))), "[[[11],[12,13]],[[24]]]");
  EXPECT_THAT(Message(Add(x, MakeTensor("[1,2,3]"))), HasSubstr("on axis 1, row 1 of x has 0 values and that of y has 3"));
  EXPECT_THAT(Message(Add(x, Make("[[1],[],[4]]"))), HasSubstr("Add(): shapes do not fit: on axis 1, row 0"));
}

TEST(Arithmetic, SharesPartitionsWithItsOperand) {
  const Value x = Make("[[1,2,3],[],[4]]");
  const Value sum = Add(Tensor::Scalar(int64_t{1}), x).value();
  EXPECT_EQ(sum.ragged()->row_splits().data(), x.ragged()->row_splits().data());
}

TEST(Arithmetic, OptionalRowsStayOptional) {
  const Value rating =
      RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 1, 1}, RowPartition::Optional::kYes)}, MakeTensor("[4]"));
  EXPECT_TRUE(Add(rating, MakeTensor("[1]")).value().ragged()->row_partition(0).is_optional());
  EXPECT_TRUE(Add(MakeTensor("[[1],[2]]"), rating).value().ragged()->row_partition(0).is_optional());
  EXPECT_FALSE(Add(rating, Make("[[1],[]]")).value().ragged()->row_partition(0).is_optional());
}

TEST(Arithmetic, IntegersWrapAround) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Json(Add(Vector<int64_t>({kMax}), Vector<int64_t>({1}))), "[-9223372036854775808]");
  EXPECT_EQ(Json(Multiply(Vector<int32_t>({1 << 30}), Vector<int32_t>({4}))), "[0]");
  EXPECT_EQ(Json(Subtract(Vector<uint32_t>({0}), Vector<uint32_t>({1}))), "[4294967295]");
}

TEST(Arithmetic, HalvesAreComputedAsFloats) {
  const Tensor halves = Vector<Float16>({Float16(1.5f), Float16(2048.0f)});
  const absl::StatusOr<Value> sum = Add(halves, Vector<Float16>({Float16(0.25f), Float16(1.0f)}));
  EXPECT_EQ(DTypeOfResult(sum), DType::kFloat16);
  EXPECT_EQ(Json(sum), "[1.75,2048]");  // 2049 has too many bits
  EXPECT_EQ(Json(Multiply(Vector<BFloat16>({BFloat16(3.0f)}), Vector<BFloat16>({BFloat16(0.5f)}))), "[1.5]");
}

TEST(Arithmetic, AbsentInAbsentOut) {
  const Tensor x = Nullable<int64_t>({1, 2, 3}, {true, false, true});
  EXPECT_EQ(Json(Add(x, MakeTensor("[10,20,30]"))), "[11,null,33]");
  EXPECT_EQ(Json(Add(x, Nullable<int64_t>({1, 2, 3}, {true, true, false}))), "[2,null,null]");
  EXPECT_EQ(Json(Add(x, MakeTensor("[[1],[2]]"))), "[[2,null,4],[3,null,5]]");
  const Value ragged = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 2, 3})}, x);
  EXPECT_EQ(Json(Multiply(ragged, MakeTensor("[[2],[3]]"))), "[[2,null],[9]]");
}

TEST(Arithmetic, ViewsAreReadAsTheyLook) {
  const Tensor matrix = MakeTensor("[[1,2,3],[4,5,6]]");
  EXPECT_EQ(Json(Add(matrix.SliceAxis(1, 2, 3, -1), matrix.SliceAxis(0, 0, 1, 1))), "[[4,4,4],[7,7,7]]");
}

TEST(Arithmetic, MaximumAndMinimumKeepNan) {
  const Tensor x = Vector<double>({1, kNan, 3}), y = Vector<double>({2, 2, kNan});
  EXPECT_EQ(Json(Maximum(x, y)), R"([2,"NaN","NaN"])");
  EXPECT_EQ(Json(Minimum(x, y)), R"([1,"NaN","NaN"])");
  EXPECT_EQ(Json(Maximum(Vector<int64_t>({1, 5}, DType::kDurationNs), Vector<int64_t>({3, 2}, DType::kDurationNs))),
            R"(["0.000000003s","0.000000005s"])");
}

TEST(Arithmetic, OfTimes) {
  const Tensor stamps = Vector<int64_t>({1, 10}, DType::kTimestampS), lengths = Vector<int64_t>({2, -3}, DType::kDurationS);
  const auto counts = [](const absl::StatusOr<Value>& value) { return Json(Cast(value.value(), DType::kInt64)); };
  EXPECT_EQ(counts(Subtract(stamps, Tensor::Scalar(int64_t{4}, DType::kTimestampS))), "[-3,6]");
  EXPECT_EQ(DTypeOfResult(Subtract(stamps, stamps)), DType::kDurationS);
  for (const absl::StatusOr<Value>& sum : {Add(stamps, lengths), Add(lengths, stamps)}) {
    EXPECT_EQ(counts(sum), "[3,7]");
    EXPECT_EQ(DTypeOfResult(sum), DType::kTimestampS);
  }
  EXPECT_EQ(counts(Subtract(stamps, lengths)), "[-1,13]");
  EXPECT_EQ(DTypeOfResult(Subtract(stamps, lengths)), DType::kTimestampS);
  EXPECT_EQ(counts(Subtract(lengths, lengths)), "[0,0]");
  EXPECT_EQ(DTypeOfResult(Add(lengths, lengths)), DType::kDurationS);
  EXPECT_THAT(Message(Add(stamps, stamps)), HasSubstr("x is timestamp[s] and y is timestamp[s]; a duration is added"));
  EXPECT_THAT(Message(Subtract(lengths, stamps)), HasSubstr("and a duration from a duration"));
  EXPECT_THAT(Message(Add(stamps, MakeTensor("[1]"))), HasSubstr("x is timestamp[s] and y is int64; a duration"));
  EXPECT_THAT(Message(Subtract(stamps, Vector<int64_t>({1}, DType::kTimestampMs))), HasSubstr("two units do not mix"));
  EXPECT_THAT(Message(Add(stamps, Docs())), HasSubstr("select one of its fields"));
}

TEST(Arithmetic, TimesThatDoNotFitAreErrors) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Tensor one = Tensor::Scalar(int64_t{1}, DType::kDurationNs);
  EXPECT_THAT(Message(Add(Vector<int64_t>({0, kMax}, DType::kTimestampNs), one)),
              HasSubstr("timestamp[ns] cannot hold element 1 of the result"));
  EXPECT_THAT(Message(Subtract(Vector<int64_t>({-2}, DType::kTimestampNs), Vector<int64_t>({kMax}, DType::kTimestampNs))),
              HasSubstr("duration[ns] cannot hold element"));
  // What is absent may be anything.
  const Tensor absent = Tensor::FromBuffer(Buffer<int64_t>::FromVector({kMax, 1}), DType::kTimestampNs, Bits({false, true}));
  const absl::StatusOr<Value> sum = Add(absent, one);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(Json(Cast(*sum, DType::kInt64)), "[null,2]");
}

TEST(Arithmetic, Clip) {
  EXPECT_EQ(Json(Clip(Make("[[1,5],[9]]"), Tensor::Scalar(int64_t{2}), Tensor::Scalar(int64_t{6}))), "[[2,5],[6]]");
  EXPECT_EQ(Json(Clip(MakeTensor("[1,5]"), MakeTensor("[2,2]"), MakeTensor("[3,9]"))), "[2,5]");
}

TEST(Arithmetic, ErrorsSayWhatToDo) {
  EXPECT_THAT(Message(Add(MakeTensor("[1]"), MakeTensor("[1.5]"))), HasSubstr("x is int64 and y is double; cast one of them"));
  EXPECT_THAT(Message(Add(MakeTensor("[true]"), MakeTensor("[true]"))),
              HasSubstr("Add is not defined for bool; cast to int64"));
  EXPECT_THAT(Message(Add(MakeTensor(R"(["a"])"), MakeTensor(R"(["b"])"))), HasSubstr("JoinStrings"));
  EXPECT_THAT(Message(Add(Docs(), MakeTensor("[1]"))), HasSubstr("select one of its fields: its fields are x, y, z"));
}

TEST(SquaredDifference, OfNumbers) {
  EXPECT_EQ(Json(SquaredDifference(Make("[[5,1],[],[0]]"), Tensor::Scalar(int64_t{3}))), "[[4,4],[],[9]]");
  EXPECT_EQ(Json(SquaredDifference(MakeTensor("[1.5]"), MakeTensor("[0.5]"))), "[1]");
  EXPECT_EQ(Json(SquaredDifference(Vector<uint32_t>({1}), Vector<uint32_t>({3}))), "[4]");
  EXPECT_FALSE(SquaredDifference(MakeTensor(R"(["a"])"), MakeTensor(R"(["a"])")).ok());
}

}  // namespace
}  // namespace structtensor
