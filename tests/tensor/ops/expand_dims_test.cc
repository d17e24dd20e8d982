#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/axes.h"

namespace structtensor {
namespace {

TEST(ExpandDims, AtEveryPosition) {
  const Value ragged = Make("[[1,2],[],[3]]");
  EXPECT_EQ(Json(ExpandDims(ragged, 0)), "[[[1,2],[],[3]]]");
  EXPECT_EQ(ShapeOf(ExpandDims(ragged, 0)), "[1, 3, None]");
  EXPECT_EQ(Json(ExpandDims(ragged, 1)), "[[[1,2]],[[]],[[3]]]");
  EXPECT_EQ(ShapeOf(ExpandDims(ragged, 1)), "[3, 1, None]");
  EXPECT_EQ(Json(ExpandDims(ragged, -1)), "[[[1],[2]],[],[[3]]]");
  EXPECT_EQ(ShapeOf(ExpandDims(ragged, 2)), "[3, None, 1]");
  EXPECT_EQ(Json(ExpandDims(Make(R"([[{"x":1},{"x":2}],[]])"), 2)), R"([[[{"x":1}],[{"x":2}]],[]])");
  EXPECT_EQ(Json(ExpandDims(MakeTensor("[1,2]"), 1)), "[[1],[2]]");
}

TEST(ExpandDims, OfAScalarStructKnowsTheLengthsOfItsLists) {
  const Value expanded = ExpandDims(Make(R"({"a":1,"r":[["x"],["y","z"]]})"), -1).value();
  EXPECT_EQ(ToJson(expanded), R"([{"a":1,"r":[["x"],["y","z"]]}])");
  EXPECT_EQ(expanded.structured()->field_value("r")->shape().DebugString(), "[1, 2, None]");
  EXPECT_EQ(Json(ExpandDims(Make("{}"), 0)), "[{}]");
}

TEST(ExpandDims, CopiesNothing) {
  const Value docs = Docs();
  const Value expanded = ExpandDims(docs, 1).value();
  EXPECT_EQ(expanded.structured()->flat_field(0).tensor()->values<int64_t>().data(),
            docs.structured()->flat_field(0).tensor()->values<int64_t>().data());
}

TEST(ExpandDims, Refuses) {
  EXPECT_THAT(Json(ExpandDims(Docs(), 2)), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(ExpandDims(Docs(), -3)), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
