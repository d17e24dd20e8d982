#include <gtest/gtest.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/shape_ops.h"

namespace structtensor {
namespace {

TEST(Size, CountsElementsAndStructs) {
  EXPECT_EQ(Json(Size(Make("[[1,2],[],[3]]"))), "3");
  EXPECT_EQ(Json(Size(MakeTensor("[[1,2],[3,4]]"), DType::kInt64)), "4");
  EXPECT_EQ(Json(Size(Make(R"([[{"x":[1,2,3]}],[{"x":[]}]])"))), "2");
  EXPECT_EQ(Json(Size(Make("{}"))), "1");
}

TEST(Size, Refuses) {
  EXPECT_EQ(Size(Docs(), DType::kFloat).status().code(), absl::StatusCode::kInvalidArgument);
  const Value many = StructuredTensor::Create({}, int64_t{1} << 40, {});
  EXPECT_EQ(Size(many).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Json(Size(many, DType::kInt64)), "1099511627776");
}

TEST(Rank, CountsAxes) {
  EXPECT_EQ(ToJson(Rank(Make("[[1,2],[]]"))), "2");
  EXPECT_EQ(Rank(Make("{}")).dtype(), DType::kInt32);
}

TEST(Identity, IsTheSameValue) {
  const Value value = Make("[1,2]");
  EXPECT_EQ(Identity(value).tensor()->values<int64_t>().data(), value.tensor()->values<int64_t>().data());
}

}  // namespace
}  // namespace structtensor
