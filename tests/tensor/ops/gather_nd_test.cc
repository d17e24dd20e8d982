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
TEST(GatherNd, CoordinatesOfABatchSelectFromTheirBatchElement) {
  const auto json = [](const Value& params, const Value& indices, int64_t batch_dims) {
    const absl::StatusOr<Value> found = GatherNd(params, indices, RowBounds::kRow, batch_dims);
    return found.ok() ? ToJson(*found) : std::string(found.status().message());
  };
  const Value params = MakeTensor("[[1,2],[3,4]]");
  EXPECT_EQ(json(params, MakeTensor("[[1],[0]]"), 1), "[2,3]");
  EXPECT_EQ(json(params, MakeTensor("[[[1],[0]],[[0],[0]]]"), 1), "[[2,1],[3,3]]");
  EXPECT_EQ(json(MakeTensor("[[[1,2],[3,4]]]"), MakeTensor("[[[1],[0]]]"), 2), "[[2,3]]");
  // Ragged points of ragged rows, and of structs.
  const Value points = RaggedTensor::FromRowPartitions({Splits({0, 1, 3})}, MakeTensor("[[0],[1],[0]]")).value();
  EXPECT_EQ(json(Make("[[1],[2,3]]"), points, 1), "[[1],[3,2]]");
  EXPECT_EQ(json(Make(R"([[{"a":1}],[{"a":2},{"a":3}]])"), points, 1), R"([[{"a":1}],[{"a":3},{"a":2}]])");
  EXPECT_EQ(json(Tensor::Empty(Shape({0, 2}), DType::kInt64), Tensor::Empty(Shape({0, 1}), DType::kInt64), 1), "[]");
  // Beyond the limits.
  EXPECT_THAT(json(params, MakeTensor("[[1],[0]]"), 2), testing::HasSubstr("batch_dims is 2"));
  EXPECT_THAT(json(params, MakeTensor("[[1],[0]]"), -1), testing::HasSubstr("batch_dims is -1"));
  EXPECT_THAT(json(params, MakeTensor("[[1],[0],[0]]"), 1), testing::HasSubstr("params"));
  EXPECT_THAT(json(params, MakeTensor("[[2],[0]]"), 1), testing::HasSubstr("it must be in [0, 2)"));
}

}  // namespace structtensor
