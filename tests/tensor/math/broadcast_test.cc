#include "structtensor/tensor/math/broadcast.h"

#include <gmock/gmock.h>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;
using List = std::vector<int64_t>;
using Lengths = std::vector<DynamicRaggedShape::Length>;

// "[2, (2, 1)]", or what differs.
std::string Broadcast(const Lengths& a, const Lengths& b) {
  const absl::StatusOr<DynamicRaggedShape> ab = BroadcastShapes(ShapeOfLengths(a), ShapeOfLengths(b));
  const absl::StatusOr<DynamicRaggedShape> ba = BroadcastShapes(ShapeOfLengths(b), ShapeOfLengths(a));
  EXPECT_EQ(ab.status().code(), ba.status().code());
  if (!ab.ok()) return std::string(ab.status().message());
  EXPECT_EQ(*ab, *ba);
  const std::string text = ab->DebugString();
  const size_t begin = text.find('[');
  return text.substr(begin, text.rfind(']') + 1 - begin);
}

TEST(BroadcastShapes, DenseAxesAsInNumPy) {
  EXPECT_EQ(Broadcast({2, 1}, {3}), "[2, 3]");
  EXPECT_EQ(Broadcast({}, {2, 3}), "[2, 3]");
  EXPECT_EQ(Broadcast({0, 1}, {1, 4}), "[0, 4]");
  EXPECT_THAT(Broadcast({4}, {2, 3}),
              HasSubstr("axis 1 of the first shape has size 4 and that of the second shape has size 3"));
}

TEST(BroadcastShapes, UniformAxesOfSizeOneBecomeRagged) {
  EXPECT_EQ(Broadcast({2, 1}, {2, List{2, 1}}), "[2, (2, 1)]");
  EXPECT_EQ(Broadcast({1}, {2, List{2, 1}, 4}), "[2, (2, 1), 4]");
  EXPECT_EQ(Broadcast({4}, {2, List{2, 1}, 1}), "[2, (2, 1), 4]");
  EXPECT_EQ(Broadcast({1, 1, 3}, {2, List{2, 1}, 1}), "[2, (2, 1), 3]");
}

TEST(BroadcastShapes, RowsAreRepeatedAlongOuterAxes) {
  EXPECT_EQ(Broadcast({2, 1}, {1, List{3}}), "[2, (3, 3)]");
  EXPECT_EQ(Broadcast({2, 3}, {1, List{3}}), "[2, (3, 3)]");
  EXPECT_EQ(Broadcast({2, 1, 1}, {1, List{2}, List{1, 3}}), "[2, (2, 2), (1, 3, 1, 3)]");
  EXPECT_EQ(Broadcast({2, List{1, 2}, 1}, {1, 1, 2}), "[2, (1, 2), 2]");
  EXPECT_EQ(Broadcast({2, List{2, 0}, 1}, {1, List{3}}), "[2, (2, 0), (3, 3)]");
}

TEST(BroadcastShapes, RaggedAxesNeedEqualRows) {
  EXPECT_EQ(Broadcast({2, List{3, 3}}, {2, 3}), "[2, (3, 3)]");
  EXPECT_EQ(Broadcast({2, List{3, 3}}, {3}), "[2, (3, 3)]");
  EXPECT_THAT(Broadcast({2, List{3, 2}}, {3}), HasSubstr("on axis 1, row 1"));
  // Not even if all its rows have one value: that would depend on the data.
  EXPECT_THAT(Broadcast({2, List{1, 1}}, {2, List{2, 1}}), HasSubstr("on axis 1, row 0"));
  EXPECT_THAT(Broadcast({2, List{1, 1}}, {2, 3}), HasSubstr("rows of a ragged axis must have equal lengths"));
}

TEST(BroadcastShapes, CountsThatOverflowAreAnError) {
  const DynamicRaggedShape tall = ShapeOfLengths({int64_t{1} << 40, 1});
  const DynamicRaggedShape wide = ShapeOfLengths({int64_t{1} << 40});
  EXPECT_EQ(BroadcastShapes(tall, wide).status().code(), absl::StatusCode::kResourceExhausted);
  const DynamicRaggedShape long_row = ShapeOfLengths({1, List{int64_t{1} << 62}});
  EXPECT_EQ(BroadcastShapes(ShapeOfLengths({4, 1}), long_row).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(BroadcastShapes, KeepsPartitionsAndInt32) {
  const auto int32_shape = ShapeOfLengths({2, List{2, 1}}).WithDtype(DType::kInt32).value();
  const DynamicRaggedShape result = BroadcastShapes(int32_shape, ShapeOfLengths({1})).value();
  EXPECT_EQ(result.dtype(), DType::kInt32);
  EXPECT_EQ(result.row_partitions()[0].row_splits().data(), int32_shape.row_partitions()[0].row_splits().data());
  EXPECT_EQ(BroadcastShapes(int32_shape, ShapeOfLengths({2, List{2, 1}})).value().dtype(), DType::kInt64);
}

TEST(BroadcastTo, DenseValuesBecomeViews) {
  const Tensor row = MakeTensor("[1,2,3]");
  const absl::StatusOr<Value> repeated = BroadcastTo(row, ShapeOfLengths({2, 3}));
  EXPECT_EQ(Json(repeated), "[[1,2,3],[1,2,3]]");
  EXPECT_EQ(repeated->tensor()->strides(), (Tensor::Strides{0, 1}));
  EXPECT_EQ(Json(BroadcastTo(Tensor::Scalar(int64_t{7}), ShapeOfLengths({2, 1, 2}))), "[[[7,7]],[[7,7]]]");
  EXPECT_EQ(BroadcastTo(row, ShapeOfLengths({3}))->tensor()->values<int64_t>().data(), row.values<int64_t>().data());
  EXPECT_EQ(ShapeOf(BroadcastTo(MakeTensor("[[1],[2]]"), ShapeOfLengths({2, 0}))), "[2, 0]");
}

TEST(BroadcastTo, RaggedShapes) {
  EXPECT_EQ(Json(BroadcastTo(MakeTensor("[[1],[2]]"), ShapeOfLengths({2, List{2, 3}}))), "[[1,1],[2,2,2]]");
  EXPECT_EQ(Json(BroadcastTo(Tensor::Scalar("a"), ShapeOfLengths({2, List{0, 2}}))), R"([[],["a","a"]])");
  EXPECT_EQ(Json(BroadcastTo(MakeTensor("[8,9]"), ShapeOfLengths({2, List{2, 1}, 2}))), "[[[8,9],[8,9]],[[8,9]]]");
  EXPECT_EQ(Json(BroadcastTo(Make("[[[1],[2]],[[3]]]"), ShapeOfLengths({2, List{2, 1}, List{1, 1, 1}}))), "[[[1],[2]],[[3]]]");
  const Value ragged_rows = RaggedTensor::FromRowPartitionsUnchecked({Splits({0, 2, 3})}, MakeTensor("[[1],[2],[3]]"));
  EXPECT_EQ(Json(BroadcastTo(ragged_rows, ShapeOfLengths({2, List{2, 1}, 3}))), "[[[1,1,1],[2,2,2]],[[3,3,3]]]");
}

TEST(BroadcastTo, UniformPartitionsMayBecomeDenseAndRaggedOnesMayNot) {
  const Value uniform = RaggedTensor::FromRowPartitionsUnchecked({Uniform(2, 2)}, MakeTensor("[1,2,3,4]"));
  const absl::StatusOr<Value> dense = BroadcastTo(uniform, ShapeOfLengths({2, 2, 2}));
  EXPECT_EQ(Json(dense), "[[[1,2],[3,4]],[[1,2],[3,4]]]");
  EXPECT_NE(dense->tensor(), nullptr);
  EXPECT_THAT(Message(BroadcastTo(Make("[[1,2],[3,4]]"), ShapeOfLengths({2, 2, 2}))),
              HasSubstr("axis 1 of the value is ragged"));
}

TEST(BroadcastTo, KeepsAbsentElementsAbsent) {
  EXPECT_EQ(Json(BroadcastTo(Nullable<int64_t>({1, 2}, {true, false}).Reshape({2, 1}), ShapeOfLengths({2, List{1, 2}}))),
            "[[1],[null,null]]");
}

TEST(BroadcastTo, RefusesWhatDoesNotFit) {
  EXPECT_THAT(Message(BroadcastTo(MakeTensor("[1,2]"), ShapeOfLengths({3}))), HasSubstr("size 2"));
  EXPECT_THAT(Message(BroadcastTo(MakeTensor("[1,2]"), ShapeOfLengths({1}))), HasSubstr("cannot become"));
  EXPECT_THAT(Message(BroadcastTo(MakeTensor("[[1]]"), ShapeOfLengths({1}))), HasSubstr("cannot become"));
  EXPECT_THAT(Message(BroadcastTo(Make("[[1],[2]]"), ShapeOfLengths({2, List{2, 3}}))), HasSubstr("axis 1, row 0"));
  EXPECT_THAT(Message(BroadcastTo(Docs(), ShapeOfLengths({3}))), HasSubstr("x, y, z"));
}

TEST(BroadcastTo, TooBigIsAnErrorBeforeAnybodyReadsIt) {
  const std::string text(1000, 'a');
  EXPECT_EQ(BroadcastTo(Tensor::Scalar(std::string_view(text)), ShapeOfLengths({int64_t{1} << 30})).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(BroadcastTo(Tensor::Scalar(1.5), ShapeOfLengths({int64_t{1} << 62})).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace structtensor
