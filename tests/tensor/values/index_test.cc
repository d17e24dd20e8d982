#include "structtensor/tensor/values/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/text.h"
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
  EXPECT_THAT(IndexJson(Recipes(), {0, "titel"}), HasSubstr("; did you mean title?"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "ingredients.name"}),
              HasSubstr("; each piece of a key is one name: 'ingredients', 'name'"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "tags", 0, "hot"}),
              HasSubstr("its fields are key, value; MapKey('hot') selects the entry with that key"));
  EXPECT_THAT(IndexJson(Recipes(), {"title"}),
              HasSubstr("INVALID_ARGUMENT: key ['title']: field 'title' is given before axis 0"));
  EXPECT_THAT(IndexJson(Recipes(), {0, 0}),
              HasSubstr("INVALID_ARGUMENT: key [0, 0]: 0 is given where the name of a field is expected"));
  EXPECT_THAT(IndexJson(Recipes().Row(0), {0}), HasSubstr("INVALID_ARGUMENT: key [0]: 0 is given where the name"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "title", 0}),
              HasSubstr("INVALID_ARGUMENT: key [0, 'title', 0]: it selects from 2 axes"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "title", "x"}),
              HasSubstr("'x' selects a field, but the value is TensorSpec([2], string)"));
}

// [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]
Tensor Cube() {
  return Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), Shape({2, 2, 3}));
}

TEST(IndexStep, FollowsPython) {
  const Tensor tensor = Tensor::FromVector(std::vector<int32_t>{1, 2, 3});
  EXPECT_EQ(IndexJson(tensor, {Key::Range({}, {}, 2)}), "[1,3]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range({}, {}, -1)}), "[3,2,1]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(2, 0, -1)}), "[3,2]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(-1, {}, -2)}), "[3,1]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(0, 2, -1)}), "[]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(-10, 10, 10)}), "[1]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(10, -10, std::numeric_limits<int64_t>::min())}), "[3]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range({}, {}, std::numeric_limits<int64_t>::max())}), "[1]");
  EXPECT_EQ(IndexJson(tensor, {Key::Range(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max())}),
            "[1,2,3]");
  EXPECT_EQ(IndexJson(tensor.SliceRows(0, 0), {Key::Range({}, {}, -1)}), "[]");
  EXPECT_THAT(IndexJson(tensor, {Key::Range({}, {}, 0)}), HasSubstr("INVALID_ARGUMENT: key [::0]: slice ::0 has a step of 0"));
}

TEST(IndexStep, OfStructsAndRaggedRows) {
  EXPECT_EQ(IndexJson(Recipes(), {Key::Range({}, {}, -1), "title"}), R"(["bread","soup"])");
  EXPECT_EQ(IndexJson(Index(Recipes(), {Key::Range({}, {}, -1)}).value(), {Key::All(), "ingredients", Key::All(), "name"}),
            R"([["flour"],["water","salt"]])");
  EXPECT_EQ(IndexJson(Ragged(), {Key::All(), Key::Range({}, {}, -1)}), "[[3,2,1],[],[5,4]]");
  EXPECT_EQ(IndexJson(Ragged(), {Key::Range({}, {}, -2), Key::Range({}, {}, 2)}), "[[4],[1,3]]");
}

TEST(IndexDense, AxesBecomeThoseOfAView) {
  const Value view = Index(Cube(), {Key::All(), Key::Range({}, {}, -1), Key::Range({}, {}, 2)}).value();
  EXPECT_EQ(ToJson(view), "[[[4,6],[1,3]],[[10,12],[7,9]]]");
  EXPECT_FALSE(view.tensor()->is_contiguous());
  EXPECT_EQ(IndexJson(Cube(), {Key::Ellipsis(), -1}), "[[3,6],[9,12]]");
  EXPECT_EQ(IndexJson(Cube(), {1, 0, 2}), "9");
  EXPECT_EQ(IndexJson(view, {1, 0}), "[10,12]");
  EXPECT_THAT(IndexJson(Cube(), {0, 2}), HasSubstr("OUT_OF_RANGE: key [0, 2]: index 2 is outside an axis of 2 rows"));
}

TEST(Index, AnAxisOfKnownSizeIsCheckedAlsoWithoutRows) {
  EXPECT_THAT(IndexJson(Cube(), {Key::Range(0, 0), 2}), HasSubstr("OUT_OF_RANGE"));
  const RowPartition pairs = RowPartition::FromUniformRowLength(2, 0).value();
  EXPECT_THAT(IndexJson(Recipes().SliceRows(0, 0).WithOuterPartition(pairs), {Key::All(), 2}), HasSubstr("OUT_OF_RANGE"));
  EXPECT_EQ(IndexJson(Ragged().SliceRows(0, 0), {Key::All(), 2}), "[]");
}

TEST(IndexEllipsis, CoversTheRemainingAxes) {
  EXPECT_EQ(IndexJson(Ragged(), {Key::Ellipsis()}), "[[1,2,3],[],[4,5]]");
  EXPECT_EQ(IndexJson(Ragged(), {Key::Ellipsis(), Key::Range({}, 1)}), "[[1],[],[4]]");
  EXPECT_EQ(IndexJson(Ragged(), {0, Key::Ellipsis(), 1}), "2");
  EXPECT_EQ(IndexJson(Recipes(), {Key::Ellipsis(), "title"}), R"(["soup","bread"])");
  EXPECT_EQ(IndexJson(Recipes(), {Key::Ellipsis(), "ingredients", Key::Ellipsis(), "name"}), R"([["water","salt"],["flour"]])");
  EXPECT_THAT(IndexJson(Ragged(), {Key::Ellipsis(), Key::Ellipsis()}), HasSubstr("there are two ellipses"));
  EXPECT_THAT(IndexJson(OneRecipe(), {Key::Ellipsis()}), HasSubstr("... is given where the name of a field is expected"));
}

TEST(IndexNewAxis, IsOfSizeOne) {
  const auto shape = [](const Value& value, std::vector<Key> keys) { return Index(value, keys)->shape().DebugString(); };
  EXPECT_EQ(shape(Ragged(), {Key::NewAxis()}), "[1, 3, None]");
  EXPECT_EQ(shape(Ragged(), {Key::All(), Key::NewAxis()}), "[3, 1, None]");
  EXPECT_EQ(shape(Ragged(), {Key::All(), Key::All(), Key::NewAxis()}), "[3, None, 1]");
  EXPECT_EQ(shape(Cube(), {Key::All(), Key::NewAxis(), 0}), "[2, 1, 3]");
  EXPECT_EQ(shape(Recipes(), {Key::NewAxis()}), "[1, 2]");
  EXPECT_EQ(shape(Recipes(), {0, Key::NewAxis()}), "[1]");
  EXPECT_EQ(IndexJson(Ragged(), {Key::NewAxis(), 0}), "[[1,2,3]]");
  EXPECT_EQ(IndexJson(Ragged(), {Key::All(), Key::NewAxis(), Key::Range(1, {})}), "[[[2,3]],[[]],[[5]]]");
  EXPECT_EQ(IndexJson(Recipes(), {Key::NewAxis(), Key::All(), "title"}), R"([["soup","bread"]])");
}

TEST(IndexRows, SelectAlongTheirAxis) {
  EXPECT_EQ(IndexJson(Recipes(), {Key::Rows({1, 0, -1}), "title"}), R"(["bread","soup","bread"])");
  EXPECT_EQ(IndexJson(Cube(), {Key::All(), Key::Rows({1}), Key::Rows({2, 0})}), "[[[6,4]],[[12,10]]]");
  EXPECT_EQ(IndexJson(Ragged(), {Key::Rows({0, 2}), Key::Rows({1, 0})}), "[[2,1],[5,4]]");
  EXPECT_EQ(IndexJson(Ragged(), {Key::Rows({2}), Key::Rows(std::vector<int64_t>{})}), "[[]]");
  EXPECT_EQ(IndexJson(Recipes(), {Key::Rows(Tensor::Scalar(int32_t{1})), "title"}), R"("bread")");
}

TEST(IndexRows, AxesOfTheListReplaceTheAxis) {
  const Tensor rows = Tensor::FromBuffer(Buffer<uint32_t>::FromVector({0, 2, 2, 0}), Shape({2, 2}));
  EXPECT_EQ(IndexJson(Ragged(), {Key::Rows(rows)}), "[[[1,2,3],[4,5]],[[4,5],[1,2,3]]]");
  const Tensor columns = Tensor::FromBuffer(Buffer<int64_t>::FromVector({0, 1, 2, 0}), Shape({2, 2}));
  EXPECT_EQ(IndexJson(Cube(), {1, Key::All(), Key::Rows(columns)}), "[[[7,8],[9,7]],[[10,11],[12,10]]]");
}

TEST(IndexRows, AreChecked) {
  EXPECT_THAT(IndexJson(Ragged(), {Key::Rows({0, 3})}), HasSubstr("OUT_OF_RANGE: key [[0,3]]: index 3 is outside"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::All(), Key::Rows({0})}),
              HasSubstr("OUT_OF_RANGE: key [:, [0]]: index 0 is outside row 1"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::Rows(Tensor::FromVector(std::vector<uint64_t>{UINT64_MAX}))}),
              HasSubstr("OUT_OF_RANGE"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::Rows(Tensor::FromVector({"a"}))}),
              HasSubstr("INVALID_ARGUMENT: key [[\"a\"]]: an index list"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::Rows(NullableVector<int32_t>({0, 0}, {true, false}))}),
              HasSubstr("element 1 of an index list is absent"));
}

TEST(IndexMask, KeepsWhereItIsTrue) {
  const auto mask = [](std::vector<uint8_t> bits) { return Key::Mask(Tensor::FromVector(std::move(bits))); };
  EXPECT_EQ(IndexJson(Recipes(), {mask({0, 1}), "title"}), R"(["bread"])");
  EXPECT_EQ(IndexJson(Ragged(), {mask({1, 0, 1}), Key::Range({}, 1)}), "[[1],[4]]");
  EXPECT_EQ(IndexJson(Cube(), {0, Key::All(), mask({1, 0, 1})}), "[[1,3],[4,6]]");
  EXPECT_THAT(IndexJson(Ragged(), {mask({1})}),
              HasSubstr("INVALID_ARGUMENT: key [mask of shape [1]]: a mask has 1 rows where the value has 3"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::All(), mask({1, 1})}),
              HasSubstr("a mask has 2 rows where row 0 of the axis has 3 values"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::Mask(Tensor::FromVector(std::vector<int32_t>{1, 0, 1}))}),
              HasSubstr("it must be of booleans"));
  EXPECT_THAT(IndexJson(Ragged(), {Key::Mask(NullableVector<uint8_t>({1, 1, 1}, {1, 1, 0}))}),
              HasSubstr("element 2 of a mask is absent"));
}

TEST(IndexMask, OfSeveralAxesMasksTheInnermost) {
  const Value mask =
      RaggedTensor::FromRowPartitions({Partition({0, 3, 3, 5})}, Tensor::FromVector(std::vector<uint8_t>{1, 0, 1, 0, 1}))
          .value();
  EXPECT_EQ(IndexJson(Ragged(), {Key::Mask(mask)}), "[[1,3],[],[5]]");
  const Value nested = WithOuterPartition(Partition({0, 1, 3}), mask);
  EXPECT_EQ(IndexJson(WithOuterPartition(Partition({0, 1, 3}), Ragged()), {Key::Mask(nested)}), "[[[1,3]],[[],[5]]]");
  EXPECT_EQ(IndexJson(Cube(), {Key::Mask(Tensor::FromBuffer(Buffer<uint8_t>::FromVector({1, 0, 1, 1}), Shape({2, 2}))), 0}),
            "[[1],[7,10]]");
  EXPECT_THAT(
      IndexJson(Ragged(),
                {Key::Mask(RaggedTensor::FromRowPartitions({Partition({0, 2, 3, 5})}, mask.ragged()->flat_values()).value())}),
      HasSubstr("row 0 of a mask has 2 values where that of the value has 3"));
}

TEST(IndexMapKey, GivesTheValueAsAnOptional) {
  EXPECT_EQ(IndexJson(Recipes(), {Key::All(), "tags", Key::MapKey("dry")}), "[[],[2]]");
  const Value dry = Index(Recipes(), {Key::All(), "tags", Key::MapKey("dry")}).value();
  EXPECT_EQ(ToJson(dry, {.unwrap_optional = true}), "[null,2]");
  EXPECT_EQ(IndexJson(Recipes(), {0, "tags", Key::MapKey("hot")}), "[1]");
  EXPECT_EQ(IndexJson(OneRecipe(), {"recipe", "tags", Key::MapKey("dry")}), "[]");
  EXPECT_THAT(IndexJson(Recipes(), {0, "tags", Key::MapKey("hot"), 0}), HasSubstr("it selects from 2 axes"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "ingredients", Key::MapKey("dry")}), HasSubstr("structs that are not entries of a map"));
  EXPECT_THAT(IndexJson(Recipes(), {0, "tags", Key::MapKey(1)}), HasSubstr("MapKey(1) is used for a map with keys of string"));
  EXPECT_THAT(IndexJson(Recipes(), {"tags", Key::MapKey("dry")}), HasSubstr("field 'tags' is given before axis 0"));
}

TEST(IndexMapKey, OfIntegersGoesOnIntoItsValue) {
  const auto inner = StructuredTensor::FromFields(3, {{"x", Tensor::FromVector({"a", "b", "c"})}}).value();
  const StructuredTensor entries = StructuredTensor::Create(
      {Partition({0, 2, 3})}, 3, {{"key", Tensor::FromVector(std::vector<int32_t>{7, 7, -1})}, {"value", inner}},
      StructKind::kMapEntry);
  EXPECT_EQ(IndexJson(entries, {Key::All(), Key::MapKey(7), "x"}), R"([["b"],[]])");
  EXPECT_EQ(IndexJson(entries, {1, Key::MapKey(-1), "x"}), R"(["c"])");
  EXPECT_EQ(IndexJson(entries, {Key::MapKey(7)}),
            "INVALID_ARGUMENT: key [MapKey(7)]: MapKey(7) is given before axis 1 of structs of shape "
            "[2, None] is indexed; write ':' for each whole axis");
}

TEST(IndexMapKey, CoversEachTypeOfIntegers) {
  const auto entries = [](const Value& keys) {
    return StructuredTensor::Create({Partition({0, 2})}, 2, {{"key", keys}, {"value", Tensor::FromVector({"a", "b"})}},
                                    StructKind::kMapEntry);
  };
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const Value wide = entries(Tensor::FromVector(std::vector<uint64_t>{kMost, uint64_t{1} << 63}));
  EXPECT_EQ(IndexJson(wide, {Key::All(), Key::MapKey(kMost)}), R"([["a"]])");
  EXPECT_EQ(IndexJson(wide, {Key::All(), Key::MapKey(uint64_t{1} << 63)}), R"([["b"]])");
  EXPECT_EQ(IndexJson(wide, {Key::All(), Key::MapKey(-1)}), "[[]]");  // the same 64 bits, another number
  EXPECT_EQ(IndexJson(wide, {Key::All(), Key::MapKey(std::numeric_limits<int64_t>::min())}), "[[]]");
  const Value narrow = entries(Tensor::FromVector(std::vector<int64_t>{-1, std::numeric_limits<int64_t>::min()}));
  EXPECT_EQ(IndexJson(narrow, {Key::All(), Key::MapKey(-1)}), R"([["a"]])");
  EXPECT_EQ(IndexJson(narrow, {Key::All(), Key::MapKey(int8_t{-1})}), R"([["a"]])");
  EXPECT_EQ(IndexJson(narrow, {Key::All(), Key::MapKey(kMost)}), "[[]]");
  const Value flags = entries(Tensor::FromVector(std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(IndexJson(flags, {Key::All(), Key::MapKey(true)}), R"([["a"]])");
  EXPECT_EQ(IndexJson(flags, {Key::All(), Key::MapKey(false)}), R"([["b"]])");
  EXPECT_EQ(IndexJson(flags, {Key::All(), Key::MapKey(2)}), "[[]]");
  EXPECT_EQ(Key::MapKey(kMost).DebugString(), "MapKey(18446744073709551615)");
  EXPECT_EQ(Key::MapKey(-7).DebugString(), "MapKey(-7)");
}

TEST(IndexNames, AxesBeforeThemMayBeLeftOut) {
  const auto shorter = [](const Value& value, std::vector<Key> keys) {
    const absl::StatusOr<Value> result = Index(value, keys, AxesBeforeNames::kMayBeLeftOut);
    return result.ok() ? ToJson(*result) : std::string(result.status().message());
  };
  EXPECT_EQ(shorter(Recipes(), {"title"}), IndexJson(Recipes(), {Key::All(), "title"}));
  EXPECT_EQ(shorter(Recipes(), {"ingredients", Key::All(), "name"}),
            IndexJson(Recipes(), {Key::All(), "ingredients", Key::All(), "name"}));
  EXPECT_EQ(shorter(Recipes(), {"ingredients", "name"}), R"([["water","salt"],["flour"]])");
  EXPECT_EQ(shorter(Recipes(), {"ingredients", 0, "name"}), R"(["water","flour"])");
  EXPECT_EQ(shorter(Recipes(), {1, "ingredients", "name"}), R"(["flour"])");
  EXPECT_EQ(shorter(Recipes(), {"tags", Key::MapKey("dry")}), IndexJson(Recipes(), {Key::All(), "tags", Key::MapKey("dry")}));
  EXPECT_EQ(shorter(Recipes(), {Key::Fields({"title"})}), R"([{"title":"soup"},{"title":"bread"}])");
  // What is wrong stays wrong.
  EXPECT_THAT(shorter(Recipes(), {"titel"}), HasSubstr("there is no field 'titel'"));
  EXPECT_THAT(shorter(Recipes(), {"title", "x"}), HasSubstr("has no fields"));
  EXPECT_THAT(shorter(Recipes(), {0, 0, "title"}), HasSubstr("have no axis 1"));
}

TEST(IndexFields, LeavesStructsWithThose) {
  EXPECT_EQ(IndexJson(Recipes(), {0, Key::Fields({"tags", "title"})}), R"({"tags":{"hot":1},"title":"soup"})");
  EXPECT_EQ(IndexJson(Recipes(), {Key::All(), "ingredients", Key::All(), Key::Fields({"name"})}),
            R"([[{"name":"water"},{"name":"salt"}],[{"name":"flour"}]])");
  EXPECT_EQ(IndexJson(Recipes(), {Key::All(), Key::Fields({})}), "[{},{}]");
  EXPECT_THAT(IndexJson(Recipes(), {Key::All(), Key::Fields({"nope"})}),
              HasSubstr("NOT_FOUND: key [:, fields(nope)]: there is no field 'nope'"));
  EXPECT_THAT(IndexJson(Recipes(), {Key::All(), Key::Fields({"tags", "tags"})}), HasSubstr("field 'tags' is named twice"));
}

TEST(IndexScalarStruct, AColonIsAllOfItsFields) {
  const auto structs =
      StructuredTensor::FromFields(1, {{"b", Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3}), Shape({1, 3}))},
                                       {"c", Tensor::FromBuffer(Buffer<int32_t>::FromVector({4, 5}), Shape({1, 2}))}})
          .value()
          .Row(0);
  EXPECT_EQ(IndexJson(structs, {Key::All()}), R"({"b":[1,2,3],"c":[4,5]})");
  EXPECT_EQ(IndexJson(structs, {Key::All(), 0}), R"({"b":1,"c":4})");
  EXPECT_EQ(IndexJson(structs, {Key::All(), Key::NewAxis()}), R"({"b":[[1,2,3]],"c":[[4,5]]})");
  EXPECT_THAT(IndexJson(structs, {Key::All(), 2}), HasSubstr("OUT_OF_RANGE"));
  EXPECT_THAT(IndexJson(structs, {Key::All(), "b"}), HasSubstr("'b' selects a field"));
}

TEST(IndexWithoutFields, StructsAreAllTheSame) {
  const StructuredTensor rows = StructuredTensor::FromFields(3, {}).value();
  EXPECT_EQ(IndexJson(rows, {-4}), "{}");
  EXPECT_EQ(IndexJson(rows, {Key::Range(1, {})}), "[{},{}]");
  const StructuredTensor matrix = rows.WithOuterPartition(Partition({0, 1, 3, 3}));
  EXPECT_EQ(IndexJson(matrix, {0}), "[{}]");
  EXPECT_EQ(IndexJson(matrix, {9, 9}), "{}");
  EXPECT_EQ(IndexJson(matrix, {Key::All(), 0}), "[{},{},{}]");
  EXPECT_THAT(IndexJson(matrix, {9}), HasSubstr("OUT_OF_RANGE"));
}

TEST(Index, KeepsOptionalUniformAndShapeDtype) {
  const Value ratings = Recipes().field_value("rating").value();
  EXPECT_TRUE(Index(ratings, {Key::All(), Key::Range({}, 1)})->ragged()->row_partition(0).is_optional());
  const auto flat = StructuredTensor::FromFields(4, {{"x", Tensor::FromVector(std::vector<int32_t>{1, 2, 3, 4})}}).value();
  const StructuredTensor matrix =
      flat.WithOuterPartition(RowPartition::FromUniformRowLength(2, 2).value()).WithShapeDtype(DType::kInt32);
  const Value column = Index(matrix, {Key::All(), Key::Range(1, {})}).value();
  EXPECT_EQ(column.shape(), Shape({2, 1}));
  EXPECT_EQ(column.structured()->shape_dtype(), DType::kInt32);
  EXPECT_EQ(ToJson(column), R"([[{"x":2}],[{"x":4}]])");
  EXPECT_EQ(Index(matrix, {Key::Rows({0})})->structured()->row_partitions()[0].dtype(), DType::kInt32);
}

TEST(Index, MoreRowsThanMemoryAreAnError) {
  const StructuredTensor huge = StructuredTensor::Create({RowPartition::FromUniformRowLength(2, int64_t{1} << 60).value()},
                                                         int64_t{1} << 61, std::vector<Field>{});
  EXPECT_EQ(Index(huge, {Key::All(), Key::Range(1, {})}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Index(huge, {Key::All(), Key::Rows({0, 1})}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Index(huge, {Key::Range(5, 7)})->nrows(), 2);
}

}  // namespace
}  // namespace structtensor
