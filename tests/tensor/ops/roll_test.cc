#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/order.h"

namespace structtensor {
namespace {

std::string RollJson(const Value& value, std::vector<int64_t> shifts, std::vector<int64_t> axes) {
  return Json(Roll(value, shifts, axes));
}

TEST(Roll, MovesWhatLeavesToTheOtherEnd) {
  EXPECT_EQ(RollJson(Make("[1,2,3]"), {1}, {0}), "[3,1,2]");
  EXPECT_EQ(RollJson(Make("[1,2,3]"), {-1}, {0}), "[2,3,1]");
  EXPECT_EQ(RollJson(Make("[1,2,3]"), {INT64_MIN}, {0}), "[3,1,2]");  // INT64_MIN is 1 more than a multiple of 3
  EXPECT_EQ(RollJson(Make(R"([{"x":1},{"x":2}])"), {1}, {0}), R"([{"x":2},{"x":1}])");
}

TEST(Roll, EachRaggedRow) { EXPECT_EQ(RollJson(Make("[[1,2,3],[],[4,5]]"), {1}, {1}), "[[3,1,2],[],[5,4]]"); }

TEST(Roll, ShiftsOfOneAxisAddUp) {
  EXPECT_EQ(RollJson(MakeTensor("[[1,2,3],[4,5,6]]"), {1, 1, 1}, {0, 1, 1}), "[[5,6,4],[2,3,1]]");
}

TEST(Roll, Refuses) {
  EXPECT_THAT(RollJson(Make("[1]"), {1}, {1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(RollJson(Make("[1]"), {1, 2}, {0}), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
