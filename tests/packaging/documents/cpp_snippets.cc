// The C++ of docs/cpp.md that needs no more than the component `runtime`, compiled and run.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "recipe.structtensor.h"
#include "structtensor/structtensor.h"

namespace {

using ::structtensor::Key;
using ::structtensor::StructuredTensor;
using ::structtensor::ToJson;
using ::structtensor::Value;

std::vector<std::string> Messages() {
  cookbook::RecipeBatchBuilder builder;
  cookbook::RecipeRowBuilder pie = builder.AppendRow();
  pie.set_title("pie");
  pie.set_minutes(50);
  cookbook::IngredientRowBuilder apple = pie.add_ingredients();
  apple.set_name("apple");
  apple.set_amount(4);
  cookbook::IngredientRowBuilder dough = pie.add_ingredients();
  dough.set_name("dough");
  dough.set_amount(1);
  cookbook::RecipeRowBuilder toast = builder.AppendRow();
  toast.set_title("toast");
  cookbook::IngredientRowBuilder bread = toast.add_ingredients();
  bread.set_name("bread");
  bread.set_amount(2);
  cookbook::RecipeEncoder encoder;
  const auto encoded = encoder.Encode(*builder.Build());
  return {encoded->begin(), encoded->end()};
}

StructuredTensor Recipes() {
  cookbook::RecipeDecoder decoder;
  return *ToStructuredTensor(*decoder.Decode(Messages()));
}

TEST(CppSnippets, AFirstProgram) {
  const std::vector<std::string> messages = Messages();
  std::ostringstream out;
  const auto run = [&]() -> absl::Status {
    cookbook::RecipeDecoder decoder;  // keep it: it reuses its memory
    absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(messages);
    if (!batch.ok()) return batch.status();
    for (cookbook::RecipeRow recipe : *batch) out << recipe.title() << "\n";
    absl::StatusOr<structtensor::StructuredTensor> recipes = ToStructuredTensor(*batch);
    if (!recipes.ok()) return recipes.status();
    absl::StatusOr<structtensor::Value> names = recipes->field_value("ingredients.name");
    if (!names.ok()) return names.status();
    out << structtensor::ToJson(*names) << "\n";
    return absl::OkStatus();
  };
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(out.str(), "pie\ntoast\n[[\"apple\",\"dough\"],[\"bread\"]]\n");
}

absl::StatusOr<Value> AmountsOfRecipes(const StructuredTensor& recipes) {
  absl::StatusOr<StructuredTensor> promoted = Promote(recipes, "ingredients.amount", "amounts");
  if (!promoted.ok()) return promoted.status();
  return ReduceSum(*promoted->field_value("amounts"), {.axes = {1}});
}

absl::StatusOr<StructuredTensor> LargeAmounts(const StructuredTensor& recipes) {
  absl::StatusOr<Value> large = Greater(*recipes.field_value("ingredients.amount"), structtensor::Tensor::Scalar(1.5));
  if (!large.ok()) return large.status();
  absl::StatusOr<StructuredTensor> marked = WithUpdates(recipes, {structtensor::Update::Set("ingredients.large", *large)});
  if (!marked.ok()) return marked.status();
  return Filter(*marked, "ingredients", "ingredients.large");
}

TEST(CppSnippets, Algebra) {
  const StructuredTensor recipes = Recipes();
  absl::StatusOr<Value> first = Index(Value(recipes), {Key::All(), "ingredients", 0, "name"});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(ToJson(*first), R"(["apple","bread"])");
  const absl::StatusOr<Value> sums = AmountsOfRecipes(recipes);
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(ToJson(*sums), "[5,2]");
  const absl::StatusOr<StructuredTensor> filtered = LargeAmounts(recipes);
  ASSERT_TRUE(filtered.ok()) << filtered.status();
  EXPECT_EQ(ToJson(*filtered->field_value("ingredients.name")), R"([["apple"],["bread"]])");
}

absl::StatusOr<structtensor::EncodedBatch> Encoded(const StructuredTensor& recipes) {
  absl::StatusOr<structtensor::TensorEncoder> encoder = structtensor::TensorEncoder::Create(cookbook::RecipeColumns::plan());
  if (!encoder.ok()) return encoder.status();
  return encoder->Encode(recipes);
}

TEST(CppSnippets, MessagesAgain) {
  const absl::StatusOr<structtensor::EncodedBatch> messages = Encoded(Recipes());
  ASSERT_TRUE(messages.ok()) << messages.status();
  EXPECT_EQ(std::vector<std::string>(messages->begin(), messages->end()), Messages());
}

}  // namespace
