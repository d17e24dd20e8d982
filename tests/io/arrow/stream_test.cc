// Streams of batches: what is exported is imported again, errors arrive with their words, and nothing is kept too long.
#include "structtensor/io/arrow/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_data_testutil.h"
#include "recipes_testutil.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/import.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Hands out the batches one after another.
NextBatch BatchesOneByOne(std::vector<StructuredTensor> batches) {
  auto next = std::make_shared<size_t>(0);
  return [batches = std::move(batches), next]() -> absl::StatusOr<std::optional<StructuredTensor>> {
    if (*next == batches.size()) return std::optional<StructuredTensor>();
    return std::optional<StructuredTensor>(batches[(*next)++]);
  };
}

StructuredTensorSpec SpecOfRecipes() { return *TypeSpec(Recipes().spec()).WithUnknownSizes().structured(); }

TEST(StreamTest, BatchesComeBack) {
  Scoped<ArrowArrayStream> stream;
  const std::vector<StructuredTensor> batches = {Recipes(), Recipes().SliceRows(1, 1), Recipes().SliceRows(1, 3)};
  ASSERT_TRUE(ExportStream(SpecOfRecipes(), BatchesOneByOne(batches), &stream).ok());
  const absl::StatusOr<std::vector<Value>> values = ImportStream(&stream);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(stream.release, nullptr);
  ASSERT_THAT(*values, SizeIs(batches.size()));
  for (size_t i = 0; i < batches.size(); ++i) EXPECT_EQ((*values)[i], Value(batches[i])) << i;
}

TEST(StreamTest, AStreamWithoutBatchesHasAValueWithoutRows) {
  Scoped<ArrowArrayStream> stream;
  ASSERT_TRUE(ExportStream(SpecOfRecipes(), BatchesOneByOne({}), &stream).ok());
  const absl::StatusOr<std::vector<Value>> values = ImportStream(&stream);
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_THAT(*values, SizeIs(1));
  EXPECT_EQ((*values)[0].nrows(), 0);
  EXPECT_EQ((*values)[0].spec().WithUnknownSizes().DebugString(),
            Value(Recipes().SliceRows(0, 0)).spec().WithUnknownSizes().DebugString());
}

StructuredTensor Colours(const std::vector<std::string>& names, const std::vector<uint8_t>& valid_bits) {
  const Tensor strings = Tensor::FromVector(names);
  const Tensor nullable = Tensor::FromStrings(strings.string_offsets(), strings.string_bytes(), DType::kString,
                                              Validity(Buffer<uint8_t>::FromVector(valid_bits)));
  const auto nrows = static_cast<int64_t>(names.size());
  const RaggedTensor lists = RaggedTensor::FromRowPartitionsUnchecked({*RowPartition::FromUniformRowLength(1, nrows)}, strings);
  const StructuredTensor below = StructuredTensor::Create({}, nrows, {{"colours", lists}, {"text", strings}});
  return StructuredTensor::Create({}, nrows, {{"colour", nullable}, {"below", below}});
}

std::vector<ArrowLayout> LayoutsOfColours() {
  const std::vector<std::string> names = {"RED", "GREEN"};
  return {{.name = "colour", .dictionary_names = names},
          {.name = "below", .fields = {{.name = "colours", .dictionary_names = names}}}};
}

TEST(StreamTest, StringsThatADictionaryLacksAreAddedAfterItsNames) {
  const std::vector<StructuredTensor> batches = {Colours({"GREEN", "RED", "GREEN"}, {0x7}), Colours({"7", "", "RED"}, {0x5}),
                                                 Colours({"RED", "8", "7"}, {0x7})};
  const auto spec = *TypeSpec(batches[0].spec()).WithUnknownSizes().structured();
  std::vector<ArrowLayout> layouts = LayoutsOfColours();
  // An absent element, the second of the second batch, adds nothing.
  const std::vector<std::vector<int32_t>> indices = {{1, 0, 1}, {2, 0, 0}, {0, 3, 2}};
  const std::vector<std::vector<int32_t>> indices_below = {{1, 0, 1}, {2, 3, 0}, {0, 4, 2}};
  for (size_t i = 0; i < batches.size(); ++i) {
    Scoped<ArrowArray> array;
    ASSERT_TRUE(ExportBatch(batches[i], spec, &array, layouts).ok());
    const ArrowArray& colour = *array.children[0];
    const ArrowArray& below = *array.children[1]->children[0]->children[0];
    for (int64_t row = 0; row < 3; ++row) {
      EXPECT_EQ(BufferAt<int32_t>(colour, 1, row), indices[i][static_cast<size_t>(row)]) << i << row;
      EXPECT_EQ(BufferAt<int32_t>(below, 1, row), indices_below[i][static_cast<size_t>(row)]) << i << row;
    }
    EXPECT_EQ(colour.dictionary->length, static_cast<int64_t>(layouts[0].dictionary_names.size()));
    EXPECT_EQ(array.children[1]->children[1]->dictionary, nullptr);  // has none
  }
  EXPECT_THAT(layouts[0].dictionary_names, ::testing::ElementsAre("RED", "GREEN", "7", "8"));
  EXPECT_THAT(layouts[1].fields[0].dictionary_names, ::testing::ElementsAre("RED", "GREEN", "7", "", "8"));
}

TEST(StreamTest, DictionariesComeBackAsStrings) {
  Scoped<ArrowArrayStream> stream;
  const std::vector<StructuredTensor> batches = {Colours({"GREEN", "RED", "GREEN"}, {0x7}), Colours({"7", "", "RED"}, {0x5}),
                                                 Colours({}, {})};
  const auto spec = *TypeSpec(batches[0].spec()).WithUnknownSizes().structured();
  ASSERT_TRUE(ExportStream(spec, BatchesOneByOne(batches), &stream, LayoutsOfColours()).ok());
  {
    Scoped<ArrowSchema> schema;
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_EQ(SchemaText(schema), "+s{colour:i?, below:+s{colours:+L{item:i}, text:u}}");
    EXPECT_STREQ(schema.children[0]->dictionary->format, "u");
    EXPECT_STREQ(schema.children[1]->children[0]->children[0]->dictionary->format, "u");
  }
  const absl::StatusOr<std::vector<Value>> values = ImportStream(&stream);
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_THAT(*values, SizeIs(batches.size()));
  for (size_t i = 0; i < batches.size(); ++i) EXPECT_EQ((*values)[i], Value(batches[i])) << i;
}

TEST(StreamTest, DictionariesDoNotGrowWithoutEnd) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kMaxDictionaryNames; ++i) names.push_back(std::to_string(i));
  const StructuredTensor batch =
      StructuredTensor::Create({}, static_cast<int64_t>(names.size()), {{"colour", Tensor::FromVector(names)}});
  std::vector<ArrowLayout> layouts = {{.name = "colour", .dictionary_names = {"0"}}};
  Scoped<ArrowArray> array;
  ASSERT_TRUE(ExportBatch(batch, batch.spec(), &array, layouts).ok());
  const StructuredTensor more = StructuredTensor::Create({}, 1, {{"colour", Tensor::FromVector({"one more"})}});
  Scoped<ArrowArray> refused;
  const absl::Status status = ExportBatch(more, more.spec(), &refused, layouts);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("field colour: more than 1048576 different values"));
}

TEST(StreamTest, AnErrorOfTheSourceArrivesWithItsWords) {
  Scoped<ArrowArrayStream> stream;
  const NextBatch fails = []() -> absl::StatusOr<std::optional<StructuredTensor>> {
    return absl::DataLossError("file.pb record 3: broken");
  };
  ASSERT_TRUE(ExportStream(SpecOfRecipes(), fails, &stream).ok());
  EXPECT_THAT(std::string(ImportStream(&stream).status().message()), HasSubstr("file.pb record 3: broken"));
}

TEST(StreamTest, ABatchOfAnotherSchemaIsAnError) {
  Scoped<ArrowArrayStream> stream;
  const StructuredTensor other = OneField(Tensor::FromVector<int64_t>({1}));
  ASSERT_TRUE(ExportStream(SpecOfRecipes(), BatchesOneByOne({other}), &stream).ok());
  EXPECT_FALSE(ImportStream(&stream).ok());
}

TEST(StreamTest, TheSourceDiesWithTheStream) {
  auto kept = std::make_shared<int>(7);
  Scoped<ArrowArrayStream> stream;
  const NextBatch next = [kept]() -> absl::StatusOr<std::optional<StructuredTensor>> {
    return std::optional<StructuredTensor>();
  };
  ASSERT_TRUE(ExportStream(SpecOfRecipes(), next, &stream).ok());
  EXPECT_EQ(kept.use_count(), 3);
  stream.Release();
  EXPECT_EQ(kept.use_count(), 2);
}

TEST(StreamTest, WhatIsNoRecordBatchIsRefusedAtOnce) {
  Scoped<ArrowArrayStream> stream;
  const StructuredTensorSpec scalar = Recipes().Row(0).spec();
  EXPECT_EQ(ExportStream(scalar, BatchesOneByOne({}), &stream).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(ImportStream(&stream).status().code(), absl::StatusCode::kInvalidArgument);
}

absl::StatusOr<Value> ValueThereAndBack(const Value& value) {
  Scoped<ArrowSchema> schema;
  Scoped<ArrowArray> array;
  if (absl::Status status = ExportValueSchema(value.spec(), &schema); !status.ok()) return status;
  if (absl::Status status = ExportValue(value, &array); !status.ok()) return status;
  return ImportValue(schema, &array);
}

TEST(ExportValueTest, ValuesOfEveryKindComeBack) {
  const std::vector<Value> values = {
      Tensor::FromVector<int64_t>({1, 2, 3}),
      Strings({"a", "", "c"}),
      Nullable<double>({1, 2, 3}, {0b101}),
      Ragged({Splits({0, 2, 2, 3})}, Strings({"a", "b", "c"})),
      Ragged({Splits({0, 2, 2}), Splits({0, 0, 3})}, Tensor::FromVector<uint8_t>({1, 0, 1})),
      Recipes(),
      Structs({Splits({0, 1, 3})}, 3, {{"x", Tensor::FromVector<int32_t>({4, 5, 6})}}, Bits({0b110})),
  };
  for (const Value& value : values) {
    const absl::StatusOr<Value> back = ValueThereAndBack(value);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, value) << value.spec().DebugString();
  }
}

TEST(ExportValueTest, NumbersAreShared) {
  const Tensor tensor = Tensor::FromVector<int64_t>({1, 2, 3});
  Scoped<ArrowArray> array;
  ASSERT_TRUE(ExportValue(tensor, &array).ok());
  EXPECT_EQ(array.buffers[1], tensor.values<int64_t>().data());
}

TEST(ExportValueTest, ScalarsAreRefused) {
  EXPECT_EQ(ValueThereAndBack(Tensor::Scalar(int64_t{1})).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ValueThereAndBack(Recipes().Row(0)).status().code(), absl::StatusCode::kInvalidArgument);
  Scoped<ArrowArray> array;
  EXPECT_EQ(ExportValue(Tensor::Scalar(int64_t{1}), &array).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
