#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/join.h"

namespace structtensor {
namespace {

std::string StackJson(const std::vector<Value>& values, int64_t axis = 0) { return Json(Stack(values, axis)); }

TEST(Stack, AlongAnOuterAxis) {
  EXPECT_EQ(StackJson({Make("[1,2]"), Make("[3,4]")}), "[[1,2],[3,4]]");
  EXPECT_EQ(StackJson({Make("[[1],[]]"), Make("[[2,3],[4]]")}), "[[[1],[]],[[2,3],[4]]]");
  EXPECT_EQ(StackJson({Make(R"([{"x":1}])"), Make(R"([{"x":2}])")}), R"([[{"x":1}],[{"x":2}]])");
}

TEST(Stack, DimensionsThatDifferBecomeRagged) {
  EXPECT_EQ(StackJson({Make("[1,2]"), Make("[3]")}), "[[1,2],[3]]");
  EXPECT_EQ(ShapeOf(Stack(std::vector<Value>{Make("[1,2]"), Make("[3]")})), "[2, None]");
  EXPECT_EQ(ShapeOf(Stack(std::vector<Value>{Make("[1,2]"), Make("[3,4]")})), "[2, 2]");
}

TEST(Stack, Scalars) {
  EXPECT_EQ(StackJson({Tensor::Scalar(int64_t{1}), Tensor::Scalar(int64_t{2})}), "[1,2]");
  EXPECT_EQ(StackJson({Make(R"({"a":1,"b":[1,2]})"), Make(R"({"a":2,"b":[3]})")}), R"([{"a":1,"b":[1,2]},{"a":2,"b":[3]}])");
}

TEST(Stack, AlongAnInnerAxis) {
  EXPECT_EQ(StackJson({Make("[1,2]"), Make("[3,4]")}, 1), "[[1,3],[2,4]]");
  EXPECT_EQ(StackJson({Make("[[1],[2,3]]"), Make("[[4],[5,6]]")}, -1), "[[[1,4]],[[2,5],[3,6]]]");
  EXPECT_EQ(StackJson({Make("[[1],[2,3]]"), Make("[[4,5],[]]")}, 1), "[[[1],[4,5]],[[2,3],[]]]");
  EXPECT_EQ(StackJson({Docs(), Docs()}, 1).substr(0, 60), R"([[{"x":1,"y":["a"],"z":{"w":0.5}},{"x":1,"y":["a"],"z":{"w":)");
}

TEST(Stack, Refuses) {
  EXPECT_THAT(StackJson({}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(StackJson({Make("[1]"), Make("[[1]]")}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(StackJson({Make("[1]"), Make("[1,2]")}, 1), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(StackJson({Make("[1]")}, 2), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(StackJson({Make(R"({"a":1})"), Make(R"({"a":"x"})")}), testing::HasSubstr("field a: "));
}

}  // namespace
}  // namespace structtensor
