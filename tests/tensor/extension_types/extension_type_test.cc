#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "absl/hash/hash_testing.h"
#include "masked_tensor_testutil.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/shared/take_rows.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

TypeSpec MaskedSpec(Shape shape, DType dtype = DType::kInt64) {
  return TypeSpec(std::make_shared<MaskedTensorSpec>(std::move(shape), dtype));
}

std::string Json(const Value& masked) { return ToJson(AsMasked(masked).values()) + " " + ToJson(AsMasked(masked).mask()); }

TEST(ExtensionTypeSpec, ComparesByItsState) {
  EXPECT_EQ(MaskedSpec({3}), MaskedSpec({3}));
  EXPECT_NE(MaskedSpec({3}), MaskedSpec({kUnknownDimension}));
  EXPECT_NE(MaskedSpec({3}), MaskedSpec({3}, DType::kBool));
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly({MaskedSpec({3}), MaskedSpec({3}), MaskedSpec({kUnknownDimension})}));
  EXPECT_EQ(MaskedSpec({3, kUnknownDimension}).DebugString(), "test.MaskedTensor(([3, None], int64))");
}

TEST(ExtensionTypeSpec, CompatibilityIsThatOfTheShapesInItsState) {
  EXPECT_TRUE(MaskedSpec({3}).IsCompatibleWith(MaskedSpec({kUnknownDimension})));
  EXPECT_TRUE(MaskedSpec({3}).IsSubtypeOf(MaskedSpec({kUnknownDimension})));
  EXPECT_FALSE(MaskedSpec({kUnknownDimension}).IsSubtypeOf(MaskedSpec({3})));
  EXPECT_FALSE(MaskedSpec({3}).IsCompatibleWith(MaskedSpec({4})));
  EXPECT_EQ(MaskedSpec({3}).MostSpecificCompatibleType(MaskedSpec({4})), MaskedSpec({kUnknownDimension}));
  EXPECT_EQ(MaskedSpec({3}).MostSpecificCompatibleType(MaskedSpec({3}, DType::kBool)), std::nullopt);
  EXPECT_FALSE(MaskedSpec({3}).IsCompatibleWith(TensorSpec({3}, DType::kInt64)));
}

TEST(ExtensionTypeSpec, StacksByTheShapesInItsState) {
  EXPECT_EQ(Stacked(MaskedSpec({3}), 5).value(), MaskedSpec({5, 3}));
  EXPECT_EQ(Unstacked(MaskedSpec({5, 3})).value(), MaskedSpec({3}));
  EXPECT_FALSE(Unstacked(MaskedSpec({})).ok());
  EXPECT_EQ(MaskedSpec({5, 3}).WithUnknownSizes(), MaskedSpec({kUnknownDimension, 3}));
}

TEST(ExtensionType, RowsAreRowsOfItsComponents) {
  const Value masked = Masked({1, 2, 3, 4}, {1, 0, 1, 1});
  EXPECT_EQ(masked.nrows(), 4);
  EXPECT_EQ(Json(masked.SliceRows(1, 3)), "[2,3] [false,true]");
  EXPECT_EQ(masked.SliceRows(1, 3).spec(), MaskedSpec({2}));
  EXPECT_EQ(Json(masked.Row(2)), "3 true");
  EXPECT_EQ(masked.Row(2).spec(), MaskedSpec({}));
  EXPECT_EQ(masked.Row(2).nrows(), 1);
  EXPECT_EQ(Json(values_internal::TakeRows(masked, std::vector<int64_t>{3, 0})), "[4,1] [true,true]");
  EXPECT_EQ(masked, Masked({1, 2, 3, 4}, {1, 0, 1, 1}));
  EXPECT_FALSE(masked == Masked({1, 2, 3, 4}, {1, 1, 1, 1}));
  EXPECT_FALSE(masked == Masked({1, 2, 3}, {1, 0, 1}));
  // Slices share what they were cut from.
  EXPECT_EQ(AsMasked(masked.SliceRows(1, 3)).values().tensor()->values<int64_t>().data(),
            AsMasked(masked).values().tensor()->values<int64_t>().data() + 1);
}

TEST(ExtensionType, IsAFieldOfStructs) {
  const StructuredTensor flat = StructuredTensor::FromFields(3, {{"m", Masked({1, 2, 3}, {1, 0, 1})},
                                                                 {"x", Tensor::FromVector(std::vector<int64_t>{7, 8, 9})}})
                                    .value();
  EXPECT_EQ(Json(flat.SliceRows(1, 3).field_value("m").value()), "[2,3] [false,true]");
  EXPECT_EQ(Json(flat.Row(0).field_value("m").value()), "1 true");
  EXPECT_EQ(Json(flat.Index(std::vector<Key>{Key(int64_t{2}), Key("m")}).value()), "3 true");

  const RowPartition partition = RowPartition::FromRowLengths(Buffer<int64_t>::FromVector({2, 0, 1})).value();
  const StructuredTensor ragged = flat.WithOuterPartition(partition);
  EXPECT_EQ(Json(ragged.field_value("m").value()), "[[1,2],[],[3]] [[true,false],[],[true]]");
  EXPECT_EQ(ragged.field_value("m").value().spec(), MaskedSpec({3, kUnknownDimension}));
  EXPECT_EQ(TypeSpec(ragged.spec()).structured()->field_spec(0), MaskedSpec({3, kUnknownDimension}));
  EXPECT_EQ(Json(values_internal::TakeRows(ragged, std::vector<int64_t>{2, 0}).structured()->field_value("m").value()),
            "[[3],[1,2]] [[true],[true,false]]");
}

}  // namespace
}  // namespace structtensor
