#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/order.h"

namespace structtensor {
namespace {

std::string ReverseJson(const Value& value, std::vector<int64_t> axes) { return Json(Reverse(value, axes)); }

TEST(Reverse, Axes) {
  EXPECT_EQ(ReverseJson(Make("[[1,2,3],[],[4],[5,6]]"), {0}), "[[5,6],[4],[],[1,2,3]]");
  EXPECT_EQ(ReverseJson(Make("[[1,2,3],[],[4],[5,6]]"), {-1}), "[[3,2,1],[],[4],[6,5]]");
  EXPECT_EQ(ReverseJson(Make("[[[1],[2,3]],[],[[4,5,6],[]]]"), {2, 0}), "[[[6,5,4],[]],[],[[1],[3,2]]]");
  EXPECT_EQ(ReverseJson(MakeTensor("[[1,2],[3,4]]"), {0, 1}), "[[4,3],[2,1]]");
  EXPECT_EQ(ReverseJson(Make(R"([{"x":1,"y":["a"]},{"x":2,"y":["b","c"]}])"), {0}),
            R"([{"x":2,"y":["b","c"]},{"x":1,"y":["a"]}])");
  EXPECT_EQ(ReverseJson(Make("[[1,2]]"), {}), "[[1,2]]");
  EXPECT_EQ(ReverseJson(Tensor::Empty(Shape({0}), DType::kInt64), {0}), "[]");
}

TEST(Reverse, Refuses) {
  EXPECT_THAT(ReverseJson(Make("[1]"), {1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(ReverseJson(Make("[[1]]"), {0, -2}), testing::HasSubstr("axis 0 is named twice"));
}

}  // namespace
}  // namespace structtensor
