#include "structtensor/tensor/type_spec/shape.h"

#include <gtest/gtest.h>

namespace structtensor {
namespace {

TEST(Shape, OfAScalarHasRankZeroAndOneElement) {
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape().num_elements(), 1);
  EXPECT_EQ(Shape().DebugString(), "[]");
}

TEST(Shape, CountsElementsOnlyIfAllDimensionsAreKnown) {
  EXPECT_EQ(Shape({2, 3}).num_elements(), 6);
  EXPECT_TRUE(Shape({2, 3}).is_fully_known());
  EXPECT_EQ(Shape({2, kUnknownDimension}).num_elements(), kUnknownDimension);
  EXPECT_FALSE(Shape({2, kUnknownDimension}).is_fully_known());
}

TEST(Shape, PrependsAndDropsOuterAxes) {
  EXPECT_EQ(Shape({3, 4}).Prepend(2), Shape({2, 3, 4}));
  EXPECT_EQ(Shape({2, 3, 4}).DropOuter(1), Shape({3, 4}));
  EXPECT_EQ(Shape({2}).DropOuter(1), Shape());
}

TEST(Shape, PrintsUnknownDimensionsAsNone) { EXPECT_EQ(Shape({2, kUnknownDimension}).DebugString(), "[2, None]"); }

}  // namespace
}  // namespace structtensor
