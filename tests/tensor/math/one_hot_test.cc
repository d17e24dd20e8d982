#include "structtensor/tensor/math/one_hot.h"

#include <gmock/gmock.h>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(OneHot, AddsADenseAxis) {
  const absl::StatusOr<Value> vectors = OneHot(Make("[[1],[],[0,2]]"), 3);
  EXPECT_EQ(Json(vectors), "[[[0,1,0]],[],[[1,0,0],[0,0,1]]]");
  EXPECT_EQ(ShapeOf(vectors), "[3, None, 3]");
  EXPECT_EQ(DTypeOfResult(vectors), DType::kFloat);
  EXPECT_EQ(Json(OneHot(MakeTensor("[1,0]"), 2)), "[[0,1],[1,0]]");
  EXPECT_EQ(Json(OneHot(Tensor::Scalar(int32_t{1}), 2)), "[0,1]");
}

TEST(OneHot, WhatIsNoIndexIsOffEverywhere) {
  EXPECT_EQ(Json(OneHot(MakeTensor("[-1,2,1]"), 2)), "[[0,0],[0,0],[0,1]]");
  EXPECT_EQ(Json(OneHot(Nullable<int64_t>({0, 1}, {false, true}), 2)), "[[0,0],[0,1]]");
  EXPECT_EQ(Json(OneHot(Vector<uint64_t>({UINT64_MAX, 0}), 2)), "[[0,0],[1,0]]");
}

TEST(OneHot, ValuesAndDType) {
  OneHotOptions options;
  options.on_value = Tensor::Scalar(int32_t{5});
  options.off_value = Tensor::Scalar(int32_t{-1});
  const absl::StatusOr<Value> vectors = OneHot(Make("[[1],[0]]"), 2, options);
  EXPECT_EQ(Json(vectors), "[[[-1,5]],[[5,-1]]]");
  EXPECT_EQ(DTypeOfResult(vectors), DType::kInt32);
  EXPECT_EQ(Json(OneHot(MakeTensor("[1]"), 2, {.dtype = DType::kBool})), "[[false,true]]");
  OneHotOptions strings;
  strings.on_value = Tensor::Scalar("yes");
  strings.off_value = Tensor::Scalar("no");
  EXPECT_EQ(Json(OneHot(MakeTensor("[1,0]"), 2, strings)), R"([["no","yes"],["yes","no"]])");
}

TEST(OneHot, TheNewAxisMayFollowRaggedOnes) {
  EXPECT_EQ(Json(OneHot(MakeTensor("[0,2]"), 3, {.axis = 0})), "[[1,0],[0,0],[0,1]]");
  EXPECT_EQ(Json(OneHot(MakeTensor("[[0],[1]]"), 2, {.axis = 1})), "[[[1],[0]],[[0],[1]]]");
  const Value rows = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 1, 2})}, MakeTensor("[[0,1],[1,1]]"));
  EXPECT_EQ(Json(OneHot(rows, 2, {.axis = 2})), "[[[[1,0],[0,1]]],[[[0,0],[1,1]]]]");
}

TEST(OneHot, OfNothing) {
  EXPECT_EQ(ShapeOf(OneHot(Tensor::Empty(Shape({0, 2}), DType::kInt64), 3)), "[0, 2, 3]");
  EXPECT_EQ(ShapeOf(OneHot(MakeTensor("[1,2]"), 0)), "[2, 0]");
}

TEST(OneHot, Errors) {
  EXPECT_THAT(Message(OneHot(MakeTensor("[0.5]"), 2)), HasSubstr("OneHot is not defined for double"));
  EXPECT_THAT(Message(OneHot(MakeTensor("[0]"), -1)), HasSubstr("depth is -1"));
  EXPECT_THAT(Message(OneHot(Make("[[0]]"), 2, {.axis = 1})), HasSubstr("axis is 1; it must be -1 or in [2, 3)"));
  EXPECT_THAT(Message(OneHot(Docs(), 2)), HasSubstr("OneHot needs a tensor"));
  EXPECT_THAT(Message(OneHot(MakeTensor("[0]"), 2, {.dtype = DType::kString})), HasSubstr("must both be given"));
  OneHotOptions mixed;
  mixed.on_value = Tensor::Scalar(int32_t{1});
  mixed.off_value = Tensor::Scalar(0.0);
  EXPECT_THAT(Message(OneHot(MakeTensor("[0]"), 2, mixed)), HasSubstr("all must be of one dtype"));
  EXPECT_EQ(OneHot(MakeTensor("[0]"), INT64_MAX).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(OneHot(MakeTensor("[0,1]"), INT64_MAX).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace structtensor
