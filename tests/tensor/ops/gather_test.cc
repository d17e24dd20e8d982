#include "structtensor/tensor/ops/gather.h"

#include <gmock/gmock.h>

#include "ops_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Gather, TakesRowsOfStructsWithAllTheirFields) {
  EXPECT_EQ(Json(Gather(Docs(), MakeTensor("[2, 0, 2]"))),
            R"([{"x":3,"y":["b","cd"],"z":{"w":2.5}},{"x":1,"y":["a"],"z":{"w":0.5}},{"x":3,"y":["b","cd"],"z":{"w":2.5}}])");
}

TEST(Gather, AScalarIndexTakesTheAxisAway) {
  EXPECT_EQ(Json(Gather(Docs(), Tensor::Scalar(int32_t{1}))), R"({"x":2,"y":[],"z":{"w":1.5}})");
  EXPECT_EQ(Json(Gather(MakeTensor("[[1,2],[3,4]]"), Tensor::Scalar(int64_t{1}), {.axis = 1})), "[2,4]");
}

TEST(Gather, IndicesOfHigherRankGiveTheResultTheirShape) {
  const Value dense = MakeTensor("[[0, 1], [1, 0]]");
  EXPECT_EQ(Json(Gather(MakeTensor("[7, 8]"), dense)), "[[7,8],[8,7]]");
  EXPECT_EQ(ShapeOf(Gather(Docs(), dense)), "[2, 2]");
  EXPECT_EQ(Json(Gather(MakeTensor("[7, 8]"), Make("[[1], [], [0, 1]]"))), "[[8],[],[7,8]]");
  EXPECT_EQ(ShapeOf(Gather(Docs(), Make("[[1], [], [0, 2]]"))), "[3, None]");
}

TEST(Gather, AlongAnInnerAxisSelectsFromEachRow) {
  EXPECT_EQ(Json(Gather(Make("[[1,2,3],[4,5]]"), MakeTensor("[1,0,1]"), {.axis = 1})), "[[2,1,2],[5,4,5]]");
  EXPECT_EQ(ShapeOf(Gather(Make("[[1,2,3],[4,5]]"), MakeTensor("[1,0,1]"), {.axis = -1})), "[2, 3]");
  EXPECT_EQ(Json(Gather(Make("[[1,2,3],[4,5]]"), Make("[[0],[],[1,1]]"), {.axis = 1})), "[[[1],[],[2,2]],[[4],[],[5,5]]]");
  EXPECT_EQ(Json(Gather(Make(R"([[{"x":1},{"x":2}],[{"x":3}]])"), MakeTensor("[0]"), {.axis = 1})), R"([[{"x":1}],[{"x":3}]])");
}

TEST(Gather, BatchElementsSelectFromTheirOwn) {
  const Value params = Make("[[1,2],[],[3]]");
  EXPECT_EQ(Json(Gather(params, Make("[[1,0,1],[],[0]]"), {.batch_dims = 1})), "[[2,1,2],[],[3]]");
  EXPECT_EQ(Json(Gather(MakeTensor("[[1,2],[3,4]]"), MakeTensor("[1,0]"), {.batch_dims = 1})), "[2,3]");
  // Along an axis after the batch axis: element i of the first axis has its own indices for everything in it.
  EXPECT_EQ(Json(Gather(Make("[[[1,2],[3,4]],[[5,6]]]"), Make("[[1],[0,0]]"), {.axis = 2, .batch_dims = 1})),
            "[[[2],[4]],[[5,5]]]");
}

TEST(Gather, NegativeBatchDimsCountFromTheEnd) {
  // No batch axes, since the indices have one axis; and the last axis of what is selected from.
  EXPECT_EQ(Json(Gather(Make("[[1,2],[3]]"), MakeTensor("[0]"), {.batch_dims = -1})), "[[1],[3]]");
}

TEST(Gather, OutOfRangeNamesTheIndex) {
  const absl::Status negative = Gather(Docs(), MakeTensor("[0, -1]")).status();
  EXPECT_EQ(negative.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(negative.message(), HasSubstr("index number 1 is -1"));
  EXPECT_EQ(Gather(Docs(), Tensor::Scalar(int64_t{3})).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Gather(Make("[[1,2],[]]"), MakeTensor("[0]"), {.axis = 1}).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(Gather, MayReachIntoNeighbouringRowsIfAllowedTo) {
  const GatherOptions options = {.axis = 1, .bounds = RowBounds::kValues};
  EXPECT_EQ(Json(Gather(Make("[[1],[],[2,3]]"), MakeTensor("[1]"), options)), "[[2],[3],[3]]");
  EXPECT_EQ(Gather(Make("[[1],[2]]"), MakeTensor("[1]"), options).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Gather(MakeTensor("[[1],[2]]"), MakeTensor("[1]"), options).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(Gather, WrongArguments) {
  const auto code = [](const absl::StatusOr<Value>& value) { return value.status().code(); };
  EXPECT_EQ(code(Gather(Docs(), MakeTensor("[0.5]"))), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Gather(Docs(), Docs())), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Gather(Docs(), MakeTensor("[0]"), {.axis = 1})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Gather(Make("[[1],[2]]"), MakeTensor("[0]"), {.batch_dims = 2})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Gather(Make("[[1],[2]]"), MakeTensor("[[0],[0]]"), {.axis = 0, .batch_dims = 1})),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Gather(Make("[[1],[2]]"), MakeTensor("[[0]]"), {.batch_dims = 1})), absl::StatusCode::kInvalidArgument);
}

TEST(Gather, OfNothingAndOfStructsWithoutFields) {
  EXPECT_EQ(ShapeOf(Gather(Docs(), Tensor::Empty(Shape({0}), DType::kInt64))), "[0]");
  EXPECT_EQ(Json(Gather(Make("[{},{},{}]"), MakeTensor("[2,2]"))), "[{},{}]");
}

TEST(Gather, ConsecutiveRowsShareMemory) {
  const Value docs = Docs();
  const Value taken = Gather(docs, MakeTensor("[1, 2]")).value();
  EXPECT_EQ(taken.structured()->flat_field(0).tensor()->values<int64_t>().data(),
            docs.structured()->flat_field(0).tensor()->values<int64_t>().data() + 1);
}

TEST(Gather, TextBeyondTwoGigabytesIsRefused) {
  const Tensor megabyte = Tensor::FromVector({std::string(1 << 20, 'x')});
  const Tensor again = Tensor::FromVector(std::vector<int64_t>(1 << 11, 0));
  EXPECT_EQ(Gather(megabyte, again).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace structtensor
