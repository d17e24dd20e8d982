// The effects of annotations on columns. tests/app/schema checks that generated code and the engine agree on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "annotated.structtensor.h"
#include "annotated2.structtensor.h"
#include "annotated_testutil.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using testing::SerializedAnnotated;
using testing::annotated::SizesColumns;
using testing::annotated::StringsColumns;
using testing::annotated::TripColumns;
using testing::annotated::WholeColumns;

struct Decoded {
  absl::StatusOr<StructuredTensor> rows;
  std::vector<InexactTimes> inexact_times = {};
};

Decoded DecodeAnnotated(const plan::MessagePlan& plan, std::initializer_list<const char*> strings,
                        TensorOptions tensor_options = {.optionals = Optionals::kRagged}, DecodeOptions options = {}) {
  const std::string type(plan.full_name.substr(plan.full_name.rfind('.') + 1));
  std::vector<std::string> messages;
  for (const char* text : strings) messages.push_back(SerializedAnnotated(type, text));
  if (options.recursion_depth == 0) options.recursion_depth = 1;
  BatchDecoder decoder = *BatchDecoder::Create(plan, std::move(options));
  const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages);
  if (!batch.ok()) return {batch.status()};
  Decoded decoded{absl::UnknownError("")};
  decoded.rows = ToStructuredTensor(*batch, tensor_options, &decoded.inexact_times);
  return decoded;
}

StructuredTensor Trips(std::initializer_list<const char*> strings,
                       TensorOptions tensor_options = {.optionals = Optionals::kRagged}, DecodeOptions options = {}) {
  const Decoded decoded = DecodeAnnotated(TripColumns::plan(), strings, tensor_options, std::move(options));
  EXPECT_TRUE(decoded.rows.ok()) << decoded.rows.status();
  return *decoded.rows;
}

// By the names of columns, which may be no names of a path.
std::string ColumnJson(const StructuredTensor& rows, const std::string& column) {
  const auto& names = rows.field_names();
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) return "no column";
  return ToJson(rows.flat_field(static_cast<size_t>(found - names.begin())));
}

std::vector<std::string> ColumnNames(const StructuredTensor& rows) {
  return {rows.field_names().begin(), rows.field_names().end()};
}

constexpr TensorOptions kNullableOptions = {.optionals = Optionals::kNullable};

TEST(AnnotationsToTensor, ColumnsStandInTheOrderOfTheirFields) {
  EXPECT_THAT(ColumnNames(Trips({})),
              ElementsAre("trip id", "minutes", "count", "note", "started", "pauses", "stops", "color", "maybe", "colors",
                          "colors_by_number", "number", "seen_debug", "there", "choice_case", "place_city", "place_floor",
                          "place_tags", "place_seen", "place_size", "place_shop", "place_park", "place_inner_x",
                          "place_inner_y", "place_other", "place_doors", "place_height", "place_kind_case", "x", "y", "tree",
                          "trees", "wrapped", "places", "choice_case_"));
}

TEST(AnnotationsToTensor, SkippedFieldsAreNotDecoded) {
  // What is in them is not judged either.
  const std::string broken = "\x6a\x02\x0a\x05";  // the field debug; its text is cut off
  BatchDecoder decoder(TripColumns::plan());
  EXPECT_TRUE(decoder.Decode(std::vector<std::string>{broken}).ok());
  const StructuredTensor rows = Trips({"debug { text: 'a' } secret: 'b' word: 'c' seen_debug { text: 'd' }"}, kNullableOptions);
  EXPECT_EQ(ColumnJson(rows, "debug"), "no column");
  EXPECT_EQ(ColumnJson(rows, "seen_debug"), R"([{"text":"d"}])");
  EXPECT_EQ(ColumnJson(rows, "choice_case_"), "[18]");  // members that are skipped are set all the same
}

TEST(AnnotationsToTensor, WhatIsSkippedIsNoUnknownField) {
  BatchDecoder decoder = *BatchDecoder::Create(
      WholeColumns::plan(),
      {.unknown_fields = DecodeOptions::UnknownFields::kKeep, .recursion_depth = 1, .allow_missing_required = true});
  const std::string hidden = "\x28\x63";  // 99, which its closed enum does not have
  const std::string other_type = "\x2d\x01\x02\x03\x04";
  const auto batch = decoder.Decode(std::vector<std::string>{hidden, other_type});
  ASSERT_TRUE(batch.ok()) << batch.status();
  const auto rows = ToStructuredTensor(*batch, {.optionals = Optionals::kNullable});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(ColumnJson(*rows, "hidden"), "no column");
  EXPECT_THAT(ColumnJson(*rows, "unknown_fields"), HasSubstr(R"(["",)"));
  EXPECT_TRUE(decoder.wire_type_mismatches().empty());
}

TEST(AnnotationsToTensor, SkippedFieldsComeBackByTheirOwnPath) {
  const auto columns = [](std::vector<std::string> fields) {
    return ColumnNames(Trips({"debug { text: 'a' } secret: 'b'"}, {}, {.fields = std::move(fields)}));
  };
  EXPECT_THAT(columns({"secret", "id"}), ElementsAre("trip id", "secret"));
  EXPECT_THAT(columns({"debug.text"}), ElementsAre("debug"));
}

TEST(AnnotationsToTensor, OptionalFieldsTakeTheFormThatTheyAreToHave) {
  for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable, Optionals::kDefaultFilled}) {
    const StructuredTensor rows = Trips({"minutes: 1 count: 2 note: 'n' wrapped { value: 3 }", ""}, {.optionals = optionals});
    EXPECT_EQ(ColumnJson(rows, "minutes"), "[[1],[]]");
    EXPECT_EQ(ColumnJson(rows, "count"), "[2,0]");
    EXPECT_EQ(ColumnJson(rows, "note"), R"(["n",null])");
    EXPECT_EQ(ColumnJson(rows, "wrapped"), "[[3],[]]");
  }
}

TEST(AnnotationsToTensor, TimesHaveTheUnitThatTheyAreToHave) {
  const StructuredTensor rows =
      Trips({"begun { seconds: 1 nanos: 1999 } pauses { seconds: 2 nanos: 5 } stops { key: 'a' value { seconds: 3 } }"},
            {.optionals = Optionals::kNullable, .timestamps = TimeUnit::kNanoseconds});
  const std::string spec = TypeSpec(rows.spec()).TreeString();
  EXPECT_THAT(spec, HasSubstr("timestamp[us]"));
  EXPECT_THAT(spec, HasSubstr("duration[s]"));
  EXPECT_THAT(spec, HasSubstr("timestamp[ms]"));
  EXPECT_THAT(spec, Not(HasSubstr("[ns]")));
  EXPECT_EQ(ColumnJson(rows, "started"), R"(["1970-01-01T00:00:01.000001Z"])");
  EXPECT_EQ(ColumnJson(rows, "pauses"), R"([["2s"]])");
  EXPECT_EQ(ColumnJson(rows, "stops"), R"([{"a":"1970-01-01T00:00:03Z"}])");
}

TEST(AnnotationsToTensor, InexactTimesNameTheUnitOfTheAnnotation) {
  const Decoded decoded = DecodeAnnotated(TripColumns::plan(), {"begun { seconds: 9223372036854775807 }"}, kNullableOptions);
  ASSERT_EQ(decoded.inexact_times.size(), 1u);
  EXPECT_EQ(decoded.inexact_times[0].field_path, "begun");
  EXPECT_EQ(decoded.inexact_times[0].unit, TimeUnit::kMicroseconds);
  EXPECT_TRUE(decoded.inexact_times[0].annotated);
}

TEST(AnnotationsToTensor, EnumsAreNamesOrNumbers) {
  const auto json = [](const char* column, Optionals optionals) {
    return ColumnJson(
        Trips({"color: BLUE maybe: RED colors: [GREEN, RED, 99, -3] number: BLUE by_number { key: 1 value: GREEN }", "color: 5",
               "maybe: 2147483647"},
              {.optionals = optionals}),
        column);
  };
  EXPECT_EQ(json("color", Optionals::kNullable), R"(["BLUE","5","RED"])");
  EXPECT_EQ(json("maybe", Optionals::kNullable), R"(["RED",null,"2147483647"])");
  EXPECT_EQ(json("maybe", Optionals::kRagged), R"([["RED"],[],["2147483647"]])");
  EXPECT_EQ(json("maybe", Optionals::kDefaultFilled), R"(["RED","RED","2147483647"])");
  EXPECT_EQ(json("colors", Optionals::kNullable), R"([["GREEN","RED","99","-3"],[],[]])");
  EXPECT_EQ(json("colors_by_number", Optionals::kNullable), R"([{"1":"GREEN"},{},{}])");
  EXPECT_EQ(json("number", Optionals::kNullable), "[7,0,0]");
}

TEST(AnnotationsToTensor, NamesOfEnumsCountAsMemory) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "colors: GREEN ";
  const std::string message = SerializedAnnotated("Trip", text);
  BatchDecoder decoder = *BatchDecoder::Create(TripColumns::plan(), {.max_memory_bytes = 200'000, .recursion_depth = 1});
  const absl::StatusOr<DecodedBatch> batch = decoder.Decode(std::vector<std::string>{message});
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(ToStructuredTensor(*batch).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(AnnotationsToTensor, BytesAreTextWhereTheyAreToBe) {
  const Decoded decoded = DecodeAnnotated(
      StringsColumns::plan(), {"text: 'a' maybe: '\\303\\244' many: 'b' by_number { key: 1 value: 'c' } raw: '\\377'", ""});
  ASSERT_TRUE(decoded.rows.ok()) << decoded.rows.status();
  EXPECT_EQ(ColumnJson(*decoded.rows, "text"), R"(["a",""])");
  EXPECT_EQ(ColumnJson(*decoded.rows, "maybe"), "[\"ä\",null]");
  EXPECT_EQ(ColumnJson(*decoded.rows, "many"), R"([["b"],[]])");
  EXPECT_EQ(ColumnJson(*decoded.rows, "by_number"), R"([{"1":"c"},{}])");
  EXPECT_EQ(ColumnJson(*decoded.rows, "raw"), R"(["/w==",""])");
  for (const char* bad : {"text: '\\377'", "maybe: '\\377'", "many: ['a', '\\377']", "by_number { key: 1 value: '\\377' }"}) {
    const absl::Status status = DecodeAnnotated(StringsColumns::plan(), {bad}).rows.status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("not valid UTF-8")) << bad;
  }
}

TEST(AnnotationsToTensor, BytesHaveTheSizeThatTheyAreToHave) {
  const Decoded decoded =
      DecodeAnnotated(SizesColumns::plan(),
                      {"id: 'abcd' maybe: 'ef' many: ['g', 'h'] by_name { key: '' value: 'ijk' } chosen: 'lm'",
                       // Nothing says that these are absent but that they are empty.
                       "id: '' by_name { key: 'x' } number: 1 any: 'no'"},
                      kNullableOptions);
  ASSERT_TRUE(decoded.rows.ok()) << decoded.rows.status();
  EXPECT_EQ(ToJson(*decoded.rows),
            R"([{"id":"YWJjZA==","maybe":"ZWY=","many":["Zw==","aA=="],"by_name":{"":"aWpr"},"chosen":"bG0=","number":null,)"
            R"("any":"","choice_case":5},)"
            R"({"id":"","maybe":null,"many":[],"by_name":{"x":""},"chosen":null,"number":1,"any":"bm8=","choice_case":6}])");
  struct {
    const char* text;
    const char* error;
  } const kCases[] = {
      {"id: 'abc'", "id: the value has 3 bytes, and its annotation says fixed_size: 4"},
      {"id: 'abcde'", "id: the value has 5 bytes, and its annotation says fixed_size: 4"},
      {"maybe: ''", "maybe: the value has 0 bytes, and its annotation says fixed_size: 2"},
      {"many: ['a', '']", "many: the value has 0 bytes, and its annotation says fixed_size: 1"},
      {"by_name { key: 'long' value: 'ab' }", "by_name.value: the value has 2 bytes, and its annotation says fixed_size: 3"},
      {"chosen: 'a'", "chosen: the value has 1 bytes, and its annotation says fixed_size: 2"},
  };
  for (const auto& each : kCases) {
    const absl::Status status = DecodeAnnotated(SizesColumns::plan(), {each.text}).rows.status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << each.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.error)) << each.text;
  }
}

TEST(AnnotationsToTensor, RecursionGoesAsDeepAsItIsTo) {
  const StructuredTensor rows = Trips({R"(tree { name: 'a' twin { name: 'b' twin { name: 'c' } } }
                                          trees { name: 'a' twin { name: 'b' } })"},
                                      kNullableOptions);
  // Of the type, twice; of `trees`, once, below which the type's own number counts again.
  EXPECT_EQ(ColumnJson(rows, "tree"), R"([{"name":"a","children":[],"twin":{"name":"b","children":[],"twin":"CgFj"}}])");
  EXPECT_THAT(ColumnJson(rows, "trees"), HasSubstr(R"("twin":{"name":"b")"));
  // Whether data goes as deep or not, these are the columns.
  EXPECT_EQ(TypeSpec(rows.spec()).WithUnknownSizes(), TypeSpec(Trips({}, kNullableOptions).spec()).WithUnknownSizes());
  // Without a limit, the whole message is decoded into fields.
  BatchDecoder unlimited(TripColumns::plan());
  const auto batch =
      unlimited.Decode(std::vector<std::string>{SerializedAnnotated("Trip", "tree { twin { twin { twin { name: 'd' } } } }")});
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(ColumnJson(*ToStructuredTensor(*batch, kNullableOptions), "tree"), HasSubstr(R"("name":"d")"));
}

// --- Flattened messages

constexpr const char* kPlaces[] = {
    ("place { city: 'a' floor: 1 tags: 't' seen { seconds: 1 } size: LARGE shop: 5 inner { x: 7 y: 'y' } other { x: 8 }"
     " doors { key: 1 value: 'd' } height { value: 3 } }"),
    "place {}", ""};

std::string PlaceJson(const char* column, Optionals optionals) {
  return ColumnJson(Trips({kPlaces[0], kPlaces[1], kPlaces[2]}, {.optionals = optionals}), column);
}

TEST(AnnotationsToTensor, FlattenedFieldsWithoutPresenceAreAbsentWithTheirMessage) {
  EXPECT_EQ(PlaceJson("place_city", Optionals::kNullable), R"(["a","",null])");
  EXPECT_EQ(PlaceJson("place_city", Optionals::kRagged), R"([["a"],[""],[]])");
  EXPECT_EQ(PlaceJson("place_city", Optionals::kDefaultFilled), R"(["a","",""])");
  EXPECT_EQ(PlaceJson("place_size", Optionals::kNullable), R"(["LARGE","SMALL",null])");
  EXPECT_EQ(PlaceJson("place_size", Optionals::kRagged), R"([["LARGE"],["SMALL"],[]])");
  EXPECT_EQ(PlaceJson("place_size", Optionals::kDefaultFilled), R"(["LARGE","SMALL","SMALL"])");
  EXPECT_EQ(PlaceJson("place_inner_x", Optionals::kNullable), "[7,null,null]");
  EXPECT_EQ(PlaceJson("place_inner_x", Optionals::kRagged), "[[7],[],[]]");
}

TEST(AnnotationsToTensor, FlattenedFieldsWithPresenceKeepTheirs) {
  EXPECT_EQ(PlaceJson("place_floor", Optionals::kNullable), "[1,null,null]");
  EXPECT_EQ(PlaceJson("place_floor", Optionals::kRagged), "[[1],[],[]]");
  EXPECT_EQ(PlaceJson("place_inner_y", Optionals::kNullable), R"(["y",null,null])");
  EXPECT_EQ(PlaceJson("place_other", Optionals::kNullable), R"([{"x":8,"y":null},null,null])");
  EXPECT_EQ(PlaceJson("place_seen", Optionals::kNullable), R"(["1970-01-01T00:00:01Z",null,null])");
  EXPECT_EQ(PlaceJson("place_height", Optionals::kNullable), "[3,null,null]");
}

TEST(AnnotationsToTensor, FlattenedListsMapsAndCasesAreEmptyWithoutTheirMessage) {
  for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable, Optionals::kDefaultFilled}) {
    EXPECT_EQ(PlaceJson("place_tags", optionals), R"([["t"],[],[]])");
    EXPECT_EQ(PlaceJson("place_doors", optionals), R"([{"1":"d"},{},{}])");
    EXPECT_EQ(PlaceJson("place_kind_case", optionals), "[6,0,0]");
  }
}

TEST(AnnotationsToTensor, FlattenedColumnsTakeTheFormOfTheirMessage) {
  for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable}) {
    const StructuredTensor rows = Trips({"listed { x: 1 y: 'a' }", "listed {}", ""}, {.optionals = optionals});
    EXPECT_EQ(ColumnJson(rows, "x"), "[[1],[0],[]]");
    EXPECT_EQ(ColumnJson(rows, "y"), optionals == Optionals::kRagged ? R"([["a"],[],[]])" : R"(["a",null,null])");
  }
}

TEST(AnnotationsToTensor, FlattenedMessagesWithinRepeatedOnes) {
  const StructuredTensor rows = Trips({"places { inner { x: 1 } } places {}", "places { city: 'c' }"}, kNullableOptions);
  const auto x = rows.field_value("places.inner_x");
  ASSERT_TRUE(x.ok()) << x.status();
  EXPECT_EQ(ToJson(*x), "[[1,null],[null]]");
}

TEST(AnnotationsToTensor, RequiredFieldsOfFlattenedMessages) {
  constexpr const char* kPart = "{ weight: 1 level: HIGH leaf { name: 'l' } at { seconds: 1 } title: 't' }";
  const std::string both =
      std::string("part ") + kPart + " always " + kPart + " Box { width: 3 } [structtensor.testing.annotated.extra]: 4";
  const std::string one = std::string("always ") + kPart;
  const auto json = [&](const char* column, Optionals optionals) {
    const Decoded decoded = DecodeAnnotated(WholeColumns::plan(), {both.c_str(), one.c_str()}, {.optionals = optionals});
    EXPECT_TRUE(decoded.rows.ok()) << decoded.rows.status();
    return ColumnJson(*decoded.rows, column);
  };
  EXPECT_EQ(json("weight", Optionals::kNullable), "[1,null]");
  EXPECT_EQ(json("weight", Optionals::kRagged), "[[1],[]]");
  EXPECT_EQ(json("always_weight", Optionals::kNullable), "[1,1]");
  EXPECT_EQ(json("always_weight", Optionals::kRagged), "[1,1]");
  EXPECT_EQ(json("level", Optionals::kNullable), R"(["HIGH",null])");
  EXPECT_EQ(json("level", Optionals::kRagged), R"([["HIGH"],[]])");
  EXPECT_EQ(json("level", Optionals::kDefaultFilled), R"(["HIGH","LOW"])");
  EXPECT_EQ(json("title", Optionals::kRagged), R"([["t"],[]])");
  EXPECT_EQ(json("other", Optionals::kNullable), R"(["HIGH","HIGH"])");  // its default
  EXPECT_EQ(json("leaf", Optionals::kNullable), R"([{"name":"l"},null])");
  EXPECT_EQ(json("leaf", Optionals::kRagged), R"([[{"name":["l"]}],[]])");
  EXPECT_EQ(json("at", Optionals::kNullable), R"(["1970-01-01T00:00:01Z",null])");
  EXPECT_EQ(json("at", Optionals::kRagged), R"([["1970-01-01T00:00:01Z"],[]])");
  EXPECT_EQ(json("always_at", Optionals::kNullable), R"(["1970-01-01T00:00:01Z","1970-01-01T00:00:01Z"])");
  EXPECT_EQ(json("box_width", Optionals::kNullable), "[3,null]");
  EXPECT_EQ(json("extra", Optionals::kNullable), "[4,null]");
  EXPECT_EQ(json("blob", Optionals::kNullable), R"(["none","none"])");
}

TEST(AnnotationsToTensor, FlattenedMessagesKeepTheirUnknownFields) {
  const std::string message = "\xba\x01\x03\x98\x06\x05";  // place, with a number 99 that is 5
  BatchDecoder decoder =
      *BatchDecoder::Create(TripColumns::plan(), {.unknown_fields = DecodeOptions::UnknownFields::kKeep, .recursion_depth = 1});
  const auto batch = decoder.Decode(std::vector<std::string>{message});
  ASSERT_TRUE(batch.ok()) << batch.status();
  const auto rows = ToStructuredTensor(*batch, {.optionals = Optionals::kNullable});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ColumnNames(*rows),
              IsSupersetOf({"place.unknown_fields", "place.inner.unknown_fields", "listed.unknown_fields", "unknown_fields"}));
  EXPECT_EQ(ColumnJson(*rows, "place.unknown_fields"), R"(["mAYF"])");
  EXPECT_EQ(ColumnJson(*rows, "place.inner.unknown_fields"), R"([""])");
}

TEST(AnnotationsToTensor, AllBatchesHaveOneSpec) {
  for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable, Optionals::kDefaultFilled}) {
    const TensorOptions options = {.optionals = optionals};
    const TypeSpec none = TypeSpec(Trips({}, options).spec()).WithUnknownSizes();
    for (const char* text : {"", kPlaces[0], kPlaces[1], "maybe: RED colors: 3 listed {}"}) {
      const TypeSpec spec = TypeSpec(Trips({text, text}, options).spec()).WithUnknownSizes();
      EXPECT_EQ(none, spec) << none.TreeString() << spec.TreeString();
    }
  }
}

}  // namespace
}  // namespace structtensor
