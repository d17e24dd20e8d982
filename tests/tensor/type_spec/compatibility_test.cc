#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "shape_testutil.h"
#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor {
namespace {

TypeSpec Int(Shape shape, bool nullable = false) { return TensorSpec(std::move(shape), DType::kInt32, nullable); }
TypeSpec Ragged(const Shape& shape, int ragged_rank, DType splits = DType::kInt64) {
  return RaggedTensorSpec(shape, DType::kInt32, ragged_rank, false, splits);
}
// Structs with one flat field, a.
TypeSpec Structs(const Shape& shape, const Shape& flat_shape, StructKind kind = StructKind::kStruct) {
  return StructuredTensorSpec(shape, {{"a", Int(flat_shape)}}, kind);
}

std::string Common(const TypeSpec& a, const TypeSpec& b) {
  const std::optional<TypeSpec> common = a.MostSpecificCompatibleType(b);
  return common ? common->DebugString() : "none";
}

TEST(Compatibility, OfTensorsIsThatOfShapesAndDTypes) {
  EXPECT_TRUE(Int({3}).IsCompatibleWith(Int({kNone})));
  EXPECT_TRUE(Int({3}).IsSubtypeOf(Int({kNone})));
  EXPECT_FALSE(Int({kNone}).IsSubtypeOf(Int({3})));
  EXPECT_FALSE(Int({3}).IsCompatibleWith(Int({4})));
  EXPECT_TRUE(Int({3}).IsSubtypeOf(Int(Shape::UnknownRank())));
  EXPECT_EQ(Common(Int({3}), Int({4})), "TensorSpec([None], int32)");
  EXPECT_EQ(Common(Int({3}), Int({3, 2})), "TensorSpec(None, int32)");
  EXPECT_EQ(Common(Int({3}), TensorSpec({3}, DType::kInt64)), "none");
}

TEST(Compatibility, ATensorThatMayHaveAbsentElementsIsTheWiderType) {
  EXPECT_TRUE(Int({3}).IsCompatibleWith(Int({3}, /*nullable=*/true)));
  EXPECT_TRUE(Int({3}).IsSubtypeOf(Int({3}, true)));
  EXPECT_FALSE(Int({3}, true).IsSubtypeOf(Int({3})));
  EXPECT_EQ(Common(Int({3}), Int({3}, true)), "TensorSpec([3], int32, nullable)");
}

TEST(Compatibility, OfRaggedTensorsNeedsEqualRaggedRanksAndSplits) {
  EXPECT_TRUE(Ragged({3, kNone}, 1).IsSubtypeOf(Ragged({kNone, kNone}, 1)));
  EXPECT_TRUE(Ragged({3, kNone, 2}, 1).IsSubtypeOf(Ragged(Shape::UnknownRank(), 1)));
  EXPECT_FALSE(Ragged({3, kNone, kNone}, 2).IsCompatibleWith(Ragged({3, kNone, kNone}, 1)));
  EXPECT_FALSE(Ragged({3, kNone}, 1).IsCompatibleWith(Ragged({3, kNone}, 1, DType::kInt32)));
  EXPECT_FALSE(Ragged({3, kNone}, 1).IsCompatibleWith(Int({3, kNone})));
  EXPECT_EQ(Common(Ragged({3, kNone}, 1), Ragged({3, kNone, 2}, 1)), "RaggedTensorSpec(None, int32, ragged_rank=1)");
  EXPECT_EQ(Common(Ragged({3, kNone, 2}, 1), Ragged({4, kNone, 3}, 1)),
            "RaggedTensorSpec([None, None, None], int32, ragged_rank=1)");
}

TEST(Compatibility, WhatIsRaggedOnlyOnceStackedMayBeATensor) {
  EXPECT_TRUE(Ragged({kNone}, 0).IsCompatibleWith(Int({3})));
  EXPECT_TRUE(Int({3}).IsCompatibleWith(Ragged({kNone}, 0)));
  EXPECT_FALSE(Ragged({4}, 0).IsCompatibleWith(Int({3})));
}

TEST(Compatibility, OfRowPartitionsIsThatOfTheirSizes) {
  const TypeSpec any = RowPartitionSpec();
  const TypeSpec known = RowPartitionSpec{.nrows = 3, .nvals = 6, .uniform_row_length = 2};
  EXPECT_TRUE(known.IsSubtypeOf(any));
  EXPECT_FALSE(any.IsSubtypeOf(known));
  EXPECT_TRUE(any.IsCompatibleWith(known));
  EXPECT_FALSE(known.IsCompatibleWith(RowPartitionSpec{.nrows = 3, .nvals = 7}));
  EXPECT_EQ(any.MostSpecificCompatibleType(RowPartitionSpec{.dtype = DType::kInt32}), std::nullopt);
  const TypeSpec optional = RowPartitionSpec{.nrows = 3, .optional = true};
  EXPECT_TRUE(optional.IsSubtypeOf(any));
  EXPECT_FALSE(any.IsSubtypeOf(optional));
}

TEST(Compatibility, OfStructsIsThatOfTheirFieldsInAnyOrder) {
  const TypeSpec x = Int({3}), y = TensorSpec({3}, DType::kString);
  const TypeSpec xy = StructuredTensorSpec({3}, {{"x", x}, {"y", y}});
  const TypeSpec yx = StructuredTensorSpec({3}, {{"y", y}, {"x", x}});
  EXPECT_TRUE(xy.IsSubtypeOf(yx));
  EXPECT_EQ(xy.MostSpecificCompatibleType(yx), xy);
  EXPECT_EQ(Common(xy, StructuredTensorSpec({3}, {{"x", x}})), "none");
  EXPECT_EQ(Common(xy, StructuredTensorSpec({3}, {{"x", x}, {"z", y}})), "none");
  EXPECT_EQ(Common(Structs({3}, {3}), Structs({3}, {3}, StructKind::kMapEntry)), "none");
}

TEST(Compatibility, TheCommonTypeIsTheSameWhicheverIsAsked) {
  const auto structs = [](int64_t nrows, bool swapped, bool nullable) -> TypeSpec {
    const FieldSpec x{"x", Int({nrows}, nullable)}, y{"y", Ragged({nrows, kNone}, 1)};
    return StructuredTensorSpec({nrows}, swapped ? std::vector<FieldSpec>{y, x} : std::vector<FieldSpec>{x, y});
  };
  const std::vector<TypeSpec> specs = {
      structs(3, false, false), structs(3, true, true), structs(4, true, false), structs(4, false, true),
      Structs({3}, {3}),        Structs({2, 2}, {4}),   Structs({}, {1}),        Int({3}),
      Int({3, 2}, true),        Ragged({3, kNone}, 1),  Ragged({3, kNone, 2}, 1)};
  for (const TypeSpec& a : specs) {
    for (const TypeSpec& b : specs) {
      EXPECT_EQ(a.MostSpecificCompatibleType(b), b.MostSpecificCompatibleType(a)) << a.DebugString() << " " << b.DebugString();
    }
  }
}

TEST(Compatibility, OfStructsWithOtherNumbersOfValues) {
  const auto structs = [](int64_t nvals) -> TypeSpec {
    return StructuredTensorSpec({2, kNone}, {{"a", Int({nvals})}}, StructKind::kStruct, false, {{.nrows = 2, .nvals = nvals}});
  };
  EXPECT_FALSE(structs(1).IsCompatibleWith(structs(3)));
  EXPECT_EQ(structs(1).MostSpecificCompatibleType(structs(3)), structs(kNone));
  EXPECT_TRUE(structs(1).IsSubtypeOf(structs(kNone)));
}

TEST(Compatibility, DenseStructsOfSeveralRanksHaveACommonTypeOfUnknownRank) {
  const std::optional<TypeSpec> common = Structs({3}, {3}).MostSpecificCompatibleType(Structs({2, 2}, {4}));
  ASSERT_TRUE(common);
  EXPECT_EQ(common->DebugString(), "StructuredTensorSpec(None, {'a': TensorSpec(None, int32)})");
  EXPECT_EQ(common->TreeString(), "struct None\n  a: int32 None\n");
  EXPECT_TRUE(Structs({}, {1}).IsSubtypeOf(*common));
  EXPECT_FALSE(common->IsSubtypeOf(Structs({3}, {3})));
  EXPECT_EQ(common->WithUnknownSizes(), *common);
  // Ragged fields are another type than dense ones.
  EXPECT_EQ(Common(Structs({3}, {3}), Structs({2, kNone}, {kNone})), "none");
  EXPECT_EQ(Common(Structs({2, 2}, {4}), Structs({2, kNone}, {kNone})), "none");
}

TEST(Compatibility, FieldsOfScalarsAreComparedAsReadersSeeThem) {
  const TypeSpec from_rows =
      StructuredTensorSpec({}, {{"a", RaggedTensorSpec({{.nrows = 1, .nvals = 3}}, *Int({3}).tensor())}});
  const TypeSpec dense = Structs({}, {1, 3});
  EXPECT_TRUE(from_rows.IsCompatibleWith(dense));
  EXPECT_EQ(Common(from_rows, Structs({}, {1, 4})), "StructuredTensorSpec([], {'a': TensorSpec([None], int32)})");
}

TEST(Compatibility, ValueTypesHaveNames) {
  EXPECT_EQ(Int({}).value_type(), "Tensor");
  EXPECT_EQ(Ragged({3, kNone}, 1).value_type(), "RaggedTensor");
  EXPECT_EQ(Structs({}, {1}).value_type(), "StructuredTensor");
  EXPECT_EQ(TypeSpec(RowPartitionSpec()).value_type(), "RowPartition");
}

}  // namespace
}  // namespace structtensor
