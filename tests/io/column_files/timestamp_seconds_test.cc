#include "structtensor/io/column_files/internal/timestamp_seconds.h"

#include <gtest/gtest.h>

#include "recipes_testutil.h"

namespace structtensor::column_files_internal {
namespace {

constexpr int64_t kTooLate = INT64_MAX / 1000 + 1;  // for milliseconds

Tensor Seconds(std::vector<int64_t> values) { return Tensor::FromVector<int64_t>(std::move(values), DType::kTimestampS); }

// Timestamps in every place that a field can have.
StructuredTensor WithSeconds() {
  return StructuredTensor::FromFields(2, {{"number", Tensor::FromVector<int64_t>({1, 2})},
                                          {"at", Nullable<int64_t>({5, 7}, {0b10}, DType::kTimestampS)},
                                          {"parent", Structs({}, 2, {{"at", Seconds({-1, kTooLate})}}, Bits({0b11}))},
                                          {"list", Ragged({Splits({0, 1, 3})}, Seconds({INT64_MIN, 0, kTooLate - 1}))},
                                          {"map", Map({Splits({0, 0, 2})}, Strings({"a", "b"}), Seconds({1, 2}))},
                                          {"wait", Tensor::FromVector<int64_t>({1, 2}, DType::kDurationS)}})
      .value();
}

TEST(TimestampSecondsTest, AreFoundAtAnyDepth) {
  EXPECT_TRUE(HasTimestampSeconds(WithSeconds().spec()));
  EXPECT_TRUE(
      HasTimestampSeconds(StructuredTensor::FromFields(1, {{"s", Structs({}, 1, {{"at", Seconds({1})}})}}).value().spec()));
  EXPECT_FALSE(HasTimestampSeconds(Recipes().spec()));
}

TEST(TimestampSecondsTest, BecomeMillisecondsOrNullWhereTheseDoNotFit) {
  const StructuredTensor replaced = TimestampSecondsToMilliseconds(WithSeconds());
  EXPECT_FALSE(HasTimestampSeconds(replaced.spec()));
  const auto milliseconds = [](std::vector<int64_t> values, std::vector<uint8_t> bits) {
    return Nullable<int64_t>(std::move(values), std::move(bits), DType::kTimestampMs);
  };
  EXPECT_EQ(*replaced.field_value("at")->tensor(), milliseconds({0, 7000}, {0b10}));
  EXPECT_EQ(*replaced.field_value("parent.at")->tensor(), milliseconds({-1000, 0}, {0b01}));
  EXPECT_EQ(*replaced.field_value("list")->ragged(),
            Ragged({Splits({0, 1, 3})}, milliseconds({0, 0, (kTooLate - 1) * 1000}, {0b110})));
  EXPECT_EQ(*replaced.field_value("map.value")->ragged(), Ragged({Splits({0, 0, 2})}, milliseconds({1000, 2000}, {0b11})));
  EXPECT_EQ(*replaced.field_value("wait")->tensor(), *WithSeconds().field_value("wait")->tensor());
}

TEST(TimestampSecondsTest, SpecAndBatchAgree) {
  const StructuredTensor batch = WithSeconds();
  EXPECT_EQ(TimestampSecondsToMilliseconds(batch.spec()), TimestampSecondsToMilliseconds(batch).spec());
}

}  // namespace
}  // namespace structtensor::column_files_internal
