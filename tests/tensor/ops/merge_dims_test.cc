#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/axes.h"

namespace structtensor {
namespace {

TEST(MergeDims, OfRaggedAxes) {
  const Value value = Make("[[[1],[2,3]],[],[[4,5,6],[]]]");
  EXPECT_EQ(Json(MergeDims(value, 0, 1)), "[[1],[2,3],[4,5,6],[]]");
  EXPECT_EQ(Json(MergeDims(value, 1, 2)), "[[1,2,3],[],[4,5,6]]");
  EXPECT_EQ(Json(MergeDims(value, 0, -1)), "[1,2,3,4,5,6]");
  EXPECT_EQ(Json(MergeDims(value, 1, 1)), "[[[1],[2,3]],[],[[4,5,6],[]]]");
}

TEST(MergeDims, OfDenseAndUniformAxes) {
  EXPECT_EQ(Json(MergeDims(MakeTensor("[[[1,2],[3,4]],[[5,6],[7,8]]]"), 1, 2)), "[[1,2,3,4],[5,6,7,8]]");
  const Value pairs = RaggedTensor::FromRowPartitions({Splits({0, 2, 3})}, MakeTensor("[[1,2],[3,4],[5,6]]")).value();
  EXPECT_EQ(Json(MergeDims(pairs, 1, 2)), "[[1,2,3,4],[5,6]]");
  const Value structs = StructuredTensor::Create({Uniform(2, 2), Uniform(1, 4)}, 4, {{"x", MakeTensor("[1,2,3,4]")}});
  EXPECT_EQ(ShapeOf(MergeDims(structs, 1, 2)), "[2, 2]");
  EXPECT_EQ(ShapeOf(MergeDims(structs, 0, 1)), "[4, 1]");
}

TEST(MergeDims, SharesData) {
  const Value value = Make(R"([[{"x":1},{"x":2}],[{"x":3}]])");
  const Value merged = MergeDims(value, 0, 1).value();
  EXPECT_EQ(ToJson(merged), R"([{"x":1},{"x":2},{"x":3}])");
  EXPECT_EQ(merged.structured()->flat_field(0).tensor()->values<int64_t>().data(),
            value.structured()->flat_field(0).tensor()->values<int64_t>().data());
}

TEST(MergeDims, OfASliceThatDoesNotBeginAtTheFirstValue) {
  EXPECT_EQ(Json(MergeDims(Make("[[[1],[2,3]],[[4]],[[5,6],[]]]").SliceRows(1, 3), 1, 2)), "[[4],[5,6]]");
}

TEST(MergeDims, MoreRowsOfNothingThanMemoryHasRoomFor) {
  const Value structs =
      StructuredTensor::Create({Uniform(2, int64_t{1} << 59), Uniform(0, int64_t{1} << 60), Splits({0})}, 0, {});
  EXPECT_EQ(MergeDims(structs, 1, 3).value().structured()->row_partitions().front().uniform_row_length(), 0);
}

TEST(MergeDims, Refuses) {
  EXPECT_THAT(Json(MergeDims(Make("[[1]]"), 1, 0)), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(MergeDims(Make("[[1]]"), 0, 2)), testing::HasSubstr("inner_axis is 2"));
  EXPECT_THAT(Json(MergeDims(Make(R"({"a":1})"), 0, 0)), testing::HasSubstr("outer_axis is 0"));
}

}  // namespace
}  // namespace structtensor
