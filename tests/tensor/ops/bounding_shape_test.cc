#include <gtest/gtest.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/shape_ops.h"

namespace structtensor {
namespace {

TEST(BoundingShape, IsTheLongestRowOfEachAxis) {
  EXPECT_EQ(BoundingShape(Make("[[[1],[2,3]],[],[[4,5,6],[]]]")).DebugString(), "[3, 2, 3]");
  EXPECT_EQ(BoundingShape(Make("[[],[]]")).DebugString(), "[2, 0]");
  EXPECT_EQ(BoundingShape(MakeTensor("[[1,2]]")).DebugString(), "[1, 2]");
  EXPECT_EQ(BoundingShape(Make(R"([[{"x":[1,2]},{"x":[]}],[]])")).DebugString(), "[2, 2]");
  EXPECT_EQ(BoundingShape(Make("{}")).DebugString(), "[]");
}

}  // namespace
}  // namespace structtensor
