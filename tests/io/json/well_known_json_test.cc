// The rules of protobuf's JSON, one by one, on types that are made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "structtensor/app/schema/schema.h"
#include "structtensor/io/json/message_json.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

constexpr char kProto[] = R"(syntax = "proto3";
package j;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum Color { option allow_alias = true; NONE = 0; RED = 1; ROT = 1; BLUE = -5; }
message M {
  int32 some_number = 1;
  int64 big = 2 [json_name = "großeZahl"];
  float f = 3;
  bytes b = 4;
  Color color = 5;
  repeated Color colors = 6;
  map<string, Color> color_of = 7;
  map<bool, int32> flags = 8;
  oneof one { string s = 9; int32 i = 10; google.protobuf.NullValue n = 11; }
  google.protobuf.Timestamp t = 12;
  google.protobuf.Duration d = 13;
  google.protobuf.FieldMask mask = 14;
  google.protobuf.Struct st = 15;
  google.protobuf.Value v = 16;
  google.protobuf.ListValue l = 17;
  google.protobuf.Any any = 18;
  google.protobuf.Int64Value w = 19;
  M m = 20;
  repeated int32 r = 21;
  optional int32 o = 22;
  repeated google.protobuf.Value values = 23;
  google.protobuf.Empty empty = 24;
  uint64 u = 25;
  map<int64, M> by_number = 26;
  google.protobuf.StringValue sw = 27;
}
)";

class WellKnownJson : public ::testing::Test {
 protected:
  WellKnownJson() {
    const std::string folder =
        ::testing::TempDir() + "/json_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/well_known_json_test.proto") << kProto;
    schema_ = std::make_unique<Schema>(*Schema::FromProtoFiles({folder + "/well_known_json_test.proto"}, {folder}));
    plan_ = *schema_->PlanOf("j.M");
    options_.resolve = [this](std::string_view name) -> const plan::MessagePlan* {
      auto& plan = any_plans_[std::string(name)];
      if (plan == nullptr) {
        absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> found = schema_->PlanOf(std::string(name));
        if (found.ok()) plan = *found;
      }
      return plan.get();
    };
  }

  // Reads the JSON as a message and writes that as JSON again. Returns what is wrong if either fails.
  std::string Again(std::string_view json, bool lenient = false) {
    MessageJsonOptions options = options_;
    options.ignore_extra_fields = lenient;
    MessageJson m(*plan_, options);
    std::string bytes;
    const absl::Status read = m.AppendMessage(json, bytes);
    if (!read.ok()) return std::string(read.message());
    std::string text;
    const absl::Status written = m.AppendJson(bytes, text);
    return written.ok() ? text : std::string(written.message());
  }

  std::unique_ptr<Schema> schema_;
  std::shared_ptr<const plan::MessagePlan> plan_;
  std::map<std::string, std::shared_ptr<const plan::MessagePlan>> any_plans_;
  MessageJsonOptions options_;
};

TEST_F(WellKnownJson, NamesOfFields) {
  EXPECT_EQ(Again(R"({"someNumber": 1, "großeZahl": "2"})"), R"({"someNumber":1,"großeZahl":"2"})");
  EXPECT_EQ(Again(R"({"some_number": 1, "big": 2})"), R"({"someNumber":1,"großeZahl":"2"})");
  EXPECT_EQ(Again(R"({"some\u004eumber": 1})"), R"({"someNumber":1})");
  EXPECT_THAT(Again(R"({"SomeNumber": 1})"), HasSubstr("SomeNumber: the message type j.M has no field of that name"));
  EXPECT_EQ(Again(R"({"SomeNumber": [1, {"x": null}], "i": 5})", /*lenient=*/true), R"({"i":5})");
  EXPECT_THAT(Again(R"({"SomeNumber": [1, }, "i": 5})", /*lenient=*/true), HasSubstr("not JSON"));
  EXPECT_THAT(Again(R"({"someNumber": 1, "some_number": 2})"), HasSubstr("someNumber: the object has this field twice"));
  EXPECT_THAT(Again(R"({"s": "x", "i": 2})"), HasSubstr("i: the object has another field of the same oneof"));
  EXPECT_EQ(Again(R"({"s": "x", "i": null})"), R"({"s":"x"})");
  EXPECT_EQ(Again(R"({"n": null})"), R"({"n":null})");
}

TEST_F(WellKnownJson, Numbers) {
  EXPECT_EQ(Again(R"({"someNumber": 1e3, "big": "-9223372036854775808", "u": 18446744073709551615})"),
            R"({"someNumber":1000,"großeZahl":"-9223372036854775808","u":"18446744073709551615"})");
  EXPECT_EQ(Again(R"({"someNumber": 2.000, "big": "1.5e1"})"), R"({"someNumber":2,"großeZahl":"15"})");
  EXPECT_EQ(Again(R"({"f": "NaN", "r": ["1", 2]})"), R"({"f":"NaN","r":[1,2]})");
  EXPECT_EQ(Again(R"({"f": "-Infinity"})"), R"({"f":"-Infinity"})");
  for (const char* wrong : {"0.5", "\"\"", "\" 1\"", "\"1 \"", "2147483648", "1e10", "\"0x1\"", "true", "[1]", "{}", "\"NaN\"",
                            "+1", "01", "1.", "--1"}) {
    EXPECT_THAT(Again(std::string("{\"someNumber\": ") + wrong + "}"), ::testing::StartsWith("byte ")) << wrong;
  }
  for (const char* wrong : {"1e39", "\"nan\"", "NaN", "Infinity", "\"inf\"", "\"1e39\"", "\"\""}) {
    EXPECT_THAT(Again(std::string("{\"f\": ") + wrong + "}"), ::testing::StartsWith("byte ")) << wrong;
  }
  const std::string zeros(400, '0');
  EXPECT_EQ(Again("{\"f\": 1" + zeros + "e-400}"), R"({"f":1})");
  EXPECT_EQ(Again("{\"f\": 0." + zeros + "1}"), R"({"f":0})");
  EXPECT_EQ(Again("{\"v\": -1e-400}"), R"({"v":-0.0})");
  EXPECT_EQ(Again("{\"v\": 1e-99999999999999999999}"), R"({"v":0})");
  for (const std::string& large :
       std::vector<std::string>{"1" + zeros + "e-5", "1e400", "1e99999999999999999999", "0." + zeros + "1e900"}) {
    EXPECT_THAT(Again("{\"f\": " + large + "}"), ::testing::StartsWith("byte ")) << large;
    EXPECT_THAT(Again("{\"v\": " + large + "}"), ::testing::StartsWith("byte ")) << large;
    EXPECT_THAT(Again("{\"big\": " + large + "}"), ::testing::StartsWith("byte ")) << large;
  }
  EXPECT_THAT(Again(R"({"u": -1})"), HasSubstr("u: expected an unsigned integer of 64 bits; found -1"));
}

TEST_F(WellKnownJson, EnumsAndBytes) {
  EXPECT_EQ(Again(R"({"color": "ROT", "colors": ["BLUE", 1, 7, -5, "NONE"]})"),
            R"({"color":"RED","colors":["BLUE","RED",7,"BLUE","NONE"]})");
  EXPECT_THAT(Again(R"({"color": "red"})"), HasSubstr("color: the enum j.Color has no value \"red\""));
  EXPECT_EQ(Again(R"({"color": "red", "colors": ["RED", "x"], "colorOf": {"a": "RED", "b": "x"}})", /*lenient=*/true),
            R"({"colors":["RED"],"colorOf":{"a":"RED"}})");
  EXPECT_EQ(Again(R"({"b": "-_8"})"), R"({"b":"+/8="})");
  EXPECT_EQ(Again(R"({"b": "-/8"})"), R"({"b":"+/8="})");
  EXPECT_EQ(Again(R"({"b": "+/8="})"), R"({"b":"+/8="})");
  EXPECT_EQ(Again(R"({"b": "\u002b/8="})"), R"({"b":"+/8="})");
  for (const char* const wrong : {"*", "aGVs bG8=", "aGVsbG8.", "aGVsbG8\\n=", "A"}) {
    EXPECT_THAT(Again("{\"b\": \"" + std::string(wrong) + "\"}"), HasSubstr("b: expected bytes as base64")) << wrong;
  }
}

// The tag that ends a group has the group's number, which a field in it may have, too.
TEST(GroupsInJson, FieldsWithTheNumberOfTheirGroup) {
  const std::string folder = ::testing::TempDir() + "/json_groups";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/groups_json_test.proto") << R"(syntax = "proto2";
message G {
  repeated group Price = 3 {
    repeated int32 tax = 3;
    repeated group Part = 4 { repeated string name = 4; }
  }
  optional group Labels = 5 { map<string, int32> by_name = 5; }
  optional group One = 6 { optional bytes data = 6; }
  optional int32 last = 7;
}
)";
  const absl::StatusOr<Schema> schema = Schema::FromProtoFiles({folder + "/groups_json_test.proto"}, {folder});
  ASSERT_TRUE(schema.ok()) << schema.status();
  const std::shared_ptr<const plan::MessagePlan> plan = *schema->PlanOf("G");
  MessageJson json(*plan);
  const std::string text = R"({"price":[{"tax":[1,2],"part":[{"name":["a","b"]},{"name":["c"]},{}]},{"tax":[3]},{}],)"
                           R"("labels":{"byName":{"x":1,"y":2}},"one":{"data":"AQ=="},"last":7})";
  std::string bytes;
  ASSERT_TRUE(json.AppendMessage(text, bytes).ok());
  std::string again;
  const absl::Status written = json.AppendJson(bytes, again);
  ASSERT_TRUE(written.ok()) << written;
  EXPECT_EQ(again, text);
  for (size_t size = 0; size < bytes.size(); ++size) {  // cut off anywhere: an error, or the JSON of a shorter message
    std::string cut;
    if (!json.AppendJson(std::string_view(bytes).substr(0, size), cut).ok()) continue;
    std::string read;
    EXPECT_TRUE(json.AppendMessage(cut, read).ok()) << cut;
    EXPECT_EQ(read, std::string_view(bytes).substr(0, size));
  }
}

TEST_F(WellKnownJson, MapsAndNulls) {
  EXPECT_EQ(Again(R"({"flags": {"true": 1}, "byNumber": {"-5": {"someNumber": 1}}})"),
            R"({"flags":{"true":1},"byNumber":{"-5":{"someNumber":1}}})");
  EXPECT_THAT(Again(R"({"flags": {"yes": 1}})"), HasSubstr("flags[\"yes\"]: expected the key true or false"));
  EXPECT_THAT(Again(R"({"byNumber": {"x": {}}})"), HasSubstr("byNumber[\"x\"]"));
  EXPECT_THAT(Again(R"({"byNumber": {"1": {}, "1e0": {}}})"), HasSubstr("byNumber[\"1e0\"]: the map has this key twice"));
  EXPECT_THAT(Again(R"({"st": {"a": 1, "\u0061": 2}})"), HasSubstr("st.a: the object has this name twice"));
  EXPECT_THAT(Again(R"({"flags": {"true": null}})"), HasSubstr("a map has no null"));
  EXPECT_THAT(Again(R"({"r": [1, null]})"), HasSubstr("r[1]: a list of a repeated field has no null"));
  EXPECT_EQ(Again(R"({"someNumber": null, "r": null, "flags": null, "m": null, "t": null, "w": null, "any": null})"), "{}");
  EXPECT_THAT(Again(R"({"r": 1})"), HasSubstr("r: expected a list"));
  EXPECT_THAT(Again(R"({"flags": []})"), HasSubstr("flags: expected an object"));
  EXPECT_THAT(Again(R"({"m": []})"), HasSubstr("m: expected an object"));
  EXPECT_THAT(Again("null"), HasSubstr("expected an object"));
  EXPECT_THAT(Again(""), HasSubstr("byte 0"));
  EXPECT_THAT(Again("{} {}"), ::testing::StartsWith("byte "));
  EXPECT_THAT(Again("{}, {}"), HasSubstr("something follows"));
  EXPECT_THAT(Again("{}]"), ::testing::StartsWith("byte "));
  EXPECT_THAT(Again("{}], [{}"), ::testing::StartsWith("byte "));
}

TEST_F(WellKnownJson, TimesAndDurations) {
  for (const auto& [json, again] :
       std::map<std::string, std::string>{{"2026-11-23T15:04:05Z", ""},
                                          {"2026-11-23T15:04:05.5+01:00", "2026-11-23T14:04:05.500Z"},
                                          {"0001-01-01T00:00:00Z", ""},
                                          {"9999-12-31T23:59:59.999999999Z", ""},
                                          {"1969-12-31T23:59:59.000001Z", ""},
                                          {"2024-02-29T00:00:00Z", ""}}) {
    EXPECT_EQ(Again("{\"t\": \"" + json + "\"}"), "{\"t\":\"" + (again.empty() ? json : again) + "\"}");
  }
  for (const char* wrong :
       {"2026-11-23", "2026-11-23t15:04:05Z", "2026-11-23T15:04:05z", "2026-02-29T00:00:00Z", "2026-11-23T15:04:05",
        "2026-11-23T24:00:00Z", "2026-11-23T15:04:60Z", "2026-11-23T15:04:05.Z", "2026-11-23T15:04:05.1234567890Z",
        "0000-12-31T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "2026-11-23T15:04:05+0100",
        "2026-11-23T15:04:05+24:00", " 2026-11-23T15:04:05Z", "2026-11-23T15:04:05Z ", "", "now"}) {
    EXPECT_THAT(Again(std::string("{\"t\": \"") + wrong + "\"}"), HasSubstr("t: expected a time")) << wrong;
  }
  for (const auto& [json, again] : std::map<std::string, std::string>{{"1.5s", "1.500s"},
                                                                      {"-0.000000001s", ""},
                                                                      {"315576000000.999999999s", ""},
                                                                      {"-315576000000s", ""},
                                                                      {"0s", ""},
                                                                      {"-0.5s", "-0.500s"},
                                                                      {"1.100000s", "1.100s"}}) {
    EXPECT_EQ(Again("{\"d\": \"" + json + "\"}"), "{\"d\":\"" + (again.empty() ? json : again) + "\"}");
  }
  for (const char* wrong : {"1", "s", "1.s", ".5s", "1.0000000001s", "315576000001s", "--1s", "+1s", "1 s", "1S", "", "1h"}) {
    EXPECT_THAT(Again(std::string("{\"d\": \"") + wrong + "\"}"), HasSubstr("d: expected a duration")) << wrong;
  }
  EXPECT_THAT(Again(R"({"t": 5})"), HasSubstr("t: expected a string"));
}

TEST_F(WellKnownJson, StructuresOfAnyShape) {
  const std::string same =
      R"({"st":{"a":[1,null,"x",{"b":false}],"c":{}},"v":null,"l":[[],1.5],"values":[null,{"k":[]},"",-2]})";
  EXPECT_EQ(Again(same), same);
  EXPECT_EQ(Again(R"({"v": {"x": [1e400]}})").substr(0, 5), "byte ");
  EXPECT_THAT(Again(R"({"st": []})"), HasSubstr("st: expected an object"));
  EXPECT_EQ(Again(R"({"mask": "a,fooBar.bazQux"})"), R"({"mask":"a,fooBar.bazQux"})");
  EXPECT_EQ(Again(R"({"mask": ""})"), R"({"mask":""})");
  EXPECT_THAT(Again(R"({"mask": "foo_bar"})"), HasSubstr("mask: expected paths"));
  EXPECT_EQ(Again(R"({"w": "5", "sw": ""})"), R"({"w":"5","sw":""})");
  EXPECT_EQ(Again(R"({"w": 0})"), R"({"w":"0"})");
}

TEST_F(WellKnownJson, AnyHasItsType) {
  const std::string message = R"({"any":{"@type":"type.googleapis.com/j.M","someNumber":5,"m":{"s":"x"}}})";
  EXPECT_EQ(Again(message), message);
  EXPECT_EQ(Again(R"({"any": {"someNumber": 5, "m": {"s": "x"}, "@type": "type.googleapis.com/j.M"}})"), message);
  const std::string duration = R"({"any":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.500s"}})";
  EXPECT_EQ(Again(duration), duration);
  const std::string nested =
      R"({"any":{"@type":"a/google.protobuf.Any","value":{"@type":"b/google.protobuf.Value","value":[null]}}})";
  EXPECT_EQ(Again(nested), nested);
  EXPECT_EQ(Again(R"({"any": {"@type": "a/google.protobuf.Empty"}})"), R"({"any":{"@type":"a/google.protobuf.Empty"}})");
  EXPECT_EQ(Again(R"({"any": {"@type": "a/google.protobuf.Empty", "value": {}}})"),
            R"({"any":{"@type":"a/google.protobuf.Empty"}})");
  EXPECT_EQ(Again(R"({"any": {}})"), R"({"any":{}})");
  EXPECT_THAT(Again(R"({"any": {"@type": "a/j.Other"}})"), HasSubstr("any: the message type j.Other of @type is not known"));
  EXPECT_THAT(Again(R"({"any": {"@type": "j.M"}})"), HasSubstr("expected @type"));
  EXPECT_THAT(Again(R"({"any": {"someNumber": 5}})"), HasSubstr("expected @type"));
  EXPECT_THAT(Again(R"({"any": {"@type": "a/j.M", "@type": "a/j.M"}})"), HasSubstr("@type twice"));
  EXPECT_THAT(Again(R"({"any": {"@type": "a/google.protobuf.Duration", "value": "1s", "x": 1}})"),
              HasSubstr("expected @type and value"));
  EXPECT_THAT(Again(R"({"any": {"@type": "a/google.protobuf.Duration"}})"), HasSubstr("expected value"));
  options_.resolve = nullptr;
  EXPECT_THAT(Again(R"({"any": {"@type": "a/j.M"}})"), HasSubstr("not known"));
}

TEST_F(WellKnownJson, DepthIsLimited) {
  const auto nested = [](int depth, const std::string& open, const std::string& close, const std::string& inner) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += inner;
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(Again(nested(kMaxMessageJsonDepth, "{\"m\":", "}", "{}")).substr(0, 5), "{\"m\":");
  for (const int depth : {kMaxMessageJsonDepth + 1, 100000}) {
    EXPECT_THAT(Again(nested(depth, "{\"m\":", "}", "{}")), HasSubstr("deeper than")) << depth;
    EXPECT_THAT(Again("{\"v\":" + nested(depth + 1, "[", "]", "") + "}"), ::testing::StartsWith("byte ")) << depth;
    EXPECT_THAT(Again("{\"unknown\":" + nested(depth + 1, "[", "]", "") + "}", /*lenient=*/true),
                ::testing::StartsWith("byte "))
        << depth;
    EXPECT_THAT(Again("{\"any\":" + nested(depth, R"({"@type":"a/google.protobuf.Any","value":)", "}", "{}") + "}"),
                ::testing::StartsWith("byte "))
        << depth;
  }
}

// Bytes that are no message, and messages that have no JSON.
TEST_F(WellKnownJson, WhatHasNoJson) {
  MessageJson m(*plan_, options_);
  for (const std::string& bytes : {std::string("\x08"), std::string("\x0a\x05xx"), std::string("\x00", 1), std::string("\x0b"),
                                   std::string("\x4a\x01\xff"), std::string("\x62\x02\x10\xff"), std::string("\x82\x01\x00", 3),
                                   std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12)}) {
    std::string text = "before";
    EXPECT_EQ(m.AppendJson(bytes, text).code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(text, "before");
  }
}

}  // namespace
}  // namespace structtensor
