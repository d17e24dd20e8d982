#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/gather.h"

namespace structtensor {
namespace {

std::string SliceJson(const Value& value, std::vector<int64_t> begin, std::vector<int64_t> size) {
  return Json(Slice(value, begin, size));
}

TEST(Slice, OfEachAxis) {
  EXPECT_EQ(SliceJson(MakeTensor("[[1,2,3],[4,5,6]]"), {1, 1}, {1, 2}), "[[5,6]]");
  EXPECT_EQ(SliceJson(Make(R"([[{"x":1},{"x":2}],[{"x":3}],[]])"), {0, 0}, {2, -1}), R"([[{"x":1},{"x":2}],[{"x":3}]])");
}

TEST(Slice, RaggedRowsGiveWhatTheyHave) {
  EXPECT_EQ(SliceJson(Make("[[1,2,3],[4],[]]"), {0, 1}, {-1, -1}), "[[2,3],[],[]]");
  EXPECT_EQ(SliceJson(Make("[[1,2,3],[4],[]]"), {0, 0}, {-1, 2}), "[[1,2],[4],[]]");
  EXPECT_EQ(SliceJson(Make("[[[1,2],[3]],[[4,5,6]]]"), {0, 0, 1}, {-1, 1, 1}), "[[[2]],[[5]]]");
}

TEST(Slice, UniformAxesOfStructsStayUniform) {
  const Value structs = StructuredTensor::Create({Uniform(3, 2)}, 6, {{"x", MakeTensor("[1,2,3,4,5,6]")}});
  const std::vector<int64_t> begin = {0, 1}, size = {2, 2};
  EXPECT_EQ(ShapeOf(Slice(structs, begin, size)), "[2, 2]");
  EXPECT_EQ(SliceJson(structs, begin, size), R"([[{"x":2},{"x":3}],[{"x":5},{"x":6}]])");
}

TEST(Slice, OfRowsSharesMemory) {
  const Value docs = Docs();
  const std::vector<int64_t> begin = {1}, size = {2};
  const Value slice = Slice(docs, begin, size).value();
  EXPECT_EQ(slice.structured()->flat_field(0).tensor()->values<int64_t>().data(),
            docs.structured()->flat_field(0).tensor()->values<int64_t>().data() + 1);
}

TEST(Slice, Refuses) {
  EXPECT_THAT(SliceJson(Docs(), {2}, {2}),
              testing::HasSubstr("OUT_OF_RANGE: axis 0: 2 values from 2 on reach beyond its 3 values"));
  EXPECT_THAT(SliceJson(Docs(), {4}, {-1}), testing::HasSubstr("OUT_OF_RANGE"));
  EXPECT_THAT(SliceJson(Docs(), {-1}, {1}), testing::HasSubstr("OUT_OF_RANGE"));
  EXPECT_THAT(SliceJson(Docs(), {0}, {-2}), testing::HasSubstr("OUT_OF_RANGE"));
  EXPECT_THAT(SliceJson(Docs(), {0, 0}, {1, 1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(SliceJson(Docs(), {0}, {1, 1}), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(SliceJson(Docs(), {1}, {INT64_MAX}), testing::HasSubstr("OUT_OF_RANGE"));
}

}  // namespace
}  // namespace structtensor
