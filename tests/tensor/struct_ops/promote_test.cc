#include "structtensor/tensor/struct_ops/promote.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

std::string Promoted(const StructuredTensor& structs, const Path& source, const char* field = "new") {
  const Path target = source.size() < 2 ? Path{"new"} : source.Prefix(source.size() - 2).Child("new");
  const absl::StatusOr<StructuredTensor> promoted = Promote(structs, source, target);
  return promoted.ok() ? Json(promoted->field_value(field)) : std::string(promoted.status().ToString());
}

TEST(Promote, MergesTheAxesOfTheStructThatIsLeft) {
  EXPECT_EQ(Promoted(Docs(), {"docs", "t"}), "[[1,2],[3],[]]");
  EXPECT_EQ(Promoted(Docs(), {"docs", "tags"}), "[[1,2,3],[7],[]]");
}

TEST(Promote, OutOfAScalarStructLeavesTheFieldAsItIs) {
  const StructuredTensor structs = Structs(L{D{{"s", D{{"x", 1}, {"y", L{1, 2}}}}}, D{{"s", D{{"x", 2}, {"y", L{}}}}}});
  EXPECT_EQ(Promoted(structs, {"s", "x"}), "[1,2]");
  EXPECT_EQ(Promoted(structs, {"s", "y"}), "[[1,2],[]]");
}

TEST(Promote, GoesToTheStructAround) {
  const StructuredTensor structs = Structs(L{D{{"g", D{{"p", L{D{{"x", L{L{1}, L{2, 3}}}}}}}}}, D{{"g", D{{"p", L{}}}}}});
  EXPECT_EQ(Json(Promote(structs, {"g", "p", "x"}, {"g", "new"})),
            R"([{"g":{"p":[{"x":[[1],[2,3]]}],"new":[[1],[2,3]]}},{"g":{"p":[],"new":[]}}])");
  EXPECT_EQ(Promoted(structs, {"g", "p"}), R"([[{"x":[[1],[2,3]]}],[]])");
}

TEST(Promote, InsideOneStruct) {
  const StructuredTensor one = Structs(D{{"v", L{D{{"x", 1}, {"y", L{"p"}}}, D{{"x", 2}, {"y", L{}}}}},
                                         {"m", L{L{D{{"x", 1}}, D{{"x", 2}}}, L{}}},
                                         {"s", D{{"z", L{}}}}});
  EXPECT_EQ(Promoted(one, {"v", "x"}), "[1,2]");
  EXPECT_EQ(Promoted(one, {"v", "y"}), R"(["p"])");
  EXPECT_EQ(Promoted(one, {"m", "x"}), "[1,2]");
  EXPECT_EQ(Promoted(one, {"s", "z"}), "[]");
}

TEST(Promote, UniformAxesStayDense) {
  // [2] structs of 2 structs each of 3 numbers each.
  const Tensor numbers =
      Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), Shape({4, 3}));
  const RowPartition pairs = *RowPartition::FromUniformRowLength(2, 2);
  const StructuredTensor inner = StructuredTensor::Create({pairs}, 4, std::vector<Field>{{"x", numbers}});
  const StructuredTensor structs = StructuredTensor::Create({}, 2, std::vector<Field>{{"p", inner}});
  const Value promoted = *Promote(structs, {"p", "x"}, {"new"})->field_value("new");
  EXPECT_EQ(promoted.shape(), Shape({2, 6}));
  EXPECT_EQ(ToJson(promoted), "[[1,2,3,4,5,6],[7,8,9,10,11,12]]");
  EXPECT_EQ(Memory(promoted), Memory(numbers));
}

TEST(Promote, OptionalOfOptionalStaysOptional) {
  const auto optional = [](std::vector<int64_t> splits) {
    return *RowPartition::FromRowSplits(Buffer<int64_t>::FromVector(std::move(splits)), RowPartition::Optional::kYes);
  };
  const Value minutes = WithOuterPartition(optional({0, 1, 1}), Make(L{30}));
  const StructuredTensor oven = StructuredTensor::Create({optional({0, 1, 1, 2})}, 2, std::vector<Field>{{"minutes", minutes}});
  const StructuredTensor structs = StructuredTensor::Create({}, 3, std::vector<Field>{{"oven", oven}});
  const Value promoted = *Promote(structs, {"oven", "minutes"}, {"new"})->field_value("new");
  EXPECT_EQ(ToJson(promoted), "[[30],[],[]]");
  EXPECT_TRUE(promoted.ragged()->row_partition(0).is_optional());
}

TEST(Promote, ValuesOfAbsentStructsAreAbsent) {
  const Validity first_only(Buffer<uint8_t>::FromVector({0b101}));
  const StructuredTensor nested = StructuredTensor::Create(
      {}, 3,
      std::vector<Field>{
          {"x", Make(L{1, 2, 3})}, {"s", Make(L{"a", "b", "c"})}, {"d", Make(L{D{{"k", 1}}, D{{"k", 2}}, D{{"k", 3}}})}},
      StructKind::kStruct, first_only);
  const StructuredTensor structs = StructuredTensor::Create({}, 3, std::vector<Field>{{"n", nested}});
  EXPECT_EQ(Promoted(structs, {"n", "x"}), "[1,null,3]");
  EXPECT_EQ(Promoted(structs, {"n", "s"}), R"(["a",null,"c"])");
  EXPECT_EQ(Promoted(structs, {"n", "d"}), R"([{"k":1},null,{"k":3}])");
  EXPECT_EQ(Memory(*Promote(structs, {"n", "s"}, {"new"}), "new"), Memory(structs, "n.s"));
}

TEST(Promote, SharesTheValuesAndReplacesAFieldOfThatName) {
  const StructuredTensor docs = Docs();
  const absl::StatusOr<StructuredTensor> promoted = Promote(docs, {"docs", "tags"}, {"id"});
  EXPECT_EQ(Json(promoted->field_value("id")), "[[1,2,3],[7],[]]");
  EXPECT_EQ(promoted->num_fields(), 2u);
  EXPECT_EQ(Memory(*promoted, "id"), Memory(docs, "docs.tags"));
  EXPECT_EQ(Memory(*promoted, "docs.tags"), Memory(docs, "docs.tags"));
}

TEST(Promote, ToAnyAncestorInOneCall) {
  const StructuredTensor structs = Structs(L{D{{"g", L{D{{"p", L{D{{"x", L{1}}}, D{{"x", L{2, 3}}}}}}, D{{"p", L{}}}}}},
                                             D{{"g", L{}}}, D{{"g", L{D{{"p", L{D{{"x", L{4}}}}}}}}}});
  EXPECT_EQ(Json(Promote(structs, {"g", "p", "x"}, {"new"})->field_value("new")), "[[1,2,3],[],[4]]");
  const StructuredTensor in_two_calls = *Promote(*Promote(structs, {"g", "p", "x"}, {"g", "new"}), {"g", "new"}, {"new"});
  EXPECT_EQ(*Promote(structs, {"g", "p", "x"}, {"new"})->field_value("new"), *in_two_calls.field_value("new"));
}

TEST(Promote, OnlyOutward) {
  const auto message = [](const Path& source, const Path& target) {
    return std::string(Promote(Docs(), source, target).status().message());
  };
  EXPECT_THAT(message({"docs", "tags"}, {"docs", "new"}), HasSubstr("docs.tags cannot be promoted to docs.new"));
  EXPECT_THAT(message({"docs", "tags"}, {"id", "new"}), HasSubstr("cannot be promoted to id.new"));
  EXPECT_THAT(message({"docs", "tags"}, {"docs", "tags", "new"}), HasSubstr("a field moves outward"));
}

TEST(Promote, TheNewNameMayBeAnyText) {
  EXPECT_EQ(Promote(Docs(), "docs..tags", "tags").status(), Path::Parse("docs..tags").status());
  EXPECT_EQ(WithOnly(Docs(), {"*", "docs..tags"}).status(), Path::Parse("docs..tags").status());
  EXPECT_EQ(Json(Promote(Docs(), "docs.tags", "tags")->field_value("tags")), "[[1,2,3],[7],[]]");
  EXPECT_EQ(Json(Promote(Docs(), {"docs", "tags"}, {"\"my tags\""})->field_value("\"my tags\"")), "[[1,2,3],[7],[]]");
}

TEST(Promote, Errors) {
  const auto status = [](const Path& source, const Path& target = {"new"}) { return Promote(Docs(), source, target).status(); };
  EXPECT_THAT(std::string(status({"docs"}).message()), HasSubstr("docs has nothing to be promoted out of"));
  EXPECT_EQ(status({}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status({"docs", "zz"}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status({"id", "x"}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status({"docs", "tags"}, {""}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status({"docs", "tags"}, Path()).message()), HasSubstr("the target is empty"));
}

}  // namespace
}  // namespace structtensor
