#include "structtensor/tensor/ops/shared/concat_rows.h"

#include <gmock/gmock.h>

#include "ops_testutil.h"

namespace structtensor {
namespace {

TEST(ConcatRows, KeepsValidityOfElementsAndStructs) {
  const Tensor some = Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2}), DType::kInt64, Bits({true, false}));
  EXPECT_EQ(Json(ops_internal::ConcatRows(std::vector<Value>{some, Make("[3]"), some})), "[1,null,3,1,null]");
  const Value structs = StructuredTensor::Create({}, 2, {{"x", MakeTensor("[1,2]")}}, StructKind::kStruct, Bits({false, true}));
  EXPECT_EQ(Json(ops_internal::ConcatRows(std::vector<Value>{Make(R"([{"x":3}])"), structs})), R"([{"x":3},null,{"x":2}])");
}

TEST(ConcatRows, Strings) {
  EXPECT_EQ(Json(ops_internal::ConcatRows(
                std::vector<Value>{MakeTensor(R"(["a","bc"])"), MakeTensor(R"([""])"), MakeTensor(R"(["def"])")})),
            R"(["a","bc","","def"])");
}

TEST(ConcatRows, OptionalStaysOptionalIfAllAre) {
  const auto rows = [](RowPartition::Optional optional) {
    return Value(RaggedTensor::FromRowPartitions({Splits({0, 1, 1}, optional)}, MakeTensor("[1]")).value());
  };
  const Value yes = rows(RowPartition::Optional::kYes);
  EXPECT_TRUE(ops_internal::ConcatRows(std::vector<Value>{yes, yes})->ragged()->row_partition(0).is_optional());
  EXPECT_FALSE(ops_internal::ConcatRows(std::vector<Value>{yes, rows(RowPartition::Optional::kNo)})
                   ->ragged()
                   ->row_partition(0)
                   .is_optional());
}

TEST(ConcatRows, NarrowRowSplitsStayNarrowIfAllAre) {
  const Value wide = RaggedTensor::FromRowPartitions({Splits({0, 2})}, MakeTensor("[1,2]")).value();
  const Value narrow = RaggedTensor::FromRowPartitions({Splits({0, 2}).WithDtype(DType::kInt32)}, MakeTensor("[1,2]")).value();
  EXPECT_EQ(ops_internal::ConcatRows(std::vector<Value>{narrow, narrow})->ragged()->row_partition(0).dtype(), DType::kInt32);
  EXPECT_EQ(ops_internal::ConcatRows(std::vector<Value>{narrow, wide})->ragged()->row_partition(0).dtype(), DType::kInt64);
}

TEST(ConcatRows, UnequalDimensionsBecomeRagged) {
  const std::vector<Value> values = {MakeTensor("[[1,2]]"), MakeTensor("[[3]]")};
  EXPECT_EQ(Json(ops_internal::ConcatRows(values)), "[[1,2],[3]]");
  // Only as far as they differ: pairs stay dense.
  const std::vector<Value> pairs = {MakeTensor("[[[1,2],[3,4]]]"), MakeTensor("[[[5,6]]]")};
  const Value joined = ops_internal::ConcatRows(pairs).value();
  EXPECT_EQ(ToJson(joined), "[[[1,2],[3,4]],[[5,6]]]");
  EXPECT_EQ(joined.ragged()->ragged_rank(), 1);
}

TEST(ConcatRows, StridedViews) {
  const Tensor reversed = MakeTensor("[1,2,3]").SliceAxis(0, 2, 3, -1);
  EXPECT_EQ(Json(ops_internal::ConcatRows(std::vector<Value>{reversed, MakeTensor("[4]")})), "[3,2,1,4]");
}

TEST(ConcatRows, OfEmptyValues) {
  EXPECT_EQ(ShapeOf(ops_internal::ConcatRows(
                std::vector<Value>{Tensor::Empty(Shape({0, 3}), DType::kInt64), Tensor::Empty(Shape({0, 3}), DType::kInt64)})),
            "[0, 3]");
  EXPECT_EQ(Json(ops_internal::ConcatRows(std::vector<Value>{Docs().SliceRows(0, 0), Docs().SliceRows(1, 2)})),
            R"([{"x":2,"y":[],"z":{"w":1.5}}])");
  EXPECT_EQ(Json(ops_internal::ConcatRows(std::vector<Value>{Make("[{},{}]"), Make("[{}]")})), "[{},{},{}]");
}

TEST(ConcatRows, CountsThatDoNotFitAreRefused) {
  const Value many = StructuredTensor::Create({}, int64_t{1} << 62, {});
  EXPECT_EQ(ops_internal::ConcatRows(std::vector<Value>{many, many}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ops_internal::ConcatRows(std::vector<Value>{Tensor::Scalar(int64_t{1})}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
