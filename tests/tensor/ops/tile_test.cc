#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/join.h"

namespace structtensor {
namespace {

std::string TileJson(const Value& value, std::vector<int64_t> multiples) { return Json(Tile(value, multiples)); }

TEST(Tile, RepeatsAxesAsAWhole) {
  EXPECT_EQ(TileJson(Make("[1,2]"), {3}), "[1,2,1,2,1,2]");
  EXPECT_EQ(TileJson(Make("[[1,2],[],[3]]"), {1, 2}), "[[1,2,1,2],[],[3,3]]");
  EXPECT_EQ(TileJson(Make("[[1,2],[]]"), {2, 2}), "[[1,2,1,2],[],[1,2,1,2],[]]");
  EXPECT_EQ(TileJson(Make(R"([{"x":"a"},{"x":"b"}])"), {2}), R"([{"x":"a"},{"x":"b"},{"x":"a"},{"x":"b"}])");
  EXPECT_EQ(TileJson(Make("[1,2]"), {0}), "[]");
}

TEST(Tile, UniformAxesStayKnown) {
  const std::vector<int64_t> multiples = {1, 2};
  EXPECT_EQ(ShapeOf(Tile(MakeTensor("[[1,2],[3,4]]"), multiples)), "[2, 4]");
  const Value structs = StructuredTensor::Create({Uniform(2, 1)}, 2, {{"x", MakeTensor("[1,2]")}});
  EXPECT_EQ(ShapeOf(Tile(structs, multiples)), "[1, 4]");
}

TEST(Tile, OptionalAxesBecomeOrdinaryOnes) {
  const Value value =
      RaggedTensor::FromRowPartitions({Splits({0, 1, 1}, RowPartition::Optional::kYes)}, MakeTensor("[1]")).value();
  const Value tiled = Tile(value, std::vector<int64_t>{1, 2}).value();
  EXPECT_EQ(ToJson(tiled), "[[1,1],[]]");
  EXPECT_FALSE(tiled.ragged()->row_partition(0).is_optional());
}

TEST(Tile, Refuses) {
  EXPECT_THAT(TileJson(Make("[1]"), {1, 1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(TileJson(Make("[1]"), {-1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(TileJson(Make("[1,2]"), {INT64_MAX}), testing::HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_THAT(TileJson(MakeTensor(R"(["ab"])"), {int64_t{1} << 60}), testing::HasSubstr("RESOURCE_EXHAUSTED"));
}

}  // namespace
}  // namespace structtensor
