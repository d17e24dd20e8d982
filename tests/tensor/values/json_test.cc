#include <gtest/gtest.h>

#include "opaque_testutil.h"
#include "structtensor/tensor/values/text.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

TEST(ToJson, EveryDtype) {
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<uint8_t>{1, 0})), "[true,false]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<int32_t>{-1})), "[-1]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<int64_t>{INT64_MIN})), "[-9223372036854775808]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<uint32_t>{UINT32_MAX})), "[4294967295]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<uint64_t>{UINT64_MAX})), "[18446744073709551615]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<float>{0.5f})), "[0.5]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<double>{0.1})), "[0.1]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<Float16>{Float16(0.1f), Float16(1.5f)})), "[0.099975586,1.5]");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<BFloat16>{BFloat16(-2.5f)})), "[-2.5]");
  EXPECT_EQ(ToJson(Tensor::FromVector({"a\"b"})), R"(["a\"b"])");
  EXPECT_EQ(ToJson(Tensor::FromVector({"foo"}, DType::kBytes)), R"(["Zm9v"])");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<int64_t>{0}, DType::kTimestampNs)), R"(["1970-01-01T00:00:00Z"])");
  EXPECT_EQ(ToJson(Tensor::FromVector(std::vector<int64_t>{1'500'000'000}, DType::kDurationNs)), R"(["1.5s"])");
}

TEST(ToJson, ScalarsAndDenseArrays) {
  EXPECT_EQ(ToJson(Tensor::Scalar(int64_t{7})), "7");
  EXPECT_EQ(ToJson(Tensor::Scalar("x")), R"("x")");
  EXPECT_EQ(ToJson(Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({1, 3, 2}))),
            "[[[1,2],[3,4],[5,6]]]");
  EXPECT_EQ(ToJson(Tensor::FromBuffer(Buffer<int32_t>(), Shape({2, 0}))), "[[],[]]");
}

TEST(ToJson, WholeMessages) {
  EXPECT_EQ(ToJson(Recipes()),
            R"([{"title":"soup","rating":[4.5],"ingredients":[{"name":"water","grams":500},{"name":"salt","grams":null}],)"
            R"("tags":{"hot":1}},)"
            R"({"title":"bread","rating":[],"ingredients":[{"name":"flour","grams":300}],"tags":{"dry":2,"baked":3}}])");
}

TEST(ToJson, UnwrapsOptionalsIfAskedTo) {
  const JsonOptions options{.unwrap_optional = true};
  EXPECT_EQ(ToJson(Recipes().field_value("rating").value(), options), "[4.5,null]");
}

TEST(ToJson, NamesOfMapsAreText) {
  const StructuredTensor entries = StructuredTensor::Create(
      {Partition({0, 2})}, 2,
      {{"key", Tensor::FromVector(std::vector<uint8_t>{1, 0})}, {"value", Tensor::FromVector({"a", "b"})}},
      StructKind::kMapEntry);
  EXPECT_EQ(ToJson(entries), R"([{"true":"a","false":"b"}])");
}

TEST(ToJson, MapEntriesWithoutAValueColumnAreStructs) {
  const StructuredTensor keys_only =
      StructuredTensor::Create({Partition({0, 1})}, 1, {{"key", Tensor::FromVector({"a"})}}, StructKind::kMapEntry);
  EXPECT_EQ(ToJson(keys_only), R"([[{"key":"a"}]])");
}

TEST(AppendJson, AppendsOneRow) {
  std::string out = "> ";
  AppendJson(Recipes(), 1, out);
  EXPECT_EQ(out, R"(> {"title":"bread","rating":[],"ingredients":[{"name":"flour","grams":300}],"tags":{"dry":2,"baked":3}})");
}

TEST(AppendJson, OfAScalarWritesTheValue) {
  std::string out;
  AppendJson(Recipes().Row(1).field_value("title").value(), 0, out);
  EXPECT_EQ(out, R"("bread")");
}

TEST(AppendJson, StopsSoonAfterItsLimit) {
  const Value big = Tensor::FromVector(std::vector<int32_t>(1'000'000, 7));
  EXPECT_LT(ToJson(big, {.max_bytes = 100}).size(), 120u);
  const Value long_string = Tensor::FromVector({std::string(1'000'000, 'x')});
  EXPECT_LT(ToJson(long_string, {.max_bytes = 100}).size(), 120u);
}

TEST(ToJson, OfAViewIsThatOfItsElements) {
  const Tensor matrix = Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({2, 3}));
  EXPECT_EQ(ToJson(matrix.SliceAxis(1, 2, 2, -2)), "[[3,1],[6,4]]");
  EXPECT_EQ(ToJson(matrix.SliceAxis(1, 2, 2, -2), {.max_bytes = 1000}), "[[3,1],[6,4]]");
}

TEST(ToJson, OfAnExtensionTypeWithRowsOfItsOwnIsThoseRows) {
  const Value value(std::make_shared<const Opaque>(2));
  EXPECT_EQ(ToJson(value), "[0,1]");
  EXPECT_EQ(ToJson(StructuredTensor::FromFields(2, {{"x", value}}).value()), R"([{"x":0},{"x":1}])");
}

}  // namespace
}  // namespace structtensor
