// Decodes a batch of serialized messages and reads it in both ways: by the rows that were generated for its schema, and as a
// StructuredTensor.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "recipe.structtensor.h"
#include "structtensor/structtensor.h"

namespace {

using namespace std::string_view_literals;

// The messages that a queue or a file would deliver. They are written out here so that the example is self-contained.
constexpr std::string_view kMessages[] = {
    // title: "sugar cookies" minutes: 25 ingredients { name: "sugar" amount: 1 unit: CUP } ingredients { name: "egg" }
    // ratings { key: "ann" value: 5 }
    "\x0a\x0dsugar cookies\x10\x19\x1a\x12\x0a\x05sugar\x11\0\0\0\0\0\0\xf0\x3f\x18\x01\x1a\x05\x0a\x03"
    "egg\x22\x07\x0a\x03"
    "ann\x10\x05"sv,
    // title: "toast" ingredients { name: "bread" }
    "\x0a\x05toast\x1a\x07\x0a\x05"
    "bread"sv,
};

void PrintTyped(const cookbook::RecipeBatch& batch) {
  for (auto recipe : batch) {
    std::printf("%s", std::string(recipe.title()).c_str());
    if (recipe.has_minutes()) std::printf(" (%d minutes)", recipe.minutes());
    if (auto stars = recipe.ratings().find("ann")) std::printf(", %d stars by ann", *stars);
    std::printf("\n");
    for (auto ingredient : recipe.ingredients()) {
      std::printf("  %s", std::string(ingredient.name()).c_str());
      // EnumName() is "" for a number that this program has no name for: newer schemas may have more units.
      const std::string unit(structtensor::EnumName(ingredient.unit()));
      if (ingredient.has_amount()) std::printf(", %g %s", ingredient.amount(), unit.c_str());
      std::printf("\n");
    }
    for (auto [name, stars] : recipe.ratings()) std::printf("  rated by %s: %d\n", std::string(name).c_str(), stars);
  }
}

}  // namespace

int main() {
  cookbook::RecipeDecoder decoder;  // keep it: it reuses its memory from batch to batch
  const absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(kMessages);
  if (!batch.ok()) {
    std::fprintf(stderr, "%s\n", std::string(batch.status().message()).c_str());
    return 1;
  }
  PrintTyped(*batch);

  const absl::StatusOr<structtensor::StructuredTensor> recipes = ToStructuredTensor(*batch);
  if (!recipes.ok()) return 1;
  std::printf("\n%s", structtensor::TypeSpec(recipes->spec()).TreeString().c_str());
  const absl::StatusOr<structtensor::Value> names = recipes->field_value("ingredients.name");
  if (!names.ok()) return 1;
  std::printf("\ningredients.name = %s\n", structtensor::ToJson(*names).c_str());
  return 0;
}
