#include "structtensor/tensor/struct_ops/query.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"
#include "structtensor/tensor/struct_ops/promote.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

// Structs with an absent one and an absent number.
StructuredTensor Nullable() {
  const Tensor x =
      Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3}), DType::kInt64, Validity(Buffer<uint8_t>::FromVector({0b110})));
  const StructuredTensor nested = StructuredTensor::Create({}, 3, std::vector<Field>{{"x", x}}, StructKind::kStruct,
                                                           Validity(Buffer<uint8_t>::FromVector({0b011})));
  return StructuredTensor::Create({}, 3, std::vector<Field>{{"n", nested}});
}

TEST(Size, CountsTheValuesOfEachRow) {
  EXPECT_EQ(FieldOf(SizeEach(Docs(), {"docs"}, "n"), "n"), "[2,1,0]");
  EXPECT_EQ(FieldOf(SizeEach(Docs(), {"docs", "tags"}, "n"), "docs.n"), "[[2,1],[1],[]]");
  EXPECT_EQ(FieldOf(SizeEach(Docs(), {"id"}, "n"), "n"), "[1,1,1]");
  EXPECT_EQ(FieldOf(SizeEach(Structs(D{{"v", L{5, 6}}}), {"v"}, "n"), "n"), "2");
  EXPECT_EQ(FieldOf(SizeEach(Nullable(), {"n", "x"}, "k"), "n.k"), "[0,1,null]");
  EXPECT_EQ(FieldOf(SizeEach(Nullable(), {"n"}, "k"), "k"), "[1,1,0]");
}

TEST(Has, TellsWhetherThereAreValues) {
  EXPECT_EQ(FieldOf(Has(Docs(), {"docs"}, "any"), "any"), "[true,true,false]");
  EXPECT_EQ(FieldOf(Has(Docs(), {"id"}, "any"), "any"), "[true,true,true]");
  EXPECT_EQ(FieldOf(Has(Nullable(), {"n"}, "any"), "any"), "[true,true,false]");
}

TEST(IndexEach, CountsWithinEachRow) {
  EXPECT_EQ(FieldOf(IndexEach(Docs(), {"docs"}, "i"), "i"), "[[0,1],[0],[]]");
  EXPECT_EQ(FieldOf(IndexEach(Docs(), {"docs", "tags"}, "i"), "docs.i"), "[[[0,1],[0]],[[0]],[]]");
  EXPECT_EQ(FieldOf(IndexEach(Docs(), {"docs"}, "i", /*from_end=*/true), "i"), "[[-2,-1],[-1],[]]");
  EXPECT_THAT(std::string(IndexEach(Docs(), {"id"}, "i").status().message()), HasSubstr("field path id: "));
}

TEST(MapValues, SeesTheElementsWithoutRows) {
  std::string seen;
  const auto negate = [&](const Tensor& values) -> absl::StatusOr<Tensor> {
    seen = ToJson(values);
    std::vector<int64_t> out;
    for (const int64_t value : values.values<int64_t>()) out.push_back(-value);
    return Tensor::FromVector(std::move(out));
  };
  EXPECT_EQ(FieldOf(MapValues(Docs(), {"docs", "tags"}, "minus", negate), "docs.minus"), "[[[-1,-2],[-3]],[[-7]],[]]");
  EXPECT_EQ(seen, "[1,2,3,7]");
  EXPECT_EQ(FieldOf(MapValues(Docs(), {"docs", "t"}, "t", negate), "docs.t"), "[[-1,-2],[-3],[]]");
}

TEST(MapValues, Errors) {
  const auto first = [](const Tensor& values) -> absl::StatusOr<Tensor> { return values.SliceRows(0, 1); };
  EXPECT_THAT(std::string(MapValues(Docs(), {"docs"}, "x", first).status().message()), HasSubstr("no elements of its own"));
  EXPECT_THAT(std::string(MapValues(Docs(), {"docs", "t"}, "x", first).status().message()),
              HasSubstr("docs.t: the function made a tensor of shape [1] of one of shape [3]"));
  const auto fail = [](const Tensor&) -> absl::StatusOr<Tensor> { return absl::OutOfRangeError("no"); };
  EXPECT_EQ(MapValues(Docs(), {"id"}, "x", fail).status(), absl::OutOfRangeError("field path id: no"));
  EXPECT_EQ(
      MapValues(Docs(), {"id"}, "", [](const Tensor& values) -> absl::StatusOr<Tensor> { return values; }).status().code(),
      absl::StatusCode::kInvalidArgument);
}

TEST(SlicePath, CutsEachRow) {
  EXPECT_EQ(FieldOf(SlicePath(Docs(), {"docs"}, 1, std::nullopt), "docs"), R"([[{"t":2,"tags":[3]}],[],[]])");
  EXPECT_EQ(FieldOf(SlicePath(Docs(), {"docs", "tags"}, 0, 1), "docs.tags"), "[[[1],[3]],[[7]],[]]");
  EXPECT_EQ(FieldOf(SlicePath(Docs(), {"docs", "tags"}, -1, std::nullopt), "docs.tags"), "[[[2],[3]],[[7]],[]]");
  EXPECT_EQ(FieldOf(SlicePath(Docs(), {"docs", "tags"}, 1, 0), "docs.tags"), "[[[],[]],[[]],[]]");
  EXPECT_EQ(FieldOf(SlicePath(Docs(), {"docs", "tags"}, INT64_MIN, INT64_MAX), "docs.tags"), "[[[1,2],[3]],[[7]],[]]");
  EXPECT_EQ(SlicePath(Docs(), {"id"}, 0, 1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SlicePath, DenseRowsStayDense) {
  const Tensor numbers = Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({2, 3}));
  const StructuredTensor structs = StructuredTensor::Create({}, 2, std::vector<Field>{{"x", numbers}});
  const Value cut = *SlicePath(structs, {"x"}, 1, 3)->field_value("x");
  EXPECT_EQ(cut.shape(), Shape({2, 2}));
  EXPECT_EQ(ToJson(cut), "[[2,3],[5,6]]");
}

TEST(SlicePath, RowsThatLoseNothingAreShared) {
  const StructuredTensor docs = Docs();
  EXPECT_EQ(Memory(*SlicePath(docs, {"docs", "tags"}, 0, 5), "docs.tags"), Memory(docs, "docs.tags"));
}

TEST(Truncate, KeepsTheFirstOfEachRow) {
  EXPECT_EQ(FieldOf(Truncate(Docs(), {"docs"}, 1), "docs.t"), "[[1],[3],[]]");
  EXPECT_EQ(Truncate(Docs(), {"docs"}, -1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(LimitDepth, CutsWhatIsDeeper) {
  EXPECT_EQ(Json(LimitDepth(Docs(), 2)), kDocs);
  EXPECT_EQ(Json(LimitDepth(Docs(), 1)), R"([{"id":"d0","docs":[{},{}]},{"id":"d1","docs":[{}]},{"id":"d2","docs":[]}])");
  EXPECT_EQ(Json(LimitDepth(Docs(), 0)), "[{},{},{}]");
  EXPECT_EQ(LimitDepth(Docs(), -1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Project, KeepsPaths) {
  EXPECT_EQ(Json(Project(Docs(), {{"docs", "t"}})), R"([{"docs":[{"t":1},{"t":2}]},{"docs":[{"t":3}]},{"docs":[]}])");
}

TEST(Query, MoreRowsThanMemory) {
  const int64_t many = int64_t{1} << 60;
  const StructuredTensor nothing = StructuredTensor::Create({*RowPartition::FromUniformRowLength(0, many)}, 0,
                                                            std::vector<Field>{{"m", Make(L{true}).SliceRows(0, 0)}});
  const StructuredTensor structs = StructuredTensor::Create({}, many, std::vector<Field>{{"p", nothing}});
  const StructuredTensor each = StructuredTensor::Create(
      {}, 1, std::vector<Field>{{"q", structs.WithOuterPartition(*RowPartition::FromUniformRowLength(many, 1))}});
  const auto kExhausted = absl::StatusCode::kResourceExhausted;
  EXPECT_EQ(SizeEach(structs, {"p"}, "n").status().code(), kExhausted);
  EXPECT_EQ(Has(structs, {"p"}, "n").status().code(), kExhausted);
  EXPECT_EQ(IndexEach(each, {"q"}, "n").status().code(), kExhausted);
  // What needs no list of them works.
  EXPECT_EQ(Filter(structs, {"p"}, {"p", "m"})->flat_nrows(), many);
  EXPECT_EQ(Json(Promote(each, {"q", "p"}, {"n"})->field_value("n")), "[[]]");
}

TEST(Query, ErrorsHaveThePath) {
  const Path nowhere{"docs", "zz"};
  EXPECT_EQ(SizeEach(Docs(), nowhere, "n").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Has(Docs(), nowhere, "n").status().message()), HasSubstr("docs.zz: there is no field zz in docs"));
  EXPECT_EQ(SizeEach(Docs(), {}, "n").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SizeEach(Docs(), {"docs"}, "").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SlicePath(Docs(), P("docs[0]"), 0, 1).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
