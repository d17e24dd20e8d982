#include "structtensor/tensor/struct_ops/broadcast.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"
#include "structtensor/tensor/struct_ops/promote.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

TEST(Broadcast, CopiesAValueToTheStructsInside) {
  EXPECT_EQ(Json(Broadcast(Docs(), {"id"}, {"docs", "from"})),
            R"([{"id":"d0","docs":[{"t":1,"tags":[1,2],"from":"d0"},{"t":2,"tags":[3],"from":"d0"}]},)"
            R"({"id":"d1","docs":[{"t":3,"tags":[7],"from":"d1"}]},{"id":"d2","docs":[]}])");
}

TEST(Broadcast, OverSeveralLevels) {
  const StructuredTensor structs =
      Structs(L{D{{"a", L{1}}, {"p", L{D{{"q", L{D{{"k", 1}}, D{{"k", 2}}}}}, D{{"q", L{}}}, D{{"q", L{D{{"k", 3}}}}}}}},
                D{{"a", L{2, 3}}, {"p", L{D{{"q", L{D{{"k", 4}}}}}}}}});
  EXPECT_EQ(Json(Broadcast(structs, {"a"}, {"p", "q", "a"})->field_value("p.q.a")), "[[[[1],[1]],[],[[1]]],[[[2,3]]]]");
  EXPECT_EQ(Json(Broadcast(structs, {"a"}, {"p", "a"})->field_value("p.a")), "[[[1],[1],[1]],[[2,3]]]");
}

TEST(Broadcast, InOneStructAndToScalarStructs) {
  const StructuredTensor one = Structs(D{{"a", 7}, {"v", L{D{{"x", 1}}, D{{"x", 2}}}}, {"s", D{{"y", 1}}}});
  EXPECT_EQ(Json(Broadcast(one, {"a"}, {"v", "a"})->field_value("v.a")), "[7,7]");
  EXPECT_EQ(Json(Broadcast(one, {"v"}, {"s", "v"})->field_value("s.v")), R"([{"x":1},{"x":2}])");
  // One inner struct for each outer one: nothing is copied.
  EXPECT_EQ(Memory(*Broadcast(one, {"v"}, {"s", "v"}), "s.v"), Memory(one, "v"));
}

TEST(Broadcast, FromInsideAndBackAgain) {
  const StructuredTensor docs = *Broadcast(*Promote(Docs(), {"docs", "tags"}, {"words"}), {"words"}, {"docs", "all"});
  EXPECT_EQ(Json(docs.field_value("docs.all")), "[[[1,2,3],[1,2,3]],[[7]],[]]");
}

TEST(Broadcast, StructsAndTheirAbsence) {
  const StructuredTensor ab = StructuredTensor::Create({}, 2, std::vector<Field>{{"k", Make(L{1, 2})}}, StructKind::kStruct,
                                                       Validity(Buffer<uint8_t>::FromVector({0b10})));
  const StructuredTensor inner = StructuredTensor::Create(
      {*RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 2, 3}))}, 3, std::vector<Field>{{"x", Make(L{1, 2, 3})}});
  const StructuredTensor structs = StructuredTensor::Create({}, 2, std::vector<Field>{{"s", ab}, {"p", inner}});
  EXPECT_EQ(Json(Broadcast(structs, {"s"}, {"p", "s"})->field_value("p.s")), R"([[null,null],[{"k":2}]])");
}

TEST(Broadcast, SharesTheRest) {
  const StructuredTensor docs = Docs();
  const absl::StatusOr<StructuredTensor> broadcast = Broadcast(docs, {"id"}, {"docs", "from"});
  EXPECT_EQ(Memory(*broadcast, "docs.tags"), Memory(docs, "docs.tags"));
  EXPECT_EQ(Memory(*broadcast, "id"), Memory(docs, "id"));
}

TEST(Broadcast, MoreRowsThanMemory) {
  // Structs without fields take no memory, however many they are; a value for each of them would.
  const int64_t many = int64_t{1} << 60;
  const StructuredTensor inner =
      StructuredTensor::Create({*RowPartition::FromUniformRowLength(many, 1)}, many, std::vector<Field>{});
  const StructuredTensor structs = StructuredTensor::Create({}, 1, std::vector<Field>{{"x", Make(L{1})}, {"p", inner}});
  EXPECT_EQ(Broadcast(structs, {"x"}, {"p", "x"}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Broadcast, Errors) {
  const auto status = [](const Path& source, const Path& target) { return Broadcast(Docs(), source, target).status(); };
  EXPECT_EQ(status({"zz"}, {"docs", "new"}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status({"id"}, {"zz", "new"}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status({"id"}, {"docs", "t", "new"}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status({"id"}, {"new"}).message()), HasSubstr("new is not in a struct inside the value itself"));
  EXPECT_THAT(std::string(status({"docs", "t"}, {"docs", "new"}).message()),
              HasSubstr("docs.new is not in a struct inside docs, where docs.t is"));
  EXPECT_EQ(status({}, {"docs", "new"}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status({"id"}, {"docs", ""}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status({"id"}, {}).message()), HasSubstr("the target is empty"));
  EXPECT_THAT(std::string(status({"id"}, *Path::Parse("docs[0]")).message()), HasSubstr("[0] is not the name of a field"));
}

}  // namespace
}  // namespace structtensor
