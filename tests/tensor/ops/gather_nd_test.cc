#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/gather.h"

namespace structtensor {
namespace {

TEST(GatherNd, TakesElementsByCoordinates) {
  EXPECT_EQ(Json(GatherNd(Make("[[1,2,3],[],[4],[5,6]]"), MakeTensor("[[0,1],[3,0]]"))), "[2,5]");
  EXPECT_EQ(Json(GatherNd(Make("[[[1],[2,3]],[],[[4,5,6],[]]]"), MakeTensor("[[0,1],[2,0]]"))), "[[2,3],[4,5,6]]");
  EXPECT_EQ(Json(GatherNd(MakeTensor("[[1,2],[3,4]]"), MakeTensor("[[[1,0]],[[0,1]]]"))), "[[3],[2]]");
  EXPECT_EQ(Json(GatherNd(Make(R"([[{"x":1}],[{"x":2},{"x":3}]])"), MakeTensor("[[1,1],[0,0]]"))), R"([{"x":3},{"x":1}])");
}

TEST(GatherNd, FewerCoordinatesTakeMore) {
  EXPECT_EQ(Json(GatherNd(Make("[[1,2],[],[3]]"), MakeTensor("[[2],[0]]"))), "[[3],[1,2]]");
  EXPECT_EQ(Json(GatherNd(Docs(), MakeTensor("[1]"))), R"({"x":2,"y":[],"z":{"w":1.5}})");
  // None at all: each point is everything.
  EXPECT_EQ(Json(GatherNd(Make("[[1],[]]"), Tensor::Empty(Shape({2, 0}), DType::kInt64))), "[[[1],[]],[[1],[]]]");
}

TEST(GatherNd, EmptyListsOfIndicesKeepTheRaggedShape) {
  const Value rows = Make("[[1,2],[],[3]]");
  // Read without a dtype, [] is a list of floating point numbers.
  EXPECT_EQ(Json(GatherNd(rows, Tensor::Empty(Shape({0}), DType::kFloat))), "[[1,2],[],[3]]");
  EXPECT_EQ(ShapeOf(GatherNd(rows, Tensor::Empty(Shape({0}), DType::kFloat))), "[3, None]");
  EXPECT_EQ(Json(GatherNd(rows, Tensor::Empty(Shape({2, 0}), DType::kFloat))), "[[[1,2],[],[3]],[[1,2],[],[3]]]");
  EXPECT_EQ(ShapeOf(GatherNd(rows, Tensor::Empty(Shape({0, 1}), DType::kInt64))), "[0, None]");
  EXPECT_EQ(GatherNd(rows, Tensor::Empty(Shape({0, 1}), DType::kFloat)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(GatherNd, RaggedLists) {
  const Value points = RaggedTensor::FromRowPartitions({Splits({0, 2, 2, 3})}, MakeTensor("[[0,0],[1,0],[0,1]]")).value();
  EXPECT_EQ(Json(GatherNd(Make("[[1,2],[3]]"), points)), "[[1,3],[],[2]]");
}

TEST(GatherNd, Refuses) {
  const absl::Status status = GatherNd(Make("[[1,2],[3]]"), MakeTensor("[[1,1]]")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(status.message(), testing::HasSubstr("coordinate 1 of point 0 is 1"));
  EXPECT_EQ(Json(GatherNd(Make("[[1],[3,4]]"), MakeTensor("[[0,1]]"), RowBounds::kValues)), "[3]");
  EXPECT_EQ(GatherNd(Make("[1]"), MakeTensor("[[0,0]]")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GatherNd(Make("[1]"), Make("[[0],[0,0]]")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GatherNd(Make("[1]"), Tensor::Scalar(int64_t{0})).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
