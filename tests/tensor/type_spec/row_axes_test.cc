#include "structtensor/tensor/type_spec/row_axes.h"

#include <gtest/gtest.h>

#include "shape_testutil.h"
#include "structtensor/tensor/type_spec/make_spec.h"

namespace structtensor {
namespace {

TypeSpec Ints(Shape shape) { return TensorSpec(std::move(shape), DType::kInt32); }

// {a, b: {x: ragged}} of shape [3, None], with 7 structs.
TypeSpec NestedStructs() {
  const TypeSpec inner = StructuredTensorSpec({7}, {{"x", RaggedTensorSpec({{.nrows = 7, .nvals = 9}}, *Ints({9}).tensor())}});
  return StructuredTensorSpec({3, kNone}, {{"a", Ints({7, 2})}, {"b", inner}}, StructKind::kStruct, false,
                              {{.nrows = 3, .nvals = 7}});
}

TEST(RowAxes, StackingAddsAnAxisInFront) {
  EXPECT_EQ(Stacked(Ints({3, 2}), 5).value(), Ints({5, 3, 2}));
  EXPECT_EQ(Stacked(Ints({}), kNone).value(), Ints({kNone}));
  EXPECT_EQ(Stacked(RaggedTensorSpec({2, kNone}, DType::kInt32, 1), 5).value().DebugString(),
            "RaggedTensorSpec([5, 2, None], int32, ragged_rank=2)");
  const TypeSpec stacked = Stacked(NestedStructs(), 5).value();
  EXPECT_EQ(stacked.DebugString(),
            "StructuredTensorSpec([5, 3, None], {'a': RaggedTensorSpec([5, 3, None, 2], int32, ragged_rank=2), 'b': "
            "StructuredTensorSpec([5, 3, None], {'x': "
            "RaggedTensorSpec([5, 3, None, None], int32, ragged_rank=3)})})");
  EXPECT_EQ(stacked.structured()->row_partitions()[0], (RowPartitionSpec{.nrows = 5, .nvals = 15, .uniform_row_length = 3}));
  EXPECT_EQ(stacked.structured()->row_partitions()[1], (RowPartitionSpec{.nrows = 15, .nvals = 35}));
}

TEST(RowAxes, StackedScalarsKnowTheirRows) {
  // One struct whose field b has three values.
  const TypeSpec scalar = MakeStructuredTensorSpec({}, {{"b", Ints({3})}}).value();
  EXPECT_EQ(Stacked(scalar, 5).value().DebugString(), "StructuredTensorSpec([5], {'b': TensorSpec([5, 3], int32)})");
  const TypeSpec ragged = StructuredTensorSpec({}, {{"b", RaggedTensorSpec({{.nrows = 1, .nvals = 3}}, *Ints({3}).tensor())}});
  EXPECT_EQ(Stacked(ragged, 5).value().structured()->field_spec(0).shape(), Shape({5, 3}));
}

TEST(RowAxes, UnstackingForgetsHowManyValuesRaggedRowsHave) {
  EXPECT_EQ(Unstacked(Ints({3, 2})).value(), Ints({2}));
  EXPECT_EQ(Unstacked(RaggedTensorSpec({2, kNone}, DType::kInt32, 1)).value(),
            TypeSpec(RaggedTensorSpec({kNone}, DType::kInt32, 0)));
  EXPECT_EQ(Unstacked(NestedStructs()).value().DebugString(),
            "StructuredTensorSpec([None], {'a': TensorSpec([None, 2], int32), 'b': StructuredTensorSpec([None], {'x': "
            "RaggedTensorSpec([None, None], int32, "
            "ragged_rank=1)})})");
  EXPECT_EQ(Unstacked(StructuredTensorSpec({3}, {{"a", Ints({3, 2})}})).value().DebugString(),
            "StructuredTensorSpec([], {'a': TensorSpec([2], int32)})");
}

TEST(RowAxes, ScalarsAndRowPartitionsCannotBeUnstacked) {
  EXPECT_EQ(Unstacked(Ints({})).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(Unstacked(RowPartitionSpec()).ok());
  EXPECT_FALSE(Stacked(RowPartitionSpec(), 1).ok());
  const TypeSpec record = MakeStructuredTensorSpec({}, {{"a", Ints({3})}, {"b", Ints({})}}).value();
  EXPECT_NE(Unstacked(record).status().message().find("field b"), std::string::npos);
  const TypeSpec batch = MakeStructuredTensorSpec({}, {{"a", Ints({3})}, {"b", Ints({3, 2})}}).value();
  EXPECT_EQ(Unstacked(batch).value().DebugString(),
            "StructuredTensorSpec([], {'a': TensorSpec([], int32), 'b': TensorSpec([2], int32)})");
}

TEST(RowAxes, UnstackingUndoesStacking) {
  for (const TypeSpec& spec :
       {Ints({}), Ints({3, kNone}), Ints(Shape::UnknownRank()), TypeSpec(RaggedTensorSpec({2, kNone}, DType::kInt32, 1)),
        TypeSpec(RaggedTensorSpec({kNone}, DType::kInt32, 0)), NestedStructs(), TypeSpec(StructuredTensorSpec({}, {})),
        TypeSpec(StructuredTensorSpec({3}, {{"a", Ints({3})}}, StructKind::kMapEntry, true, {}, DType::kInt32))}) {
    for (const int64_t count : {int64_t{0}, int64_t{4}, kNone}) {
      const TypeSpec row = Unstacked(Stacked(spec, count).value()).value();
      EXPECT_TRUE(spec.IsSubtypeOf(row)) << spec.DebugString() << " " << row.DebugString();
      EXPECT_EQ(row.WithUnknownSizes(), spec.WithUnknownSizes());
    }
  }
}

TEST(RowAxes, SizesBeyondInt64AreErrors) {
  EXPECT_FALSE(Stacked(StructuredTensorSpec({int64_t{1} << 40}, {}), int64_t{1} << 40).ok());
}

TEST(RowAxes, WithNrowsChangesWhatDependsOnAxisZero) {
  EXPECT_EQ(WithNrows(Ints({3, 2}), 5), Ints({5, 2}));
  const TypeSpec other = WithNrows(NestedStructs(), 1);
  EXPECT_EQ(other.structured()->row_partitions()[0], (RowPartitionSpec{.nrows = 1}));
  EXPECT_EQ(other.structured()->flat_fields()[0].spec, Ints({kNone, 2}));
}

}  // namespace
}  // namespace structtensor
