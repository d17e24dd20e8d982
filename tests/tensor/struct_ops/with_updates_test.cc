#include "structtensor/tensor/struct_ops/with_updates.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"
#include "structtensor/tensor/struct_ops/without.h"

namespace structtensor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A function for updates that only hands its field on.
absl::StatusOr<Value> Same(const Value& field) { return field; }

absl::StatusOr<Value> FirstRow(const Value& field) { return field.SliceRows(0, 1); }

TEST(WithUpdates, ReplacesAddsAndDeletes) {
  const absl::StatusOr<StructuredTensor> updated = WithUpdates(
      Docs(),
      {Update::Set({"id"}, Make(L{1, 2, 3})), Update::Delete({"docs", "tags"}), Update::Set({"w"}, Make(L{L{5}, L{}, L{}}))});
  EXPECT_EQ(Json(updated),
            R"([{"id":1,"docs":[{"t":1},{"t":2}],"w":[5]},{"id":2,"docs":[{"t":3}],"w":[]},{"id":3,"docs":[],"w":[]}])");
}

TEST(WithUpdates, OfOneStruct) {
  const StructuredTensor one =
      Structs(D{{"a", 1}, {"p", D{{"q", 2}, {"r", L{L{"x"}, L{}}}}}, {"v", L{D{{"x", 1}}, D{{"x", 2}}}}});
  EXPECT_EQ(
      Json(WithUpdates(one, {Update::Set({"a"}, Make("new")), Update::Set({"p", "q"}, Make(L{L{1}, L{2, 3}})),
                             Update::Set({"v", "y"}, Make(L{L{1}, L{}})), Update::Set({"p", "s"}, Make(D{{"z", L{1}}}))})),
      R"({"a":"new","p":{"q":[[1],[2,3]],"r":[["x"],[]],"s":{"z":[1]}},"v":[{"x":1,"y":[1]},{"x":2,"y":[]}]})");
  EXPECT_EQ(Json(WithUpdates(Structs(D{}), {Update::Set({"a"}, Make(1))})), R"({"a":1})");
}

TEST(WithUpdates, FunctionsSeeTheFieldWithTheAxesOfAllStructs) {
  std::string seen;
  const auto show = [&](const Value& field) -> absl::StatusOr<Value> {
    seen = ToJson(field);
    return field;
  };
  const absl::StatusOr<StructuredTensor> updated = WithUpdates(Docs(), {Update::Transform({"docs", "tags"}, show)});
  EXPECT_EQ(seen, "[[[1,2],[3]],[[7]],[]]");
  EXPECT_EQ(Json(updated), kDocs);
}

TEST(WithUpdates, RanksAndDenseAxes) {
  // [[{x, y}, ...], [], ...]: ragged axes of the struct itself.
  const StructuredTensor ragged = Structs(L{L{D{{"x", 1}}, D{{"x", 2}}}, L{}, L{D{{"x", 3}}}});
  EXPECT_EQ(Json(WithUpdates(ragged, {Update::Set({"y"}, Make(L{L{L{1}, L{}}, L{}, L{L{2, 3}}}))})),
            R"([[{"x":1,"y":[1]},{"x":2,"y":[]}],[],[{"x":3,"y":[2,3]}]])");
  // A dense value fits ragged structs whose rows happen to be equally long, and a ragged value dense ones.
  const StructuredTensor two_by_two = Structs(L{L{D{{"x", 1}}, D{{"x", 2}}}, L{D{{"x", 3}}, D{{"x", 4}}}});
  const Tensor dense = Tensor::FromBuffer(Buffer<int64_t>::FromVector({5, 6, 7, 8}), Shape({2, 2}));
  EXPECT_EQ(Json(WithUpdates(two_by_two, {Update::Set({"x"}, dense)})), R"([[{"x":5},{"x":6}],[{"x":7},{"x":8}]])");
  const StructuredTensor uniform = two_by_two.WithRowPartitions({*RowPartition::FromUniformRowLength(2, 2)});
  const Value rows = RaggedTensor::FromRowPartitionsUnchecked(
      {*RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 2, 4}))}, Tensor::FromVector<int64_t>({5, 6, 7, 8}));
  EXPECT_EQ(Json(WithUpdates(uniform, {Update::Set({"x"}, rows)})), R"([[{"x":5},{"x":6}],[{"x":7},{"x":8}]])");
  EXPECT_EQ(
      Json(WithUpdates(uniform, {Update::Set({"y"}, Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3, 4, 5, 6, 7, 8}),
                                                                       Shape({2, 2, 2})))})),
      R"([[{"x":1,"y":[1,2]},{"x":2,"y":[3,4]}],[{"x":3,"y":[5,6]},{"x":4,"y":[7,8]}]])");
}

TEST(WithUpdates, EmptyStructsAndEmptyAxes) {
  EXPECT_EQ(Json(WithUpdates(Structs(L{L{D{}}, L{D{}, D{}}, L{}}), {Update::Set({"a"}, Make(L{L{1}, L{2, 3}, L{}}))})),
            R"([[{"a":1}],[{"a":2},{"a":3}],[]])");
  const StructuredTensor none = Docs().SliceRows(1, 1);
  EXPECT_EQ(Json(WithUpdates(
                none, {Update::Transform({"docs", "t"}, Same), Update::Set({"n"}, Tensor::Empty(Shape({0}), DType::kInt64))})),
            "[]");
  EXPECT_EQ(Json(WithUpdates(Docs(), {Update::Delete({"id"}), Update::Delete({"docs"})})), "[{},{},{}]");
}

TEST(WithUpdates, KeepsKindAndPresence) {
  const StructuredTensor entries =
      StructuredTensor::Create({}, 2, std::vector<Field>{{"key", Make(L{"a", "b"})}, {"value", Make(L{1, 2})}},
                               StructKind::kMapEntry, Validity(Buffer<uint8_t>::FromVector({0b01})));
  const absl::StatusOr<StructuredTensor> updated = WithUpdates(entries, {Update::Set({"value"}, Make(L{3, 4}))});
  ASSERT_TRUE(updated.ok()) << updated.status();
  EXPECT_EQ(updated->kind(), StructKind::kMapEntry);
  EXPECT_TRUE(updated->validity().is_valid(0));
  EXPECT_FALSE(updated->validity().is_valid(1));
}

TEST(WithUpdates, SharesEverythingThatIsNotChanged) {
  const StructuredTensor docs = Docs();
  const absl::StatusOr<StructuredTensor> updated =
      WithUpdates(docs, {Update::Delete({"docs", "t"}), Update::Transform({"id"}, Same)});
  ASSERT_TRUE(updated.ok()) << updated.status();
  EXPECT_EQ(Memory(*updated, "docs.tags"), Memory(docs, "docs.tags"));
  EXPECT_EQ(Memory(*updated, "id"), Memory(docs, "id"));
  EXPECT_EQ(&updated->FindFlatField("docs")->structured()->row_partitions()[0].row_splits(),
            &docs.FindFlatField("docs")->structured()->row_partitions()[0].row_splits());
}

TEST(WithUpdates, AValueIsTakenOverWithoutCopy) {
  const Value tags = *Docs().field_value("docs.tags");
  const absl::StatusOr<StructuredTensor> updated = WithUpdates(Docs(), {Update::Set({"docs", "words"}, tags)});
  ASSERT_TRUE(updated.ok()) << updated.status();
  EXPECT_EQ(Memory(*updated, "docs.words"), Memory(tags));
}

struct BadUpdate {
  std::vector<Update> updates;
  absl::StatusCode code;
  std::vector<std::string> message;
};

TEST(WithUpdates, Errors) {
  const Value three = Make(L{1, 2, 3});
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  const std::vector<BadUpdate> cases = {
      {{Update::Set({}, three)}, kInvalid, {"path of an update is empty"}},
      {{Update::Set({""}, three)}, kInvalid, {"is empty; every field needs a name"}},
      {{Update::Set({"docs", ""}, three)}, kInvalid, {"the name of a new field in docs is empty"}},
      {{Update::Set(P("docs[0]"), three)}, kInvalid, {"docs[0]: [0] is not the name of a field"}},
      {{Update::Set({"id", "x"}, three)}, kInvalid, {"id.x: id is", "has no fields"}},
      {{Update::Set({"q", "x"}, three)}, absl::StatusCode::kNotFound, {"q.x: there is no field q; its fields are id, docs"}},
      {{Update::Transform({"docs", "zz"}, Same)}, absl::StatusCode::kNotFound, {"no field zz in docs; its fields are t, tags"}},
      {{Update::Delete({"docs", "zz"})}, absl::StatusCode::kNotFound, {"no field zz in docs"}},
      {{Update::Delete({"id"}), Update::Delete({"id"})}, kInvalid, {"id is updated twice"}},
      {{Update::Delete({"docs"}), Update::Delete({"docs", "t"})}, kInvalid, {"docs and docs.t are both updated"}},
      {{Update::Delete({"docs", "t"}), Update::Delete({"docs"})}, kInvalid, {"docs.t and docs are both updated"}},
      {{Update::Set({"w"}, Make(1))}, kInvalid, {"field w", "shape []", "rank 1"}},
      {{Update::Set({"w"}, Make(L{1, 2}))}, kInvalid, {"field w: axis 0 of the value has size 2", "belongs to 3"}},
      {{Update::Set({"docs", "n"}, Make(L{L{1}, L{2, 3}, L{}}))},
       kInvalid,
       {"docs.n: axis 1", "row 0 has 1 values, expected one that has 2 values"}},
      {{Update::Transform({"id"}, FirstRow)}, kInvalid, {"field id: axis 0", "size 1"}},
      {{Update::Transform({"id"}, [](const Value&) -> absl::StatusOr<Value> { return absl::OutOfRangeError("too far"); })},
       absl::StatusCode::kOutOfRange,
       {"field id: too far"}},
  };
  for (const BadUpdate& bad : cases) {
    const absl::Status status = WithUpdates(Docs(), bad.updates).status();
    EXPECT_EQ(status.code(), bad.code) << status;
    for (const std::string& part : bad.message) EXPECT_THAT(std::string(status.message()), HasSubstr(part));
  }
}

TEST(WithUpdates, AxesOfOneStructAreCountedWithoutAHiddenOne) {
  const StructuredTensor one = Structs(D{{"v", L{D{{"x", 1}}, D{{"x", 2}}}}});
  const absl::Status status = WithUpdates(one, {Update::Set({"v", "y"}, Make(L{1, 2, 3}))}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("field v.y: axis 0 of the value differs from that of the structs it "
                                                       "belongs to: it has 3 values, expected one that has 2 values"));
}

TEST(Without, RemovesFields) {
  EXPECT_EQ(Json(Without(Docs(), {{"docs", "tags"}, {"id"}})),
            R"([{"docs":[{"t":1},{"t":2}]},{"docs":[{"t":3}]},{"docs":[]}])");
  EXPECT_EQ(Json(Without(Docs(), {{"docs", "t"}, {"docs"}, {"docs"}})), R"([{"id":"d0"},{"id":"d1"},{"id":"d2"}])");
  EXPECT_EQ(Json(Without(Docs(), std::vector<Path>{})), kDocs);
  EXPECT_EQ(Without(Docs(), {{"nope"}}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Without(Docs(), {{"docs"}, {"docs", "nope"}}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace structtensor
