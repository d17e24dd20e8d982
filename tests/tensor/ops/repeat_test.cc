#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/join.h"

namespace structtensor {
namespace {

std::string RepeatJson(const Value& value, std::vector<int64_t> repeats, int64_t axis = 0) {
  return Json(Repeat(value, repeats, axis));
}

TEST(Repeat, EachSeveralTimes) {
  EXPECT_EQ(RepeatJson(Make("[1,2,3]"), {2, 0, 1}), "[1,1,3]");
  EXPECT_EQ(RepeatJson(Make("[[1],[2,3]]"), {2}), "[[1],[1],[2,3],[2,3]]");
  EXPECT_EQ(RepeatJson(Make("[[1],[2,3]]"), {2}, 1), "[[1,1],[2,2,3,3]]");
  EXPECT_EQ(RepeatJson(MakeTensor("[[1,2],[3,4]]"), {1, 2}, -1), "[[1,2,2],[3,4,4]]");
  EXPECT_EQ(RepeatJson(Make(R"([{"x":[1]},{"x":[]}])"), {0, 2}), R"([{"x":[]},{"x":[]}])");
}

TEST(Repeat, Refuses) {
  EXPECT_THAT(RepeatJson(Make("[[1],[2,3]]"), {1, 2}, 1), testing::HasSubstr("axis 1 is ragged"));
  EXPECT_THAT(RepeatJson(Make("[1,2]"), {1, 2, 3}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(RepeatJson(Make("[1,2]"), {1, -1}), testing::HasSubstr("repeats[1] is -1"));
  EXPECT_THAT(RepeatJson(Make("[1,2]"), {INT64_MAX}), testing::HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_THAT(RepeatJson(Tensor::Scalar(int64_t{1}), {1}), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
