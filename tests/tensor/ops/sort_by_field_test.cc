#include <gmock/gmock.h>

#include <cmath>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/order.h"

namespace structtensor {
namespace {

std::string SortJson(const Value& value, std::string_view path, SortOrder order = SortOrder::kAscending) {
  const absl::StatusOr<StructuredTensor> sorted = SortByField(*value.structured(), path, order);
  return sorted.ok() ? ToJson(*sorted) : sorted.status().ToString();
}

TEST(SortByField, IsStable) {
  const Value value = Make(R"([{"k":2,"n":"a"},{"k":1,"n":"b"},{"k":2,"n":"c"},{"k":1,"n":"d"}])");
  EXPECT_EQ(SortJson(value, "k"), R"([{"k":1,"n":"b"},{"k":1,"n":"d"},{"k":2,"n":"a"},{"k":2,"n":"c"}])");
  EXPECT_EQ(SortJson(value, "k", SortOrder::kDescending),
            R"([{"k":2,"n":"a"},{"k":2,"n":"c"},{"k":1,"n":"b"},{"k":1,"n":"d"}])");
}

TEST(SortByField, WithinTheRowsOfTheInnermostAxis) {
  EXPECT_EQ(SortJson(Make(R"([[{"k":2},{"k":1}],[],[{"k":3},{"k":0},{"k":1}]])"), "k"),
            R"([[{"k":1},{"k":2}],[],[{"k":0},{"k":1},{"k":3}]])");
}

TEST(SortByField, ByStringsInsideOtherStructs) {
  EXPECT_EQ(SortJson(Make(R"([{"a":{"t":"b"}},{"a":{"t":"ab"}},{"a":{"t":""}}])"), "a.t"),
            R"([{"a":{"t":""}},{"a":{"t":"ab"}},{"a":{"t":"b"}}])");
}

TEST(SortByField, NanAndAbsentComeLastInBothOrders) {
  const Tensor keys =
      Tensor::FromBuffer(Buffer<double>::FromVector({0, std::nan(""), 2, 1}), DType::kDouble, Bits({false, true, true, true}));
  const Value value = StructuredTensor::Create({}, 4, {{"k", keys}, {"i", MakeTensor("[0,1,2,3]")}});
  EXPECT_EQ(SortJson(value, "k"), R"([{"k":1,"i":3},{"k":2,"i":2},{"k":"NaN","i":1},{"k":null,"i":0}])");
  EXPECT_EQ(SortJson(value, "k", SortOrder::kDescending),
            R"([{"k":2,"i":2},{"k":1,"i":3},{"k":"NaN","i":1},{"k":null,"i":0}])");
}

TEST(SortByField, ByAnOptionalField) {
  const Value rating =
      RaggedTensor::FromRowPartitions({Splits({0, 1, 1, 2}, RowPartition::Optional::kYes)}, MakeTensor("[5,4]")).value();
  const Value value = StructuredTensor::Create({}, 3, {{"r", rating}, {"i", MakeTensor("[0,1,2]")}});
  EXPECT_EQ(SortJson(value, "r"), R"([{"r":[4],"i":2},{"r":[5],"i":0},{"r":[],"i":1}])");
}

TEST(SortByField, Refuses) {
  EXPECT_THAT(SortJson(Docs(), "y"), testing::HasSubstr("INVALID_ARGUMENT: field y"));
  EXPECT_THAT(SortJson(Docs(), "z"), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(SortJson(Docs(), "no"), testing::HasSubstr("NOT_FOUND"));
  EXPECT_THAT(SortJson(Make(R"({"a":1})"), "a"), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
