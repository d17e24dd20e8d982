#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/join.h"

namespace structtensor {
namespace {

std::string ConcatJson(const std::vector<Value>& values, int64_t axis) { return Json(Concat(values, axis)); }

TEST(Concat, Rows) {
  EXPECT_EQ(ConcatJson({Make("[1,2]"), Make("[3]")}, 0), "[1,2,3]");
  EXPECT_EQ(ConcatJson({Make("[[1,2],[]]"), Make("[[3]]")}, -2), "[[1,2],[],[3]]");
  EXPECT_EQ(ConcatJson({Make(R"([{"x":1,"y":["a"]}])"), Make(R"([{"y":["b","c"],"x":2}])")}, 0),
            R"([{"x":1,"y":["a"]},{"x":2,"y":["b","c"]}])");
}

TEST(Concat, InnerAxesRowByRow) {
  EXPECT_EQ(ConcatJson({Make("[[1],[2,3]]"), Make("[[4,5],[]]")}, 1), "[[1,4,5],[2,3]]");
  EXPECT_EQ(ConcatJson({MakeTensor("[[1,2],[3,4]]"), MakeTensor("[[5],[6]]")}, 1), "[[1,2,5],[3,4,6]]");
  EXPECT_EQ(ConcatJson({Make(R"([[{"x":1}],[]])"), Make(R"([[{"x":2}],[{"x":3}]])")}, -1), R"([[{"x":1},{"x":2}],[{"x":3}]])");
  EXPECT_EQ(ConcatJson({Make("[[[1]],[]]"), Make("[[[2,3]],[]]")}, 2), "[[[1,2,3]],[]]");
}

TEST(Concat, UniformAxesStayKnown) {
  const std::vector<Value> dense = {MakeTensor("[[1,2],[3,4]]"), MakeTensor("[[5],[6]]")};
  EXPECT_EQ(ShapeOf(Concat(dense, 1)), "[2, 3]");
  const Value structs = StructuredTensor::Create({Uniform(2, 1)}, 2, {{"x", MakeTensor("[1,2]")}});
  EXPECT_EQ(ShapeOf(Concat(std::vector<Value>{structs, structs}, 1)), "[1, 4]");
}

TEST(Concat, DenseAndRaggedBecomeRagged) {
  EXPECT_EQ(ConcatJson({MakeTensor("[[1,2]]"), Make("[[3],[]]")}, 0), "[[1,2],[3],[]]");
  EXPECT_EQ(ConcatJson({MakeTensor("[[1,2],[5,6]]"), Make("[[3],[]]")}, 1), "[[1,2,3],[5,6]]");
}

TEST(Concat, DenseAxesThatDifferBecomeRagged) {
  EXPECT_EQ(ConcatJson({MakeTensor("[[1,2]]"), MakeTensor("[[1]]")}, 0), "[[1,2],[1]]");
  EXPECT_EQ(ConcatJson({MakeTensor("[[[1,2]]]"), MakeTensor("[[[3]]]")}, 1), "[[[1,2],[3]]]");
}

TEST(Concat, WhatDoesNotFitIsNamed) {
  const auto status = [](const std::vector<Value>& values, int64_t axis) { return Concat(values, axis).status().ToString(); };
  EXPECT_THAT(status({Make(R"([{"a":{"b":1}}])"), Make(R"([{"a":{"b":1.5}}])")}, 0), testing::HasSubstr("field a.b: "));
  EXPECT_THAT(status({Make(R"([{"a":1}])"), Make(R"([{"b":1}])")}, 0), testing::HasSubstr("has no field a"));
  EXPECT_THAT(status({Make("[[1],[2]]"), Make("[[1]]")}, 1), testing::HasSubstr("2 rows"));
  EXPECT_THAT(status({Make("[1]"), Make("[[1]]")}, 0), testing::HasSubstr("axes"));
  EXPECT_THAT(status({Make("[1]"), Docs()}, 0), testing::HasSubstr("some are not"));
  EXPECT_EQ(Concat({}, 0).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Concat(std::vector<Value>{Make("[1]")}, 1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Concat(std::vector<Value>{Make(R"({"a":1})")}, 0).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Concat, ASingleValueIsReturned) {
  const Value value = Make("[1,2]");
  EXPECT_EQ(Concat(std::vector<Value>{value}, 0)->tensor()->values<int64_t>().data(), value.tensor()->values<int64_t>().data());
}

}  // namespace
}  // namespace structtensor
