#include "structtensor/tensor/values/shared/take_rows.h"

#include <gtest/gtest.h>

#include "structtensor/tensor/values/text.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

std::string TakeJson(const Value& value, std::vector<int64_t> rows) { return ToJson(values_internal::TakeRows(value, rows)); }

TEST(TakeRows, OfTensors) {
  EXPECT_EQ(TakeJson(Tensor::FromVector(std::vector<int32_t>{1, 2, 3}), {2, 0, 2}), "[3,1,3]");
  EXPECT_EQ(TakeJson(Tensor::FromVector({"a", "bc", ""}), {2, 1, 1}), R"(["","bc","bc"])");
  EXPECT_EQ(TakeJson(NullableVector<int32_t>({1, 2, 3}, {true, false, true}), {2, 1}), "[3,null]");
  EXPECT_EQ(TakeJson(Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({3, 2})), {2, 0}),
            "[[5,6],[1,2]]");
}

TEST(TakeRows, OfRaggedTensorsKeepsRowsWhole) {
  const RaggedTensor ragged = RaggedTensor::FromRowPartitions({Partition({0, 2, 3}), Partition({0, 2, 2, 3})},
                                                              Tensor::FromVector(std::vector<int64_t>{1, 2, 3}))
                                  .value();
  EXPECT_EQ(TakeJson(ragged, {1, 0}), "[[[3]],[[1,2],[]]]");
}

TEST(TakeRows, OfStructuredTensorsTakesAllColumns) {
  EXPECT_EQ(TakeJson(Recipes(), {1, 0, 1}),
            R"([{"title":"bread","rating":[],"ingredients":[{"name":"flour","grams":300}],"tags":{"dry":2,"baked":3}},)"
            R"({"title":"soup","rating":[4.5],"ingredients":[{"name":"water","grams":500},{"name":"salt","grams":null}],)"
            R"("tags":{"hot":1}},)"
            R"({"title":"bread","rating":[],"ingredients":[{"name":"flour","grams":300}],"tags":{"dry":2,"baked":3}}])");
  EXPECT_TRUE(values_internal::TakeRows(Recipes(), std::vector<int64_t>{1, 0})
                  .structured()
                  ->flat_field(1)
                  .ragged()
                  ->row_partition(0)
                  .is_optional());
}

TEST(TakeRows, KeepsAbsentStructsAbsent) {
  const StructuredTensor value = StructuredTensor::Create({}, 3, {{"x", Tensor::FromVector(std::vector<int32_t>{1, 2, 3})}},
                                                          StructKind::kStruct, Bits({true, false, true}));
  EXPECT_EQ(TakeJson(value, {2, 1}), R"([{"x":3},null])");
}

TEST(TakeRows, OfARunSharesMemory) {
  const Tensor tensor = Tensor::FromVector(std::vector<int32_t>{1, 2, 3});
  const Value taken = values_internal::TakeRows(tensor, std::vector<int64_t>{1, 2});
  EXPECT_EQ(taken.tensor()->values<int32_t>().data(), tensor.values<int32_t>().data() + 1);
}

TEST(TakeRows, OfARunInsideRowsSharesTheirValues) {
  // Rows 1 and 0 swap, but only one of them has values: these are one run.
  const RaggedTensor ragged =
      RaggedTensor::FromRowPartitions({Partition({0, 0, 2})}, Tensor::FromVector(std::vector<int64_t>{1, 2})).value();
  const Value taken = values_internal::TakeRows(ragged, std::vector<int64_t>{1, 0});
  EXPECT_EQ(ToJson(taken), "[[1,2],[]]");
  EXPECT_EQ(taken.ragged()->flat_values().values<int64_t>().data(), ragged.flat_values().values<int64_t>().data());
}

TEST(TakeRows, OfRowsOfEveryLength) {
  // Short runs are copied with what follows them; nothing of that may be left in the result.
  std::vector<int64_t> splits = {0};
  for (int64_t length = 0; length < 40; ++length) splits.push_back(splits.back() + length);
  std::vector<int32_t> numbers(static_cast<size_t>(splits.back()));
  std::vector<std::string> strings;
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  for (size_t length = 0; length < 40; ++length) strings.emplace_back(length, static_cast<char>('a' + length % 26));
  const Value ragged = RaggedTensor::FromRowPartitions({Partition(splits)}, Tensor::FromVector(numbers)).value();
  const Value string_tensor = Tensor::FromVector(strings);
  std::vector<int64_t> backwards;
  for (int64_t row = 39; row >= 0; --row) backwards.push_back(row);
  const Value taken = values_internal::TakeRows(ragged, backwards);
  const Value taken_strings = values_internal::TakeRows(string_tensor, backwards);
  for (int64_t row = 0; row < 40; ++row) {
    EXPECT_TRUE(taken.Row(row) == ragged.Row(39 - row)) << row;
    EXPECT_EQ(taken_strings.tensor()->string_at(row), strings[static_cast<size_t>(39 - row)]);
  }
}

TEST(TakeRowsChecked, RefusesMoreTextThanATensorHolds) {
  const Tensor megabyte = Tensor::FromVector({std::string(1 << 20, 'x'), ""});
  const std::vector<int64_t> rows(1 << 11, 0);
  EXPECT_EQ(values_internal::TakeRowsChecked(megabyte, rows).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(TakeRowsChecked, RefusesMoreValuesThanCanBeCounted) {
  const int64_t many = int64_t{1} << 61;
  const Value structs = StructuredTensor::Create({RowPartition::FromUniformRowLength(many, 2).value()}, 2 * many, {});
  EXPECT_EQ(values_internal::TakeRowsChecked(structs, std::vector<int64_t>{1, 0, 1, 0}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(TakeRowsChecked, RefusesMoreValuesThanNarrowRowSplitsCount) {
  const int64_t many = int64_t{1} << 30;
  const RowPartition narrow = RowPartition::FromUniformRowLength(many, 1).value().WithDtype(DType::kInt32);
  const Value structs = StructuredTensor::Create({narrow}, many, {});
  EXPECT_EQ(values_internal::TakeRowsChecked(structs, std::vector<int64_t>{0, 0}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(TakePieces, IsTheRowsOfThePieces) {
  values_internal::RowPieces pieces;
  pieces.Append(1, 2);
  pieces.Append(0, 2);
  pieces.Append(1, 1);
  EXPECT_EQ(pieces.nrows(), 3);
  EXPECT_EQ(pieces.span().size(), 2u);
  const Value structs = Recipes();
  EXPECT_EQ(ToJson(values_internal::TakePieces(structs, pieces).value()), TakeJson(structs, {1, 0, 1}));
}

TEST(TakeRows, OfNothingHasNoRows) { EXPECT_EQ(TakeJson(Recipes(), {}), "[]"); }

}  // namespace
}  // namespace structtensor
