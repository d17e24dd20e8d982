#include "structtensor/tensor/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structtensor/tensor/text.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

std::string IndexJson(const Value& value, std::vector<Key> keys) {
  const absl::StatusOr<Value> result = Index(value, keys);
  return result.ok() ? ToJson(*result)
                     : absl::StatusCodeToString(result.status().code()) + (": " + std::string(result.status().message()));
}

// {recipe: {title, ingredients: [...]}} for the first of the recipes: a scalar struct in a scalar struct.
StructuredTensor OneRecipe() { return StructuredTensor::CreateScalar({{"recipe", Recipes().SliceRows(0, 1)}}); }

// [[1, 2, 3], [], [4, 5]]
RaggedTensor Ragged() {
  return RaggedTensor::FromRowPartitions({Partition({0, 3, 3, 5})}, Tensor::FromVector(std::vector<int32_t>{1, 2, 3, 4, 5}))
      .value();
}

TEST(Index, ExamplesOfTheRfc) {
  EXPECT_EQ(IndexJson(OneRecipe(), {"recipe", "title"}), R"("soup")");
  EXPECT_EQ(IndexJson(OneRecipe(), {"recipe", "ingredients", 0}), R"({"name":"water","grams":500})");
  EXPECT_EQ(IndexJson(OneRecipe(), {"recipe", "ingredients", 0, "name"}), R"("water")");
  EXPECT_EQ(IndexJson(OneRecipe(), {"recipe", "ingredients", Key::All(), "name"}), R"(["water","salt"])");
}

TEST(Index, RowsOfStructs) {
  EXPECT_EQ(IndexJson(Recipes(), {1, "title"}), R"("bread")");
  EXPECT_EQ(IndexJson(Recipes(), {-1, "title"}), R"("bread")");
  EXPECT_EQ(IndexJson(Recipes(), {Key::All(), "title"}), R"(["soup","bread"])");
  EXPECT_EQ(IndexJson(Recipes(), {Key::Range(1, {}), "title"}), R"(["bread"])");
  EXPECT_EQ(IndexJson(Recipes(), {1, "ingredients", 0, "name"}), R"("flour")");
  EXPECT_EQ(IndexJson(Recipes(), {Key::All(), "ingredients", 0, "name"}), R"(["water","flour"])");
  EXPECT_EQ(IndexJson(Recipes(), {Key::All(), "ingredients", Key::Range({}, 1), "name"}), R"([["water"],["flour"]])");
  EXPECT_EQ(IndexJson(Recipes(), {Key::All(), "ingredients", Key::Range(-1, {}), "grams"}), "[[null],[300]]");
}

TEST(Index, AnEmptyKeyIsTheWhole) { EXPECT_EQ(Index(Recipes(), {}).value(), Value(Recipes())); }

TEST(Index, SlicesAreClipped) {
  const Tensor tensor = Tensor::FromVector(std::vector<int32_t>{1, 2, 3});
  EXPECT_EQ(IndexJson(tensor, {Key::Range(-10, 10)}), "[1,2,3]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(2, 1)}), "[]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(10, {})}), "[]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(-2, -1)}), "[2]");
}

TEST(Index, InnerAxesOfRaggedTensors) {
  EXPECT_EQ(IndexJson(Ragged(), {Key::All(), Key::Range(1, {})}), "[[2,3],[],[5]]");
  EXPECT_EQ(IndexJson(Ragged(), {Key::All(), Key::Range({}, -1)}), "[[1,2],[],[4]]");
  EXPECT_EQ(IndexJson(Ragged(), {2, -1}), "5");
  EXPECT_EQ(IndexJson(Ragged().SliceRows(2, 3), {Key::All(), 1}), "[5]");
}

TEST(Index, InnerAxesOfDenseTensorsStayDense) {
  const Tensor matrix = Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({2, 3}));
  EXPECT_EQ(IndexJson(matrix, {Key::All(), 0}), "[1,4]");
  const Value columns = Index(matrix, {Key::All(), Key::Range(1, {})}).value();
  ASSERT_NE(columns.tensor(), nullptr);
  EXPECT_EQ(columns.shape(), Shape({2, 2}));
  EXPECT_EQ(ToJson(columns), "[[2,3],[5,6]]");
}

TEST(Index, OuterSlicesShareMemory) {
  const RaggedTensor ragged = Ragged();
  const Value tail = Index(ragged, {Key::Range(2, {}), Key::All()}).value();
  EXPECT_EQ(tail.ragged()->flat_values().values<int32_t>().data(), ragged.flat_values().values<int32_t>().data() + 3);
}

TEST(Index, AnIntegerOutsideTheAxisIsOutOfRange) {
  EXPECT_EQ(IndexJson(Recipes(), {2, "title"}),
            "OUT_OF_RANGE: key [2, 'title']: index 2 is outside an axis of 2 rows; it must be in [-2, 2)");
}

TEST(Index, ErrorsHaveTheWholeKeyAndThePlaceInIt) {
  EXPECT_THAT(IndexJson(Recipes(), {-3}), HasSubstr("OUT_OF_RANGE: key [-3]: index -3 is outside"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::All(), 0}),
              HasSubstr("OUT_OF_RANGE: key [:, 0]: index 0 is outside row 1 of the axis, which has 0"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "colour"}),
              HasSubstr("NOT_FOUND: key [0, 'colour']: there is no field 'colour'; its fields are title,"));
  EXPECT_THAT(IndexJson(Recipes(), {"title"}), HasSubstr("INVALID_ARGUMENT: key ['title']: field 'title' stands where axis 0"));
  EXPECT_THAT(IndexJson(Recipes(), {0, 0}),
              HasSubstr("INVALID_ARGUMENT: key [0, 0]: 0 stands where the name of a field is expected"));
  EXPECT_THAT(IndexJson(Recipes().Row(0), {Key::All()}), HasSubstr("INVALID_ARGUMENT: key [:]: : stands where the name"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "title", 0}),
              HasSubstr("INVALID_ARGUMENT: key [0, 'title', 0]: it selects from 2 axes"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "title", "x"}), HasSubstr("'x' selects a field, but the value is Tensor([2], string)"));
}

}  // namespace
}  // namespace structtensor
