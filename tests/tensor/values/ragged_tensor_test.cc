#include "structtensor/tensor/values/ragged_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

// [[[1, 2], []], [[3]]]
RaggedTensor TwoPartitions() {
  return RaggedTensor::FromRowPartitions({Partition({0, 2, 3}), Partition({0, 2, 2, 3})},
                                         Tensor::FromVector(std::vector<int64_t>{1, 2, 3}))
      .value();
}

TEST(RaggedTensor, KnowsItsShape) {
  EXPECT_EQ(TwoPartitions().rank(), 3);
  EXPECT_EQ(TwoPartitions().ragged_rank(), 2);
  EXPECT_EQ(TwoPartitions().shape(), Shape({2, kUnknownDimension, kUnknownDimension}));
  EXPECT_EQ(TwoPartitions().spec().shape(), TwoPartitions().shape());
}

TEST(RaggedTensor, RowLosesTheOuterPartition) {
  EXPECT_EQ(ToJson(TwoPartitions().Row(0)), "[[1,2],[]]");
  EXPECT_NE(TwoPartitions().Row(0).ragged(), nullptr);
  EXPECT_EQ(ToJson(TwoPartitions().Row(0).Row(0)), "[1,2]");
  EXPECT_NE(TwoPartitions().Row(0).Row(0).tensor(), nullptr);
}

TEST(RaggedTensor, SliceSharesMemory) {
  const RaggedTensor whole = TwoPartitions();
  const RaggedTensor tail = whole.SliceRows(1, 2);
  EXPECT_EQ(ToJson(tail), "[[[3]]]");
  EXPECT_EQ(tail.flat_values().values<int64_t>().data(), whole.flat_values().values<int64_t>().data() + 2);
  EXPECT_EQ(ToJson(whole.SliceRows(1, 1)), "[]");
}

TEST(RaggedTensor, ValuesAreTheRowsOfTheNextAxis) { EXPECT_EQ(ToJson(TwoPartitions().values()), "[[1,2],[],[3]]"); }

TEST(RaggedTensor, RejectsPartsThatDoNotFit) {
  const Tensor three = Tensor::FromVector(std::vector<int64_t>{1, 2, 3});
  const auto none = RaggedTensor::FromRowPartitions({}, three);
  EXPECT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
  const auto scalar = RaggedTensor::FromRowPartitions({Partition({0, 1})}, Tensor::Scalar(int64_t{1}));
  EXPECT_EQ(scalar.status().code(), absl::StatusCode::kInvalidArgument);
  const auto short_values = RaggedTensor::FromRowPartitions({Partition({0, 4})}, three);
  EXPECT_THAT(std::string(short_values.status().message()),
              HasSubstr("row partition 0 has 4 values, but the flat values have 3"));
  const auto short_partition = RaggedTensor::FromRowPartitions({Partition({0, 2}), Partition({0, 3})}, three);
  EXPECT_THAT(std::string(short_partition.status().message()),
              HasSubstr("row partition 0 has 2 values, but the next partition has 1"));
}

}  // namespace
}  // namespace structtensor
