#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"
#include "structtensor/tensor/struct_ops/query.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

StructuredTensor Shop() {
  return Structs(L{D{{"open", true},
                     {"sells", L{D{{"what", "tea"}, {"fresh", true}}, D{{"what", "nails"}, {"fresh", false}}}},
                     {"prices", L{1, 2}},
                     {"cheap", L{true, false}}},
                   D{{"open", false}, {"sells", L{D{{"what", "milk"}, {"fresh", true}}}}, {"prices", L{}}, {"cheap", L{}}}});
}

TEST(Filter, ByAFieldInside) {
  EXPECT_EQ(FieldOf(Filter(Shop(), {"sells"}, {"sells", "fresh"}), "sells.what"), R"([["tea"],["milk"]])");
}

TEST(Filter, ByAFieldBeside) {
  EXPECT_EQ(FieldOf(Filter(Shop(), {"prices"}, {"cheap"}), "prices"), "[[1],[]]");
  EXPECT_EQ(FieldOf(Filter(Shop(), {"cheap"}, {"cheap"}), "cheap"), "[[true],[]]");
}

TEST(Filter, RowsOfTheRoot) {
  EXPECT_EQ(FieldOf(Filter(Shop(), {}, {"open"}), "sells.what"), R"([["tea","nails"]])");
  EXPECT_EQ(Json(Filter(Structs(L{L{D{{"x", true}}, D{{"x", false}}}, L{}, L{D{{"x", true}}}}), {}, {"x"})),
            R"([[{"x":true}],[],[{"x":true}]])");
}

TEST(Filter, AFieldThatIsNotRepeatedBecomesOptional) {
  const StructuredTensor structs = Structs(L{D{{"a", 1}, {"s", D{{"ok", false}, {"k", 1}}}, {"m", true}},
                                             D{{"a", 2}, {"s", D{{"ok", true}, {"k", 2}}}, {"m", false}}});
  const absl::StatusOr<StructuredTensor> by_child = Filter(structs, {"s"}, {"s", "ok"});
  EXPECT_EQ(FieldOf(by_child, "s.k"), "[[],[2]]");
  EXPECT_TRUE(by_child->field_value("s")->structured()->row_partitions()[0].is_optional());
  EXPECT_EQ(FieldOf(Filter(structs, {"a"}, {"m"}), "a"), "[[1],[]]");
}

TEST(Filter, WhatIsAbsentIsNotKept) {
  const Tensor nullable =
      Tensor::FromBuffer(Buffer<uint8_t>::FromVector({1, 1, 0}), DType::kBool, Validity(Buffer<uint8_t>::FromVector({0b101})));
  const Value optional =
      WithOuterPartition(*RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 1, 1, 2}), RowPartition::Optional::kYes),
                         Make(L{true, false}));
  const StructuredTensor structs =
      StructuredTensor::Create({}, 3, std::vector<Field>{{"x", Make(L{1, 2, 3})}, {"n", nullable}, {"o", optional}});
  EXPECT_EQ(FieldOf(Filter(structs, {}, {"n"}), "x"), "[1]");
  EXPECT_EQ(FieldOf(Filter(structs, {}, {"o"}), "x"), "[1]");
  EXPECT_EQ(FieldOf(Filter(structs, {"x"}, {"o"}), "x"), "[[1],[],[]]");
  EXPECT_EQ(FieldOf(Filter(structs, {"o"}, {"o"}), "o"), "[[true],[],[]]");
}

TEST(Filter, AMaskOfTheFirstAxesKeepsWholeLists) {
  const StructuredTensor structs =
      Structs(L{D{{"x", L{L{1}, L{2, 3}}}, {"m", L{false, true}}}, D{{"x", L{L{4}}}, {"m", L{true}}}});
  EXPECT_EQ(FieldOf(Filter(structs, {"x"}, {"m"}), "x"), "[[[2,3]],[[4]]]");
}

TEST(Filter, EmptyRowsAndNothingLeft) {
  EXPECT_EQ(FieldOf(Filter(Shop().SliceRows(1, 1), {"sells"}, {"sells", "fresh"}), "sells"), "[]");
  EXPECT_EQ(FieldOf(Filter(Shop().SliceRows(1, 2), {}, {"open"}), "sells"), "[]");
}

TEST(Filter, Errors) {
  const auto status = [](const Path& path, const Path& mask) { return Filter(Shop(), path, mask).status(); };
  EXPECT_THAT(std::string(status({"sells"}, {"sells", "what"}).message()),
              HasSubstr("sells.what is TensorSpec([3], string); it must be boolean"));
  EXPECT_THAT(std::string(status({"sells"}, {"prices", "x"}).message()),
              HasSubstr("neither a field of sells nor one beside it"));
  EXPECT_EQ(status({"sells"}, {"sells", "zz"}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status({"zz"}, {"cheap"}).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status({"sells"}, {"cheap"}).message()), HasSubstr("row 1 has 0 values instead of 1"));
  EXPECT_THAT(std::string(status({"sells"}, {"open"}).message()), HasSubstr("one boolean for each struct"));
  EXPECT_THAT(std::string(status({}, {"cheap"}).message()), HasSubstr("must be one boolean for each"));
  EXPECT_EQ(status({"prices"}, {"prices", "x"}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status({}, {}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Filter(Shop().Row(0), {}, {"open"}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
