#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/dense.h"

namespace structtensor {
namespace {

std::string ToTensorJson(const Value& value, std::optional<Tensor> default_value = std::nullopt,
                         std::vector<int64_t> shape = {}) {
  return Json(ToTensor(*value.ragged(), {.default_value = std::move(default_value), .shape = shape}));
}

TEST(ToTensor, PadsRows) {
  EXPECT_EQ(ToTensorJson(Make("[[1,2],[],[3]]")), "[[1,2],[0,0],[3,0]]");
  EXPECT_EQ(ToTensorJson(Make(R"([["a","bb"],[],["c"]])")), R"([["a","bb"],["",""],["c",""]])");
  EXPECT_EQ(ToTensorJson(Make("[[[1],[2,3]],[],[[4,5,6],[]]]")), "[[[1,0,0],[2,3,0]],[[0,0,0],[0,0,0]],[[4,5,6],[0,0,0]]]");
  const Value pairs = RaggedTensor::FromRowPartitions({Splits({0, 2, 3})}, MakeTensor("[[1,2],[3,4],[5,6]]")).value();
  EXPECT_EQ(ToTensorJson(pairs), "[[[1,2],[3,4]],[[5,6],[0,0]]]");
}

TEST(ToTensor, WithAnotherDefault) {
  EXPECT_EQ(ToTensorJson(Make("[[1],[]]"), Tensor::Scalar(int64_t{-1})), "[[1],[-1]]");
  EXPECT_EQ(ToTensorJson(Make(R"([["a"],[]])"), Tensor::Scalar("?")), R"([["a"],["?"]])");
  const Value pairs = RaggedTensor::FromRowPartitions({Splits({0, 1, 1})}, MakeTensor("[[1,2]]")).value();
  EXPECT_EQ(ToTensorJson(pairs, MakeTensor("[8,9]")), "[[[1,2]],[[8,9]]]");
}

TEST(ToTensor, CutsAndPadsToAShape) {
  EXPECT_EQ(ToTensorJson(Make("[[1,2,3],[],[4]]"), {}, {2, 2}), "[[1,2],[0,0]]");
  EXPECT_EQ(ToTensorJson(Make("[[1,2,3],[],[4]]"), {}, {4, -1}), "[[1,2,3],[0,0,0],[4,0,0],[0,0,0]]");
  EXPECT_EQ(ToTensorJson(Make("[[1,2,3],[],[4]]"), {}, {-1, 1}), "[[1],[0],[4]]");
}

TEST(ToTensor, KeepsWhatIsAbsent) {
  const Tensor values = Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3}), DType::kInt64, Bits({true, false, true}));
  EXPECT_EQ(ToTensorJson(RaggedTensor::FromRowPartitions({Splits({0, 2, 3})}, values).value()), "[[1,null],[3,0]]");
}

TEST(ToTensor, OfEmptyRows) {
  EXPECT_EQ(ToTensorJson(Make("[[],[]]")), "[[],[]]");
  EXPECT_EQ(ToTensor(*Make("[[1]]").SliceRows(0, 0).ragged())->shape().DebugString(), "[0, 0]");
}

TEST(ToTensor, Refuses) {
  EXPECT_THAT(ToTensorJson(Make("[[1],[]]"), Tensor::Scalar("x")), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(ToTensorJson(Make("[[1],[]]"), MakeTensor("[1,2]")), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(ToTensorJson(Make("[[1],[]]"), {}, {1, 1, 1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(ToTensorJson(Make("[[1],[]]"), {}, {-2}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(ToTensorJson(Make("[[1],[]]"), {}, {INT64_MAX, 2}), testing::HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_THAT(ToTensorJson(Make(R"([["a"],[]])"), Tensor::Scalar("long"), {int64_t{1} << 40}),
              testing::HasSubstr("RESOURCE_EXHAUSTED"));
}

}  // namespace
}  // namespace structtensor
