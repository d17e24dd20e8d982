#include "structtensor/tensor/ops/split.h"

#include <gmock/gmock.h>

#include "ops_testutil.h"

namespace structtensor {
namespace {

std::string SplitJson(const Value& value, std::vector<int64_t> sizes, int64_t axis = 0) {
  return Json(Split(value, sizes, axis));
}

TEST(Split, IntoParts) {
  EXPECT_EQ(SplitJson(Make("[[1,2,3],[],[4],[5,6]]"), {1, 3}), "[[1,2,3]] [[],[4],[5,6]]");
  EXPECT_EQ(SplitJson(Make("[1,2,3]"), {0, -1, 1}), "[] [1,2] [3]");
  EXPECT_EQ(SplitJson(MakeTensor("[[1,2,3],[4,5,6]]"), {1, 2}, 1), "[[1],[4]] [[2,3],[5,6]]");
  const Value structs = StructuredTensor::Create({Uniform(2, 2)}, 4, {{"x", MakeTensor("[1,2,3,4]")}});
  EXPECT_EQ(SplitJson(structs, {1, 1}, 1), R"([[{"x":1}],[{"x":3}]] [[{"x":2}],[{"x":4}]])");
}

TEST(Split, Evenly) {
  EXPECT_EQ(Json(SplitEvenly(Make("[1,2,3,4]"), 2)), "[1,2] [3,4]");
  EXPECT_THAT(Json(SplitEvenly(Make("[1,2,3]"), 2)), testing::HasSubstr("do not make 2 parts"));
  EXPECT_THAT(Json(SplitEvenly(Make("[1,2,3]"), 0)), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(SplitEvenly(Docs().SliceRows(0, 0), INT64_MAX)), testing::HasSubstr("INVALID_ARGUMENT"));
}

TEST(Split, NothingMakesEmptyParts) {
  EXPECT_EQ(Json(SplitEvenly(Docs().SliceRows(0, 0), 3)), "[] [] []");
  const absl::StatusOr<std::vector<Value>> parts = SplitEvenly(Make("[1]").SliceRows(0, 0), 1 << 16);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(parts->size(), size_t{1} << 16);
  EXPECT_THAT(Json(SplitEvenly(Make("[1]").SliceRows(0, 0), (1 << 16) + 1)), testing::HasSubstr("at most 65536 empty parts"));
  EXPECT_THAT(Json(SplitEvenly(Make("[1]").SliceRows(0, 0), 0)), testing::HasSubstr("INVALID_ARGUMENT"));
}

TEST(Split, Refuses) {
  EXPECT_THAT(SplitJson(Make("[1,2,3]"), {1, 1}), testing::HasSubstr("add up to 2"));
  EXPECT_THAT(SplitJson(Make("[1,2,3]"), {-1, -1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(SplitJson(Make("[1,2,3]"), {4, -1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(SplitJson(Make("[[1],[2,3]]"), {1}, 1), testing::HasSubstr("axis 1 is ragged"));
}

}  // namespace
}  // namespace structtensor
