// Paths on what decoders make of messages.
#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pantry.structtensor.h"
#include "path_testutil.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/promote.h"
#include "structtensor/tensor/struct_ops/query.h"
#include "structtensor/tensor/struct_ops/reroot.h"
#include "structtensor/tensor/struct_ops/select.h"
#include "structtensor/tensor/struct_ops/with_updates.h"

namespace structtensor {
namespace {

constexpr char kAnn[] = R"(
  owner: "ann"
  items { name: "tea" amount: 2 opened: true tags: "dry" tags: "green" [structtensor.testing.pantry.shelf]: 3 }
  items { name: "milk" opened: false [structtensor.testing.pantry.note] { text: "use soon" } }
  items { amount: 1 tags: "odd" }
  prices { key: "tea" value: 5 }
  prices { key: "milk" value: 1 }
  best { name: "tea" amount: 9 })";
constexpr char kBob[] = R"(
  owner: "bob"
  items { name: "rice" opened: true }
  prices { key: "rice" value: 2 })";
constexpr char kEmpty[] = "";

std::string Serialized(const std::string& text) {
  google::protobuf::compiler::DiskSourceTree files;
  files.MapPath("", PANTRY_DIR);
  google::protobuf::compiler::Importer importer(&files, nullptr);
  EXPECT_NE(importer.Import("pantry.proto"), nullptr);
  google::protobuf::DynamicMessageFactory factory(importer.pool());
  const auto* descriptor = importer.pool()->FindMessageTypeByName("structtensor.testing.pantry.Pantry");
  const std::unique_ptr<google::protobuf::Message> message(factory.GetPrototype(descriptor)->New());
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, message.get())) << text;
  return message->SerializeAsString();
}

StructuredTensor Pantries(const TensorOptions& options = {.optionals = Optionals::kRagged}) {
  const std::vector<std::string> messages = {Serialized(kAnn), Serialized(kEmpty), Serialized(kBob)};
  testing::pantry::PantryDecoder decoder;
  auto batch = decoder.Decode(messages.begin(), messages.end());
  EXPECT_TRUE(batch.ok()) << batch.status();
  auto value = ToStructuredTensor(*batch, options);
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}

TEST(DecodedPaths, Project) {
  const absl::StatusOr<StructuredTensor> projected =
      Project(Pantries(), {P("items.[structtensor.testing.pantry.note].text"), P("items.amount"), P("prices")});
  EXPECT_EQ(
      Json(projected),
      R"([{"items":[{"amount":[2],"[structtensor.testing.pantry.note]":[]},)"
      R"({"amount":[],"[structtensor.testing.pantry.note]":[{"text":["use soon"]}]},)"
      R"({"amount":[1],"[structtensor.testing.pantry.note]":[]}],"prices":{"tea":5,"milk":1}},)"
      R"({"items":[],"prices":{}},{"items":[{"amount":[],"[structtensor.testing.pantry.note]":[]}],"prices":{"rice":2}}])");
}

TEST(DecodedPaths, Promote) {
  EXPECT_EQ(FieldOf(Promote(Pantries(), P("items.tags"), P("tags")), "tags"), R"([["dry","green","odd"],[],[]])");
  EXPECT_EQ(FieldOf(Promote(Pantries(), P("items.amount"), P("amounts")), "amounts"), "[[2,1],[],[]]");
  EXPECT_EQ(FieldOf(Promote(Pantries(), P("items.[structtensor.testing.pantry.note].text"), P("items.remark")), "items.remark"),
            R"([[[],["use soon"],[]],[],[[]]])");
  // Optional in optional: 0 or 1 again.
  const StructuredTensor best = *Promote(Pantries(), P("best.amount"), P("best_amount"));
  EXPECT_EQ(FieldOf(best, "best_amount"), "[[9],[],[]]");
  EXPECT_TRUE(best.field_value("best_amount")->ragged()->row_partition(0).is_optional());
}

TEST(DecodedPaths, SizeAndHas) {
  EXPECT_EQ(FieldOf(SizeEach(Pantries(), P("items"), "n"), "n"), "[3,0,1]");
  EXPECT_EQ(FieldOf(SizeEach(Pantries(), P("items.tags"), "n"), "items.n"), "[[2,0,1],[],[0]]");
  EXPECT_EQ(FieldOf(SizeEach(Pantries(), P("prices"), "n"), "n"), "[2,0,1]");
  EXPECT_EQ(FieldOf(Has(Pantries(), P("best"), "any"), "any"), "[true,false,false]");
  EXPECT_EQ(FieldOf(Has(Pantries(), P("items.[structtensor.testing.pantry.shelf]"), "shelved"), "items.shelved"),
            "[[true,false,false],[],[false]]");
}

TEST(DecodedPaths, Filter) {
  EXPECT_EQ(FieldOf(Filter(Pantries(), P("items"), P("items.opened")), "items.name"), R"([[["tea"]],[],[["rice"]]])");
  const StructuredTensor noted = *Has(Pantries(), P("items.[structtensor.testing.pantry.note]"), "noted");
  EXPECT_EQ(FieldOf(Filter(noted, P("items"), P("items.noted")), "items.name"), R"([[["milk"]],[],[]])");
  const StructuredTensor used = *Has(Pantries(), P("items"), "used");
  EXPECT_EQ(FieldOf(Filter(used, Path(), P("used")), "owner"), R"([["ann"],["bob"]])");
}

TEST(DecodedPaths, MapsByKey) {
  EXPECT_EQ(Json(Select(Pantries(), P("prices[\"tea\"]"))), "[[5],[],[]]");
  EXPECT_EQ(Json(Select(Pantries(), P("prices[\"salt\"]"))), "[[],[],[]]");
}

TEST(DecodedPaths, RowsOfTheirOwn) {
  const absl::StatusOr<StructuredTensor> items = Reroot(*Broadcast(Pantries(), P("owner"), P("items.owner")), P("items"));
  EXPECT_EQ(Json(Project(*items, {P("owner"), P("name")})),
            R"([{"name":["tea"],"owner":["ann"]},{"name":["milk"],"owner":["ann"]},)"
            R"({"name":[],"owner":["ann"]},{"name":["rice"],"owner":["bob"]}])");
  EXPECT_EQ(FieldOf(IndexEach(Pantries(), P("items"), "position"), "position"), "[[0,1,2],[],[0]]");
  EXPECT_EQ(FieldOf(Truncate(Pantries(), P("items"), 1), "items.name"), R"([[["tea"]],[],[["rice"]]])");
}

TEST(DecodedPaths, AbsentInsteadOfOptional) {
  const StructuredTensor pantries = Pantries({.optionals = Optionals::kNullable});
  EXPECT_EQ(FieldOf(Promote(pantries, P("best.amount"), P("best_amount")), "best_amount"), "[9,null,null]");
  EXPECT_EQ(FieldOf(Has(pantries, P("best"), "any"), "any"), "[true,false,false]");
  EXPECT_EQ(FieldOf(Has(pantries, P("best.amount"), "any"), "best.any"), "[true,null,null]");
  EXPECT_EQ(FieldOf(SizeEach(pantries, P("items.amount"), "n"), "items.n"), "[[1,0,1],[],[0]]");
  EXPECT_EQ(FieldOf(Filter(pantries, P("items"), P("items.opened")), "items.name"), R"([["tea"],[],["rice"]])");
}

TEST(DecodedPaths, UpdatesShareTheBatch) {
  const StructuredTensor pantries = Pantries();
  const absl::StatusOr<StructuredTensor> updated =
      WithUpdates(pantries, {Update::Delete(P("items.[structtensor.testing.pantry.note]")), Update::Delete(P("best"))});
  ASSERT_TRUE(updated.ok()) << updated.status();
  EXPECT_EQ(Memory(*Select(*updated, P("items.name"))), Memory(*Select(pantries, P("items.name"))));
}

}  // namespace
}  // namespace structtensor
