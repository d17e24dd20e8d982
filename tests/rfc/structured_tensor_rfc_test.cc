// The examples of the RFC "StructuredTensor" (tensorflow/community, 20190910-struct-tensor), in its order. A test names the
// section whose code it translates.
#include <cstdint>
#include <string>
#include <vector>

#include "examples_testutil.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "structtensor/tensor/struct_ops/apply.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/promote.h"
#include "structtensor/tensor/struct_ops/with_only.h"
#include "structtensor/tensor/struct_ops/with_updates.h"
#include "structtensor/tensor/struct_ops/without.h"
#include "structtensor/tensor/type_spec/make_spec.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/from_fields.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "Design Proposal": the user and the recipe.
NestedValue UserAndRecipe() {
  return Dict{
      {"user_embedding", List{0.8, 2.1, 0.3, 0.1, 9.2, 1.8}},
      {"recipe", Dict{{"title", "Snickerdoodle cookies"},
                      {"est_time", 55.0},
                      {"ingredients", List{Dict{{"amount", 3.0}, {"unit", "cup"}, {"name", "flour"}},
                                           Dict{{"amount", 1.0}, {"unit", "cup"}, {"name", "white sugar"}},
                                           Dict{{"amount", 0.5}, {"unit", "cup"}, {"name", "brown sugar"}},
                                           Dict{{"amount", 1.0}, {"unit", "cup"}, {"name", "butter"}},
                                           Dict{{"amount", 1.0}, {"unit", "teaspoon"}, {"name", "cinnamon"}},
                                           Dict{{"amount", 2.0}, {"unit", "teaspoon"}, {"name", "cream of tartar"}}}},
                      {"step", List{Dict{{"description", "Preheat oven to 350 degrees F."}},
                                    Dict{{"description", "Whisk together the flour, cinnamon, baking soda, salt, ..."}},
                                    Dict{{"description", "Using an electric mixer, cream together the butter and sugar ..."}},
                                    Dict{{"description", "Add the dry ingredients to the wet ingredients and mix until ..."}}}},
                      {"user_rating", List{Dict{{"user_embedding", List{0.7, 2.0, 0.3, 0.3, 5.2, 2.2}}, {"score", 0.8}},
                                           Dict{{"user_embedding", List{1.4, 0.0, 3.1, 1.1, 1.2, 0.3}}, {"score", 0.4}}}}}}};
}
StructuredTensor Struct() { return *Make(UserAndRecipe()).structured(); }

TEST(DesignProposal, TheRootAndTheRecipeAreSingleStructures) {
  const StructuredTensor root = Struct();
  EXPECT_EQ(root.rank(), 0);
  EXPECT_EQ(root.shape(), Shape());
  EXPECT_EQ(root.field_value("recipe")->rank(), 0);
  EXPECT_NE(root.field_value("recipe")->structured(), nullptr);
}

TEST(DesignProposal, IngredientsStepsAndRatingsAreVectorsOfStructures) {
  for (const char* path : {"recipe.ingredients", "recipe.step", "recipe.user_rating"}) {
    const Value vector = *Struct().field_value(path);
    ASSERT_NE(vector.structured(), nullptr) << path;
    EXPECT_EQ(vector.rank(), 1) << path;
  }
}

TEST(DesignProposal, OtherNestedFieldsAreScalarsOfTheirStructure) {
  const StructuredTensor root = Struct();
  EXPECT_EQ(root.field_value("recipe.title")->rank(), 0);
  EXPECT_EQ(root.field_value("recipe.est_time")->rank(), 0);
  const StructuredTensor flour = root.field_value("recipe.ingredients")->structured()->Row(0);
  for (const char* name : {"amount", "unit", "name"}) EXPECT_EQ(flour.field_value(name)->rank(), 0) << name;
  const StructuredTensor rating = root.field_value("recipe.user_rating")->structured()->Row(0);
  EXPECT_EQ(rating.field_value("score")->rank(), 0);
  EXPECT_EQ(rating.field_value("user_embedding")->rank(), 1);
}

TEST(DesignProposal, TheSchemaConstrainsTheTypeOfEachField) {
  EXPECT_EQ(TypeSpec(Struct().spec()).TreeString(), R"(struct []
  user_embedding: double [6]
  recipe: struct []
    title: string []
    est_time: double []
    ingredients: struct [6]
      amount: double [6]
      unit: string [6]
      name: string [6]
    step: struct [4]
      description: string [4]
    user_rating: struct [2]
      user_embedding: double [2, 6]
      score: double [2]
)");
}

TEST(UsageIndexing, OfAScalarAFieldName) {
  const StructuredTensor root = Struct();
  EXPECT_EQ(Json(Index(root, {"user_embedding"})), "[0.8,2.1,0.3,0.1,9.2,1.8]");
  EXPECT_THAT(Json(Index(root, {"recipe"})), HasSubstr(R"({"title":"Snickerdoodle cookies","est_time":55)"));
  const Value recipe = *Index(root, {"recipe"});
  EXPECT_EQ(Json(Index(recipe, {"title"})), "\"Snickerdoodle cookies\"");
  EXPECT_THAT(Json(Index(recipe, {"ingredients"})), HasSubstr(R"([{"amount":3,"unit":"cup","name":"flour"},{)"));
}

TEST(UsageIndexing, OfAVectorElements) {
  EXPECT_EQ(Json(Index(*Index(Struct(), {"recipe", "ingredients"}), {0})), R"({"amount":3,"unit":"cup","name":"flour"})");
}

TEST(UsageIndexing, MultiDimensional) { EXPECT_EQ(Json(Index(Struct(), {"recipe", "ingredients", 0, "name"})), "\"flour\""); }

TEST(UsageIndexing, SlicesOfTensorDimensions) {
  EXPECT_EQ(Json(Index(Struct(), {"recipe", "ingredients", Key::All(), "name"})),
            R"(["flour","white sugar","brown sugar","butter","cinnamon","cream of tartar"])");
  const absl::StatusOr<Value> embeddings =
      Index(Struct(), {"recipe", "user_rating", Key::All(), "user_embedding", Key::Range(std::nullopt, std::nullopt, 2)});
  EXPECT_EQ(Json(embeddings), "[[0.7,0.3,5.2],[1.4,3.1,1.2]]");
}

TEST(UsagePathBasedManipulation, Broadcast) {
  const absl::StatusOr<StructuredTensor> result = Broadcast(Struct(), {"recipe", "title"}, {"recipe", "ingredients", "of"});
  EXPECT_EQ(Json(Index(*result, {"recipe", "ingredients", Key::Range(0, 2), Key::Fields({"name", "of"})})),
            R"([{"name":"flour","of":"Snickerdoodle cookies"},{"name":"white sugar","of":"Snickerdoodle cookies"}])");
}

TEST(UsagePathBasedManipulation, Promote) {
  const absl::StatusOr<StructuredTensor> result = Promote(Struct(), {"recipe", "user_rating", "score"}, {"recipe", "scores"});
  EXPECT_EQ(Json(result->field_value("recipe.scores")), "[0.8,0.4]");
}

TEST(UsagePathBasedManipulation, Apply) {
  const auto mean = [](std::span<const Value> scores) -> absl::StatusOr<Value> {
    double sum = 0;
    for (const double score : scores[0].tensor()->values<double>()) sum += score;
    return Value(Tensor::Scalar(sum / static_cast<double>(scores[0].nrows())));
  };
  const absl::StatusOr<StructuredTensor> result =
      Apply(Struct(), {{"recipe", "user_rating", "score"}}, {"recipe", "score"}, mean);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(result->field_value("recipe.score")->tensor()->values<double>()[0], 0.6);
}

TEST(UsageUpdatingFields, UpdatesAddReplaceAndRemove) {
  const StructuredTensor st = *Make(Dict{{"a", 1}, {"b", List{1, 2}}}).structured();
  EXPECT_EQ(Json(WithUpdates(st, {Update::Set({"a"}, Make(5)), Update::Set({"c"}, Make("new"))})),
            R"({"a":5,"b":[1,2],"c":"new"})");
  EXPECT_EQ(Json(Without(st, {{"a"}})), R"({"b":[1,2]})");
  EXPECT_EQ(Json(WithOnly(st, {{"a"}})), R"({"a":1})");
  EXPECT_EQ(ToJson(st), R"({"a":1,"b":[1,2]})") << "the value itself never changes";
}

TEST(UsageUpdatingFields, UnmodifiedFieldsAreSharedNotCopied) {
  const StructuredTensor root = Struct();
  const StructuredTensor updated = *WithUpdates(root, {Update::Set({"recipe", "est_time"}, Make(50.0))});
  const auto amounts = [](const StructuredTensor& st) {
    return st.field_value("recipe.ingredients.amount")->tensor()->values<double>().data();
  };
  EXPECT_EQ(amounts(updated), amounts(root));
}

TEST(StructTensorEncoding, Scalar) {
  const StructuredTensor st_scalar = *Make(Dict{{"x", "foo"}, {"y", List{List{1, 2}, List{3}}}}).structured();
  EXPECT_EQ(st_scalar.shape(), Shape());
  EXPECT_EQ(Json(st_scalar.field_value("x")), "\"foo\"");
  EXPECT_EQ(Json(st_scalar.field_value("y")), "[[1,2],[3]]");
  EXPECT_NE(st_scalar.field_value("x")->tensor(), nullptr);
  EXPECT_NE(st_scalar.field_value("y")->ragged(), nullptr);
}

TEST(StructTensorEncoding, Vector) {
  const StructuredTensor st_vector =
      *Make(List{Dict{{"x", "foo"}, {"y", List{List{1, 2}, List{3}}}}, Dict{{"x", "bar"}, {"y", List{List{4}, List{5, 6}}}},
                 Dict{{"x", "baz"}, {"y", List{List{7, 8, 9}}}}})
           .structured();
  EXPECT_EQ(st_vector.shape(), Shape({3}));
  EXPECT_EQ(Json(st_vector.field_value("x")), R"(["foo","bar","baz"])");
  EXPECT_EQ(Json(st_vector.field_value("y")), "[[[1,2],[3]],[[4],[5,6]],[[7,8,9]]]");
  EXPECT_NE(st_vector.field_value("x")->tensor(), nullptr);
  EXPECT_NE(st_vector.field_value("y")->ragged(), nullptr);
}

NestedValue Matrix() {
  return List{List{Dict{{"x", "foo"}, {"y", List{List{1, 2}, List{3}}}}, Dict{{"x", "bar"}, {"y", List{List{4}, List{5, 6}}}}},
              List{Dict{{"x", "baz"}, {"y", List{List{7, 8, 9}}}}, Dict{{"x", "raz"}, {"y", List{}}}}};
}

TEST(StructTensorEncoding, Matrix) {
  const StructuredTensor st_matrix = *Make(Matrix()).structured();
  EXPECT_EQ(st_matrix.rank(), 2);
  EXPECT_EQ(st_matrix.nrows(), 2);
  EXPECT_EQ(Json(st_matrix.field_value("x")), R"([["foo","bar"],["baz","raz"]])");
  EXPECT_EQ(Json(st_matrix.field_value("y")), "[[[[1,2],[3]],[[4],[5,6]]],[[[7,8,9]],[]]]");
  EXPECT_EQ(ToJson(st_matrix),
            R"([[{"x":"foo","y":[[1,2],[3]]},{"x":"bar","y":[[4],[5,6]]}],[{"x":"baz","y":[[7,8,9]]},{"x":"raz","y":[]}]])");
}

TEST(StructTensorEncoding, DenseMatrixHasAStaticShape) {
  // Where the shape is given, as DenseStructuredTensor does, both dimensions are known.
  const Tensor x = *TensorConstant(List{List{"foo", "bar"}, List{"baz", "raz"}});
  const absl::StatusOr<StructuredTensor> st_matrix = DenseStructuredTensor(Shape({2, 2}), {{"x", x}});
  ASSERT_TRUE(st_matrix.ok()) << st_matrix.status();
  EXPECT_EQ(st_matrix->shape(), Shape({2, 2}));
  EXPECT_EQ(st_matrix->field_value("x")->shape(), Shape({2, 2}));
}

TEST(StructTensorEncoding, AnElementsFieldIsTheFieldsElement) {
  // st[D1...DN][k] = v[D1...DN]
  const StructuredTensor st_matrix = *Make(Matrix()).structured();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (const char* k : {"x", "y"}) {
        EXPECT_EQ(Json(Index(*Index(st_matrix, {i, j}), {k})), Json(Index(*st_matrix.field_value(k), {i, j})));
      }
    }
  }
}

TEST(StructTensorEncoding, RaggedStructuredTensorIsValuesAndRowPartitions) {
  const StructuredTensor ragged = *Make(List{List{Dict{{"x", 1}}, Dict{{"x", 2}}}, List{}, List{Dict{{"x", 3}}}}).structured();
  ASSERT_EQ(ragged.row_partitions().size(), 1u);
  EXPECT_THAT(ragged.row_partitions()[0].row_splits().span(), ElementsAre(0, 2, 2, 3));
  EXPECT_EQ(ToJson(ragged.MergeOuterAxes()), R"([{"x":1},{"x":2},{"x":3}])");
}

struct Unencodable {
  NestedValue value;
  const char* message;
};

TEST(Limitations, ValuesThatCannotBeEncoded) {
  const std::vector<Unencodable> table = {
      {List{Dict{{"a", 1}}, Dict{{"a", "hello"}}}, "a"},                                   // different dtypes
      {List{Dict{{"b", List{1, 2, 3}}}, Dict{{"b", List{List{1, 2}, List{3, 4}}}}}, "b"},  // different ranks
      {List{Dict{{"c", Dict{{"x", 1}}}}, Dict{{"c", Dict{{"y", 1}}}}}, "c"},               // different nested fields
  };
  for (const Unencodable& row : table) {
    const absl::Status status = Constant(row.value).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.message));
  }
}

TEST(IntegrationNestedPythonDictionaries, TheSchemaMayBeInferredOrGiven) {
  // Scalars in lists are tensors or ragged tensors, dicts scalars, lists of dicts vectors.
  EXPECT_NE(Make(List{1, 2}).tensor(), nullptr);
  EXPECT_NE(Make(List{List{1}, List{}}).ragged(), nullptr);
  EXPECT_EQ(Make(Dict{{"a", 1}}).structured()->rank(), 0);
  EXPECT_EQ(Make(List{Dict{{"a", 1}}}).structured()->rank(), 1);
  EXPECT_EQ(Make(List{List{Dict{{"a", 1}}}}).structured()->rank(), 2);
  const absl::StatusOr<StructuredTensorSpec> spec =
      MakeStructuredTensorSpec(Shape({2}), {{"a", TensorSpec(Shape({2}), DType::kFloat)}});
  ASSERT_TRUE(spec.ok()) << spec.status();
  const absl::StatusOr<Value> given = Constant(List{Dict{{"a", 1}}, Dict{{"a", 2}}}, {.spec = TypeSpec(*spec)});
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(given->structured()->field_value("a")->tensor()->dtype(), DType::kFloat);
}

TEST(IntegrationPandasDataFrames, ColumnsAreTheFieldsOfAVector) {
  const std::vector<Field> fields = {{"col1", Make(List{1, 2})}, {"col2", Make(List{3, 4})}};
  const absl::StatusOr<StructuredTensor> st = DenseStructuredTensor(Shape({2}), fields);
  EXPECT_EQ(Json(st), R"([{"col1":1,"col2":3},{"col1":2,"col2":4}])");
}

TEST(RelatedWorkNest, TheNumberOfIngredientsMayChangeFromRecipeToRecipe) {
  const Value recipes =
      Make(List{Dict{{"title", "Sugar cookies"},
                     {"ingredient", List{Dict{{"name", "sugar"}, {"amount", 1}}, Dict{{"name", "egg"}, {"amount", 1}}}}},
                Dict{{"title", "Water"}, {"ingredient", List{}}}});
  EXPECT_EQ(Json(recipes.structured()->field_value("ingredient.name")), R"([["sugar","egg"],[]])");
  // One column for all amounts of all recipes.
  EXPECT_EQ(recipes.structured()->field_value("ingredient.amount")->ragged()->flat_values().size_elements(), 2);
}

TEST(DetailedDesignAccessors, ShapeRankFieldNamesAndValues) {
  const StructuredTensor st = *Make(List{Dict{{"x", 1}, {"y", List{1, 2}}}, Dict{{"x", 2}, {"y", List{}}}}).structured();
  EXPECT_EQ(st.shape(), Shape({2}));
  EXPECT_EQ(st.rank(), 1);
  EXPECT_THAT(st.field_names(), ElementsAre("x", "y"));
  // [D1...DN, V1...VM], or the field's value if this is a scalar.
  EXPECT_EQ(Json(st.field_value("y")), "[[1,2],[]]");
  EXPECT_EQ(Json(st.Row(0).field_value("y")), "[1,2]");
}

TEST(DetailedDesignFactories, NewFieldsNeedTheShapeOfTheStructures) {
  const StructuredTensor st = *Make(List{Dict{{"x", 1}}, Dict{{"x", 2}}, Dict{{"x", 3}}}).structured();
  EXPECT_EQ(Json(WithUpdates(st, {Update::Set({"y"}, Make(List{List{7}, List{}, List{8, 9}}))})),
            R"([{"x":1,"y":[7]},{"x":2,"y":[]},{"x":3,"y":[8,9]}])");
  EXPECT_EQ(WithUpdates(st, {Update::Set({"y"}, Make(List{1, 2}))}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DetailedDesignFactories, MissingFieldsAreErrors) {
  const StructuredTensor st = *Make(Dict{{"x", 1}}).structured();
  EXPECT_EQ(Without(st, {{"nope"}}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(WithOnly(st, {{"nope"}}).status().code(), absl::StatusCode::kNotFound);
}

TEST(DetailedDesignConversion, ToNestedDictsAndLists) { EXPECT_EQ(ToNestedValue(Struct()), UserAndRecipe()); }

TEST(DetailedDesignOperators, TextIsShortForBigValues) {
  EXPECT_THAT(DebugString(Value(Struct())), HasSubstr("StructuredTensor({\"user_embedding\":[0.8,"));
  EXPECT_LT(DebugString(Value(Struct())).size(), 300u);
}

TEST(DetailedDesignDenseStructuredTensor, FieldsMustHaveTheShapeInFront) {
  const Tensor x = *TensorConstant(List{List{1, 2, 3}, List{4, 5, 6}});
  EXPECT_EQ(Json(DenseStructuredTensor(Shape({2}), {{"x", x}})), R"([{"x":[1,2,3]},{"x":[4,5,6]}])");
  EXPECT_EQ(Json(DenseStructuredTensor(Shape({2, 3}), {{"x", x}})), R"([[{"x":1},{"x":2},{"x":3}],[{"x":4},{"x":5},{"x":6}]])");
  EXPECT_EQ(Json(DenseStructuredTensor(Shape(), {{"x", x}})), R"({"x":[[1,2,3],[4,5,6]]})");
  EXPECT_EQ(DenseStructuredTensor(Shape({3}), {{"x", x}}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DenseStructuredTensor(Shape({2}), {{"x", x}, {"y", Make(List{1})}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(DetailedDesignRaggedStructuredTensor, FromRowSplits) {
  const Value values = Make(List{Dict{{"x", 1}}, Dict{{"x", 2}}, Dict{{"x", 3}}});
  const absl::StatusOr<Value> ragged = FromRowSplits(values, Buffer<int64_t>::FromVector({0, 2, 2, 3}));
  EXPECT_EQ(Json(ragged), R"([[{"x":1},{"x":2}],[],[{"x":3}]])");
  EXPECT_EQ(ragged->shape(), Shape({3, kUnknownDimension}));
}

TEST(DetailedDesignDenseStructuredTensorSpec, FieldSpecsIncludeTheOuterDimensions) {
  const absl::StatusOr<StructuredTensorSpec> spec =
      MakeStructuredTensorSpec(Shape({2, 3}), {{"x", TensorSpec(Shape({2, 3, 10}), DType::kInt32)}});
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->shape(), Shape({2, 3}));
  EXPECT_EQ(MakeStructuredTensorSpec(Shape({2, 3}), {{"x", TensorSpec(Shape({10}), DType::kInt32)}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeStructuredTensorSpec(Shape::UnknownRank(), {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DetailedDesignRaggedStructuredTensorSpec, TheRowSplitsHaveADtype) {
  const StructuredTensor ragged = *Make(List{List{Dict{{"x", 1}}}, List{}}).structured();
  EXPECT_EQ(ragged.spec().shape_dtype(), DType::kInt64);
  EXPECT_EQ(ragged.WithShapeDtype(DType::kInt32).spec().shape_dtype(), DType::kInt32);
  EXPECT_EQ(ragged.spec().shape(), Shape({2, kUnknownDimension}));
}

}  // namespace
}  // namespace structtensor
