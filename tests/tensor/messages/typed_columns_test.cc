#include <string>
#include <string_view>
#include <vector>

#include "cookbook.structtensor.h"
#include "cookbook_testutil.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "oven.structtensor.h"
#include "structtensor/core/generated_api/batch.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using testing::cookbook::RecipeBatch;
using testing::cookbook::RecipeDecoder;

RecipeBatch DecodeColumns(std::initializer_list<const char*> strings) {
  const std::vector<std::string> messages = SerializedRecipes(strings);
  RecipeDecoder decoder;
  auto batch = decoder.Decode(messages.begin(), messages.end());
  EXPECT_TRUE(batch.ok()) << batch.status();
  return *std::move(batch);
}

TEST(TypedColumns, SingularFieldsAreReadByRow) {
  const RecipeBatch batch = DecodeColumns({"title: 'pie' minutes: 30", "title: 'stew'"});
  EXPECT_EQ(batch.nrows(), 2u);
  EXPECT_THAT(batch.title(), ElementsAre("pie", "stew"));
  EXPECT_TRUE(batch.minutes().has(0));
  EXPECT_FALSE(batch.minutes().has(1));
  EXPECT_EQ(batch.minutes()[0], 30);
  EXPECT_EQ(batch.minutes()[1], 0);
  EXPECT_THAT(batch.minutes().present_values(), ElementsAre(30));
  EXPECT_THAT(batch.minutes().value_rowids(), ElementsAre(0u));
}

TEST(TypedColumns, DeclaredDefaultsAreShownOnRequest) {
  const std::vector<std::string> messages = {SerializedOven("degrees: 250"), ""};
  testing::cookbook::OvenDecoder decoder;
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->degrees()[1], 0);
  EXPECT_EQ(batch->degrees().default_value(), -1);
  EXPECT_EQ(batch->degrees().value_or_default(0), 250);
  EXPECT_EQ(batch->degrees().value_or_default(1), -1);
  EXPECT_EQ(batch->label().value_or_default(1), "oven");
  EXPECT_EQ(batch->fuel().value_or_default(0), 5);
  EXPECT_EQ(batch->factor().default_value(), 1.5f);
  EXPECT_TRUE(batch->convection().default_value());
}

TEST(TypedColumns, RepeatedMessagesHaveRowSplitsAndColumnsOfTheirOwn) {
  const RecipeBatch batch = DecodeColumns(
      {"ingredients { name: 'egg' amount: 2 } ingredients { name: 'salt' }", "", "ingredients { name: 'rice' amount: 3 }"});
  EXPECT_THAT(batch.ingredients().row_splits(), ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(batch.ingredients().name().values(), ElementsAre("egg", "salt", "rice"));
  EXPECT_THAT(batch.ingredients().amount().values(), ElementsAre(2, 0, 3));
}

TEST(TypedColumns, RepeatedScalarsAreReadByRowOrAll) {
  const RecipeBatch batch = DecodeColumns({"steps: 'mix' steps: 'bake'", "", "steps: 'boil'"});
  EXPECT_THAT(batch.steps().values(), ElementsAre("mix", "bake", "boil"));
  EXPECT_THAT(batch.steps()[0], ElementsAre("mix", "bake"));
  EXPECT_THAT(batch.steps()[1], ElementsAre());
}

TEST(TypedColumns, WhatDataNeverTouchedReadsAsEmpty) {
  const RecipeBatch batch = DecodeColumns({"", ""});
  EXPECT_THAT(batch.title(), ElementsAre("", ""));
  EXPECT_THAT(batch.steps().row_splits(), ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.ingredients().row_splits(), ElementsAre(0, 0, 0));
  EXPECT_EQ(batch.ingredients().nrows(), 0u);
  EXPECT_THAT(batch.leftovers().name(), ElementsAre("", ""));
  EXPECT_FALSE(batch.leftovers().has(1));
  EXPECT_EQ(batch.variation().variation().variation().nrows(), 2u);
  EXPECT_THAT(batch.vegetarian().values(), ElementsAre(false, false));
}

TEST(TypedColumns, WhatIsKeptAsBytesReadsAsEmpty) {
  const std::vector<std::string> messages = SerializedRecipes({"variation { title: 'v' sides {} } sides { title: 's' }", ""});
  RecipeDecoder decoder = *RecipeDecoder::Create({.recursion_depth = 1});
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  EXPECT_TRUE(batch->variation().has(0));
  EXPECT_THAT(batch->variation().title(), ElementsAre("", ""));
  EXPECT_EQ(batch->variation().sides().nrows(), 0u);
  EXPECT_EQ(batch->sides().nrows(), 0u);
  EXPECT_THAT(batch->sides().row_splits(), ElementsAre(0, 1, 1));
}

TEST(TypedColumns, ACopyOfABatchKeepsItsColumns) {
  RecipeBatch copy = DecodeColumns({"title: 'pie'"});
  {
    const RecipeBatch batch = copy;
    copy = DecodeColumns({"title: 'stew'"});
    EXPECT_THAT(batch.title(), ElementsAre("pie"));
  }
  EXPECT_THAT(copy.title(), ElementsAre("stew"));
}

}  // namespace
}  // namespace structtensor
