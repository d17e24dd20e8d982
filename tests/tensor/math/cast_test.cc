#include "structtensor/tensor/math/cast.h"

#include <gmock/gmock.h>

#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Cast, KeepsRowsAndValidity) {
  const Value x = Make("[[1,2],[],[3]]");
  const absl::StatusOr<Value> floats = Cast(x, DType::kFloat);
  EXPECT_EQ(Json(floats), "[[1,2],[],[3]]");
  EXPECT_EQ(DTypeOfResult(floats), DType::kFloat);
  EXPECT_EQ(floats->ragged()->row_splits().data(), x.ragged()->row_splits().data());
  EXPECT_EQ(Json(Cast(Nullable<int64_t>({1, 2}, {false, true}), DType::kInt32)), "[null,2]");
}

TEST(Cast, FractionsAreCutAndKeptInRange) {
  const Tensor x = Vector<double>({1.9, -1.9, 1e20, -1e20, kNan});
  EXPECT_EQ(Json(Cast(x, DType::kInt32)), "[1,-1,2147483647,-2147483648,0]");
  EXPECT_EQ(Json(Cast(x, DType::kUint32)), "[1,0,4294967295,0,0]");
  EXPECT_EQ(Json(Cast(x, DType::kInt64)), "[1,-1,9223372036854775807,-9223372036854775808,0]");
  EXPECT_EQ(Json(Cast(Vector<float>({9223372036854775808.0f, -9223372036854775808.0f}), DType::kInt64)),
            "[9223372036854775807,-9223372036854775808]");
}

TEST(Cast, IntegersWrapAround) {
  EXPECT_EQ(Json(Cast(Vector<int64_t>({(int64_t{1} << 32) + 5, -1}), DType::kInt32)), "[5,-1]");
  EXPECT_EQ(Json(Cast(Vector<int32_t>({-1}), DType::kUint64)), "[18446744073709551615]");
}

TEST(Cast, Booleans) {
  EXPECT_EQ(Json(Cast(Vector<double>({0.5, 0, kNan}), DType::kBool)), "[true,false,true]");
  EXPECT_EQ(Json(Cast(MakeTensor("[true,false]"), DType::kDouble)), "[1,0]");
}

TEST(Cast, HalvesRound) {
  EXPECT_EQ(Json(Cast(MakeTensor("[1,2049,100000]"), DType::kFloat16)), R"([1,2048,"Infinity"])");
  EXPECT_EQ(Json(Cast(Vector<BFloat16>({BFloat16(1.5f)}), DType::kFloat16)), "[1.5]");
  EXPECT_EQ(Json(Cast(Vector<Float16>({Float16(-2.5f)}), DType::kInt64)), "[-2]");
}

TEST(Cast, TimesKeepTheirUnit) {
  const Tensor times = Vector<int64_t>({1}, DType::kTimestampUs);
  EXPECT_THAT(std::string(Cast(times, DType::kTimestampNs).status().message()),
              ::testing::HasSubstr("timestamp[us] cannot become timestamp[ns]; cast to int64"));
  EXPECT_EQ(Json(Cast(times, DType::kDurationUs)), R"(["0.000001s"])");
}

TEST(Cast, TimestampsAreIntegers) {
  const Tensor times = Vector<int64_t>({1000000000}, DType::kTimestampNs);
  const absl::StatusOr<Value> integers = Cast(times, DType::kInt64);
  EXPECT_EQ(Json(integers), "[1000000000]");
  EXPECT_EQ(integers->tensor()->values<int64_t>().data(), times.values<int64_t>().data());
  EXPECT_EQ(Json(Cast(MakeTensor("[1500000000]"), DType::kDurationNs)), R"(["1.5s"])");
}

TEST(Cast, StringsBecomeBytesWithoutACopy) {
  const Tensor strings = MakeTensor(R"([["a","bc"]])");
  const absl::StatusOr<Value> bytes = Cast(strings, DType::kBytes);
  EXPECT_EQ(ShapeOf(bytes), "[1, 2]");
  EXPECT_EQ(bytes->tensor()->string_bytes().data(), strings.string_bytes().data());
  EXPECT_THAT(Message(Cast(strings, DType::kInt64)), HasSubstr("string cannot become int64"));
  EXPECT_THAT(Message(Cast(*bytes, DType::kString)), HasSubstr("bytes cannot become string"));
  EXPECT_THAT(Message(Cast(MakeTensor("[1]"), DType::kString)), HasSubstr("AsString"));
}

}  // namespace
}  // namespace structtensor
