#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/row_partitions.h"

namespace structtensor {
namespace {

TEST(WithShapeDtype, ReachesFieldsAndTheirFields) {
  const Value value = Make(R"([{"a":[1],"b":[{"c":["x"]}]},{"a":[],"b":[]}])");
  const Value narrow = WithShapeDtype(value, DType::kInt32).value();
  EXPECT_TRUE(narrow == value);
  EXPECT_EQ(narrow.structured()->shape_dtype(), DType::kInt32);
  EXPECT_EQ(narrow.structured()->FindFlatField("a")->ragged()->row_partition(0).dtype(), DType::kInt32);
  const StructuredTensor& b = *narrow.structured()->FindFlatField("b")->structured();
  EXPECT_EQ(b.shape_dtype(), DType::kInt32);
  EXPECT_EQ(b.FindFlatField("c")->ragged()->row_partition(0).dtype(), DType::kInt32);
}

TEST(WithShapeDtype, Refuses) {
  EXPECT_EQ(WithShapeDtype(Docs(), DType::kFloat).status().code(), absl::StatusCode::kInvalidArgument);
  const Value many = StructuredTensor::Create({Uniform(int64_t{1} << 20, int64_t{1} << 20)}, int64_t{1} << 40, {});
  EXPECT_EQ(WithShapeDtype(many, DType::kInt32).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace structtensor
