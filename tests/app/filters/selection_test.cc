#include "structtensor/app/filters/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "annotated.structtensor.h"
#include "house.structtensor.h"
#include "structtensor/core/decode/decoder.h"

namespace structtensor {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Strings = std::vector<std::string>;

const plan::MessagePlan& House() { return selection_test::HouseColumns::plan(); }

// The paths; or the one word "error: " with the message. What is resolved, decoders take.
Strings ResolveIn(const plan::MessagePlan& plan, const Strings& select, const Strings& drop = {}, int recursion_depth = 1) {
  absl::StatusOr<Strings> paths = ResolveSelection(plan, {select, drop}, recursion_depth);
  if (!paths.ok()) return {"error: " + std::string(paths.status().message())};
  const absl::StatusOr<BatchDecoder> decoder =
      BatchDecoder::Create(plan, {.fields = *paths, .recursion_depth = recursion_depth});
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  return *paths;
}
Strings Resolve(const Strings& select, const Strings& drop = {}, int recursion_depth = 1) {
  return ResolveIn(House(), select, drop, recursion_depth);
}

TEST(Selection, PathsStayAsTheyAre) {
  EXPECT_THAT(Resolve({"name", "address.city", "labels[\"env\"]"}), ElementsAre("name", "address.city", "labels[\"env\"]"));
}

TEST(Selection, NothingSelectedOrDroppedIsEverything) { EXPECT_THAT(Resolve({}), IsEmpty()); }

TEST(Selection, AStarIsAnyFieldOfOneMessage) {
  EXPECT_THAT(Resolve({"address.*"}), ElementsAre("address"));
  EXPECT_THAT(Resolve({"*.name"}), ElementsAre("rooms.name"));
  EXPECT_THAT(Resolve({"*"}), IsEmpty());
  EXPECT_THAT(Resolve({"*.*.x"}), ElementsAre("address.place.x"));
}

TEST(Selection, ExpressionsAreFoundAnywhereInThePath) {
  EXPECT_THAT(Resolve({"/^address\\.(street|city)$/"}), ElementsAre("address.street", "address.city"));
  EXPECT_THAT(Resolve({"/room/"}), ElementsAre("rooms"));
  EXPECT_THAT(Resolve({"/./"}), IsEmpty());
}

TEST(Selection, WhatIsDroppedIsLeftOutWithAllBelowIt) {
  EXPECT_THAT(Resolve({}, {"address", "annex"}), ElementsAre("name", "rooms", "labels", "person", "company"));
  EXPECT_THAT(Resolve({"address", "rooms"}, {"address.place"}), ElementsAre("address.street", "address.city", "rooms"));
  EXPECT_THAT(Resolve({"address.*"}, {"/place\\.y/"}), ElementsAre("address.street", "address.city", "address.place.x"));
  EXPECT_THAT(Resolve({"name", "labels[\"env\"]"}, {"address"}), ElementsAre("name", "labels[\"env\"]"));
}

TEST(Selection, DroppingWinsOverSelecting) {
  EXPECT_THAT(Resolve({"address.city", "name"}, {"address"}), ElementsAre("name"));
  EXPECT_THAT(Resolve({"name", "labels[\"env\"]"}, {"labels"}), ElementsAre("name"));
}

TEST(Selection, PathsGoAsDeepAsRecursionDoes) {
  EXPECT_THAT(Resolve({"/person$/"}, {}, 1), ElementsAre("person"));
  EXPECT_THAT(Resolve({"/person$/"}, {}, 2), ElementsAre("annex.person", "person"));
  EXPECT_THAT(Resolve({"/person$/"}, {}, 0), ElementsAre(HasSubstr("contains itself")));
}

TEST(Selection, PatternsThatCannotBeMeantAreRefusedByName) {
  EXPECT_THAT(Resolve({"*.nothing"}), ElementsAre(AllOf(HasSubstr("select"), HasSubstr("no field matches *.nothing"))));
  EXPECT_THAT(Resolve({}, {"nothing"}), ElementsAre(AllOf(HasSubstr("drop"), HasSubstr("nothing"))));
  EXPECT_THAT(Resolve({"/(/"}), ElementsAre(HasSubstr("not a regular expression")));
  EXPECT_THAT(Resolve({""}), ElementsAre(HasSubstr("empty")));
  EXPECT_THAT(Resolve({"rooms[*].name"}), ElementsAre(HasSubstr("leave [*] out")));
  EXPECT_THAT(Resolve({}, {"labels[\"env\"]"}), ElementsAre(HasSubstr("maps are dropped whole")));
  EXPECT_THAT(Resolve({}, {"*"}), ElementsAre(HasSubstr("no field is left")));
  EXPECT_THAT(Resolve({"a b"}), ElementsAre(HasSubstr("a b")));
}

TEST(Selection, PathsThatLeadNowhereSayWhatMayBeMeant) {
  EXPECT_THAT(Resolve({}, {"nmae"}),
              ElementsAre(AllOf(
                  HasSubstr("drop: no field matches nmae; selection_test.House has no field nmae; it has name, address, "),
                  HasSubstr("; did you mean name?"))));
  EXPECT_THAT(
      Resolve({"address.ctiy", "/rooms/"}),
      ElementsAre(HasSubstr("selection_test.Address has no field ctiy; it has street, city, place; did you mean city?")));
  EXPECT_EQ(ResolveSelection(House(), {{}, {"nothing"}}, 1).status().code(), absl::StatusCode::kNotFound);
  // `name` has no fields, so there is nothing to suggest.
  EXPECT_THAT(Resolve({}, {"name.x"}), ElementsAre("error: drop: no field matches name.x"));
}

TEST(Selection, WhatAnnotationsSkipComesBackByItsOwnPathAlone) {
  const plan::MessagePlan& trip = testing::annotated::TripColumns::plan();
  EXPECT_THAT(ResolveIn(trip, {"/secret|^id$/"}), ElementsAre("id"));
  EXPECT_THAT(ResolveIn(trip, {"/secret/"}), ElementsAre(HasSubstr("no field matches /secret/")));
  EXPECT_THAT(ResolveIn(trip, {"/^id$/", "secret"}), ElementsAre("id", "secret"));
  EXPECT_THAT(ResolveIn(trip, {"/./", "secret"}), Contains("secret"));
  EXPECT_THAT(ResolveIn(trip, {"/^id$/", "debug.text"}), ElementsAre("id", "debug"));
  EXPECT_THAT(ResolveIn(trip, {"*"}), IsEmpty());
  EXPECT_THAT(ResolveIn(trip, {}, {"id"}), AllOf(Contains("minutes"), Not(Contains("secret"))));
  EXPECT_THAT(ResolveIn(trip, {"places"}, {"secret"}), ElementsAre("places"));
}

TEST(Selection, PathsGoAsDeepAsAnnotationsSay) {
  const plan::MessagePlan& trip = testing::annotated::TripColumns::plan();
  EXPECT_THAT(ResolveIn(trip, {"/^tree.*name$/"}), ElementsAre("tree.name", "tree.children.name", "tree.twin.name",
                                                               "trees.name", "trees.children.name", "trees.twin.name"));
}

}  // namespace
}  // namespace structtensor
