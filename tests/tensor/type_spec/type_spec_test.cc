#include "structtensor/tensor/type_spec/type_spec.h"

#include <gtest/gtest.h>

#include "absl/hash/hash_testing.h"
#include "shape_testutil.h"

namespace structtensor {
namespace {

// recipes: [2] of {title, ingredients: {name, quantity}, labels: map}, as flat specs.
StructuredTensorSpec RecipeSpec() {
  const StructuredTensorSpec ingredients(Shape({2, kNone}),
                                         {{"name", TensorSpec(Shape({5}), DType::kString)},
                                          {"quantity", TensorSpec(Shape({5}), DType::kFloat, /*nullable=*/true)}},
                                         StructKind::kStruct, false, {{.nrows = 2, .nvals = 5}});
  const StructuredTensorSpec labels(
      Shape({2, kNone}), {{"key", TensorSpec(Shape({1}), DType::kString)}, {"value", TensorSpec(Shape({1}), DType::kInt64)}},
      StructKind::kMapEntry, false, {{.nrows = 2, .nvals = 1}});
  const RaggedTensorSpec rating({{.nrows = 2, .nvals = 1, .optional = true}}, TensorSpec(Shape({1}), DType::kDouble));
  return StructuredTensorSpec(Shape({2}), {{"title", TensorSpec(Shape({2}), DType::kString)},
                                           {"ingredients", ingredients},
                                           {"labels", labels},
                                           {"rating", rating}});
}

TEST(RaggedTensorSpec, DerivesItsShapeFromPartitionsAndFlatValues) {
  const RaggedTensorSpec spec({{.nrows = 3, .nvals = 4}, {.nrows = 4, .nvals = 8, .uniform_row_length = 2}},
                              TensorSpec(Shape({8, 5}), DType::kInt32));
  EXPECT_EQ(spec.shape(), Shape({3, kNone, 2, 5}));
  EXPECT_EQ(spec.ragged_rank(), 2);
}

TEST(RaggedTensorSpec, DerivesPartitionsFromItsShape) {
  const RaggedTensorSpec spec(Shape({3, kNone, 2, 5}), DType::kInt32, /*ragged_rank=*/2);
  EXPECT_EQ(spec.shape(), Shape({3, kNone, 2, 5}));
  EXPECT_EQ(spec.row_partitions()[0].nrows, 3);
  EXPECT_EQ(spec.row_partitions()[1].uniform_row_length, 2);
  EXPECT_EQ(spec.flat_values().shape(), Shape({kNone, 5}));
}

TEST(StructuredTensorSpec, FieldSpecsHaveTheOuterShapeInFront) {
  const TypeSpec ingredients = RecipeSpec().field_spec(1);
  EXPECT_EQ(ingredients.shape(), Shape({2, kNone}));
  const TypeSpec name = ingredients.structured()->field_spec(0);
  ASSERT_NE(name.ragged(), nullptr);
  EXPECT_EQ(name.shape(), Shape({2, kNone}));
}

TEST(StructuredTensorSpec, OfAScalarGivesFieldsWithoutAxisZero) {
  const StructuredTensorSpec scalar(
      Shape(), {{"x", TensorSpec(Shape({1}), DType::kInt32)},
                {"y", RaggedTensorSpec({{.nrows = 1, .nvals = 3}}, TensorSpec(Shape({3}), DType::kInt32))}});
  EXPECT_EQ(scalar.field_spec(0), TypeSpec(TensorSpec(Shape(), DType::kInt32)));
  EXPECT_EQ(scalar.field_spec(1), TypeSpec(TensorSpec(Shape({3}), DType::kInt32)));
}

TEST(StructuredTensorSpec, FindsFlatFieldsByName) {
  const StructuredTensorSpec spec = RecipeSpec();
  ASSERT_NE(spec.FindFlatField("labels"), nullptr);
  EXPECT_EQ(spec.FindFlatField("labels")->spec.structured()->kind(), StructKind::kMapEntry);
  EXPECT_EQ(spec.FindFlatField("label"), nullptr);
}

TEST(TypeSpec, WithUnknownSizesForgetsWhatDependsOnData) {
  const TypeSpec spec = TypeSpec(RecipeSpec()).WithUnknownSizes();
  EXPECT_EQ(spec.shape(), Shape({kNone}));
  const StructuredTensorSpec& ingredients = *spec.structured()->flat_fields()[1].spec.structured();
  EXPECT_EQ(ingredients.shape(), Shape({kNone, kNone}));
  EXPECT_EQ(ingredients.flat_nrows(), kNone);
  EXPECT_EQ(spec.WithUnknownSizes(), spec);
}

TEST(TypeSpec, WithUnknownSizesForgetsThatAnOptionalIsUniformByChance) {
  const TensorSpec one(Shape({2}), DType::kInt32);
  const TypeSpec all_present = RaggedTensorSpec({{.nrows = 2, .nvals = 2, .uniform_row_length = 1, .optional = true}}, one);
  const TypeSpec some_present = RaggedTensorSpec({{.nrows = 2, .nvals = 2, .optional = true}}, one);
  EXPECT_FALSE(all_present == some_present);
  EXPECT_EQ(all_present.WithUnknownSizes(), some_present.WithUnknownSizes());
}

TEST(TypeSpec, OuterPartitionKeepsDenseWhatIsUniform) {
  const TypeSpec inner = TensorSpec(Shape({6, 4}), DType::kInt32);
  EXPECT_EQ(WithOuterPartition({.nrows = 3, .nvals = 6, .uniform_row_length = 2}, inner),
            TypeSpec(TensorSpec(Shape({3, 2, 4}), DType::kInt32)));
  EXPECT_EQ(WithOuterPartition({.nrows = 3, .nvals = 6}, inner).shape(), Shape({3, kNone, 4}));
}

TEST(TypeSpec, EqualityAndHashAgree) {
  const TensorSpec tensor(Shape({2}), DType::kInt32);
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly({
      TypeSpec(tensor),
      TypeSpec(TensorSpec(Shape({2}), DType::kInt32)),
      TypeSpec(TensorSpec(Shape({2}), DType::kInt64)),
      TypeSpec(TensorSpec(Shape({2}), DType::kInt32, /*nullable=*/true)),
      TypeSpec(RaggedTensorSpec({{.nrows = 1, .nvals = 2}}, tensor)),
      TypeSpec(RaggedTensorSpec({{.nrows = 1, .nvals = 2, .optional = true}}, tensor)),
      TypeSpec(RowPartitionSpec{.nrows = 1, .nvals = 2}),
      TypeSpec(RecipeSpec()),
      TypeSpec(RecipeSpec()),
      TypeSpec(RecipeSpec()).WithUnknownSizes(),
  }));
}

TEST(TypeSpec, TheOrderOfFieldsIsNoPartOfATypeSpec) {
  const TypeSpec x = TensorSpec(Shape({2}), DType::kInt32), y = TensorSpec(Shape({2}), DType::kString);
  const TypeSpec xy = StructuredTensorSpec(Shape({2}), {{"x", x}, {"y", y}});
  const TypeSpec yx = StructuredTensorSpec(Shape({2}), {{"y", y}, {"x", x}});
  EXPECT_EQ(xy, yx);
  // Also inside of others.
  const TypeSpec outer_xy = StructuredTensorSpec(Shape({2}), {{"s", xy}, {"x", x}});
  const TypeSpec outer_yx = StructuredTensorSpec(Shape({2}), {{"x", x}, {"s", yx}});
  EXPECT_EQ(outer_xy, outer_yx);
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly({
      xy,
      yx,
      TypeSpec(StructuredTensorSpec(Shape({2}), {{"x", y}, {"y", x}})),
      TypeSpec(StructuredTensorSpec(Shape({2}), {{"x", x}, {"z", y}})),
      TypeSpec(StructuredTensorSpec(Shape({2}), {{"x", x}})),
      TypeSpec(StructuredTensorSpec(Shape({2}), {{"x", x}, {"y", x}})),
      outer_xy,
      outer_yx,
  }));
}

TEST(TypeSpec, PrintsOnOneLine) {
  EXPECT_EQ(TypeSpec(RecipeSpec()).DebugString(),
            "StructuredTensorSpec([2], {'title': TensorSpec([2], string), 'ingredients': StructuredTensorSpec([2, None], "
            "{'name': RaggedTensorSpec([2, None], string, "
            "ragged_rank=1), 'quantity': RaggedTensorSpec([2, None], float, ragged_rank=1, nullable)}), 'labels': "
            "StructuredTensorSpec([2, None], {'key': "
            "RaggedTensorSpec([2, None], string, ragged_rank=1), 'value': RaggedTensorSpec([2, None], int64, ragged_rank=1)}, "
            "kind=map_entry), 'rating': "
            "RaggedTensorSpec([2, 0..1], double, ragged_rank=1)})");
  EXPECT_EQ(TypeSpec(RowPartitionSpec{.nrows = 3}).DebugString(),
            "RowPartitionSpec(nrows=3, nvals=None, uniform_row_length=None)");
}

TEST(TypeSpec, PrintsAsATree) {
  EXPECT_EQ(TypeSpec(RecipeSpec()).TreeString(),
            "struct [2]\n"
            "  title: string [2]\n"
            "  ingredients: struct [2, None]\n"
            "    name: string [2, None]\n"
            "    quantity: float [2, None] nullable\n"
            "  labels: map [2, None]\n"
            "    key: string [2, None]\n"
            "    value: int64 [2, None]\n"
            "  rating: double [2, 0..1]\n");
}

TEST(DType, NamesTimestampsWithTheirUnit) {
  EXPECT_EQ(DTypeName(DType::kTimestampNs), "timestamp[ns]");
  EXPECT_EQ(DTypeName(DType::kDurationNs), "duration[ns]");
}

TEST(DType, EveryUnitOfTimestampsAndDurationsIsADType) {
  for (const TimeUnit unit : {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds, TimeUnit::kNanoseconds}) {
    const std::string in_unit = "[" + std::string(TimeUnitName(unit)) + "]";
    EXPECT_EQ(DTypeName(TimestampDType(unit)), "timestamp" + in_unit);
    EXPECT_EQ(DTypeName(DurationDType(unit)), "duration" + in_unit);
    for (const DType dtype : {TimestampDType(unit), DurationDType(unit)}) {
      EXPECT_EQ(TimeUnitOf(dtype), unit);
      EXPECT_TRUE(IsTime(dtype));
      EXPECT_TRUE(IsStoredAs<int64_t>(dtype));
      EXPECT_EQ(DTypeSizeBytes(dtype), 8u);
    }
    EXPECT_TRUE(IsTimestamp(TimestampDType(unit)) && !IsDuration(TimestampDType(unit)));
    EXPECT_TRUE(IsDuration(DurationDType(unit)) && !IsTimestamp(DurationDType(unit)));
  }
  EXPECT_FALSE(IsTime(DType::kInt64));
}

TEST(DType, TimesOfTwoUnitsAreTwoTypes) {
  const TypeSpec nanoseconds = TensorSpec(Shape({2}), DType::kTimestampNs);
  EXPECT_FALSE(nanoseconds.IsCompatibleWith(TensorSpec(Shape({2}), DType::kTimestampUs)));
  EXPECT_EQ(TypeSpec(TensorSpec(Shape({2}), DType::kTimestampUs)).DebugString(), "TensorSpec([2], timestamp[us])");
}

TEST(DType, TimestampsAreStoredAsInt64) {
  static_assert(IsStoredAs<int64_t>(DType::kTimestampNs));
  static_assert(IsStoredAs<int64_t>(DType::kDurationNs));
  static_assert(IsStoredAs<uint8_t>(DType::kBool));
  static_assert(!IsStoredAs<int32_t>(DType::kTimestampNs));
  EXPECT_EQ(DTypeSizeBytes(DType::kTimestampNs), 8u);
  EXPECT_EQ(DTypeSizeBytes(DType::kString), 0u);
}

}  // namespace
}  // namespace structtensor
