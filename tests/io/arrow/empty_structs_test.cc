#include "structtensor/io/arrow/shared/empty_structs.h"

#include <gtest/gtest.h>

#include "recipes_testutil.h"

namespace structtensor::arrow_internal {
namespace {

// Empty messages in every place that a message can have.
StructuredTensor WithEmptyStructs() {
  const StructuredTensor parent = Structs({}, 2, {{"inner", Structs({}, 2, {}, Bits({0b01}))}}, Bits({0b11}));
  return StructuredTensor::FromFields(
             2, {{"number", Tensor::FromVector<int32_t>({1, 2})},
                 {"parent", parent},
                 {"list", Structs({Splits({0, 1, 3})}, 3, {})},
                 {"map", Map({Splits({0, 0, 2})}, Strings({"a", "b"}), Structs({}, 2, {}, Bits({0b10})))}})
      .value();
}

TEST(EmptyStructsTest, AreFoundAtAnyDepth) {
  EXPECT_TRUE(HasEmptyStructs(WithEmptyStructs().spec()));
  EXPECT_TRUE(HasEmptyStructs(StructuredTensorSpec(Shape({1}), {})));
  EXPECT_FALSE(HasEmptyStructs(Recipes().spec()));
}

TEST(EmptyStructsTest, BecomeTrueWherePresent) {
  const StructuredTensor replaced = EmptyStructsToBools(WithEmptyStructs());
  EXPECT_FALSE(HasEmptyStructs(replaced.spec()));
  EXPECT_EQ(*replaced.field_value("parent.inner")->tensor(), Nullable<uint8_t>({1, 1}, {0b01}));
  EXPECT_EQ(*replaced.field_value("list")->ragged(), Ragged({Splits({0, 1, 3})}, Tensor::FromVector<uint8_t>({1, 1, 1})));
  EXPECT_EQ(*replaced.field_value("map.value")->ragged(), Ragged({Splits({0, 0, 2})}, Nullable<uint8_t>({1, 1}, {0b10})));
}

TEST(EmptyStructsTest, OtherFieldsStayTheSameMemory) {
  const StructuredTensor batch = WithEmptyStructs();
  EXPECT_EQ(EmptyStructsToBools(batch).flat_field(0).tensor()->values<int32_t>().data(),
            batch.flat_field(0).tensor()->values<int32_t>().data());
  EXPECT_EQ(EmptyStructsToBools(Recipes()), Recipes());
}

TEST(EmptyStructsTest, SpecAndBatchAgree) {
  const StructuredTensor batch = WithEmptyStructs();
  EXPECT_EQ(EmptyStructsToBools(batch.spec()), EmptyStructsToBools(batch).spec());
}

}  // namespace
}  // namespace structtensor::arrow_internal
