#include "structtensor/tensor/values/from_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using List = NestedValue::List;
using Dict = NestedValue::Dict;

constexpr int64_t kAny = kUnknownDimension;

Value Make(const NestedValue& nested) { return Constant(nested).value(); }
Value Dense(const NestedValue& nested) { return TensorConstant(nested).value(); }
RowPartition Lengths(std::vector<int64_t> lengths) {
  return RowPartition::FromRowLengths(Buffer<int64_t>::FromVector(std::move(lengths))).value();
}

// The structs as JSON and their shape, or the error's message.
std::string Text(const absl::StatusOr<StructuredTensor>& structs) {
  if (structs.ok()) return ToJson(*structs) + " " + structs->shape().DebugString();
  EXPECT_EQ(structs.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(structs.status().message());
}

TEST(FromFields, WithoutAShapeIsAScalar) {
  EXPECT_EQ(Text(FromFields(
                {{"x", Make(1)}, {"y", Make(List{1, 2})}, {"s", Make(Dict{{"t", 1}})}, {"r", Make(List{List{1}, List{}})}})),
            R"({"x":1,"y":[1,2],"s":{"t":1},"r":[[1],[]]} [])");
  EXPECT_EQ(Text(FromFields({})), "{} []");
}

TEST(FromFields, FieldsGetBackOutAsTheyWentIn) {
  const std::vector<Value> values = {Make(1), Make(List{"a"}), Make(List{List{1}, List{}}), Make(Dict{{"a", 1}}),
                                     Make(List{List{Dict{}}})};
  for (const Value& value : values) EXPECT_EQ(FromFields({{"x", value}})->field_value(0), value);
}

TEST(FromFields, TakesUnknownSizesFromTheFields) {
  const Value dense = Dense(List{List{1, 2, 3}, List{4, 5, 6}});
  EXPECT_EQ(Text(FromFields({{"x", dense}}, {.shape = Shape({kAny})})), R"([{"x":[1,2,3]},{"x":[4,5,6]}] [2])");
  EXPECT_EQ(Text(FromFields({{"x", dense}}, {.shape = Shape({kAny, kAny})})),
            R"([[{"x":1},{"x":2},{"x":3}],[{"x":4},{"x":5},{"x":6}]] [2, 3])");
}

TEST(FromFields, OuterAxesMayBeDenseRaggedOrUniform) {
  const Value ragged = RaggedConstant(List{List{1, 2}, List{3, 4}}).value();
  const Value dense = Dense(List{List{"a", "b"}, List{"c", "d"}});
  const Value structs = Make(List{List{Dict{{"t", 1}}, Dict{{"t", 2}}}, List{Dict{{"t", 3}}, Dict{{"t", 4}}}});
  EXPECT_EQ(Text(FromFields({{"r", ragged}, {"s", structs}, {"d", dense}}, {.shape = Shape({2, kAny})})),
            R"([[{"r":1,"s":{"t":1},"d":"a"},{"r":2,"s":{"t":2},"d":"b"}],)"
            R"([{"r":3,"s":{"t":3},"d":"c"},{"r":4,"s":{"t":4},"d":"d"}]] [2, 2])");
  EXPECT_EQ(Text(FromFields({{"r", ragged}}, {.shape = Shape({2, 2})})), R"([[{"r":1},{"r":2}],[{"r":3},{"r":4}]] [2, 2])");
  EXPECT_EQ(FromFields({{"r", ragged}}, {.shape = Shape({2, kAny})})->shape(), Shape({2, kAny}));
}

TEST(FromFields, SplitsRaggedFieldsBetweenStructsAndField) {
  const NestedValue nested = List{List{List{1, 2}, List{3, 4}}, List{List{5, 6}}};
  const Value with_inner = RaggedConstant(nested, {.ragged_rank = 1}).value();
  const Value all_ragged = RaggedConstant(nested).value();
  EXPECT_EQ(Text(FromFields({{"a", with_inner}, {"b", all_ragged}}, {.shape = Shape({2, kAny})})),
            R"([[{"a":[1,2],"b":[1,2]},{"a":[3,4],"b":[3,4]}],[{"a":[5,6],"b":[5,6]}]] [2, None])");
  const auto cube = FromFields({{"a", with_inner}}, {.shape = Shape({2, kAny, kAny})});
  EXPECT_EQ(cube->shape(), Shape({2, kAny, 2}));
  EXPECT_EQ(ToJson(cube->field_value("a").value()), "[[[1,2],[3,4]],[[5,6]]]");
}

TEST(FromFields, SharesTheFieldsBuffers) {
  const Value ragged = RaggedConstant(List{List{1, 2}, List{3}}).value();
  const auto structs = FromFields({{"x", ragged}}, {.shape = Shape({kAny, kAny})}).value();
  EXPECT_EQ(structs.flat_field(0).tensor()->values<int64_t>().data(), ragged.ragged()->flat_values().values<int64_t>().data());
  EXPECT_EQ(structs.row_partitions()[0].row_splits().data(), ragged.ragged()->row_splits().data());
}

TEST(FromFields, ConflictsNameTheField) {
  const auto message = [](const NestedValue& a, const NestedValue& b, ValidateLevel level = ValidateLevel::kFull) {
    return Text(FromFields({{"a", Make(a)}, {"b", Make(b)}}, {.shape = Shape({kAny, kAny}), .validate = level}));
  };
  EXPECT_EQ(message(List{List{1, 2}, List{3}}, List{List{4}, List{5, 6}}),
            "field b: axis 1: row 0 has 1 values, and 2 in field a; the outer axes of all fields must be the same");
  EXPECT_THAT(message(List{List{1}}, List{List{1}, List{2}}), HasSubstr("field b: axis 0 has 2 rows; field a has 1"));
  EXPECT_THAT(message(List{List{1, 2}, List{3}}, List{List{4}, List{5, 6}}, ValidateLevel::kCheap), HasSubstr("[2, None]"));
  EXPECT_THAT(message(List{List{1, 2}, List{3}}, List{List{4}, List{5}}, ValidateLevel::kCheap),
              HasSubstr("field b: axis 1: row 0 has 1"));
  EXPECT_THAT(message(List{List{1, 2}, List{3}}, List{List{4}, List{5, 6}}, ValidateLevel::kNone), HasSubstr("[2, None]"));
  EXPECT_THAT(message(List{List{1, 2}, List{3}}, List{List{4}, List{5}}, ValidateLevel::kNone),
              HasSubstr("field b: it has 2 values for 3 structs in all"));
}

TEST(FromFields, SizesThatAreGivenAreChecked) {
  const Value x = Make(List{List{1, 2}, List{3}});
  EXPECT_THAT(Text(FromFields({{"x", x}}, {.shape = Shape({5, kAny})})),
              HasSubstr("field x: axis 0 has 2 rows; the shape says 5"));
  EXPECT_THAT(Text(FromFields({{"x", x}}, {.shape = Shape({2, 2})})),
              HasSubstr("field x: axis 1: row 1 has 1 values; the shape says 2"));
  EXPECT_THAT(Text(FromFields({{"x", x}}, {.shape = Shape({kAny, kAny}), .nrows = 3})),
              HasSubstr("axis 0 has 2 rows; nrows is 3"));
  EXPECT_THAT(Text(FromFields({{"x", x}}, {.shape = Shape({kAny, kAny}), .row_partitions = {{Lengths({1, 2})}}})),
              HasSubstr("field x: axis 1: row 0 has 2 values, and 1 in row_partitions"));
  EXPECT_THAT(Text(FromFields({{"x", Make(5)}}, {.shape = Shape({5})})),
              HasSubstr("field x: it has shape []; structs of rank 1"));
}

TEST(FromFields, WithoutFieldsSomethingElseMustGiveTheShape) {
  EXPECT_EQ(Text(FromFields({}, {.shape = Shape({2})})), "[{},{}] [2]");
  EXPECT_EQ(Text(FromFields({}, {.shape = Shape({kAny}), .nrows = 1})), "[{}] [1]");
  EXPECT_EQ(Text(FromFields({}, {.shape = Shape({2, 1})})), "[[{}],[{}]] [2, 1]");
  EXPECT_EQ(Text(FromFields({}, {.shape = Shape({kAny, kAny}), .row_partitions = {{Lengths({2, 0})}}})),
            "[[{},{}],[]] [2, None]");
  EXPECT_THAT(Text(FromFields({}, {.shape = Shape({kAny})})), HasSubstr("need a fully known shape, nrows or row_partitions"));
  EXPECT_THAT(Text(FromFields({}, {.shape = Shape({2, kAny})})), HasSubstr("the shape is [2, None]"));
  EXPECT_THAT(Text(FromFields({}, {.shape = Shape({int64_t{1} << 40, int64_t{1} << 40})})),
              HasSubstr("more structs than int64"));
}

TEST(FromFields, OptionsMustFitTheRank) {
  EXPECT_THAT(Text(FromFields({}, {.nrows = 5})), HasSubstr("nrows: it is 5, but a scalar has no rows"));
  EXPECT_THAT(Text(FromFields({}, {.row_partitions = {{Lengths({1})}}})),
              HasSubstr("row_partitions: there are 1; structs of rank 0 need 0"));
  EXPECT_THAT(Text(FromFields({}, {.shape = Shape({kAny, kAny, kAny}), .row_partitions = {{}}})),
              HasSubstr("there are 0; structs of rank 3 need 2"));
  EXPECT_THAT(Text(FromFields({}, {.shape = Shape({kAny, kAny, kAny}), .row_partitions = {{Lengths({1}), Lengths({1, 1})}}})),
              HasSubstr("partition 0 has 1 values, but partition 1 has 2 rows"));
  EXPECT_THAT(Text(FromFields({}, {.shape = Shape::UnknownRank()})), HasSubstr("the rank of the structs' shape must be known"));
  EXPECT_THAT(Text(FromFields({}, {.shape = Shape({kAny}), .nrows = -1})), HasSubstr("nrows: it is -1"));
}

TEST(FromFields, NamesAreIdentifiersOrExtensions) {
  EXPECT_THAT(Text(FromFields({{"", Make(5)}})), HasSubstr("a field's name is empty"));
  EXPECT_THAT(Text(FromFields({{"a", Make(5)}, {"a", Make(6)}})), HasSubstr("field a: it is given twice"));
  EXPECT_EQ(Text(FromFields({{"[pkg.x]", Make(5)}})), R"({"[pkg.x]":5} [])");
}

TEST(FromFields, RowSplitsAreOf32BitsOnlyIfAllAre) {
  const Value narrow = RaggedConstant(List{List{1}}, {.row_splits_dtype = DType::kInt32}).value();
  const Value wide = RaggedConstant(List{List{1}}).value();
  const FromFieldsOptions options{.shape = Shape({kAny, kAny})};
  EXPECT_EQ(FromFields({{"a", narrow}}, options)->shape_dtype(), DType::kInt32);
  EXPECT_EQ(FromFields({{"a", narrow}, {"b", wide}}, options)->shape_dtype(), DType::kInt64);
  EXPECT_EQ(FromFields({{"a", Dense(List{List{1}})}}, options)->shape_dtype(), DType::kInt64);
}

TEST(FromFields, KeepsThatAnAxisIsOptional) {
  const auto optional =
      RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 1, 1}), RowPartition::Optional::kYes).value();
  const Value x = WithOuterPartition(optional, Make(List{7}));
  const auto structs = FromFields({{"y", Make(List{List{1}, List{}})}, {"x", x}}, {.shape = Shape({kAny, kAny})}).value();
  EXPECT_TRUE(structs.row_partitions()[0].is_optional());
}

TEST(FromFields, AnyTextButTheEmptyOneIsAName) {
  EXPECT_EQ(Text(FromFields({{"_index_", Make(1)}, {"user id", Make(2)}, {"größe", Make(3)}})),
            R"({"_index_":1,"user id":2,"größe":3} [])");
}

TEST(FromFieldsAndRank, RowSplitsOfAllFieldsHaveOneDType) {
  const auto rows = [](DType dtype) { return RaggedConstant(List{List{1, 2}, List{3}}, {.row_splits_dtype = dtype}).value(); };
  const auto dtype_of = [](const StructuredTensor& structs, std::string_view field) {
    return structs.field_value(field)->ragged()->row_partition(0).dtype();
  };
  const StructuredTensor narrow = *FromFieldsAndRank({{"a", rows(DType::kInt32)}, {"b", Make(List{1, 2})}}, 1);
  EXPECT_EQ(narrow.shape_dtype(), DType::kInt32);
  EXPECT_EQ(dtype_of(narrow, "a"), DType::kInt32);
  const StructuredTensor wide = *FromFieldsAndRank({{"a", rows(DType::kInt32)}, {"b", rows(DType::kInt64)}}, 1);
  EXPECT_EQ(wide.shape_dtype(), DType::kInt64);
  EXPECT_EQ(dtype_of(wide, "a"), DType::kInt64);
  // What is asked for reaches into fields.
  const Value inner = *FromFieldsAndRank({{"b", rows(DType::kInt64)}}, 1);
  const StructuredTensor asked = *FromFieldsAndRank({{"a", rows(DType::kInt64)}, {"s", inner}}, 1, DType::kInt32);
  EXPECT_EQ(asked.shape_dtype(), DType::kInt32);
  EXPECT_EQ(dtype_of(asked, "a"), DType::kInt32);
  EXPECT_EQ(dtype_of(asked, "s.b"), DType::kInt32);
  EXPECT_EQ(FromFieldsAndRank({{"x", Make(List{1, 2})}}, 1, DType::kInt32)->shape_dtype(), DType::kInt32);
}

TEST(FromFieldsAndRank, InfersTheShape) {
  const Value rows = Dense(List{List{1, 2}, List{3, 4}});
  EXPECT_EQ(Text(FromFieldsAndRank({{"x", rows}}, 0)), R"({"x":[[1,2],[3,4]]} [])");
  EXPECT_EQ(Text(FromFieldsAndRank({{"x", rows}}, 1)), R"([{"x":[1,2]},{"x":[3,4]}] [2])");
  EXPECT_EQ(Text(FromFieldsAndRank({{"x", rows}}, 2)), R"([[{"x":1},{"x":2}],[{"x":3},{"x":4}]] [2, 2])");
  EXPECT_THAT(Text(FromFieldsAndRank({{"x", rows}}, 3)), HasSubstr("field x: it has shape [2, 2]; structs of rank 3"));
  EXPECT_THAT(Text(FromFieldsAndRank({}, 0)), HasSubstr("there are no fields"));
  EXPECT_THAT(Text(FromFieldsAndRank({{"x", rows}}, -1)), HasSubstr("rank: it is -1"));
  EXPECT_EQ(Text(FromFieldsAndRank({{"x", Make(1)}}, 1)), R"({"x":1} [])");
  EXPECT_EQ(FromFieldsAndRank({{"x", rows}}, 2, DType::kInt32)->shape_dtype(), DType::kInt32);
  EXPECT_THAT(Text(FromFieldsAndRank({{"x", rows}}, 2, DType::kFloat)), HasSubstr("shape_dtype: it is float"));
}

TEST(DenseStructuredTensor, NeedsItsWholeShape) {
  EXPECT_EQ(Text(DenseStructuredTensor(Shape({1, 2}), {{"x", Dense(List{List{1, 2}})}})), R"([[{"x":1},{"x":2}]] [1, 2])");
  EXPECT_THAT(Text(DenseStructuredTensor(Shape({1, kAny}), {})), HasSubstr("need a fully known one"));
}

TEST(RaggedStructuredTensor, GroupsFlatFields) {
  EXPECT_EQ(Text(RaggedStructuredTensor({Lengths({1, 0}), Lengths({2})}, {{"x", Make(List{1, 2})}})),
            R"([[[{"x":1},{"x":2}]],[]] [2, None, None])");
  EXPECT_THAT(Text(RaggedStructuredTensor({Lengths({1})}, {{"x", Make(List{1, 2})}})), HasSubstr("field x has 2 rows"));
  EXPECT_THAT(Text(RaggedStructuredTensor({}, {})), HasSubstr("there are none"));
}

TEST(FromRowSplits, GroupsRowsOfAnyValue) {
  const auto splits = [] { return Buffer<int64_t>::FromVector({0, 2, 2, 3}); };
  const Value structs = Make(List{Dict{{"x", 1}}, Dict{{"x", 2}}, Dict{{"x", 3}}});
  EXPECT_EQ(ToJson(FromRowSplits(structs, splits()).value()), R"([[{"x":1},{"x":2}],[],[{"x":3}]])");
  EXPECT_EQ(ToJson(FromRowSplits(Make(List{1, 2, 3}), splits()).value()), "[[1,2],[],[3]]");
  EXPECT_THAT(std::string(FromRowSplits(Make(List{1}), splits()).status().message()),
              HasSubstr("row_splits ends at 3, but there are 1 values"));
  EXPECT_EQ(FromRowSplits(Make(1), splits()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FromRowSplits(structs, Buffer<int64_t>::FromVector({1, 3})).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
