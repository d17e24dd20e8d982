// From Arrow C data to tensors: our own exports come back, and the data of others is read with the meaning that they give it.
#include "structtensor/io/arrow/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "c_data_testutil.h"
#include "recipes_testutil.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

absl::StatusOr<StructuredTensor> ThereAndBack(const StructuredTensor& batch) {
  Scoped<ArrowSchema> schema;
  Scoped<ArrowArray> array;
  if (absl::Status status = ExportSchema(batch.spec(), &schema); !status.ok()) return status;
  if (absl::Status status = ExportBatch(batch, &array); !status.ok()) return status;
  absl::StatusOr<StructuredTensor> imported = ImportBatch(schema, &array);
  EXPECT_EQ(array.release, nullptr);
  return imported;
}

TEST(ImportTest, WhatWasExportedComesBack) {
  const absl::StatusOr<StructuredTensor> back = ThereAndBack(Recipes());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, Recipes());
  EXPECT_EQ(TypeSpec(back->spec()).DebugString(), TypeSpec(Recipes().spec()).DebugString());
}

TEST(ImportTest, SlicesComeBack) {
  for (int64_t begin = 0; begin <= 3; ++begin) {
    for (int64_t end = begin; end <= 3; ++end) {
      const StructuredTensor slice = Recipes().SliceRows(begin, end);
      const absl::StatusOr<StructuredTensor> back = ThereAndBack(slice);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(*back, slice) << begin << " to " << end;
    }
  }
}

TEST(ImportTest, EveryElementTypeComesBack) {
  for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
    const DType dtype = static_cast<DType>(i);
    if (dtype == DType::kBfloat16) continue;  // Arrow has none
    const Value value = IsStringLike(dtype) ? Value(Tensor::FromVector(std::vector<std::string>{"a", "", "bc"}, dtype))
                                            : VisitStoredType(dtype, [&]<typename T>() {
                                                return Value(Tensor::FromVector(std::vector<T>{T(1), T(0), T(1)}, dtype));
                                              });
    const absl::StatusOr<StructuredTensor> back = ThereAndBack(OneField(value));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, OneField(value)) << std::string(DTypeName(dtype));
  }
}

TEST(ImportTest, ListsOfListsAndDenseAxesComeBack) {
  const Value values[] = {
      Ragged({Splits({0, 2, 3}), Splits({0, 1, 1, 3})}, Tensor::FromVector<int32_t>({1, 2, 3})),
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}).Reshape(Shape({3, 2})),
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8}).Reshape(Shape({2, 2, 2})),
      Structs({Splits({0, 1, 2}), Splits({0, 2, 3})}, 3, {{"y", Strings({"a", "b", "c"})}}),
      Structs({Splits({0, 1, 3})}, 3, {}, Bits({0b101})),
      Map({Splits({0, 1, 2}), Splits({0, 2, 3})}, Strings({"a", "b", "c"}), Tensor::FromVector<int32_t>({1, 2, 3})),
      Ragged({Splits({0, 0, 2})}, Tensor::FromVector<int32_t>({1, 2, 3, 4}).Reshape(Shape({2, 2}))),
  };
  for (const Value& value : values) {
    const absl::StatusOr<StructuredTensor> back = ThereAndBack(OneField(value));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, OneField(value)) << value.spec().DebugString();
  }
}

TEST(ImportTest, BuffersAreShared) {
  const Tensor numbers = Tensor::FromVector<int64_t>({1, 2, 3});
  const absl::StatusOr<StructuredTensor> back = ThereAndBack(OneField(numbers));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->flat_field(0).tensor()->values<int64_t>().data(), numbers.values<int64_t>().data());
}

// --- Arrays of other producers, put together by hand.

struct ByHand {
  Scoped<ArrowSchema> schema;
  Scoped<ArrowArray> array;
  ArrowSchema child_schema = {};
  ArrowArray child = {};
  ArrowSchema* child_schemas[2] = {&child_schema, nullptr};
  ArrowArray* children[2] = {&child, nullptr};
  const void* no_buffers[1] = {nullptr};
  std::vector<const void*> buffers;

  ByHand(const char* format, int64_t length, std::vector<const void*> child_buffers, bool nullable = true)
      : buffers(std::move(child_buffers)) {
    schema.format = "+s";
    schema.n_children = 1;
    schema.children = child_schemas;
    schema.release = [](ArrowSchema* self) { self->release = nullptr; };
    child_schema.format = format;
    child_schema.name = "x";
    child_schema.flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    array.length = length;
    array.n_buffers = 1;
    array.buffers = no_buffers;
    array.n_children = 1;
    array.children = children;
    array.release = [](ArrowArray* self) { self->release = nullptr; };
    child.length = length;
    child.null_count = -1;
    child.n_buffers = static_cast<int64_t>(buffers.size());
    child.buffers = buffers.data();
  }
  absl::StatusOr<StructuredTensor> Import() { return ImportBatch(schema, &array); }
  std::string Rows() {
    const absl::StatusOr<StructuredTensor> rows = Import();
    if (!rows.ok()) return std::string(rows.status().message());
    return ToJson(rows->field_value(0));
  }
};

TEST(ImportOthersTest, SmallIntegersAreWidened) {
  const int8_t signed8[] = {-1, 2};
  const uint16_t unsigned16[] = {65535, 2};
  EXPECT_EQ(ByHand("c", 2, {nullptr, signed8}, false).Rows(), "[-1,2]");
  EXPECT_EQ(ByHand("S", 2, {nullptr, unsigned16}, false).Rows(), "[65535,2]");
}

TEST(ImportOthersTest, LargeStringsAndFixedSizeBinary) {
  const int64_t offsets[] = {3, 4, 6};
  EXPECT_EQ(ByHand("U", 2, {nullptr, offsets, "xyzabc"}, false).Rows(), "[\"a\",\"bc\"]");
  EXPECT_EQ(ByHand("w:2", 2, {nullptr, "abcd"}, false).Import()->flat_field(0).tensor()->string_at(1), "cd");
  const int64_t too_far[] = {0, int64_t{1} << 40};
  EXPECT_THAT(ByHand("U", 1, {nullptr, too_far, "x"}).Rows(),
              HasSubstr("field x: 1099511627776 bytes of strings exceed the 2 GiB"));
}

TEST(ImportOthersTest, OffsetsAndNullsOfSlices) {
  const int32_t values[] = {9, 9, 9, 1, 2, 3};
  const uint8_t bits[] = {0b101'111};
  ByHand hand("i", 3, {bits, values});
  hand.child.offset = 2;
  hand.array.length = 3;
  hand.array.offset = 1;
  hand.child.length = 4;
  const absl::StatusOr<StructuredTensor> rows = hand.Import();
  ASSERT_TRUE(rows.ok()) << rows.status();
  const Tensor& x = *rows->flat_field(0).tensor();
  EXPECT_THAT(std::vector<int32_t>(x.values<int32_t>().begin(), x.values<int32_t>().end()), ElementsAreArray({1, 2, 3}));
  EXPECT_TRUE(x.is_valid(0) && !x.is_valid(1) && x.is_valid(2));
}

TEST(ImportOthersTest, DictionariesAreTheirValues) {
  const int8_t indices[] = {1, 0, 1};
  const int32_t offsets[] = {0, 1, 3};
  const void* text_buffers[] = {nullptr, offsets, "abc"};
  ArrowSchema text_schema = {};
  text_schema.format = "u";
  ArrowArray text = {};
  text.length = 2;
  text.n_buffers = 3;
  text.buffers = text_buffers;
  ByHand hand("c", 3, {nullptr, indices}, false);
  hand.child_schema.dictionary = &text_schema;
  hand.child.dictionary = &text;
  EXPECT_EQ(hand.Rows(), "[\"bc\",\"a\",\"bc\"]");

  const int8_t beyond[] = {1, 2, 1};
  ByHand broken("c", 3, {nullptr, beyond}, false);
  broken.child_schema.dictionary = &text_schema;
  broken.child.dictionary = &text;
  EXPECT_EQ(broken.Rows(), "field x: element 1 is value 2 of a dictionary of 2 values");
}

TEST(ImportOthersTest, ListsOf32Bits) {
  const int32_t offsets[] = {1, 3, 3, 4};
  const int32_t values[] = {9, 1, 2, 3, 9};
  const void* value_buffers[] = {nullptr, values};
  ArrowSchema item_schema = {};
  item_schema.format = "i";
  item_schema.name = "element";
  ArrowArray item = {};
  item.length = 5;
  item.n_buffers = 2;
  item.buffers = value_buffers;
  ArrowSchema* item_schemas[] = {&item_schema};
  ArrowArray* items[] = {&item};
  ByHand hand("+l", 3, {nullptr, offsets}, false);
  hand.child_schema.n_children = hand.child.n_children = 1;
  hand.child_schema.children = item_schemas;
  hand.child.children = items;
  EXPECT_EQ(hand.Rows(), "[[1,2],[],[3]]");

  item.length = 3;
  ByHand broken("+l", 3, {nullptr, offsets}, false);
  broken.child_schema.n_children = broken.child.n_children = 1;
  broken.child_schema.children = item_schemas;
  broken.child.children = items;
  EXPECT_EQ(broken.Rows(), "field x: the offsets of the array decrease, or exceed what it has");
}

TEST(ImportOthersTest, WhatHasNoMeaningHereIsAnErrorWithItsPath) {
  const int32_t values[] = {1};
  const int32_t offsets[] = {0, -5};
  EXPECT_THAT(ByHand("tiM", 1, {nullptr, values}).Rows(),
              HasSubstr("field x: a column of the Arrow type interval (\"tiM\") cannot be read; cast it to"));
  EXPECT_THAT(ByHand("", 1, {nullptr, values}).Rows(), HasSubstr("field x: a column of the Arrow type \"\""));
  EXPECT_EQ(ByHand("i", 1, {nullptr}).Rows(), "field x: an array of type \"i\" has 2 buffers; found 1");
  EXPECT_EQ(ByHand("i", 1, {nullptr, nullptr}).Rows(), "field x: the array has no values");
  EXPECT_EQ(ByHand("u", 1, {nullptr, offsets, "x"}).Rows(),
            "field x: the offsets of the array decrease, or exceed what it has");
  EXPECT_EQ(ByHand("w:x", 1, {nullptr, values}).Rows(), "field x: the type \"w:x\" has no length");
  ByHand short_child("i", 3, {nullptr, values});
  short_child.child.length = 1;
  EXPECT_EQ(short_child.Rows(), "field x: the array has 1 elements; at least 3 are needed");
  ByHand no_struct("i", 1, {nullptr, values});
  no_struct.schema.format = "i";
  EXPECT_EQ(no_struct.Rows(), "the batch: expected a record batch, a struct \"+s\"; found the type \"i\"");
  ByHand twice("i", 1, {nullptr, values});
  twice.child_schemas[1] = &twice.child_schema;
  twice.children[1] = &twice.child;
  twice.schema.n_children = twice.array.n_children = 2;
  EXPECT_EQ(twice.Rows(), "the batch: there are two fields named x");
}

TEST(ImportOthersTest, ColumnsOfNothingAreNoFields) {
  const absl::StatusOr<StructuredTensor> rows = ByHand("n", 2, {}).Import();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->num_fields(), 0u);
  EXPECT_EQ(rows->nrows(), 2);
}

TEST(ImportOthersTest, ReleasedStructsAreErrors) {
  ByHand hand("i", 0, {nullptr, nullptr});
  hand.array.release = nullptr;
  EXPECT_EQ(hand.Rows(), "the Arrow array is empty: it has been released or moved away");
  ByHand other("i", 0, {nullptr, nullptr});
  other.schema.release = nullptr;
  EXPECT_EQ(other.Rows(), "the Arrow schema is empty: it has been released or moved away");
  EXPECT_EQ(other.array.release, nullptr);
}

}  // namespace
}  // namespace structtensor
