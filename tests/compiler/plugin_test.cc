// What a user of protoc --structtensor_out meets.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "protoc_run.h"

namespace structtensor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

const Files& Shop() {
  static const Files* const kShop = new Files{
      {"shop/item.proto", R"(syntax = "proto2"; package shop;
                             message Item { optional string name = 1; extensions 100 to 199; }
                             message Shelf { repeated Item items = 1; })"},
      {"shop/order.proto", R"(syntax = "proto3"; package shop; import "shop/item.proto";
                              message Order { repeated Item items = 1; optional int32 count = 2; })"},
      {"shop/color.proto", R"(syntax = "proto2"; package shop.color; import "shop/item.proto";
                              message Color { optional fixed32 rgb = 1; }
                              extend Item { optional Color color = 100; })"},
      {"shop/weight.proto", R"(syntax = "proto2"; package shop.weight; import "shop/item.proto";
                               message Weight { optional double grams = 1; }
                               extend shop.Item { optional Weight weight = 101; })"},
  };
  return *kShop;
}

// Fails the test that calls it unless protoc succeeded without a word.
Files Generate(const std::vector<std::string>& names, const std::string& parameters = "") {
  const ProtocOutcome outcome = RunProtoc(Shop(), names, parameters);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.messages;
  EXPECT_EQ(outcome.messages, "");
  return outcome.generated;
}

TEST(PluginTest, WritesAHeaderAndASourceBesideEachProto) {
  EXPECT_THAT(Generate({"shop/item.proto", "shop/order.proto"}),
              ElementsAre(Key("shop/item.structtensor.cc"), Key("shop/item.structtensor.h"), Key("shop/order.structtensor.cc"),
                          Key("shop/order.structtensor.h")));
}

TEST(PluginTest, UnknownParameterIsAnErrorThatListsTheKnown) {
  const ProtocOutcome outcome = RunProtoc(Shop(), {"shop/item.proto"}, "extension=drop");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.messages, HasSubstr("unknown parameter 'extension=drop'; known are converter=MESSAGE, "
                                          "extensions=decode|drop, warnings=on|off"));
  EXPECT_THAT(outcome.generated, IsEmpty());
}

TEST(PluginTest, UnknownValueOfAKnownParameterIsAnError) {
  const ProtocOutcome outcome = RunProtoc(Shop(), {"shop/item.proto"}, "extensions=keep");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.messages, HasSubstr("parameter extensions is decode or drop; found 'keep'"));
}

TEST(PluginTest, EqualInputMakesEqualOutput) {
  const std::vector<std::string> names = {"shop/item.proto", "shop/order.proto", "shop/color.proto", "shop/weight.proto"};
  EXPECT_EQ(Generate(names), Generate(names));
}

TEST(PluginTest, OrderOfFilesDoesNotMatter) {
  EXPECT_EQ(Generate({"shop/item.proto", "shop/order.proto", "shop/color.proto", "shop/weight.proto"}),
            Generate({"shop/weight.proto", "shop/color.proto", "shop/order.proto", "shop/item.proto"}));
}

TEST(PluginTest, FilesGeneratedOneByOneAreThoseOfOneRun) {
  Files one_by_one = Generate({"shop/item.proto"});
  one_by_one.merge(Generate({"shop/order.proto"}));
  EXPECT_EQ(Generate({"shop/item.proto", "shop/order.proto"}), one_by_one);
}

TEST(PluginTest, ExtensionsOfTheRunAreDecodedByTheExtendedMessage) {
  const std::string alone = Generate({"shop/item.proto"}).at("shop/item.structtensor.h");
  EXPECT_THAT(alone, Not(HasSubstr("color")));
  const std::string together = Generate({"shop/item.proto", "shop/color.proto"}).at("shop/item.structtensor.h");
  EXPECT_THAT(together, HasSubstr("shop_color_color() const;"));
  const std::string dropped =
      Generate({"shop/item.proto", "shop/color.proto"}, "extensions=drop").at("shop/item.structtensor.h");
  EXPECT_EQ(dropped, alone);
}

TEST(PluginTest, WarnsOfAnExtensionWhoseMessageIsGeneratedElsewhere) {
  const ProtocOutcome outcome = RunProtoc(Shop(), {"shop/color.proto"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.messages,
              HasSubstr("shop/color.proto: extension shop.color.color of shop.Item will be an unknown field"));
  EXPECT_THAT(outcome.messages, HasSubstr("pass shop/item.proto and shop/color.proto to one protoc run"));
  EXPECT_EQ(RunProtoc(Shop(), {"shop/color.proto"}, "warnings=off").messages, "");
}

TEST(PluginTest, CustomOptionsAreExtensionsWithoutAWarning) {
  const Files files = {{"options.proto", R"(syntax = "proto3"; import "google/protobuf/descriptor.proto";
                                            extend google.protobuf.FieldOptions { string label = 50000; }
                                            message Labelled { int32 number = 1 [(label) = "n"]; })"}};
  const ProtocOutcome outcome = RunProtoc(files, {"options.proto"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.messages, "");
}

TEST(PluginTest, AnnotationsThatDoNotSuitTheirFieldsAreErrors) {
  const ProtocOutcome outcome = RunProtoc({{"a.proto", R"(syntax = "proto3"; package p; import "structtensor/options.proto";
message M {
  int32 a = 1 [(structtensor.field).enum_as = NAME];
  int32 b = 2 [(structtensor.field).name = "a"];
})"}},
                                          {"a.proto"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.messages, HasSubstr("a.proto:3:3: p.M.a: enum_as is for fields whose type is an enum; take it out"));
  EXPECT_THAT(outcome.generated, IsEmpty());
}

TEST(PluginTest, AnnotationsAreConstantsOfThePlan) {
  const ProtocOutcome outcome = RunProtoc({{"a.proto", R"(syntax = "proto3"; import "structtensor/options.proto";
      message M { int32 a = 1 [(structtensor.field).name = "a \"b\"\n"]; int32 c = 2 [(structtensor.field).skip = true]; })"}},
                                          {"a.proto"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.messages;
  EXPECT_EQ(outcome.messages, "");
  const std::string& source = outcome.generated.at("a.structtensor.cc");
  EXPECT_THAT(source, HasSubstr(R"({.column_name = std::string_view("a \"b\"\n", 6)})"));
  EXPECT_THAT(source, HasSubstr(".skipped = true"));
}

TEST(PluginTest, Proto3OptionalHasPresenceAndNoOneof) {
  const std::string header = Generate({"shop/order.proto"}).at("shop/order.structtensor.h");
  EXPECT_THAT(header, HasSubstr("// optional int32 count = 2\n"));
  EXPECT_THAT(header, Not(HasSubstr("count_case")));
}

TEST(PluginTest, ConverterOfAKnownMessageWritesItsMain) {
  const Files files = Generate({"shop/item.proto", "shop/order.proto"}, "converter=shop.Order");
  EXPECT_THAT(files, Contains(Pair("converter_main.structtensor.cc", HasSubstr("::shop::OrderColumns::plan()"))));
}

TEST(PluginTest, ConverterOfAnUnknownMessageIsAnErrorThatListsTheMessages) {
  const ProtocOutcome outcome = RunProtoc(Shop(), {"shop/item.proto", "shop/order.proto"}, "converter=Order");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.messages, HasSubstr("converter=Order: the files of this run declare no such message; they declare "
                                          "shop.Item, shop.Shelf, shop.Order"));
  EXPECT_THAT(outcome.generated, IsEmpty());
}

TEST(PluginTest, FileWithoutMessagesIsFine) {
  const ProtocOutcome outcome = RunProtoc({{"empty.proto", "syntax = \"proto3\";"}}, {"empty.proto"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.messages;
  EXPECT_THAT(outcome.generated, ElementsAre(Key("empty.structtensor.cc"), Key("empty.structtensor.h")));
}

TEST(PluginTest, GeneratedTextHasNoAbsolutePathAndNamesItsOrigin) {
  for (const auto& [name, text] : Generate({"shop/order.proto"})) {
    EXPECT_THAT(text, HasSubstr("from shop/order.proto. Do not edit.")) << name;
    EXPECT_THAT(text, Not(HasSubstr("structtensor_protoc_"))) << name;
  }
}

// protoc before release 27 refuses editions by itself, before the plugin is asked; a later one asks, and the plugin agrees.
TEST(PluginTest, EditionIsReadOrRefusedWithAReason) {
  const Files files = {{"edition.proto", R"(edition = "2023";
                                            message Message {
                                              int32 number = 1;
                                              Message message = 2 [features.message_encoding = DELIMITED];
                                            })"}};
  const ProtocOutcome outcome = RunProtoc(files, {"edition.proto"});
  if (outcome.exit_code == 0) {
    EXPECT_THAT(outcome.generated, Contains(Pair("edition.structtensor.h", HasSubstr("// Message message = 2\n"))));
  } else {
    EXPECT_THAT(outcome.messages, HasSubstr("edition.proto:1:1: Expected top-level statement"));
    EXPECT_THAT(outcome.generated, IsEmpty());
  }
}

}  // namespace
}  // namespace structtensor
