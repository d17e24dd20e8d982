#include "structtensor/io/arrow/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "c_data_testutil.h"
#include "recipes_testutil.h"

namespace structtensor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string SchemaOf(const StructuredTensorSpec& spec) {
  Scoped<ArrowSchema> schema;
  const absl::Status status = ExportSchema(spec, &schema);
  return status.ok() ? SchemaText(schema) : status.ToString();
}

std::vector<std::string> RowsOf(const StructuredTensor& batch) {
  Scoped<ArrowSchema> schema;
  Scoped<ArrowArray> array;
  const absl::Status status = ExportBatch(batch, &array);
  if (!status.ok()) return {status.ToString()};
  if (!ExportSchema(batch.spec(), &schema).ok()) return {"no schema"};
  return TextRows(schema, array);
}

const ArrowArray& Child(const ArrowArray& array, int64_t i) { return *array.children[i]; }

TEST(ExportSchemaTest, EveryKindOfColumnHasItsType) {
  EXPECT_EQ(SchemaOf(Recipes().spec()),
            "+s{title:u, rating:g?, vegan:b, ingredients:+L{item:+s{name:u, tags:+L{item:u}}}, origin:+s{year:i}?, "
            "notes:+m{entries:+s{key:u, value:l}}, cooked:tsn:UTC?, time:tDn}");
}

TEST(ExportSchemaTest, EveryElementTypeHasItsFormat) {
  const std::pair<DType, const char*> formats[] = {
      {DType::kBool, "b"},
      {DType::kInt32, "i"},
      {DType::kInt64, "l"},
      {DType::kUint32, "I"},
      {DType::kUint64, "L"},
      {DType::kFloat, "f"},
      {DType::kDouble, "g"},
      {DType::kString, "u"},
      {DType::kBytes, "z"},
      {DType::kTimestampNs, "tsn:UTC"},
      {DType::kDurationNs, "tDn"},
      {DType::kFloat16, "e"},
      {DType::kTimestampUs, "tsu:UTC"},
      {DType::kTimestampMs, "tsm:UTC"},
      {DType::kTimestampS, "tss:UTC"},
      {DType::kDurationUs, "tDu"},
      {DType::kDurationMs, "tDm"},
      {DType::kDurationS, "tDs"},
  };
  for (const auto& [dtype, format] : formats) {
    const StructuredTensorSpec spec(Shape({kUnknownDimension}), {{"x", TensorSpec(Shape({kUnknownDimension}), dtype)}});
    EXPECT_EQ(SchemaOf(spec), std::string("+s{x:") + format + "}");
  }
}

TEST(ExportSchemaTest, WhatArrowDoesNotHaveIsAnErrorWithTheField) {
  const StructuredTensorSpec spec(Shape({kUnknownDimension}),
                                  {{"w", TensorSpec(Shape({kUnknownDimension}), DType::kBfloat16)}});
  Scoped<ArrowSchema> schema;
  const absl::Status status = ExportSchema(spec, &schema);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("field w:"), HasSubstr("bfloat16"), HasSubstr("to float")));
}

TEST(ExportSchemaTest, SizesOfABatchDoNotMatter) {
  const StructuredTensorSpec spec = Recipes().spec();
  EXPECT_EQ(SchemaOf(*TypeSpec(spec).WithUnknownSizes().structured()), SchemaOf(spec));
  EXPECT_EQ(SchemaOf(Recipes().SliceRows(1, 1).spec()), SchemaOf(spec));
}

TEST(ExportSchemaTest, NamesStayAsTheyAre) {
  const StructuredTensor batch =
      StructuredTensor::FromFields(1, {{"[pkg.ext]", Strings({"a"})}, {"naïve", Strings({"b"})}}).value();
  EXPECT_EQ(SchemaOf(batch.spec()), "+s{[pkg.ext]:u, naïve:u}");
}

TEST(ExportSchemaTest, MessageWithoutFieldsIsAnEmptyStruct) {
  EXPECT_EQ(SchemaOf(StructuredTensorSpec(Shape({3}), {})), "+s{}");
  EXPECT_EQ(SchemaOf(OneField(Structs({Splits({0, 1, 3})}, 3, {})).spec()), "+s{x:+L{item:+s{}}}");
}

TEST(ExportSchemaTest, MapEntriesWithoutValuesAreAListOfStructs) {
  const StructuredTensor keys_only =
      StructuredTensor::Create({Splits({0, 2})}, 2, {{"key", Strings({"a", "b"})}}, StructKind::kMapEntry);
  EXPECT_EQ(SchemaOf(OneField(keys_only).spec()), "+s{x:+L{item:+s{key:u}}}");
  EXPECT_THAT(RowsOf(OneField(keys_only)), ElementsAre("{x:[{key:\"a\"},{key:\"b\"}]}"));
}

TEST(ExportSchemaTest, MapKeysAreNeverNullable) {
  const StructuredTensorSpec entries(Shape({kUnknownDimension, kUnknownDimension}),
                                     {{"key", TensorSpec(Shape({kUnknownDimension}), DType::kInt32, true)},
                                      {"value", TensorSpec(Shape({kUnknownDimension}), DType::kInt32, true)}},
                                     StructKind::kMapEntry);
  EXPECT_EQ(SchemaOf(StructuredTensorSpec(Shape({kUnknownDimension}), {{"x", entries}})),
            "+s{x:+m{entries:+s{key:i, value:i?}}}");
}

TEST(ExportSchemaTest, UnknownInnerAxisIsAnErrorWithTheField) {
  const StructuredTensorSpec inner(Shape({kUnknownDimension}),
                                   {{"grid", TensorSpec(Shape({kUnknownDimension, 2, kUnknownDimension}), DType::kFloat)}});
  Scoped<ArrowSchema> schema;
  const absl::Status status = ExportSchema(StructuredTensorSpec(Shape({kUnknownDimension}), {{"image", inner}}), &schema);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("field image.grid: axis 2"), HasSubstr("no known size")));
  EXPECT_EQ(schema.release, nullptr);
}

TEST(ExportSchemaTest, OnlyRankOneIsABatch) {
  Scoped<ArrowSchema> schema;
  Scoped<ArrowArray> array;
  EXPECT_EQ(ExportSchema(Recipes().Row(0).spec(), &schema).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ExportBatch(Recipes().Row(0), &array).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ExportBatchTest, RowsHoldTheValues) { EXPECT_THAT(RowsOf(Recipes()), ElementsAreArray(RecipeRows())); }

TEST(ExportBatchTest, EverySliceHoldsItsRows) {
  const std::vector<std::string> rows = RecipeRows();
  for (int64_t begin = 0; begin <= 3; ++begin) {
    for (int64_t end = begin; end <= 3; ++end) {
      EXPECT_THAT(RowsOf(Recipes().SliceRows(begin, end)), ElementsAreArray(rows.begin() + begin, rows.begin() + end))
          << begin << ":" << end;
    }
  }
}

TEST(ExportBatchTest, SliceOfValidityMayStartAnywhere) {
  std::vector<int32_t> values;
  std::vector<uint8_t> bits = {0b10110001, 0b01111010, 0b11000101};
  for (int32_t i = 0; i < 24; ++i) values.push_back(i);
  const StructuredTensor batch = OneField(Nullable(values, bits));
  const std::vector<std::string> rows = RowsOf(batch);
  for (int64_t begin = 0; begin < 24; ++begin) {
    for (int64_t end = begin + 1; end <= 24; ++end) {
      EXPECT_THAT(RowsOf(batch.SliceRows(begin, end)), ElementsAreArray(rows.begin() + begin, rows.begin() + end));
    }
  }
}

TEST(ExportBatchTest, NullsAreCounted) {
  for (int64_t begin : {0, 1, 3}) {
    std::vector<int32_t> values(200);
    std::vector<uint8_t> bits(25, 0b11110111);
    Scoped<ArrowArray> array;
    ASSERT_TRUE(ExportBatch(OneField(Nullable(values, bits)).SliceRows(begin, 200), &array).ok());
    EXPECT_EQ(Child(array, 0).null_count, 25);
  }
}

TEST(ExportBatchTest, ValidityWithoutAbsentValuesIsLeftOut) {
  Scoped<ArrowArray> array;
  ASSERT_TRUE(ExportBatch(OneField(Nullable<int32_t>({1, 2, 3}, {0b1111})), &array).ok());
  EXPECT_EQ(Child(array, 0).buffers[0], nullptr);
  EXPECT_EQ(Child(array, 0).null_count, 0);
}

TEST(ExportBatchTest, BooleansArePacked) {
  constexpr uint8_t kTrue[] = {1, 2, 0x7f, 0x80, 0xff};
  std::vector<uint8_t> values;
  std::vector<std::string> rows;
  for (size_t i = 0; i < 99; ++i) {
    values.push_back(i % 3 == 0 ? kTrue[i / 3 % 5] : 0);
    rows.push_back(i % 3 == 0 ? "{x:1}" : "{x:0}");
  }
  EXPECT_THAT(RowsOf(OneField(Tensor::FromVector(values))), ElementsAreArray(rows));
}

TEST(ExportBatchTest, NumbersStringsAndRowSplitsAreShared) {
  const Tensor numbers = Tensor::FromVector<int64_t>({1, 2, 3});
  const Tensor strings = Strings({"a", "b", "c"});
  const RaggedTensor ragged = Ragged({Splits({0, 2, 2, 3})}, numbers);
  const Tensor nullable = Nullable<float>({1, 2, 3}, {0b010});
  const StructuredTensor batch =
      StructuredTensor::FromFields(3, {{"numbers", numbers}, {"strings", strings}, {"ragged", ragged}, {"nullable", nullable}})
          .value();
  Scoped<ArrowArray> array;
  ASSERT_TRUE(ExportBatch(batch, &array).ok());
  EXPECT_EQ(Child(array, 0).buffers[1], numbers.values<int64_t>().data());
  EXPECT_EQ(Child(array, 1).buffers[1], strings.string_offsets().data());
  EXPECT_EQ(Child(array, 1).buffers[2], strings.string_bytes().data());
  EXPECT_EQ(Child(array, 2).buffers[1], ragged.row_splits().data());
  EXPECT_EQ(Child(Child(array, 2), 0).buffers[1], numbers.values<int64_t>().data());
  EXPECT_EQ(Child(array, 3).buffers[0], nullable.validity().bits().data());
}

TEST(ExportBatchTest, NestedRaggedAxesAreNestedLists) {
  const RaggedTensor ragged = Ragged({Splits({0, 2, 2}), Splits({0, 1, 3})}, Nullable<uint32_t>({7, 8, 9}, {0b101}));
  EXPECT_EQ(SchemaOf(OneField(ragged).spec()), "+s{x:+L{item:+L{item:I?}}}");
  EXPECT_THAT(RowsOf(OneField(ragged)), ElementsAre("{x:[[7],[null,9]]}", "{x:[]}"));
}

TEST(ExportBatchTest, UniformAxesAreFixedSizeLists) {
  const Tensor dense = Tensor::FromVector<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).Reshape(Shape({2, 3, 2}));
  EXPECT_EQ(SchemaOf(OneField(dense).spec()), "+s{x:+w:3{item:+w:2{item:i}}}");
  EXPECT_THAT(RowsOf(OneField(dense)), ElementsAre("{x:[[1,2],[3,4],[5,6]]}", "{x:[[7,8],[9,10],[11,12]]}"));
  EXPECT_THAT(RowsOf(OneField(dense.SliceRows(1, 2))), ElementsAre("{x:[[7,8],[9,10],[11,12]]}"));
}

TEST(ExportBatchTest, HalvesAreNumbers) {
  EXPECT_THAT(RowsOf(OneField(Tensor::FromVector<Float16>({Float16(1.5f), Float16(-2.0f)}))), ElementsAre("{x:1.5}", "{x:-2}"));
}

TEST(ExportBatchTest, StridedViewsHoldTheirElements) {
  const Tensor numbers = Tensor::FromVector<int32_t>({1, 2, 3, 4, 5, 6}).Reshape(Shape({3, 2}));
  EXPECT_THAT(RowsOf(OneField(numbers.SliceAxis(0, 2, 2, -2))), ElementsAre("{x:[5,6]}", "{x:[1,2]}"));
  EXPECT_THAT(RowsOf(OneField(numbers.SelectAxis(1, 1))), ElementsAre("{x:2}", "{x:4}", "{x:6}"));
  EXPECT_THAT(RowsOf(OneField(Strings({"a", "b", "c"}).SliceAxis(0, 2, 3, -1))),
              ElementsAre("{x:\"c\"}", "{x:\"b\"}", "{x:\"a\"}"));
  EXPECT_THAT(RowsOf(OneField(Nullable<double>({4.5, 0, 3}, {0b101}).SliceAxis(0, 0, 2, 2))), ElementsAre("{x:4.5}", "{x:3}"));
}

TEST(ExportBatchTest, OptionalDimensionIsAList) {
  const RaggedTensor optional =
      Ragged({Splits({0, 1, 1, 2}, RowPartition::Optional::kYes)}, Tensor::FromVector<double>({0.5, 1.5}));
  EXPECT_THAT(RowsOf(OneField(optional)), ElementsAre("{x:[0.5]}", "{x:[]}", "{x:[1.5]}"));
}

TEST(ExportBatchTest, PartitionsInAnyEncodingAreLists) {
  const Tensor values = Tensor::FromVector<int32_t>({1, 2});
  const RowPartition by_rowids = RowPartition::FromValueRowids(Buffer<uint32_t>::FromVector({1, 1}), 3).value();
  const RowPartition uniform = RowPartition::FromUniformRowLength(1, 2).value();
  EXPECT_THAT(RowsOf(OneField(Ragged({by_rowids}, values))), ElementsAre("{x:[]}", "{x:[1,2]}", "{x:[]}"));
  EXPECT_THAT(RowsOf(OneField(Ragged({uniform}, values))), ElementsAre("{x:[1]}", "{x:[2]}"));
}

TEST(ExportBatchTest, MapsOfStructsInListsKeepTheirPlace) {
  // Lists of messages that have a map, seen as one value of two partitions: only the inner one is maps.
  const StructuredTensor map = Map({Splits({0, 2, 2}), Splits({0, 1, 3})}, Tensor::FromVector<uint8_t>({0, 1, 0}),
                                   Structs({}, 3, {{"n", Tensor::FromVector<int32_t>({1, 2, 3})}}, Bits({0b011})));
  EXPECT_EQ(SchemaOf(OneField(map).spec()), "+s{x:+L{item:+m{entries:+s{key:b, value:+s{n:i}?}}}}");
  EXPECT_THAT(RowsOf(OneField(map)),
              ElementsAre("{x:[[{key:0,value:{n:1}}],[{key:1,value:{n:2}},{key:0,value:null}]]}", "{x:[]}"));
}

TEST(ExportBatchTest, EmptyBatchHasNoRowsButAllColumns) {
  const StructuredTensor empty = Recipes().SliceRows(0, 0);
  Scoped<ArrowArray> array;
  ASSERT_TRUE(ExportBatch(empty, &array).ok());
  EXPECT_EQ(array.length, 0);
  EXPECT_EQ(array.n_children, 8);
  EXPECT_THAT(RowsOf(empty), IsEmpty());
  EXPECT_THAT(RowsOf(OneField(Tensor::FromBuffer(Buffer<int32_t>()))), IsEmpty());
}

TEST(ExportBatchTest, OnlyValidityBuffersAreNull) {
  Scoped<ArrowArray> array;
  const StructuredTensor batch =
      StructuredTensor::FromFields(0, {{"numbers", Tensor::FromBuffer(Buffer<int32_t>())},
                                       {"strings", Tensor::FromStrings(Buffer<int32_t>::FromVector({0}), Buffer<char>())}})
          .value();
  ASSERT_TRUE(ExportBatch(batch, &array).ok());
  EXPECT_NE(Child(array, 0).buffers[1], nullptr);
  EXPECT_NE(Child(array, 1).buffers[2], nullptr);
}

TEST(ExportBatchTest, RowsWithoutFieldsAreCounted) {
  const StructuredTensor batch = Structs({}, 3, {});
  EXPECT_THAT(RowsOf(batch), ElementsAre("{}", "{}", "{}"));
}

TEST(ExportBatchTest, FitsTheSpecOfAllBatches) {
  const StructuredTensorSpec schema = *TypeSpec(Recipes().spec()).WithUnknownSizes().structured();
  for (int64_t begin = 0; begin <= 3; ++begin) {
    Scoped<ArrowArray> array;
    EXPECT_TRUE(ExportBatch(Recipes().SliceRows(begin, 3), schema, &array).ok());
  }
}

TEST(ExportBatchTest, OtherSpecIsAnErrorWithTheField) {
  const auto message = [](const Value& value, const Value& expected) {
    Scoped<ArrowArray> array;
    const absl::Status status = ExportBatch(OneField(OneField(value)), OneField(OneField(expected)).spec(), &array);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(array.release, nullptr);
    return std::string(status.message());
  };
  const Tensor ints = Tensor::FromVector<int32_t>({1, 2});
  EXPECT_THAT(message(ints, Tensor::FromVector<int64_t>({1, 2})),
              AllOf(HasSubstr("field x.x: found TensorSpec([2], int32)"), HasSubstr("expected TensorSpec([2], int64)")));
  EXPECT_THAT(message(ints, Ragged({Splits({0, 2})}, ints)), HasSubstr("field x.x"));
  EXPECT_THAT(message(ints.Reshape(Shape({1, 2})), ints.Reshape(Shape({2, 1}))), HasSubstr("field x.x"));
  EXPECT_THAT(message(OneField(ints), Structs({}, 2, {{"y", ints}})), HasSubstr("field x.x.y: found field x"));
  EXPECT_THAT(message(Nullable<int32_t>({1, 2}, {0b01}), ints), HasSubstr("found 1 absent values of 2"));
}

TEST(ExportBatchTest, AbsentMapKeyIsAnError) {
  Scoped<ArrowArray> array;
  const StructuredTensor map = Map({Splits({0, 2})}, Nullable<int32_t>({1, 2}, {0b10}), Strings({"a", "b"}));
  const absl::Status status = ExportBatch(OneField(map), &array);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("field x.key: found 1 absent"));
}

TEST(ExportBatchTest, MoreMapEntriesThanArrowCountsAreAnError) {
  // The columns of the entries need no memory, because they are never read.
  static const int32_t nothing = 0;
  const int64_t count = int64_t{1} << 31;
  const Tensor keys = Tensor::FromBuffer(Buffer<int32_t>(nullptr, &nothing, static_cast<size_t>(count)));
  Scoped<ArrowArray> array;
  const absl::Status status = ExportBatch(OneField(Map({Splits({0, count})}, keys, keys)), &array);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("field x"), HasSubstr("2147483648 entries")));
}

// A batch whose memory belongs to `owner`.
StructuredTensor OwnedBatch(const std::shared_ptr<const std::vector<int32_t>>& owner) {
  const auto numbers = [&owner] { return Tensor::FromBuffer(Buffer<int32_t>(owner, owner->data(), owner->size())); };
  return OneField(StructuredTensor::FromFields(2, {{"a", numbers()}, {"b", numbers()}}).value());
}

TEST(ReleaseTest, ArrayKeepsItsMemoryUntilReleased) {
  const auto owner = std::make_shared<const std::vector<int32_t>>(2);
  Scoped<ArrowArray> array;
  ASSERT_TRUE(ExportBatch(OwnedBatch(owner), &array).ok());
  EXPECT_EQ(owner.use_count(), 3);
  array.Release();
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(array.release, nullptr);
}

TEST(ReleaseTest, ChildThatWasMovedAwayOutlivesItsParent) {
  const auto owner = std::make_shared<const std::vector<int32_t>>(2);
  Scoped<ArrowArray> array, moved;
  ASSERT_TRUE(ExportBatch(OwnedBatch(owner), &array).ok());
  ArrowArray& child = *array.children[0]->children[1];
  static_cast<ArrowArray&>(moved) = child;
  child.release = nullptr;
  array.Release();
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(BufferAt<int32_t>(moved, 1, 1), 0);
  moved.Release();
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(ReleaseTest, FailedExportKeepsNothing) {
  const auto owner = std::make_shared<const std::vector<int32_t>>(2);
  const StructuredTensor batch =
      StructuredTensor::FromFields(2, {{"good", OwnedBatch(owner)}, {"bad", Strings({"a", "b"})}}).value();
  const StructuredTensor other =
      StructuredTensor::FromFields(2, {{"good", OwnedBatch(owner)}, {"bad", Tensor::FromVector<float>({1, 2})}}).value();
  const int64_t uses = owner.use_count();
  Scoped<ArrowArray> array;
  EXPECT_FALSE(ExportBatch(batch, other.spec(), &array).ok());
  EXPECT_EQ(owner.use_count(), uses);
}

TEST(ReleaseTest, SchemaChildThatWasMovedAwayOutlivesItsParent) {
  Scoped<ArrowSchema> schema, moved;
  ASSERT_TRUE(ExportSchema(Recipes().spec(), &schema).ok());
  static_cast<ArrowSchema&>(moved) = *schema.children[3];
  schema.children[3]->release = nullptr;
  schema.Release();
  EXPECT_EQ(SchemaText(moved), "+L{item:+s{name:u, tags:+L{item:u}}}");
}

}  // namespace
}  // namespace structtensor
