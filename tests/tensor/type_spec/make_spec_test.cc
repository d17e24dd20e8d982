#include "structtensor/tensor/type_spec/make_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shape_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

template <typename T>
std::string MessageOf(const absl::StatusOr<T>& result) {
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(result.status().message());
}

TEST(MakeSpec, PartitionSizesFollowFromEachOther) {
  EXPECT_EQ(MakeRowPartitionSpec({.nrows = 3, .uniform_row_length = 2}).value().nvals, 6);
  EXPECT_EQ(MakeRowPartitionSpec({.nvals = 6, .uniform_row_length = 2}).value().nrows, 3);
  EXPECT_EQ(MakeRowPartitionSpec({.nrows = 0}).value().nvals, 0);
  EXPECT_EQ(MakeRowPartitionSpec({.nrows = 3}).value(), (RowPartitionSpec{.nrows = 3}));
}

TEST(MakeSpec, PartitionSizesThatContradictEachOther) {
  EXPECT_THAT(MessageOf(MakeRowPartitionSpec({.nrows = 3, .nvals = 7, .uniform_row_length = 2})),
              HasSubstr("nrows 3, nvals 7 and uniform_row_length 2 contradict"));
  EXPECT_FALSE(MakeRowPartitionSpec({.nvals = 7, .uniform_row_length = 2}).ok());
  EXPECT_FALSE(MakeRowPartitionSpec({.nrows = 0, .nvals = 1}).ok());
  EXPECT_FALSE(MakeRowPartitionSpec({.nrows = -2}).ok());
  EXPECT_FALSE(MakeRowPartitionSpec({.dtype = DType::kFloat}).ok());
  EXPECT_FALSE(MakeRowPartitionSpec({.nrows = int64_t{1} << 62, .uniform_row_length = 4}).ok());
  EXPECT_FALSE(MakeRowPartitionSpec({.nrows = 1, .nvals = 2, .optional = true}).ok());
}

TEST(MakeSpec, TensorsAndRaggedTensors) {
  EXPECT_FALSE(MakeTensorSpec({3, -2}, DType::kBool).ok());
  EXPECT_FALSE(MakeTensorSpec({int64_t{1} << 40, int64_t{1} << 40}, DType::kBool).ok());
  EXPECT_EQ(MakeRaggedTensorSpec({kNone, kNone}, DType::kInt32, 0).value().ragged_rank(), 0);
  EXPECT_THAT(MessageOf(MakeRaggedTensorSpec({2, 3}, DType::kInt32, 2)),
              HasSubstr("ragged_rank 2 is too high for shape [2, 3]"));
  EXPECT_FALSE(MakeRaggedTensorSpec({2, 3}, DType::kInt32, -1).ok());
  EXPECT_FALSE(MakeRaggedTensorSpec(Shape::UnknownRank(), DType::kInt32, 1 << 30).ok());
  EXPECT_FALSE(MakeRaggedTensorSpec({2, kNone}, DType::kInt32, 1, false, DType::kString).ok());
}

TEST(MakeSpec, StructsTakeTheirAxesFromShapeAndFields) {
  const TypeSpec ragged = RaggedTensorSpec({2, kNone, kNone}, DType::kInt32, 2, false, DType::kInt32);
  const StructuredTensorSpec spec = MakeStructuredTensorSpec({kNone, kNone}, {{"a", ragged}}).value();
  EXPECT_EQ(spec.shape(), Shape({2, kNone}));
  EXPECT_EQ(spec.shape_dtype(), DType::kInt32);
  EXPECT_EQ(spec.flat_fields()[0].spec.shape(), Shape({kNone, kNone}));
  EXPECT_EQ(spec.field_spec(0), ragged);

  const StructuredTensorSpec dense = MakeStructuredTensorSpec({2, kNone}, {{"a", TensorSpec({2, 3, 4}, DType::kBool)}}).value();
  EXPECT_EQ(dense.shape(), Shape({2, 3}));
  EXPECT_EQ(dense.flat_nrows(), 6);
  EXPECT_EQ(dense.field_spec(0), TypeSpec(TensorSpec({2, 3, 4}, DType::kBool)));

  const TypeSpec inner = MakeStructuredTensorSpec({2, kNone}, {{"x", RaggedTensorSpec({2, kNone}, DType::kBool, 1)}}).value();
  const StructuredTensorSpec outer = MakeStructuredTensorSpec({2}, {{"s", inner}}).value();
  EXPECT_EQ(outer.field_spec(0), inner);

  const StructuredTensorSpec scalar =
      MakeStructuredTensorSpec({}, {{"s", inner}, {"t", TensorSpec({3}, DType::kBool)}}).value();
  EXPECT_EQ(scalar.field_spec(0), inner);
  EXPECT_EQ(scalar.field_spec(1), TypeSpec(TensorSpec({3}, DType::kBool)));
}

TEST(MakeSpec, StructsWhoseFieldsDoNotFit) {
  const TypeSpec three = TensorSpec({3}, DType::kInt32);
  EXPECT_THAT(MessageOf(MakeStructuredTensorSpec({2}, {{"a", three}})), HasSubstr("field a has shape [3], which contradicts"));
  EXPECT_THAT(MessageOf(MakeStructuredTensorSpec({3, 2}, {{"a", three}})), HasSubstr("field a has shape [3]"));
  EXPECT_THAT(MessageOf(MakeStructuredTensorSpec(Shape::UnknownRank(), {})), HasSubstr("unknown rank"));
  EXPECT_THAT(MessageOf(MakeStructuredTensorSpec({3}, {{"a", three}, {"a", three}})), HasSubstr("field a is given twice"));
  EXPECT_THAT(MessageOf(MakeStructuredTensorSpec({3}, {{"a", RowPartitionSpec()}})), HasSubstr("field a is a row partition"));
  EXPECT_FALSE(MakeStructuredTensorSpec({3}, {{"a", TensorSpec(Shape::UnknownRank(), DType::kBool)}}).ok());
  EXPECT_FALSE(MakeStructuredTensorSpec({3}, {{"", three}}).ok());
  EXPECT_FALSE(MakeStructuredTensorSpec({3}, {}, {.row_partitions = {RowPartitionSpec()}}).ok());
  EXPECT_FALSE(MakeStructuredTensorSpec({3, 2}, {}, {.row_partitions = {{.nrows = 4}}}).ok());
}

}  // namespace
}  // namespace structtensor
