#include <gtest/gtest.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/dense.h"

namespace structtensor {
namespace {

TEST(ToSparse, CoordinatesAndValues) {
  const Value value = Make("[[[1],[2,3]],[],[[4,5,6],[]]]");
  const SparseParts parts = ToSparse(*value.ragged()).value();
  EXPECT_EQ(ToJson(parts.indices), "[[0,0,0],[0,1,0],[0,1,1],[2,0,0],[2,0,1],[2,0,2]]");
  EXPECT_EQ(ToJson(parts.dense_shape), "[3,2,3]");
  EXPECT_EQ(parts.values.values<int64_t>().data(), value.ragged()->flat_values().values<int64_t>().data());
}

TEST(ToSparse, DenseInnerAxesCountToo) {
  const RaggedTensor pairs = RaggedTensor::FromRowPartitions({Splits({0, 0, 1})}, MakeTensor("[[7,8]]")).value();
  const SparseParts parts = ToSparse(pairs).value();
  EXPECT_EQ(ToJson(parts.indices), "[[1,0,0],[1,0,1]]");
  EXPECT_EQ(ToJson(parts.values), "[7,8]");
}

}  // namespace
}  // namespace structtensor
