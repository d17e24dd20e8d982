#include "structtensor/tensor/math/bincount.h"

#include <gmock/gmock.h>

#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

std::string Error(const Value& value, const BincountOptions& options = {}) {
  return std::string(Bincount(value, options).status().message());
}

TEST(Bincount, OfAllElementsOrOfEachRow) {
  const Value x = Make("[[1,2,2],[],[4]]");
  EXPECT_EQ(Json(Bincount(x)), "[0,1,2,0,1]");
  EXPECT_EQ(Json(Bincount(x, {.by_row = true})), "[[0,1,2,0,0],[0,0,0,0,0],[0,0,0,0,1]]");
  EXPECT_EQ(Json(Bincount(MakeTensor("[[1,1],[0,1]]"), {.by_row = true})), "[[0,2],[1,1]]");
  EXPECT_EQ(Json(Bincount(MakeTensor("[3,1]"), {.by_row = true})), "[0,1,0,1]");
  EXPECT_EQ(Json(Bincount(Tensor::Empty({0}, DType::kInt64))), "[]");
}

TEST(Bincount, Lengths) {
  EXPECT_EQ(Json(Bincount(MakeTensor("[1]"), {.min_length = 4})), "[0,1,0,0]");
  EXPECT_EQ(Json(Bincount(MakeTensor("[1,5]"), {.max_length = 3})), "[0,1,0]");
  EXPECT_EQ(Json(Bincount(MakeTensor("[1]"), {.min_length = 5, .max_length = 3})), "[0,1,0]");
}

TEST(Bincount, BinaryAndDType) {
  EXPECT_EQ(Json(Bincount(MakeTensor("[1,1]"), {.binary = true})), "[0,1]");
  EXPECT_EQ(Bincount(MakeTensor("[1]"))->dtype(), DType::kInt32);
  EXPECT_EQ(Bincount(MakeTensor("[1]"), {.dtype = DType::kInt64})->dtype(), DType::kInt64);
}

TEST(Bincount, AbsentElementsDoNotCount) {
  EXPECT_EQ(Json(Bincount(Nullable<int64_t>({1, -1, 0}, {true, false, true}))), "[1,1]");
}

TEST(Bincount, Errors) {
  EXPECT_THAT(Error(MakeTensor("[1,-1]")), HasSubstr("element 1 is -1"));
  EXPECT_THAT(Error(MakeTensor("[1.5]")), HasSubstr("Bincount is not defined for double"));
  EXPECT_THAT(Error(Make("[[[1]]]"), {.by_row = true}), HasSubstr("rows of a value with 3 axes"));
  EXPECT_THAT(Error(MakeTensor("[1]"), {.min_length = -1}), HasSubstr("must not be negative"));
  EXPECT_THAT(Error(MakeTensor("[1]"), {.dtype = DType::kFloat}), HasSubstr("int32 or int64"));
  const Value huge = Vector<int64_t>({std::numeric_limits<int64_t>::max()});
  EXPECT_EQ(Bincount(huge).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Json(Bincount(huge, {.max_length = 2})), "[0,0]");
  EXPECT_EQ(Json(Bincount(huge, {.max_length = 0})), "[]");
  const Value rows = Vector<int64_t>({int64_t{1} << 62, 0, 0, 0}).Reshape({4, 1});
  EXPECT_EQ(Bincount(rows, {.by_row = true}).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace structtensor
