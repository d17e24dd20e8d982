#include "structtensor/tensor/math/softmax.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> Elements(const absl::StatusOr<Value>& value) {
  const Tensor flat = value->ragged() != nullptr ? value->ragged()->flat_values() : *value->tensor();
  return {flat.values<double>().begin(), flat.values<double>().end()};
}

TEST(Softmax, EachRowOfARaggedAxisAddsUpToOne) {
  const Value scores = Make("[[0.0,0.0],[],[7.5],[1.0,2.0,3.0]]");
  const absl::StatusOr<Value> shares = Softmax(scores);
  const double sum = std::exp(-2.0) + std::exp(-1.0) + 1;
  EXPECT_THAT(Elements(shares),
              ElementsAre(0.5, 0.5, 1.0, DoubleEq(std::exp(-2.0) / sum), DoubleEq(std::exp(-1.0) / sum), DoubleEq(1 / sum)));
  EXPECT_EQ(ShapeOf(shares), "[4, None]");
}

TEST(Softmax, IsStableForLargeScores) {
  EXPECT_EQ(Json(Softmax(Make("[[1000.0,1000.0],[-1000.0],[0.0,1e308]]"))), "[[0.5,0.5],[1],[0,1]]");
}

TEST(Softmax, AlongDenseAxes) {
  EXPECT_EQ(Json(Softmax(MakeTensor("[[1.0,5.0],[1.0,5.0]]"), 0)), "[[0.5,0.5],[0.5,0.5]]");
  const Value rows =
      RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 2, 3})}, MakeTensor("[[3.0,3.0],[1.0,1.0],[6.0,6.0]]"));
  EXPECT_EQ(Json(Softmax(rows, 2)), "[[[0.5,0.5],[0.5,0.5]],[[0.5,0.5]]]");
}

TEST(Softmax, KeepsTheDType) {
  const absl::StatusOr<Value> halves = Softmax(Vector<Float16>({Float16(1.0f), Float16(1.0f)}));
  EXPECT_EQ(Json(halves), "[0.5,0.5]");
  EXPECT_EQ(DTypeOfResult(halves), DType::kFloat16);
  EXPECT_EQ(DTypeOfResult(Softmax(Vector<float>({1.0f}))), DType::kFloat);
}

TEST(Softmax, AbsentElementsDoNotCount) {
  EXPECT_EQ(Json(Softmax(Nullable<double>({1, 900, 1}, {true, false, true}))), "[0.5,null,0.5]");
}

TEST(Softmax, Errors) {
  EXPECT_THAT(Message(Softmax(Make("[[1,2]]"))), HasSubstr("Softmax is not defined for int64"));
  EXPECT_THAT(Message(Softmax(Make("[[1.0]]"), 2)), HasSubstr("axis is 2"));
  EXPECT_THAT(Message(Softmax(Docs())), HasSubstr("Softmax needs a tensor or ragged tensor"));
  EXPECT_EQ(Softmax(Make("[[1.0],[1.0,2.0]]"), 0).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
