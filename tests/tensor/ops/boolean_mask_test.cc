#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/gather.h"

namespace structtensor {
namespace {

TEST(BooleanMask, OfRows) {
  EXPECT_EQ(Json(BooleanMask(Docs(), MakeTensor("[true,false,true]"))),
            R"([{"x":1,"y":["a"],"z":{"w":0.5}},{"x":3,"y":["b","cd"],"z":{"w":2.5}}])");
  EXPECT_EQ(Json(BooleanMask(Make("[[1,2],[],[3]]"), MakeTensor("[false,true,true]"))), "[[],[3]]");
  EXPECT_EQ(Json(BooleanMask(Make("[{},{}]"), MakeTensor("[true,false]"))), "[{}]");
}

TEST(BooleanMask, InsideRowsLeavesRows) {
  EXPECT_EQ(Json(BooleanMask(Make("[[1,2],[],[3]]"), Make("[[true,false],[],[true]]"))), "[[1],[],[3]]");
  EXPECT_EQ(Json(BooleanMask(MakeTensor("[[1,2],[3,4]]"), MakeTensor("[[true,true],[false,true]]"))), "[[1,2],[4]]");
  EXPECT_EQ(Json(BooleanMask(Make(R"([[{"x":[1]},{"x":[]}],[{"x":[2,3]}]])"), Make("[[false,true],[true]]"))),
            R"([[{"x":[]}],[{"x":[2,3]}]])");
}

TEST(BooleanMask, AbsentIsNotTrue) {
  const Tensor mask = Tensor::FromBuffer(Buffer<uint8_t>::FromVector({1, 1, 0}), DType::kBool, Bits({false, true, true}));
  EXPECT_EQ(Json(BooleanMask(Make("[1,2,3]"), mask)), "[2]");
}

TEST(BooleanMask, OptionalAxesStayOptional) {
  const Value value =
      RaggedTensor::FromRowPartitions({Splits({0, 1, 2}, RowPartition::Optional::kYes)}, MakeTensor("[1,2]")).value();
  const Value masked = BooleanMask(value, Make("[[true],[false]]")).value();
  EXPECT_EQ(ToJson(masked), "[[1],[]]");
  EXPECT_TRUE(masked.ragged()->row_partition(0).is_optional());
}

TEST(BooleanMask, Refuses) {
  const absl::Status status = BooleanMask(Make("[[1,2],[3]]"), Make("[[true,true],[true,true]]")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), testing::HasSubstr("row 1"));
  EXPECT_FALSE(BooleanMask(Docs(), MakeTensor("[true,false]")).ok());
  EXPECT_FALSE(BooleanMask(Docs(), MakeTensor("[1,0,1]")).ok());
  EXPECT_FALSE(BooleanMask(Docs(), Tensor::Scalar(true)).ok());
  EXPECT_FALSE(BooleanMask(Make(R"({"a":1})"), MakeTensor("[true]")).ok());
  EXPECT_FALSE(BooleanMask(Make("[1,2]"), MakeTensor("[[true,true],[true,true]]")).ok());
}

TEST(BooleanMask, WhatIsAllTrueSharesMemory) {
  const Value value = Make("[1,2,3]");
  EXPECT_EQ(BooleanMask(value, MakeTensor("[true,true,true]"))->tensor()->values<int64_t>().data(),
            value.tensor()->values<int64_t>().data());
}

}  // namespace
TEST(BooleanMask, AlongAnInnerAxisAllRowsKeepTheSamePositions) {
  const auto json = [](const Value& value, const Value& mask, int64_t axis) {
    const absl::StatusOr<Value> masked = BooleanMask(value, mask, axis);
    return masked.ok() ? ToJson(*masked) : std::string(masked.status().message());
  };
  const Value matrix = MakeTensor("[[1,2,3],[4,5,6]]");
  EXPECT_EQ(json(matrix, MakeTensor("[true,false,true]"), 1), "[[1,3],[4,6]]");
  EXPECT_EQ(BooleanMask(matrix, MakeTensor("[true,false,true]"), -1)->shape(), Shape({2, 2}));
  EXPECT_EQ(json(matrix, MakeTensor("[false,false,false]"), 1), "[[],[]]");
  EXPECT_EQ(json(matrix, MakeTensor("[true,false]"), 0), json(matrix, MakeTensor("[true,false]"), -2));
  EXPECT_THAT(json(matrix, MakeTensor("[true,false]"), 1), testing::HasSubstr("of 3 elements, one for each position of a row"));
  EXPECT_THAT(json(matrix, MakeTensor("[[true,true,true]]"), 1), testing::HasSubstr("it must be a vector"));
  EXPECT_THAT(json(Make("[[1],[2,3]]"), MakeTensor("[true]"), 1), testing::HasSubstr("its rows have different lengths"));
  EXPECT_THAT(json(matrix, MakeTensor("[true]"), 2), testing::HasSubstr("axis is 2"));
  EXPECT_THAT(json(matrix, MakeTensor("[true]"), -3), testing::HasSubstr("axis is -3"));
}

}  // namespace structtensor
