#include "structtensor/tensor/values/constant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using List = NestedValue::List;
using Dict = NestedValue::Dict;

Value MakeConstant(const NestedValue& nested, const ConstantOptions& options = {}) { return Constant(nested, options).value(); }
std::string SpecOf(const NestedValue& nested, const ConstantOptions& options = {}) {
  return MakeConstant(nested, options).spec().DebugString();
}
std::string Error(const NestedValue& nested, const ConstantOptions& options = {}) {
  const absl::Status status = Constant(nested, options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}
ConstantOptions To(TypeSpec spec) {
  ConstantOptions options;
  options.spec = std::move(spec);
  return options;
}
TensorSpec Ints(Shape shape, bool nullable = false) { return TensorSpec(std::move(shape), DType::kInt32, nullable); }

TEST(Constant, ScalarsAreTensors) {
  EXPECT_EQ(SpecOf(5), "TensorSpec([], int64)");
  EXPECT_EQ(SpecOf(2.5), "TensorSpec([], double)");
  EXPECT_EQ(SpecOf(true), "TensorSpec([], bool)");
  EXPECT_EQ(SpecOf("x"), "TensorSpec([], string)");
  EXPECT_EQ(SpecOf(NestedValue::Bytes{"\xff"}), "TensorSpec([], bytes)");
}

TEST(Constant, ListsOfOneLengthAreDense) {
  EXPECT_EQ(SpecOf(List{1, 2}), "TensorSpec([2], int64)");
  EXPECT_EQ(SpecOf(List{List{1, 2}, List{3, 4}}), "TensorSpec([2, 2], int64)");
  EXPECT_EQ(SpecOf(List{List{1, 2}, List{3}}), "RaggedTensorSpec([2, None], int64, ragged_rank=1)");
  EXPECT_EQ(SpecOf(List{List{List{1}, List{2}}, List{List{3}, List{4}}}), "TensorSpec([2, 2, 1], int64)");
  EXPECT_EQ(SpecOf(List{List{}, List{}}), "TensorSpec([2, 0], double)");
  EXPECT_EQ(SpecOf(Dict{{"a", List{1, 2}}, {"b", List{List{1}}}}),
            "StructuredTensorSpec([], {'a': TensorSpec([2], int64), 'b': TensorSpec([1, 1], int64)})");
  EXPECT_EQ(SpecOf(List{Dict{{"a", List{1, 2}}}, Dict{{"a", List{3, 4}}}}),
            "StructuredTensorSpec([2], {'a': TensorSpec([2, 2], int64)})");
  EXPECT_EQ(SpecOf(List{List{Dict{{"a", 1}}}}), "StructuredTensorSpec([1, 1], {'a': TensorSpec([1, 1], int64)})");
}

TEST(Constant, AxesInsideOfRaggedOnesAreDenseIfTheirListsHaveOneLength) {
  EXPECT_EQ(SpecOf(List{List{List{1, 2}}, List{List{3, 4}, List{5, 6}}}),
            "RaggedTensorSpec([2, None, 2], int64, ragged_rank=1)");
  EXPECT_EQ(SpecOf(List{List{Dict{{"a", List{1, 2}}}}, List{}}),
            "StructuredTensorSpec([2, None], {'a': RaggedTensorSpec([2, None, 2], int64, ragged_rank=1)})");
  // An axis outside of a ragged one is a uniform partition.
  EXPECT_EQ(SpecOf(List{List{List{1}, List{}}, List{List{2, 3}, List{4}}}),
            "RaggedTensorSpec([2, 2, None], int64, ragged_rank=2)");
}

TEST(Constant, WithoutDenseAxesListsInListsAreRagged) {
  const auto spec = [](const NestedValue& nested) { return Constant(nested, {.dense_axes = false})->spec().DebugString(); };
  EXPECT_EQ(spec(List{List{1, 2}, List{3, 4}}), "RaggedTensorSpec([2, None], int64, ragged_rank=1)");
  EXPECT_EQ(spec(List{Dict{{"a", List{1, 2}}}}),
            "StructuredTensorSpec([1], {'a': RaggedTensorSpec([1, None], int64, ragged_rank=1)})");
  EXPECT_EQ(spec(List{List{Dict{{"a", 1}}}}),
            "StructuredTensorSpec([1, None], {'a': RaggedTensorSpec([1, None], int64, ragged_rank=1)})");
}

TEST(Constant, NothingHasTheTypeOfTheOtherValues) {
  const auto json = [](const NestedValue& nested) { return ToJson(Constant(nested).value()); };
  EXPECT_EQ(json(List{1, nullptr, 3}), "[1,null,3]");
  EXPECT_EQ(json(List{nullptr, Dict{{"a", 1}}}), R"([null,{"a":1}])");
  EXPECT_EQ(json(List{Dict{{"a", "x"}}, Dict{{"a", nullptr}}}), R"([{"a":"x"},{"a":null}])");
  EXPECT_EQ(json(List{Dict{{"a", List{1, 2}}}, Dict{{"a", nullptr}}}), R"([{"a":[1,2]},{"a":[]}])");
  EXPECT_EQ(Constant(List{nullptr}).status().message(),
            "[0]: found no value, so the type cannot be inferred; give a spec with a nullable field");
  EXPECT_EQ(Constant(List{1, List{nullptr}}).status().message(),
            "[1]: found a list, but values before it are numbers at this depth; all must be nested equally deep");
  EXPECT_EQ(Constant(List{List{nullptr}, List{List{}}, 1}).ok(), false);
  EXPECT_EQ(Constant(List{Dict{{"a", List{List{nullptr}}}}, Dict{{"a", List{1}}}}).status().message(),
            "[1].a[0]: found the integer 1 in 1 lists, but values before it are in 2; all must be nested equally deep");
}

TEST(Constant, TheDtypeOfListsMayBeGiven) {
  EXPECT_EQ(Constant(List{List{1}, List{}}, {.dtype = DType::kFloat})->spec().DebugString(),
            "RaggedTensorSpec([2, None], float, ragged_rank=1)");
  EXPECT_EQ(Constant(Dict{{"a", 1}}, {.dtype = DType::kFloat}).status().message(),
            "the whole value: found a dict; a dtype is for numbers and strings, structs need a spec");
}

TEST(Constant, EmptyListsHaveTheDepthOfTheirNeighbours) {
  EXPECT_EQ(SpecOf(List{}), "TensorSpec([0], double)");
  EXPECT_EQ(SpecOf(List{List{List{}, List{}}, List{}}), "RaggedTensorSpec([2, None, 0], double, ragged_rank=1)");
  EXPECT_EQ(SpecOf(List{List{}, List{Dict{{"x", "z"}}}}),
            "StructuredTensorSpec([2, None], {'x': RaggedTensorSpec([2, None], string, ragged_rank=1)})");
  EXPECT_EQ(SpecOf(List{Dict{{"b", List{}}}, Dict{{"b", List{Dict{}}}}}),
            "StructuredTensorSpec([2], {'b': StructuredTensorSpec([2, None], {})})");
}

TEST(Constant, KeepsWhatWasWritten) {
  const NestedValue nested = List{
      Dict{{"z", 1}, {"a", List{Dict{{"x", List{1.5}}, {"y", true}}}}, {"t", "é"}},
      Dict{{"z", 2}, {"a", List{}}, {"t", ""}},
  };
  EXPECT_EQ(ToNestedValue(MakeConstant(nested)), nested);
  EXPECT_EQ(ToJson(MakeConstant(nested)), R"([{"z":1,"a":[{"x":[1.5],"y":true}],"t":"é"},{"z":2,"a":[],"t":""}])");
  for (const NestedValue& scalar : List{Dict{}, 7, "x", List{}, NestedValue::Bytes{"b"}})
    EXPECT_EQ(ToNestedValue(MakeConstant(scalar)), scalar);
}

TEST(Constant, IntegersAmongFractionsAreFractions) {
  EXPECT_EQ(SpecOf(List{1, 2.5}), "TensorSpec([2], double)");
  EXPECT_EQ(SpecOf(List{1, int64_t{1} << 40}, {.int_dtype = DType::kInt32}), "TensorSpec([2], int64)");
  EXPECT_EQ(SpecOf(List{1, 2}, {.int_dtype = DType::kInt32}), "TensorSpec([2], int32)");
  EXPECT_EQ(SpecOf(List{1, 2.5}, {.float_dtype = DType::kFloat}), "TensorSpec([2], float)");
}

TEST(Constant, WhatCannotBeInferredIsAnErrorWithItsPath) {
  EXPECT_EQ(Error(List{Dict{{"a", 1}}, Dict{{"a", "x"}}}),
            "[1].a: found a text, but values before it are numbers; all must be of one type");
  EXPECT_THAT(Error(Dict{{"a", List{1, List{2}}}}), HasSubstr("a[1]: found a list, but values before it are numbers"));
  EXPECT_THAT(Error(Dict{{"a", List{List{1}, 2}}}),
              HasSubstr("a[1]: found the integer 2 in 1 lists, but values before it are in 2"));
  EXPECT_THAT(Error(List{List{List{}}, List{Dict{}}}), HasSubstr("[1][0]: found a dict in 2 lists"));
  EXPECT_THAT(Error(List{Dict{{"a", 1}}, 5}), HasSubstr("[1]: found the integer 5, but values before it are dicts"));
  EXPECT_THAT(Error(List{true, 1}), HasSubstr("[1]: found the integer 1, but values before it are booleans"));
  EXPECT_THAT(Error(nullptr), HasSubstr("the whole value: found no value"));
  EXPECT_THAT(Error(List{Dict{{"a", List{nullptr}}}}), HasSubstr("[0].a[0]: found no value"));
  EXPECT_THAT(Error(1e300, {.float_dtype = DType::kFloat}), HasSubstr("the number 1e+300 is too big for float"));
}

TEST(Constant, IntegersBeyondInt64AreAnErrorUnlessADTypeIsAskedFor) {
  constexpr uint64_t kBig = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(Error(kBig), HasSubstr("the whole value: the integer 18446744073709551615 does not fit in int64"));
  EXPECT_THAT(Error(Dict{{"a", List{1, uint64_t{1} << 63}}}), HasSubstr("a[1]: the integer 9223372036854775808 does not fit"));
  EXPECT_THAT(Error(List{-1, kBig}, {.int_dtype = DType::kInt32}), HasSubstr("[1]: the integer"));
  // As fractions they would be other numbers.
  EXPECT_THAT(Error(List{1.5, kBig}, {.float_dtype = DType::kFloat}), HasSubstr("[1]: the integer"));
  EXPECT_THAT(Error(List{kBig, 1.5}), HasSubstr("[0]: the integer"));
  EXPECT_EQ(SpecOf(uint64_t{1} << 62), "TensorSpec([], int64)");
  EXPECT_EQ(ToJson(MakeConstant(List{kBig}, To(TensorSpec(Shape({1}), DType::kUint64)))), "[18446744073709551615]");
  EXPECT_EQ(SpecOf(uint64_t{1} << 63, To(TensorSpec(Shape(), DType::kDouble))), "TensorSpec([], double)");
  EXPECT_EQ(SpecOf(kBig, {.int_dtype = DType::kUint64}), "TensorSpec([], uint64)");
  EXPECT_EQ(SpecOf(uint64_t{1} << 63, {.int_dtype = DType::kDouble}), "TensorSpec([], double)");
  EXPECT_THAT(Error(List{-1, kBig}, {.int_dtype = DType::kUint64}), HasSubstr("fit in no dtype"));
  EXPECT_EQ(ToJson(*TensorConstant(List{kBig}, {.dtype = DType::kUint64})), "[18446744073709551615]");
  EXPECT_FALSE(TensorConstant(List{kBig}).ok());
  EXPECT_FALSE(TensorConstant(List{kBig}, {.dtype = DType::kInt64}).ok());
  EXPECT_FALSE(RaggedConstant(List{List{kBig}}).ok());
  EXPECT_TRUE(RaggedConstant(List{List{kBig}}, {.dtype = DType::kUint64}).ok());
}

// For each dtype of fractions, the first positive integer that it does not have.
TEST(Constant, IntegersThatWouldLoseDigitsAreAnError) {
  const std::pair<DType, int64_t> kFirst[] = {
      {DType::kDouble, (int64_t{1} << 53) + 1},
      {DType::kFloat, (1 << 24) + 1},
      {DType::kFloat16, (1 << 11) + 1},
      {DType::kBfloat16, (1 << 8) + 1},
  };
  for (const auto& [dtype, first] : kFirst) {
    const std::string problem =
        "the integer " + std::to_string(first) + " would lose digits as " + std::string(DTypeName(dtype));
    const TensorSpec spec(Shape({-1}), dtype);
    EXPECT_THAT(Error(List{0.5, first}, {.float_dtype = dtype}), HasSubstr("[1]: " + problem));
    EXPECT_THAT(Error(List{first, 0.5}, {.float_dtype = dtype}), HasSubstr("[0]: " + problem));
    EXPECT_THAT(Error(List{List{}, List{1, first}}, {.int_dtype = dtype}), HasSubstr("[1][1]: " + problem));
    EXPECT_THAT(Error(List{first}, To(spec)), HasSubstr("[0]: " + problem));
    const Dict nested{{"a", List{Dict{{"b", List{-first, 0.5}}}}}};
    EXPECT_THAT(Error(nested, {.float_dtype = dtype}), HasSubstr("a[0].b[0]: the integer -" + std::to_string(first)));
    EXPECT_FALSE(TensorConstant(List{first}, {.dtype = dtype}).ok());
    EXPECT_FALSE(RaggedConstant(List{List{first}}, {.dtype = dtype}).ok());
    for (const int64_t exact : {first - 1, first + 1, -(first - 1), int64_t{0}}) {
      EXPECT_EQ(ToNestedValue(MakeConstant(List{exact}, To(spec))), NestedValue(List{static_cast<double>(exact)})) << exact;
    }
    // Fractions are rounded.
    EXPECT_TRUE(TensorConstant(List{static_cast<double>(first)}, {.dtype = dtype}).ok());
  }
  const int64_t kMost = std::numeric_limits<int64_t>::max();
  const uint64_t kUnsigned = std::numeric_limits<uint64_t>::max();
  const TensorSpec doubles(Shape({-1}), DType::kDouble);
  EXPECT_THAT(Error(List{kMost}, To(doubles)), HasSubstr("the integer 9223372036854775807 would lose digits as double"));
  EXPECT_THAT(Error(List{kUnsigned}, To(doubles)), HasSubstr("the integer 18446744073709551615 would lose digits as double"));
  EXPECT_TRUE(Constant(List{std::numeric_limits<int64_t>::min(), uint64_t{1} << 63}, To(doubles)).ok());
  EXPECT_TRUE(Constant(List{int64_t{1} << 62, uint64_t{1} << 63}, To(TensorSpec(Shape({-1}), DType::kBfloat16))).ok());
}

TEST(Constant, KeysMustBeTheSameEverywhere) {
  EXPECT_THAT(Error(List{Dict{{"a", 1}, {"b", 1}}, Dict{{"a", 1}}}), HasSubstr("[1]: key 'b' is missing"));
  EXPECT_THAT(Error(Dict{{"c", List{Dict{{"x", 1}}, Dict{{"y", 1}}}}}),
              HasSubstr("c[1]: key 'y' is missing in the dicts before"));
  EXPECT_THAT(Error(Dict{{"a", 1}, {"a", 2}}), HasSubstr("key 'a' is given twice"));
  EXPECT_THAT(Error(List{Dict{{"a", 1}}, Dict{{"a", 1}, {"a", 2}}}), HasSubstr("[1]: key 'a' is given twice"));
  EXPECT_EQ(ToJson(MakeConstant(List{Dict{{"a", 1}, {"b", 2}}, Dict{{"b", 3}, {"a", 4}}})), R"([{"a":1,"b":2},{"a":4,"b":3}])");
}

TEST(Constant, AnyTextButTheEmptyOneIsAName) {
  for (const char* name : {"1a", "user id", "_index_", "a.b", "größe"}) {
    EXPECT_EQ(ToJson(MakeConstant(Dict{{name, 1}})), std::string("{\"") + name + "\":1}") << name;
  }
  EXPECT_THAT(Error(List{Dict{{"", 1}}}), HasSubstr("[0]: the name of a key is empty"));
  EXPECT_EQ(SpecOf(Dict{{"a_1", 1}}), "StructuredTensorSpec([], {'a_1': TensorSpec([], int64)})");
}

TEST(Constant, DepthIsLimited) {
  NestedValue lists;
  NestedValue dicts = 1;
  for (int i = 0; i < kMaxNestedDepth; ++i) {
    lists = i == 0 ? NestedValue(List{}) : NestedValue(List{std::move(lists)});
    dicts = Dict{{"a", std::move(dicts)}};
  }
  EXPECT_TRUE(Constant(lists).ok());
  EXPECT_TRUE(Constant(dicts).ok());
  EXPECT_THAT(Error(List{std::move(lists)}), HasSubstr("more than 100 lists and dicts are inside each other"));
  EXPECT_THAT(Error(List{std::move(dicts)}), HasSubstr("more than 100 lists and dicts are inside each other"));
}

TEST(Constant, TimesGetTheFinestUnitAmongThem) {
  using Time = NestedValue::Time;
  const NestedValue times = List{Time{2, DType::kTimestampS}, nullptr, Time{1500, DType::kTimestampMs}};
  const Value value = MakeConstant(times, {});
  EXPECT_EQ(value.tensor()->dtype(), DType::kTimestampMs);
  EXPECT_EQ(ToNestedValue(value), NestedValue(List{Time{2000, DType::kTimestampMs}, nullptr, Time{1500, DType::kTimestampMs}}));
  EXPECT_EQ(MakeConstant(List{Time{-1, DType::kDurationUs}}, {.dtype = DType::kDurationNs}).tensor()->values<int64_t>()[0],
            -1000);
  EXPECT_EQ(MakeConstant(List{7}, {.dtype = DType::kDurationNs}).tensor()->values<int64_t>()[0], 7);
  EXPECT_THAT(Error(times, {.dtype = DType::kTimestampS}),
              HasSubstr("[2]: the time 1970-01-01T00:00:01.5Z would lose digits as timestamp[s]"));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Error(List{Time{kMost, DType::kTimestampS}, Time{1, DType::kTimestampNs}}),
              HasSubstr("[0]: the time +292277026596-12-04T15:30:07Z does not fit in timestamp[ns]"));
  EXPECT_THAT(Error(List{Time{1, DType::kTimestampS}, Time{1, DType::kDurationS}}),
              HasSubstr("[1]: found the duration 1s, but values before it are timestamps; all must be of one type"));
  for (const DType dtype : {DType::kInt64, DType::kDouble, DType::kBool, DType::kString, DType::kDurationNs}) {
    EXPECT_THAT(Error(Time{1, DType::kTimestampS}, {.dtype = dtype}), HasSubstr("found the time 1970-01-01T00:00:01Z"));
  }
}

TEST(ConstantOfSpec, ConvertsNumbersWithinTheirRange) {
  EXPECT_EQ(SpecOf(List{1, 2}, To(TensorSpec(Shape({-1}), DType::kFloat))), "TensorSpec([2], float)");
  EXPECT_EQ(ToJson(MakeConstant(List{1.5, -2}, To(TensorSpec(Shape({2}), DType::kFloat16)))), "[1.5,-2]");
  EXPECT_EQ(ToJson(MakeConstant(1'500'000'000, To(TensorSpec(Shape(), DType::kDurationNs)))), R"("1.5s")");
  EXPECT_THAT(Error(int64_t{1} << 31, To(Ints({}))), HasSubstr("the integer 2147483648 does not fit in int32"));
  EXPECT_THAT(Error(-1, To(TensorSpec(Shape(), DType::kUint64))), HasSubstr("the integer -1 does not fit in uint64"));
  EXPECT_THAT(Error(1.5, To(Ints({}))), HasSubstr("expected int32, found the number 1.5"));
  EXPECT_EQ(ToJson(MakeConstant(true, To(Ints({})))), "1");
  EXPECT_THAT(Error(1, To(TensorSpec(Shape(), DType::kBool))), HasSubstr("expected bool, found the integer 1"));
  EXPECT_THAT(Error(1, To(TensorSpec(Shape(), DType::kString))), HasSubstr("expected string, found the integer 1"));
  EXPECT_THAT(Error(70000.0, To(TensorSpec(Shape(), DType::kFloat16))), HasSubstr("the number 70000 is too big for float16"));
}

TEST(ConstantOfSpec, GivesTheAxesOfTheSpec) {
  const NestedValue rows = List{List{1, 2}, List{3, 4}};
  EXPECT_EQ(SpecOf(rows, To(Ints({-1, 2}))), "TensorSpec([2, 2], int32)");
  EXPECT_EQ(SpecOf(List{}, To(RaggedTensorSpec(Shape({-1, -1}), DType::kInt64, 1))),
            "RaggedTensorSpec([0, None], int64, ragged_rank=1)");
  EXPECT_EQ(SpecOf(rows, To(RaggedTensorSpec(Shape({-1, 2}), DType::kInt64, 1))),
            "RaggedTensorSpec([2, 2], int64, ragged_rank=1)");
  EXPECT_EQ(SpecOf(List{}, To(StructuredTensorSpec(Shape({-1}), {{"[pkg.x]", Ints({-1})}}))),
            "StructuredTensorSpec([0], {'[pkg.x]': TensorSpec([0], int32)})");
  EXPECT_THAT(Error(List{List{1}, List{2, 3}}, To(Ints({2, -1}))),
              HasSubstr("[1]: found a list of 2 where all lists have 1 elements"));
  EXPECT_THAT(Error(List{1, 2}, To(Ints({3}))), HasSubstr("found a list of 2 where all lists have 3 elements"));
  EXPECT_THAT(Error(3, To(Ints({1}))), HasSubstr("expected 1 list, found the integer 3"));
  EXPECT_THAT(Error(List{List{1}}, To(Ints({1}))), HasSubstr("[0]: expected int32, found a list of 1"));
  EXPECT_EQ(SpecOf(rows, To(TensorSpec(Shape::UnknownRank(), DType::kInt32))), "TensorSpec([2, 2], int32)");
  EXPECT_THAT(Error(1, To(RaggedTensorSpec(Shape::UnknownRank(), DType::kInt32, 1))),
              HasSubstr("the rank of the spec must be known"));
}

TEST(ConstantOfSpec, EverySpecOfAConstantMakesTheConstant) {
  for (const NestedValue& nested :
       List{5, List{List{List{}}, List{}}, Dict{{"a", List{List{1}, List{}}}, {"s", Dict{{"t", "x"}}}},
            List{List{Dict{{"a", List{1, 2}}, {"b", List{Dict{{"c", true}}}}}}, List{}}}) {
    const Value value = MakeConstant(nested);
    EXPECT_EQ(MakeConstant(nested, To(value.spec())), value);
    EXPECT_EQ(MakeConstant(nested, To(value.spec())).spec(), value.spec());
  }
}

TEST(ConstantOfSpec, FillsWhatIsMissingWhereTheSpecHasAPlaceForIt) {
  const StructuredTensorSpec inner(Shape({-1}), {{"c", Ints({-1})}}, StructKind::kStruct, true);
  const TypeSpec spec = StructuredTensorSpec(
      Shape({-1}), {{"a", Ints({-1}, true)}, {"r", RaggedTensorSpec(Shape({-1, -1}), DType::kInt32, 1)}, {"s", inner}});
  EXPECT_EQ(
      ToJson(MakeConstant(
          List{Dict{}, Dict{{"s", Dict{{"c", 1}}}, {"r", List{1}}, {"a", 2}}, Dict{{"a", nullptr}, {"r", nullptr}}}, To(spec))),
      R"([{"a":null,"r":[],"s":null},{"a":2,"r":[1],"s":{"c":1}},{"a":null,"r":[],"s":null}])");
  const TypeSpec strict = StructuredTensorSpec(Shape({-1}), {{"a", Ints({-1})}});
  EXPECT_THAT(Error(List{Dict{}}, To(strict)), HasSubstr("[0].a: found no value, but int32 is not nullable here"));
  EXPECT_THAT(Error(List{Dict{{"b", 1}}}, To(strict)), HasSubstr("[0]: key 'b' is not a field of the spec"));
  EXPECT_THAT(Error(List{Dict{{"a", 1}, {"a", 1}}}, To(strict)), HasSubstr("[0]: key 'a' is given twice"));
}

TEST(ConstantOfSpec, KeepsOptionalAxesMapsAndRowSplitsOf32Bits) {
  const RowPartitionSpec optional{.optional = true, .dtype = DType::kInt32};
  const TypeSpec spec = RaggedTensorSpec({optional}, Ints({-1}));
  const Value value = MakeConstant(List{List{1}, List{}, nullptr}, To(spec));
  EXPECT_TRUE(value.ragged()->row_partition(0).is_optional());
  EXPECT_EQ(value.ragged()->row_partition(0).dtype(), DType::kInt32);
  EXPECT_EQ(ToJson(value, {.unwrap_optional = true}), "[1,null,null]");
  EXPECT_THAT(Error(List{List{1, 2}}, To(spec)),
              HasSubstr("[0]: found a list of 2 where an optional value has at most one element"));
  const TypeSpec map = StructuredTensorSpec(
      Shape({-1, -1}), {{"key", TensorSpec(Shape({-1}), DType::kString)}, {"value", Ints({-1})}}, StructKind::kMapEntry);
  EXPECT_EQ(ToJson(MakeConstant(List{List{Dict{{"key", "a"}, {"value", 1}}}}, To(map))), R"([{"a":1}])");
}

TEST(RaggedConstant, TakesRaggedRankAndInnerShape) {
  const NestedValue nested = List{List{List{1, 2}, List{3, 4}}, List{List{5, 6}}};
  const auto spec = [&](const RaggedConstantOptions& options) {
    const absl::StatusOr<Value> value = RaggedConstant(nested, options);
    return value.ok() ? value->spec().DebugString() : std::string(value.status().message());
  };
  EXPECT_EQ(spec({}), "RaggedTensorSpec([2, None, None], int64, ragged_rank=2)");
  EXPECT_EQ(spec({.ragged_rank = 1}), "RaggedTensorSpec([2, None, 2], int64, ragged_rank=1)");
  EXPECT_EQ(spec({.inner_shape = Shape({2})}), "RaggedTensorSpec([2, None, 2], int64, ragged_rank=1)");
  EXPECT_EQ(spec({.dtype = DType::kFloat, .ragged_rank = 1}), "RaggedTensorSpec([2, None, 2], float, ragged_rank=1)");
  EXPECT_THAT(spec({.inner_shape = Shape({3})}), HasSubstr("[0][0]: found a list of 2 where all lists have 3"));
  EXPECT_THAT(spec({.ragged_rank = 3}), HasSubstr("nested 3 lists deep; ragged_rank 3"));
  EXPECT_THAT(spec({.ragged_rank = -1}), HasSubstr("ragged_rank is -1"));
  EXPECT_THAT(spec({.ragged_rank = 0}), HasSubstr("[1]: found a list of 1 where all lists have 2"));
  EXPECT_EQ(RaggedConstant(List{}, {.ragged_rank = 2})->spec().DebugString(),
            "RaggedTensorSpec([0, None, None], double, ragged_rank=2)");
  EXPECT_EQ(RaggedConstant(List{List{1}}, {.row_splits_dtype = DType::kInt32})->ragged()->row_partition(0).dtype(),
            DType::kInt32);
}

TEST(TensorConstant, IsDense) {
  const auto json = [](const NestedValue& nested, const TensorConstantOptions& options) {
    const absl::StatusOr<Tensor> tensor = TensorConstant(nested, options);
    return tensor.ok() ? ToJson(*tensor) : std::string(tensor.status().message());
  };
  EXPECT_EQ(json(List{List{1, 2}, List{3, 4}}, {}), "[[1,2],[3,4]]");
  EXPECT_EQ(json(List{1, 2, 3, 4}, {.shape = Shape({2, 2})}), "[[1,2],[3,4]]");
  EXPECT_EQ(json(7, {.shape = Shape({2, 2})}), "[[7,7],[7,7]]");
  EXPECT_EQ(json(List{}, {.shape = Shape({2, 0})}), "[[],[]]");
  EXPECT_THAT(json(List{1, 2}, {.shape = Shape({3})}), HasSubstr("a constant of 2 elements does not fill shape [3]"));
  EXPECT_THAT(json(List{List{1}, List{}}, {}), HasSubstr("[1]: found a list of 0 where all lists have 1"));
  EXPECT_THAT(json(Dict{}, {}), HasSubstr("found a dict; a tensor is made of lists, numbers and strings"));
  EXPECT_EQ(TensorConstant("x", {.shape = Shape({int64_t{1} << 40})}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(TensorConstant(1, {.shape = Shape({int64_t{1} << 40, int64_t{1} << 40})}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ToNestedValue, TellsEveryDtypeAndAbsence) {
  EXPECT_EQ(ToNestedValue(Tensor::FromVector(std::vector<uint64_t>{1, std::numeric_limits<uint64_t>::max()})),
            NestedValue(List{1, std::numeric_limits<uint64_t>::max()}));
  EXPECT_EQ(ToNestedValue(Tensor::FromVector(std::vector<BFloat16>{BFloat16(0.5f)})), NestedValue(List{0.5}));
  EXPECT_EQ(ToNestedValue(Tensor::FromVector(std::vector<int64_t>{5}, DType::kTimestampNs)),
            NestedValue(List{NestedValue::Time{5, DType::kTimestampNs}}));
  const TypeSpec spec = StructuredTensorSpec(Shape({-1}), {{"a", Ints({-1}, true)}}, StructKind::kStruct, true);
  const NestedValue nested = List{nullptr, Dict{{"a", nullptr}}, Dict{{"a", 1}}};
  EXPECT_EQ(ToNestedValue(MakeConstant(nested, To(spec))), nested);
}

}  // namespace
}  // namespace structtensor
