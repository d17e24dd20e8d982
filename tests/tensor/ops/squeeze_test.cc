#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/axes.h"

namespace structtensor {
namespace {

std::string SqueezeJson(const Value& value, std::vector<int64_t> axes) { return Json(Squeeze(value, axes)); }

TEST(Squeeze, TakesAxesOfSizeOneOut) {
  EXPECT_EQ(SqueezeJson(Make("[[1,2]]"), {0}), "[1,2]");
  EXPECT_EQ(SqueezeJson(MakeTensor("[[[1],[2]]]"), {0, -1}), "[1,2]");
  EXPECT_EQ(SqueezeJson(Make(R"([[{"x":1}],[{"x":2}]])"), {1}), R"([{"x":1},{"x":2}])");
  EXPECT_EQ(SqueezeJson(Make(R"([{"x":1}])"), {0}), R"({"x":1})");
  EXPECT_EQ(SqueezeJson(Make("[[[1,2],[]],[[3]]]").SliceRows(1, 2), {1}), "[[3]]");
}

TEST(Squeeze, WithoutAxesAllThatAreKnownToBeOne) {
  EXPECT_EQ(SqueezeJson(MakeTensor("[[[1],[2]]]"), {}), "[1,2]");
  EXPECT_EQ(SqueezeJson(Make("[[1],[2]]"), {}), "[[1],[2]]");  // one value a row by chance only
}

TEST(Squeeze, Refuses) {
  EXPECT_THAT(SqueezeJson(Make("[[1],[2,3]]"), {1}), testing::HasSubstr("axis 1 has 2 values in row 1"));
  EXPECT_THAT(SqueezeJson(Make("[1,2]"), {0}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(SqueezeJson(MakeTensor("[[1,2]]"), {1}), testing::HasSubstr("axis 1 has size 2"));
  EXPECT_THAT(SqueezeJson(Docs(), {1}), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
