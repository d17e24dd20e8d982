// The C++ of docs/generated_code.md, compiled and run. tests/python/test_docs.py sees to it that the two agree, so lines may
// differ from the document in their indentation only.
#include <gtest/gtest.h>

#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "recipe.structtensor.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"

namespace {

using namespace std::string_view_literals;

// title: "toast" ingredients { name: "bread" } ingredients { name: "butter" }
constexpr std::string_view kToast =
    "\x0a\x05toast\x1a\x07\x0a\x05"
    "bread\x1a\x08\x0a\x06"
    "butter"sv;
// title: "egg" minutes: 6
constexpr std::string_view kEgg =
    "\x0a\x03"
    "egg\x10\x06"sv;
// title: not UTF-8
constexpr std::string_view kDamaged = "\x0a\x02\xff\xfe"sv;

constexpr std::string_view kMessages[] = {kToast, kEgg};

std::vector<std::string> ReadQueue() { return {std::string(kToast), std::string(kEgg)}; }

absl::StatusOr<cookbook::RecipeBatch> DecodeSpan(std::span<const std::string_view> messages) {
  cookbook::RecipeDecoder decoder;
  absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(messages);  // std::span<const std::string_view>
  if (!batch.ok()) return batch.status();
  return batch;
}

absl::Status Build(std::vector<std::string>* messages) {
  cookbook::RecipeBatchBuilder builder;  // keep it: it reuses its memory
  cookbook::RecipeRowBuilder recipe = builder.AppendRow();
  recipe.set_title("toast");
  cookbook::IngredientRowBuilder bread = recipe.add_ingredients();
  bread.set_name("bread");
  bread.set_amount(2);
  bread.set_unit(cookbook::UnitEnum::SLICE);
  recipe.add_ratings("ann", 5);
  absl::StatusOr<cookbook::RecipeBatch> batch = builder.Build();
  if (!batch.ok()) return batch.status();  // names the row and the field path
  const absl::StatusOr<structtensor::EncodedBatch> encoded = cookbook::RecipeEncoder().Encode(*batch);
  if (!encoded.ok()) return encoded.status();
  messages->assign((*encoded).begin(), (*encoded).end());
  return absl::OkStatus();
}

std::vector<std::string> BuiltMessages() {
  std::vector<std::string> messages;
  EXPECT_TRUE(Build(&messages).ok());
  messages.emplace_back(kEgg);
  return messages;
}

TEST(GeneratedCodeSnippets, DecodeRange) {
  cookbook::RecipeDecoder decoder;
  std::vector<std::string> queue = ReadQueue();
  absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(queue.begin(), queue.end());
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->nrows(), 2u);
}

TEST(GeneratedCodeSnippets, SkipDamagedMessages) {
  const std::vector<std::string_view> messages = {kToast, kDamaged, kEgg};
  testing::internal::CaptureStderr();
  cookbook::RecipeDecoder decoder = *cookbook::RecipeDecoder::Create({.on_error = structtensor::DecodeOptions::OnError::kSkip});
  std::vector<structtensor::MessageError> errors;
  absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(messages, &errors);
  for (const structtensor::MessageError& error : errors) {
    std::cerr << error.status.message() << "\n";  // "message 1, byte 2, field title: the string is not valid UTF-8; ..."
  }
  const std::string printed = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->nrows(), 2u);
  EXPECT_EQ(printed.rfind("message 1, byte 2, field title: the string is not valid UTF-8; ", 0), 0u) << printed;
}

TEST(GeneratedCodeSnippets, Rows) {
  const std::vector<std::string> messages = BuiltMessages();
  absl::StatusOr<cookbook::RecipeBatch> batch = cookbook::RecipeDecoder().Decode(messages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  std::string used;
  const auto append = [&used](auto value) {
    if constexpr (std::is_enum_v<decltype(value)>) {
      absl::StrAppend(&used, std::string(structtensor::EnumName(value)), " ");
    } else if constexpr (std::is_same_v<decltype(value), std::string_view>) {
      absl::StrAppend(&used, std::string(value), " ");
    } else {
      absl::StrAppend(&used, value, " ");
    }
  };
  const auto Use = [&](auto... values) { (append(values), ...); };
  for (auto recipe : *batch) {  // auto is cookbook::RecipeRow
    if (recipe.has_minutes()) Use(recipe.minutes());
    for (auto ingredient : recipe.ingredients()) Use(ingredient.name(), ingredient.unit());  // a cookbook::UnitEnum
    for (auto [name, stars] : recipe.ratings()) Use(name, stars);
    if (auto stars = recipe.ratings().find("ann")) Use(*stars);
  }
  EXPECT_EQ(used, "bread SLICE ann 5 5 6 ");
}

TEST(GeneratedCodeSnippets, SomeOfTheFields) {
  const std::span<const std::string_view> messages = kMessages;
  structtensor::DecodeOptions options;
  options.fields = {"title", "ingredients.name"};
  cookbook::RecipeDecoder decoder = *cookbook::RecipeDecoder::Create(options);
  absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(messages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->title()[0], "toast");
  EXPECT_FALSE(batch->minutes().has(0));
}

TEST(GeneratedCodeSnippets, KeysOfMaps) {
  const std::string with_rating = std::string(kMessages[0]) + "\x22\x07\n\x03" + "ann" + "\x10\x05";
  const std::string_view messages[] = {with_rating, kMessages[1]};
  structtensor::DecodeOptions options;
  options.fields = {"title", "ingredients.name", "ratings[\"ann\"]"};
  structtensor::BatchDecoder decoder = *structtensor::BatchDecoder::Create(cookbook::RecipeColumns::plan(), options);
  absl::StatusOr<structtensor::DecodedBatch> batch = decoder.Decode(messages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  const auto structs = ToStructuredTensor(*batch);
  ASSERT_TRUE(structs.ok()) << structs.status();
  std::string row;
  structtensor::AppendJson(*structs, 0, row);
  EXPECT_EQ(row, R"({"title":"toast","ingredients":[{"name":"bread"},{"name":"butter"}],"ratings":{"ann":5}})");
}

TEST(GeneratedCodeSnippets, StringsAsViews) {
  const std::span<const std::string_view> messages = kMessages;
  cookbook::RecipeDecoder decoder;
  absl::StatusOr<cookbook::RecipeBatch> batch = decoder.DecodeViews(messages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->title()[1], "egg");
  const auto structs = ToStructuredTensor(*batch);
  ASSERT_TRUE(structs.ok()) << structs.status();
  std::string row;
  structtensor::AppendJson(*structs, 0, row);
  EXPECT_EQ(row.rfind(R"({"title":"toast",)", 0), 0u) << row;
}

TEST(GeneratedCodeSnippets, CopyMessages) {
  cookbook::RecipeDecoder decoder = *cookbook::RecipeDecoder::Create({.copy_messages = true});
  ASSERT_TRUE(decoder.Decode(kMessages).ok());
  decoder.Shrink();
  EXPECT_EQ(decoder.Decode(kMessages)->nrows(), static_cast<int64_t>(std::size(kMessages)));
}

TEST(GeneratedCodeSnippets, ReadColumns) {
  const absl::StatusOr<cookbook::RecipeBatch> batch = DecodeSpan(kMessages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  std::vector<std::string> titles;
  std::vector<std::string> names;
  for (std::string_view title : batch->title()) titles.emplace_back(title);

  std::span<const int32_t> minutes = batch->minutes().values();  // [nrows], 0 where absent
  const bool known = batch->minutes().has(1);

  const auto ingredients = batch->ingredients();
  for (int64_t row = 0; row < batch->nrows(); ++row) {
    for (int64_t i = ingredients.row_splits()[row]; i < ingredients.row_splits()[row + 1]; ++i) {
      names.emplace_back(ingredients.name()[static_cast<size_t>(i)]);
    }
  }
  EXPECT_EQ(titles, (std::vector<std::string>{"toast", "egg"}));
  EXPECT_EQ(std::vector<int32_t>(minutes.begin(), minutes.end()), (std::vector<int32_t>{0, 6}));
  EXPECT_TRUE(known);
  EXPECT_EQ(names, (std::vector<std::string>{"bread", "butter"}));
}

std::vector<std::string>& Written() {
  static auto* const written = new std::vector<std::string>;
  return *written;
}
void WriteMessage(std::string_view message) { Written().emplace_back(message); }

absl::Status RoundTrip(std::span<const std::string_view> messages, std::string* unknown_fields) {
  structtensor::DecodeOptions options;
  options.unknown_fields = structtensor::DecodeOptions::UnknownFields::kKeep;
  cookbook::RecipeDecoder decoder = *cookbook::RecipeDecoder::Create(options);
  absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(messages);
  if (!batch.ok()) return batch.status();
  *unknown_fields = batch->unknown_fields()[0];

  cookbook::RecipeEncoder encoder;  // keep it: it reuses its memory
  absl::StatusOr<structtensor::EncodedBatch> again = encoder.Encode(*batch);
  if (!again.ok()) return again.status();
  for (std::string_view message : *again) WriteMessage(message);
  return absl::OkStatus();
}

TEST(GeneratedCodeSnippets, EncodeWhatWasDecoded) {
  const std::string unknown = "\x82\x3f\x02hi";
  const std::string with_unknown = unknown + std::string(kMessages[0]);
  const std::string_view messages[] = {with_unknown, kMessages[1]};
  std::string unknown_fields;
  const absl::Status status = RoundTrip(messages, &unknown_fields);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(unknown_fields, unknown);
  EXPECT_EQ(Written(), (std::vector<std::string>{std::string(kMessages[0]) + unknown, std::string(kMessages[1])}));
}

absl::Status PrintAndExport(const absl::StatusOr<cookbook::RecipeBatch>& batch) {
  absl::StatusOr<structtensor::StructuredTensor> recipes = ToStructuredTensor(*batch);
  if (!recipes.ok()) return recipes.status();
  std::cout << structtensor::TypeSpec(recipes->spec()).TreeString();
  absl::StatusOr<structtensor::Value> ingredient_names = recipes->field_value("ingredients.name");
  if (!ingredient_names.ok()) return ingredient_names.status();
  std::cout << structtensor::ToJson(*ingredient_names) << "\n";

  ArrowSchema schema;
  ArrowArray array;
  absl::Status exported = structtensor::ExportSchema(recipes->spec(), &schema);
  if (exported.ok()) exported = structtensor::ExportBatch(*recipes, &array);
  if (!exported.ok()) return exported;
  EXPECT_EQ(array.length, 2);
  EXPECT_EQ(schema.n_children, 4);
  schema.release(&schema);
  array.release(&array);
  return absl::OkStatus();
}

TEST(GeneratedCodeSnippets, StructuredTensorAndArrow) {
  const absl::StatusOr<cookbook::RecipeBatch> batch = DecodeSpan(kMessages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  testing::internal::CaptureStdout();
  const absl::Status status = PrintAndExport(batch);
  const std::string printed = testing::internal::GetCapturedStdout();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_NE(printed.find("ingredients: struct [2, None]"), std::string::npos) << printed;
  EXPECT_NE(printed.find(R"([["bread","butter"],[]])"), std::string::npos) << printed;
}

}  // namespace
