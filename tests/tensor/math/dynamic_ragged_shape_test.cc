#include "structtensor/tensor/math/dynamic_ragged_shape.h"

#include <gmock/gmock.h>

#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;
using Lengths = std::vector<DynamicRaggedShape::Length>;

TEST(DynamicRaggedShape, LengthsBecomePartitionsUpToTheLastRaggedAxis) {
  const DynamicRaggedShape shape = ShapeOfLengths({2, 3, std::vector<int64_t>{1, 2, 0, 1, 1, 1}, 4});
  EXPECT_EQ(shape.rank(), 4);
  ASSERT_EQ(shape.num_row_partitions(), 2);
  EXPECT_EQ(shape.row_partitions()[0], Uniform(3, 2));
  EXPECT_EQ(shape.row_partitions()[1], Splits({0, 1, 3, 3, 4, 5, 6}));
  EXPECT_EQ(shape.inner_shape(), Shape({6, 4}));
  EXPECT_EQ(shape.static_shape(), Shape({2, 3, kUnknownDimension, 4}));
  EXPECT_EQ(shape.num_elements(), 24);
  EXPECT_EQ(shape.lengths(), (Lengths{2, 3, std::vector<int64_t>{1, 2, 0, 1, 1, 1}, 4}));
}

TEST(DynamicRaggedShape, MorePartitionsThanNeededCanBeAskedFor) {
  const Lengths lengths = {2, 2, 3};
  EXPECT_EQ(DynamicRaggedShape::FromLengths(lengths)->num_row_partitions(), 0);
  EXPECT_EQ(DynamicRaggedShape::FromLengths(lengths, DType::kInt64, 2)->inner_shape(), Shape({12}));
  EXPECT_EQ(DynamicRaggedShape::FromLengths(lengths, DType::kInt32, 1)->row_partitions()[0].dtype(), DType::kInt32);
  EXPECT_FALSE(DynamicRaggedShape::FromLengths(lengths, DType::kInt64, 3).ok());
}

TEST(DynamicRaggedShape, BadLengthsNameTheirAxis) {
  const auto error = [](const Lengths& lengths) {
    const absl::Status status = DynamicRaggedShape::FromLengths(lengths).status();
    return std::string(status.message());
  };
  EXPECT_THAT(error({2, -1}), HasSubstr("axis 1 has a length of -1"));
  EXPECT_THAT(error({std::vector<int64_t>{1}}), HasSubstr("axis 0 has a list of lengths"));
  EXPECT_THAT(error({2, std::vector<int64_t>{1}}), HasSubstr("axis 1 has 1 row lengths for 2 rows"));
  EXPECT_THAT(error({1, std::vector<int64_t>{-1}}), HasSubstr("axis 1"));
  EXPECT_FALSE(DynamicRaggedShape::FromLengths(Lengths{2}, DType::kFloat).ok());
}

TEST(DynamicRaggedShape, WhatCannotBeCountedIsAnError) {
  constexpr int64_t kMany = int64_t{1} << 40;
  EXPECT_EQ(DynamicRaggedShape::FromLengths(Lengths{kMany, kMany}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(DynamicRaggedShape::FromLengths(Lengths{kMany, kMany, 0}, DType::kInt64, 2).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(DynamicRaggedShape::FromLengths(Lengths{1, std::vector<int64_t>{kMany}}, DType::kInt32).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(DynamicRaggedShape, OfValues) {
  EXPECT_EQ(Text(DynamicRaggedShape::FromValue(MakeTensor("[[1,2],[3,4]]"))),
            "<DynamicRaggedShape lengths=[2, 2] num_row_partitions=0>");
  EXPECT_EQ(Text(DynamicRaggedShape::FromValue(Make("[[1],[]]"))),
            "<DynamicRaggedShape lengths=[2, (1, 0)] num_row_partitions=1>");
  EXPECT_EQ(Text(DynamicRaggedShape::FromValue(Make(R"([[{"x":1}],[{"x":2},{"x":3}]])"))),
            "<DynamicRaggedShape lengths=[2, (1, 2)] num_row_partitions=1>");
  EXPECT_EQ(Text(DynamicRaggedShape::FromValue(Tensor::Scalar(1.5))), "<DynamicRaggedShape lengths=[] num_row_partitions=0>");
  EXPECT_EQ(Text(DynamicRaggedShape::FromValue(Docs().structured()->Row(0))),
            "<DynamicRaggedShape lengths=[] num_row_partitions=0>");
}

TEST(DynamicRaggedShape, TextIsShortForManyRows) {
  const DynamicRaggedShape shape = ShapeOfLengths({30, std::vector<int64_t>(30, 1)});
  EXPECT_THAT(shape.DebugString(), HasSubstr("(1, 1, "));
  EXPECT_THAT(shape.DebugString(), HasSubstr("... 10 more)"));
  EXPECT_EQ(ShapeOfLengths({1, std::vector<int64_t>{3}}).DebugString(),
            "<DynamicRaggedShape lengths=[1, (3,)] num_row_partitions=1>");
}

TEST(DynamicRaggedShape, OnlyUniformAxesHaveASize) {
  const DynamicRaggedShape shape = ShapeOfLengths({2, std::vector<int64_t>{2, 1}, 4});
  EXPECT_EQ(*shape.Dimension(0), 2);
  EXPECT_EQ(*shape.Dimension(-1), 4);
  EXPECT_EQ(shape.Dimension(1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(shape.Dimension(3).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(shape.Dimension(-4).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(DynamicRaggedShape, OptionalAxesAreRaggedAlsoIfAllRowsHaveAValue) {
  const RowPartition all_present = RowPartition::FromUniformRowLength(1, 2, RowPartition::Optional::kYes).value();
  const Value value = RaggedTensor::FromRowPartitionsUnchecked({all_present}, MakeTensor("[1,2]"));
  const DynamicRaggedShape shape = DynamicRaggedShape::FromValue(value).value();
  EXPECT_FALSE(shape.is_uniform(1));
  EXPECT_EQ(shape.static_shape(), Shape({2, kUnknownDimension}));
}

TEST(DynamicRaggedShape, SlicesAreClipped) {
  const DynamicRaggedShape shape = ShapeOfLengths({2, std::vector<int64_t>{2, 1}, 4});
  EXPECT_EQ(Text(shape.Slice(std::nullopt, 1)), "<DynamicRaggedShape lengths=[2] num_row_partitions=0>");
  EXPECT_EQ(Text(shape.Slice(std::nullopt, 2)), "<DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>");
  EXPECT_EQ(Text(shape.Slice(-9, 9)), shape.DebugString());
  EXPECT_EQ(Text(shape.Slice(2, 1)), "<DynamicRaggedShape lengths=[] num_row_partitions=0>");
  EXPECT_EQ(shape.Slice(1, std::nullopt).status().code(), absl::StatusCode::kInvalidArgument);
  const DynamicRaggedShape uniform = DynamicRaggedShape::FromLengths(Lengths{2, 3, 4}, DType::kInt64, 2).value();
  EXPECT_EQ(Text(uniform.Slice(1, std::nullopt)), "<DynamicRaggedShape lengths=[3, 4] num_row_partitions=0>");
  EXPECT_EQ(Text(uniform.Slice(0, 2)), "<DynamicRaggedShape lengths=[2, 3] num_row_partitions=1>");
}

TEST(DynamicRaggedShape, EqualityLooksAtRowsAndAtWhatIsRagged) {
  EXPECT_EQ(ShapeOfLengths({2, std::vector<int64_t>{2, 1}}), ShapeOfLengths({2, std::vector<int64_t>{2, 1}}));
  EXPECT_FALSE(ShapeOfLengths({2, std::vector<int64_t>{2, 1}}) == ShapeOfLengths({2, std::vector<int64_t>{1, 2}}));
  EXPECT_FALSE(DynamicRaggedShape::FromLengths(Lengths{2, 1}, DType::kInt64, 1).value() ==
               ShapeOfLengths({2, std::vector<int64_t>{1, 1}}));
}

TEST(StructsOfShape, HaveNoFields) {
  EXPECT_EQ(ToJson(StructsOfShape(ShapeOfLengths({2, std::vector<int64_t>{2, 1}})).value()), "[[{},{}],[{}]]");
  EXPECT_EQ(ToJson(StructsOfShape(DynamicRaggedShape()).value()), "{}");
  const StructuredTensor dense = StructsOfShape(ShapeOfLengths({0, 4})).value();
  EXPECT_EQ(dense.shape(), Shape({0, 4}));
  EXPECT_EQ(StructsOfShape(DynamicRaggedShape::FromShape({2}, DType::kInt32)).value().shape_dtype(), DType::kInt32);
}

}  // namespace
}  // namespace structtensor
