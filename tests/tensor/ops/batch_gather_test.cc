#include <gtest/gtest.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/gather.h"

namespace structtensor {
namespace {

TEST(BatchGather, EachRowSelectsFromItsOwn) {
  EXPECT_EQ(Json(BatchGather(Make("[[1,2],[],[3]]"), Make("[[1,0,1],[],[0]]"))), "[[2,1,2],[],[3]]");
  EXPECT_EQ(Json(BatchGather(Make(R"([[{"x":1},{"x":2}],[{"x":3}]])"), Make("[[1],[0,0]]"))),
            R"([[{"x":2}],[{"x":3},{"x":3}]])");
  EXPECT_EQ(Json(BatchGather(Make("[1,2,3]"), Make("[2,2]"))), "[3,3]");
}

TEST(BatchGather, Refuses) {
  EXPECT_EQ(BatchGather(Make("[[1],[2]]"), Make("[[0],[0],[0]]")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(BatchGather(Make("[[1],[2]]"), Make("[[0],[1]]")).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(BatchGather(Docs(), Tensor::Scalar(int64_t{0})).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
