// No JSON object has a name twice, whatever the schema calls its fields.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "same_names.structtensor.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/plan/field_names.h"
#include "structtensor/io/json/message_json.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> JsonNames(const plan::MessagePlan& message) {
  std::vector<std::string> names;
  for (const plan::FieldPlan& field : message.fields) names.push_back(plan::JsonNameOf(field));
  return names;
}

// Plans of generated code and of a schema that is read when the program runs.
class SameJsonNames : public ::testing::TestWithParam<bool> {
 protected:
  SameJsonNames() {
    if (GetParam()) {
      plan_ = &same_names::ShotColumns::plan();
      return;
    }
    schema_ = std::make_unique<Schema>(*Schema::FromProtoFiles({STRUCTTENSOR_SAME_NAMES_PROTO}, {STRUCTTENSOR_SAME_NAMES_DIR}));
    read_ = *schema_->PlanOf("same_names.Shot");
    plan_ = read_.get();
  }

  // Reads the JSON as a message and writes that as JSON again. Returns what is wrong if either fails.
  std::string JsonOf(std::string_view json, MessageJsonOptions options = {}) const {
    MessageJson shots(*plan_, std::move(options));
    std::string bytes;
    if (const absl::Status read = shots.AppendMessage(json, bytes); !read.ok()) return std::string(read.message());
    std::string text;
    const absl::Status written = shots.AppendJson(bytes, text);
    return written.ok() ? text : std::string(written.message());
  }

  std::unique_ptr<Schema> schema_;
  std::shared_ptr<const plan::MessagePlan> read_;
  const plan::MessagePlan* plan_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Plans, SameJsonNames, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Generated" : "Read"; });

TEST_P(SameJsonNames, AreTheNamesOfTheProtoFile) {
  EXPECT_THAT(JsonNames(*plan_), ElementsAre("shot_type", "shotType", "shot__type", "other", "last", "plainName", "innerShots",
                                             "byName", "innergroup", "[same_names.shot_type_extension]"));
  EXPECT_THAT(JsonNames(*plan_->FindByName("innergroup")->message), ElementsAre("a_b", "aB"));
}

TEST_P(SameJsonNames, AreReadAsTheyAreWritten) {
  const std::string fields = R"("shot_type":"a","shotType":"b","shot__type":3,"other":4,"last":5)";
  const std::string all = "{" + fields + R"(,"plainName":true,"innerShots":[{)" + fields + R"(},{}],"byName":{"shotType":{)" +
                          fields + R"(}},"innergroup":{"a_b":1,"aB":2},"[same_names.shot_type_extension]":6})";
  EXPECT_EQ(JsonOf(all), all);
  EXPECT_EQ(JsonOf("{" + fields + "}", {.proto_field_names = true}), "{" + fields + "}");
  EXPECT_EQ(JsonOf(R"({"shotType":"b","plain_name":true})"), R"({"shotType":"b","plainName":true})");
  EXPECT_EQ(JsonOf(R"({"innergroup":{"aB":2}})"), R"({"innergroup":{"aB":2}})");
  EXPECT_THAT(JsonOf(R"({"shotType":"b","shotType":"c"})"), HasSubstr("shotType: the object has this field twice"));
}

TEST_P(SameJsonNames, EachFieldAloneIsKnownAgain) {
  for (const char* field : {R"("shot_type":"a")", R"("shotType":"b")", R"("shot__type":3)", R"("other":4)", R"("last":5)"}) {
    const std::string json = "{" + std::string(field) + "}";
    EXPECT_EQ(JsonOf(json), json);
    EXPECT_EQ(JsonOf(json, {.proto_field_names = true}), json);
  }
}

}  // namespace
}  // namespace structtensor
