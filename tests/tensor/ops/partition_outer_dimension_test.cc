#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/axes.h"

namespace structtensor {
namespace {

TEST(PartitionOuterDimension, GroupsRows) {
  EXPECT_EQ(Json(PartitionOuterDimension(Make("[1,2,3]"), Splits({0, 2, 2, 3}))), "[[1,2],[],[3]]");
  EXPECT_EQ(ShapeOf(PartitionOuterDimension(Docs(), Uniform(3, 1))), "[1, 3]");
  EXPECT_EQ(Json(PartitionOuterDimension(Make("[[1],[2,3]]"), Splits({0, 2}))), "[[[1],[2,3]]]");
}

TEST(PartitionOuterDimension, StructsWithoutFieldsAreCountedByThePartition) {
  EXPECT_EQ(Json(PartitionOuterDimension(Make("[{},{},{}]"), Splits({0, 2, 4}))), "[[{},{}],[{},{}]]");
}

TEST(PartitionOuterDimension, CountsInOneDtype) {
  const RowPartition narrow = Splits({0, 2}).WithDtype(DType::kInt32);
  EXPECT_EQ(PartitionOuterDimension(Make(R"([{"x":1},{"x":2}])"), narrow)->structured()->shape_dtype(), DType::kInt32);
  const Value dense = StructuredTensor::Create({Uniform(1, 2)}, 2, {{"x", MakeTensor("[1,2]")}});
  EXPECT_EQ(PartitionOuterDimension(dense, narrow)->structured()->shape_dtype(), DType::kInt64);
  EXPECT_THAT(Json(PartitionOuterDimension(Make(R"([{"x":[1]},{"x":[]}])"), narrow)),
              testing::HasSubstr("field x: row splits are int64"));
}

TEST(PartitionOuterDimension, Refuses) {
  EXPECT_THAT(Json(PartitionOuterDimension(Docs(), Splits({0, 2}))), testing::HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Json(PartitionOuterDimension(Make(R"({"a":1})"), Splits({0, 1}))), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
