#include "structtensor/tensor/math/internal/broadcast_runs.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "math_testutil.h"

namespace structtensor {
namespace {

Tensor Zeros(const Shape& shape) {
  return Tensor::FromVector(std::vector<double>(static_cast<size_t>(shape.num_elements()))).Reshape(shape);
}

// "size: out x+step y+step", one for each run.
std::string Runs(const Shape& shape, const Shape& x, const Shape& y) {
  const Tensor operands[] = {Zeros(x), Zeros(y)};
  std::string text;
  math_internal::BroadcastRuns(shape, operands).ForEach([&](const math_internal::BroadcastRun& run) {
    absl::StrAppend(&text, run.size, ": ", run.out, " ", run.in[0], "+", run.step[0], " ", run.in[1], "+", run.step[1], "; ");
  });
  return text;
}

TEST(BroadcastRuns, EqualShapesAndScalarsAreOneRun) {
  EXPECT_EQ(Runs({2, 3}, {2, 3}, {2, 3}), "6: 0 0+1 0+1; ");
  EXPECT_EQ(Runs({2, 3}, {2, 3}, {}), "6: 0 0+1 0+0; ");
  EXPECT_EQ(Runs({2, 3}, {2, 3}, {1, 1}), "6: 0 0+1 0+0; ");
  EXPECT_EQ(Runs({}, {}, {}), "1: 0 0+0 0+0; ");
}

TEST(BroadcastRuns, RowsAndColumns) {
  EXPECT_EQ(Runs({2, 3}, {2, 3}, {3}), "3: 0 0+1 0+1; 3: 3 3+1 0+1; ");
  EXPECT_EQ(Runs({2, 3}, {2, 3}, {2, 1}), "3: 0 0+1 0+0; 3: 3 3+1 1+0; ");
  EXPECT_EQ(Runs({2, 2}, {2, 1}, {2}), "2: 0 0+0 0+1; 2: 2 1+0 0+1; ");
}

TEST(BroadcastRuns, NeighbouringAxesOfAKindAreOneLoop) {
  EXPECT_EQ(Runs({2, 2, 3}, {2, 2, 3}, {2, 1, 1}), "6: 0 0+1 0+0; 6: 6 6+1 1+0; ");
  EXPECT_EQ(Runs({2, 2, 3}, {2, 2, 3}, {2, 3}), "6: 0 0+1 0+1; 6: 6 6+1 0+1; ");
  EXPECT_EQ(Runs({2, 2, 2}, {2, 1, 2}, {2, 1}), "2: 0 0+1 0+0; 2: 2 0+1 1+0; 2: 4 2+1 0+0; 2: 6 2+1 1+0; ");
}

TEST(BroadcastRuns, NothingHasNoRuns) { EXPECT_EQ(Runs({0, 3}, {0, 3}, {1, 3}), ""); }

}  // namespace
}  // namespace structtensor
