#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cookbook.structtensor.h"
#include "cookbook_testutil.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "oven.structtensor.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::cookbook::KitchenDecoder;
using testing::cookbook::OvenDecoder;
using testing::cookbook::RecipeDecoder;

template <typename Decoder>
StructuredTensor Decode(const std::vector<std::string>& messages, const TensorOptions& options) {
  Decoder decoder;
  auto batch = decoder.Decode(messages.begin(), messages.end());
  EXPECT_TRUE(batch.ok()) << batch.status();
  auto value = ToStructuredTensor(*batch, options);
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}

StructuredTensor Decode(std::initializer_list<const char*> strings,
                        const TensorOptions& options = {.optionals = Optionals::kRagged}, int recursion_depth = 1) {
  const std::vector<std::string> messages = SerializedRecipes(strings);
  RecipeDecoder decoder = *RecipeDecoder::Create({.recursion_depth = recursion_depth});
  auto batch = decoder.Decode(messages.begin(), messages.end());
  EXPECT_TRUE(batch.ok()) << batch.status();
  auto value = ToStructuredTensor(*batch, options);
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}

std::string Json(const StructuredTensor& value, const char* path) {
  const auto field = value.field_value(path);
  EXPECT_TRUE(field.ok()) << field.status();
  return ToJson(*field);
}

TEST(FromBatch, ImplicitPresenceHasTheShapeOfTheRows) {
  const StructuredTensor value = Decode({"title: 'pie' vegetarian: true", "", "title: 'stew'"});
  EXPECT_EQ(Json(value, "title"), R"(["pie","","stew"])");
  EXPECT_EQ(Json(value, "vegetarian"), "[true,false,false]");
}

TEST(FromBatch, ExplicitPresenceIsARaggedDimensionOfZeroOrOne) {
  const StructuredTensor value = Decode({"minutes: 30", "", "minutes: 0"});
  EXPECT_EQ(Json(value, "minutes"), "[[30],[],[0]]");
  const auto field = value.field_value("minutes");
  EXPECT_TRUE(field->ragged()->row_partition(0).is_optional());
}

TEST(FromBatch, ExplicitPresenceCanBeNullable) {
  const StructuredTensor value = Decode({"minutes: 30", "", "minutes: 0"}, {.optionals = Optionals::kNullable});
  EXPECT_EQ(Json(value, "minutes"), "[30,null,0]");
}

TEST(FromBatch, ExplicitPresenceCanBeFilledWithDefaults) {
  const StructuredTensor value = Decode({"minutes: 30", "", "minutes: 0"}, {.optionals = Optionals::kDefaultFilled});
  EXPECT_EQ(Json(value, "minutes"), "[30,0,0]");
}

TEST(FromBatch, DeclaredDefaultsFillWhatIsAbsent) {
  // The default of `fuel` is the first value of its enum; `label` is empty in the second message, not absent.
  const StructuredTensor value = Decode<OvenDecoder>(
      {SerializedOven("degrees: 250 label: 'hot' fuel: GAS convection: false factor: 0.5"), SerializedOven("label: ''")},
      {.optionals = Optionals::kDefaultFilled});
  EXPECT_EQ(Json(value, "degrees"), "[250,-1]");
  EXPECT_EQ(Json(value, "label"), R"(["hot",""])");
  EXPECT_EQ(Json(value, "fuel"), "[7,5]");
  EXPECT_EQ(Json(value, "convection"), "[false,true]");
  EXPECT_EQ(Json(value, "factor"), "[0.5,1.5]");
  EXPECT_EQ(Json(Decode<OvenDecoder>({""}, {.optionals = Optionals::kDefaultFilled}), "label"), R"(["oven"])");
  EXPECT_EQ(Json(Decode<OvenDecoder>({""}, {.optionals = Optionals::kNullable}), "label"), "[null]");
}

TEST(FromBatch, UnknownFieldsThatTheDecoderKeptAreABytesField) {
  const std::string unknown = "\x9a\x3f\x02hi";  // field 1011, "hi"
  const std::vector<std::string> messages = {SerializedRecipe("title: 'pie' ingredients { name: 'egg' }") + unknown, ""};
  DecodeOptions options;
  options.recursion_depth = 1;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  RecipeDecoder decoder = *RecipeDecoder::Create(options);
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  ASSERT_TRUE(batch.ok());
  const auto value = ToStructuredTensor(*batch);
  ASSERT_TRUE(value.ok()) << value.status();
  const auto strings = value->field_value("unknown_fields");
  ASSERT_TRUE(strings.ok()) << strings.status();
  EXPECT_EQ(strings->tensor()->string_at(0), unknown);
  EXPECT_EQ(strings->tensor()->string_at(1), "");
  EXPECT_TRUE(value->field_value("ingredients.unknown_fields").ok());
  EXPECT_FALSE(value->field_value("ratings.unknown_fields").ok());
  EXPECT_FALSE(ToStructuredTensor(*RecipeDecoder().Decode(messages))->field_value("unknown_fields").ok());
  EXPECT_EQ(batch->unknown_fields()[0], unknown);
}

TEST(FromBatch, RepeatedFieldsAddARaggedDimension) {
  const StructuredTensor value = Decode({"steps: 'mix' steps: 'bake'", "", "steps: ''"});
  EXPECT_EQ(Json(value, "steps"), R"([["mix","bake"],[],[""]])");
}

TEST(FromBatch, RepeatedMessagesAreStructuredTensorsOfOneMoreAxis) {
  const StructuredTensor value =
      Decode({"ingredients { name: 'egg' amount: 2 } ingredients { name: 'salt' }", "", "ingredients {}"});
  EXPECT_EQ(Json(value, "ingredients.name"), R"([["egg","salt"],[],[""]])");
  EXPECT_EQ(Json(value, "ingredients.amount"), "[[[2],[]],[],[[]]]");
  EXPECT_EQ(value.field_value("ingredients")->structured()->rank(), 2);
}

TEST(FromBatch, SingularMessagesAreARaggedDimensionOfZeroOrOne) {
  const StructuredTensor value =
      Decode({"leftovers { name: 'rice' }", "", "leftovers {}", "", "leftovers { name: 'peas' amount: 2 }"});
  EXPECT_EQ(Json(value, "leftovers"),
            R"([[{"name":"rice","amount":[]}],[],[{"name":"","amount":[]}],[],[{"name":"peas","amount":[2]}]])");
  const auto field = value.field_value("leftovers");
  EXPECT_EQ(field->structured()->rank(), 2);
  EXPECT_TRUE(field->structured()->row_partitions()[0].is_optional());
  EXPECT_FALSE(field->structured()->nullable());
  EXPECT_EQ(Json(value, "leftovers.name"), R"([["rice"],[],[""],[],["peas"]])");
}

TEST(FromBatch, SingularMessagesThatAreAlwaysOrNeverPresentAreNotCopied) {
  const StructuredTensor all = Decode({"leftovers { name: 'rice' }", "leftovers {}"});
  EXPECT_EQ(Json(all, "leftovers.name"), R"([["rice"],[""]])");
  const StructuredTensor none = Decode({"", ""});
  EXPECT_EQ(Json(none, "leftovers"), "[[],[]]");
  EXPECT_TRUE(none.field_value("leftovers")->structured()->row_partitions()[0].is_optional());
  const StructuredTensor no_rows = Decode({});
  EXPECT_EQ(Json(no_rows, "leftovers"), "[]");
}

TEST(FromBatch, SingularMessagesInOthersAreOptionalInOptional) {
  const StructuredTensor value = Decode({"variation { variation { title: 'deep' steps: 'a' steps: 'b' } }",
                                         "variation { title: 'v' }", "", "variation { variation { } }"},
                                        {.optionals = Optionals::kRagged}, /*recursion_depth=*/3);
  EXPECT_EQ(Json(value, "variation.variation.title"), R"([[["deep"]],[[]],[],[[""]]])");
  EXPECT_EQ(Json(value, "variation.variation.steps"), R"([[[["a","b"]]],[[]],[],[[[]]]])");
  EXPECT_EQ(Json(value, "variation.title"), R"([[""],["v"],[],[""]])");
}

TEST(FromBatch, SingularMessagesCanBeNullable) {
  for (const Optionals optionals : {Optionals::kNullable, Optionals::kDefaultFilled}) {
    const StructuredTensor value =
        Decode({"leftovers { name: 'rice' amount: 1 }", "", "leftovers { amount: 2 }"}, {.optionals = optionals});
    EXPECT_EQ(Json(value, "leftovers"), R"([{"name":"rice","amount":1},null,{"name":"","amount":2}])");
  }
}

// The copy without absent rows is memory beside the columns.
TEST(FromBatch, CopiesOfPresentMessagesCountAsMemoryOfTheBatch) {
  constexpr size_t kRows = 100000;
  std::vector<std::string> messages(kRows);
  for (size_t row = 0; row < kRows; row += 2) messages[row] = SerializedRecipe("leftovers { name: 'rice' amount: 1 }");
  RecipeDecoder decoder;
  const size_t columns_bytes = decoder.Decode(messages)->decoded().tree().used_bytes();
  for (const size_t more_bytes : {size_t{100'000}, size_t{4'000'000}}) {
    RecipeDecoder tight = *RecipeDecoder::Create({.max_memory_bytes = columns_bytes + more_bytes});
    const auto batch = tight.Decode(messages);
    ASSERT_TRUE(batch.ok()) << batch.status();
    TensorOptions options = {.optionals = Optionals::kRagged,
                             .well_known_types = WellKnownTypes::kStructs};  // whose native values would count, too
    const absl::Status status = ToStructuredTensor(*batch, options).status();
    EXPECT_EQ(status.code(), more_bytes < 1'000'000 ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kOk) << status;
    options.optionals = Optionals::kNullable;
    EXPECT_TRUE(ToStructuredTensor(*batch, options).ok());
  }
}

TEST(FromBatch, MapsAreEntriesWithTheLastOfEqualKeys) {
  const std::string twice = SerializedRecipe("ratings { key: 'a' value: 1 } ratings { key: 'b' value: 2 }") +
                            SerializedRecipe("ratings { key: 'a' value: 3 }");
  RecipeDecoder decoder;
  const std::vector<std::string_view> messages = {twice, ""};
  const auto value = ToStructuredTensor(*decoder.Decode(messages));
  EXPECT_EQ(Json(*value, "ratings"), R"([{"b":2,"a":3},{}])");
  EXPECT_EQ(value->field_value("ratings")->structured()->kind(), StructKind::kMapEntry);
}

TEST(FromBatch, OneofsHaveACaseColumn) {
  const StructuredTensor value = Decode({"book: 'x'", "", "leftovers {}"}, {.optionals = Optionals::kNullable});
  EXPECT_EQ(Json(value, "source_case"), "[6,0,7]");
  EXPECT_EQ(Json(value, "book"), R"(["x",null,null])");
}

TEST(FromBatch, OneofsHaveACaseColumnOfNames) {
  const TensorOptions options = {.optionals = Optionals::kNullable, .enums = Enums::kNames};
  const StructuredTensor value = Decode({"book: 'x'", "", "leftovers {}", "variation { book: 'y' }"}, options);
  EXPECT_EQ(Json(value, "source_case"), R"(["book","","leftovers",""])");
  const Value sides = *Decode({"sides {} sides { book: 'y' }"}, options, /*recursion_depth=*/2).field_value("sides");
  EXPECT_EQ(Json(*sides.structured(), "source_case"), R"([["","book"]])");
}

TEST(FromBatch, WellKnownTypesAreNative) {
  const StructuredTensor value =
      Decode({"created { seconds: 1 nanos: 5 } rests { seconds: -2 nanos: -1 } note { value: 'n' }", "", "created {} note {}"},
             {.optionals = Optionals::kNullable, .timestamps = TimeUnit::kNanoseconds});
  EXPECT_EQ(value.field_value("created")->tensor()->dtype(), DType::kTimestampNs);
  EXPECT_EQ(Json(value, "created"), R"(["1970-01-01T00:00:01.000000005Z",null,"1970-01-01T00:00:00Z"])");
  EXPECT_EQ(Json(value, "rests"), R"([["-2.000000001s"],[],[]])");
  EXPECT_EQ(Json(value, "note"), R"(["n",null,""])");
}

TEST(FromBatch, RaggedWellKnownTypesHoldOnlyThePresentValues) {
  const StructuredTensor value = Decode({"", "note { value: 'n' } created { seconds: 1 }", "note {}"});
  EXPECT_EQ(Json(value, "note"), R"([[],["n"],[""]])");
  EXPECT_EQ(Json(value, "created"), R"([[],["1970-01-01T00:00:01Z"],[]])");
}

// Filled defaults take memory of their own: the batch's limit counts it, and 32-bit offsets hold it.
TEST(FromBatch, DeclaredDefaultsCountAsMemoryOfTheBatch) {
  constexpr size_t kRows = 100000;
  // One row has a label, so the column is there; "oven" fills the others, four bytes and an offset each.
  std::vector<std::string> messages(kRows);
  messages[0] = SerializedOven("label: 'hot'");
  OvenDecoder roomy = *OvenDecoder::Create({.max_memory_bytes = size_t{64} << 20});
  const auto batch = roomy.Decode(messages);
  ASSERT_TRUE(batch.ok()) << batch.status();
  const auto filled = ToStructuredTensor(*batch, {.optionals = Optionals::kDefaultFilled});
  ASSERT_TRUE(filled.ok()) << filled.status();
  EXPECT_EQ(Json(filled->SliceRows(kRows - 1, kRows), "label"), R"(["oven"])");

  const size_t columns_bytes = batch->decoded().tree().used_bytes();
  OvenDecoder tight = *OvenDecoder::Create({.max_memory_bytes = columns_bytes + 200000});
  const auto tight_batch = tight.Decode(messages);
  ASSERT_TRUE(tight_batch.ok()) << tight_batch.status();
  const absl::Status refused = ToStructuredTensor(*tight_batch, {.optionals = Optionals::kDefaultFilled}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("max_memory_bytes=" + std::to_string(columns_bytes + 200000)));
  EXPECT_TRUE(ToStructuredTensor(*tight_batch, {.optionals = Optionals::kNullable}).ok());
}

TEST(FromBatch, WellKnownTypesCanStayStructs) {
  const StructuredTensor value =
      Decode({"created { seconds: 1 }"}, {.optionals = Optionals::kRagged, .well_known_types = WellKnownTypes::kStructs});
  EXPECT_EQ(Json(value, "created"), R"([[{"seconds":1,"nanos":0}]])");
}

TEST(FromBatch, RecursionBeyondTheDepthIsBytes) {
  const StructuredTensor value =
      Decode({"variation { title: 'v' } sides { title: 's' } sides {}", ""}, {.optionals = Optionals::kNullable});
  const auto sides = value.field_value("sides");
  EXPECT_EQ(sides->ragged()->dtype(), DType::kBytes);
  EXPECT_EQ(sides->ragged()->flat_values().string_at(0), SerializedRecipe("title: 's'"));
  EXPECT_EQ(value.field_value("variation")->tensor()->string_at(0), SerializedRecipe("title: 'v'"));
  EXPECT_FALSE(value.field_value("variation")->tensor()->is_valid(1));
}

TEST(FromBatch, RecursionWithoutALimitGoesAsFarAsTheData) {
  const StructuredTensor value =
      Decode({"variation { title: 'v' sides { title: 's' } }", ""}, {.optionals = Optionals::kRagged}, /*recursion_depth=*/0);
  EXPECT_EQ(Json(value, "variation.sides.title"), R"([[["s"]],[]])");
  EXPECT_FALSE(value.field_value("variation.variation").ok());
  EXPECT_FALSE(value.field_value("sides").ok());
}

std::vector<std::string> FieldsThatMayHaveValues(const StructuredTensor& structs) {
  std::vector<std::string> names;
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    if (structs.may_have_values(i)) names.push_back(structs.field_names()[i]);
  }
  return names;
}

TEST(FromBatch, FieldsThatNoMessageHasAreKnownToHaveNoValues) {
  using Names = std::vector<std::string>;
  const std::vector<std::string> kitchens = {Serialized("Kitchen", "towels: ['red'] oven { degrees: 200 }"),
                                             Serialized("Kitchen", "lamps: 2")};
  for (const Optionals optionals : {Optionals::kNullable, Optionals::kRagged, Optionals::kDefaultFilled}) {
    const StructuredTensor value = Decode<KitchenDecoder>(kitchens, {.optionals = optionals});
    EXPECT_TRUE(value.may_have_values(0));  // oven
    const bool filled = optionals == Optionals::kDefaultFilled;
    // Ovens are not deferred where their declared defaults are filled in.
    EXPECT_EQ(FieldsThatMayHaveValues(value), filled ? (Names{"oven", "towels", "spare_ovens", "lamps", "window", "light_case"})
                                                     : (Names{"oven", "towels", "lamps", "light_case"}));
    if (optionals == Optionals::kRagged) continue;  // then messages that are absent in some rows are copies
    EXPECT_EQ(FieldsThatMayHaveValues(*value.flat_field(0).structured()),
              filled ? (Names{"degrees", "label", "fuel", "convection", "factor"}) : Names{"degrees"});
  }
  const StructuredTensor none = Decode<KitchenDecoder>({}, {});
  EXPECT_EQ(FieldsThatMayHaveValues(none), Names{"light_case"});
  const StructuredTensor empty = Decode<KitchenDecoder>({""}, {});
  EXPECT_EQ(FieldsThatMayHaveValues(empty), Names{"light_case"});
  EXPECT_EQ(Json(empty, "oven"), "[null]");
  EXPECT_EQ(Json(empty, "spare_ovens"), "[[]]");
}

TEST(FromBatch, AllBatchesOfASchemaHaveTheSameSpec) {
  for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable, Optionals::kDefaultFilled}) {
    for (const int depth : {1, 2, 3}) {
      const auto spec_of = [&](std::initializer_list<const char*> strings) {
        return TypeSpec(Decode(strings, {.optionals = optionals}, depth).spec()).WithUnknownSizes();
      };
      const TypeSpec none = spec_of({});
      const TypeSpec absent = spec_of({"", ""});
      const TypeSpec present =
          spec_of({"title: 't' minutes: 1 ingredients { amount: 1 } steps: '' ratings { key: '' value: 1 } leftovers {} "
                   "created {} rests {} note {} variation { sides {} } sides {} vegetarian: true"});
      EXPECT_EQ(none, absent) << none.TreeString() << absent.TreeString();
      EXPECT_EQ(none, present) << none.TreeString() << present.TreeString();
    }
  }
}

TEST(FromBatch, OutlivesItsDecoderAndItsInput) {
  std::optional<StructuredTensor> value;
  {
    std::vector<std::string> messages = SerializedRecipes({"title: 'a title long enough for the heap' steps: 'one'"});
    RecipeDecoder decoder;
    value = *ToStructuredTensor(*decoder.Decode(messages.begin(), messages.end()));
    messages[0].assign(messages[0].size(), '\0');
    ASSERT_TRUE(decoder.Decode(messages.begin(), messages.begin()).ok());
  }
  EXPECT_EQ(Json(*value, "title"), R"(["a title long enough for the heap"])");
}

// Columns are made when they are first read. By then, the input may be gone.
TEST(FromBatch, ColumnsDoNotNeedTheInputOfViews) {
  std::vector<std::string> messages = {SerializedOven("label: 'a label long enough for the heap'")};
  OvenDecoder decoder;
  const StructuredTensor value = *ToStructuredTensor(*decoder.DecodeViews(messages));
  messages[0].assign(messages[0].size(), '\0');
  EXPECT_EQ(Json(value, "label"), R"(["a label long enough for the heap"])");
}

TEST(FromBatch, OptionsMayDifferFromCallToCall) {
  const std::vector<std::string> messages = {SerializedOven("label: 'hot'"), SerializedOven("")};
  OvenDecoder decoder;
  for (int i = 0; i < 2; ++i) {
    const auto batch = decoder.Decode(messages);
    EXPECT_EQ(Json(*ToStructuredTensor(*batch), "label"), R"(["hot",null])");
    EXPECT_EQ(Json(*ToStructuredTensor(*batch, {.optionals = Optionals::kRagged}), "label"), R"([["hot"],[]])");
    EXPECT_EQ(Json(*ToStructuredTensor(*batch, {.optionals = Optionals::kDefaultFilled}), "label"), R"(["hot","oven"])");
  }
}

TEST(FromBatch, SharesTheMemoryOfTheBatch) {
  const std::vector<std::string> messages = SerializedRecipes({"steps: 'a' steps: 'b'"});
  RecipeDecoder decoder;
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  const auto value = ToStructuredTensor(*batch);
  EXPECT_EQ(value->field_value("steps")->ragged()->row_splits().data(), batch->steps().row_splits().data());
}

}  // namespace
}  // namespace structtensor
