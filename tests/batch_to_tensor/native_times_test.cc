#include "structtensor/batch_to_tensor/internal/native_times.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace structtensor::batch_to_tensor_internal {
namespace {

constexpr TimeUnit kUnits[] = {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds, TimeUnit::kNanoseconds};
// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z: what google.protobuf.Timestamp allows.
constexpr int64_t kFirstYear = -62'135'596'800;
constexpr int64_t kLastYear = 253'402'300'799;

TEST(ToTimeUnit, TheYearsOfProtobufFitInAllUnitsButNanoseconds) {
  EXPECT_EQ(ToTimeUnit(kFirstYear, 0, TimeUnit::kSeconds), kFirstYear);
  EXPECT_EQ(ToTimeUnit(kLastYear, 999'999'999, TimeUnit::kSeconds), kLastYear);
  EXPECT_EQ(ToTimeUnit(kFirstYear, 0, TimeUnit::kMilliseconds), kFirstYear * 1'000);
  EXPECT_EQ(ToTimeUnit(kLastYear, 999'999'999, TimeUnit::kMilliseconds), kLastYear * 1'000 + 999);
  EXPECT_EQ(ToTimeUnit(kFirstYear, 0, TimeUnit::kMicroseconds), kFirstYear * 1'000'000);
  EXPECT_EQ(ToTimeUnit(kLastYear, 999'999'999, TimeUnit::kMicroseconds), kLastYear * 1'000'000 + 999'999);
  EXPECT_EQ(ToTimeUnit(kFirstYear, 0, TimeUnit::kNanoseconds), std::nullopt);
  EXPECT_EQ(ToTimeUnit(kLastYear, 0, TimeUnit::kNanoseconds), std::nullopt);
}

TEST(ToTimeUnit, WhatIsFinerThanTheUnitIsCutOffTowardsThePast) {
  EXPECT_EQ(ToTimeUnit(1, 999'999'999, TimeUnit::kMicroseconds), 1'999'999);
  EXPECT_EQ(ToTimeUnit(1, 999'999'999, TimeUnit::kMilliseconds), 1'999);
  EXPECT_EQ(ToTimeUnit(1, 999'999'999, TimeUnit::kSeconds), 1);
  EXPECT_EQ(ToTimeUnit(-1, 500'000'001, TimeUnit::kMilliseconds), -500);
  EXPECT_EQ(ToTimeUnit(-1, 1, TimeUnit::kSeconds), -1);
}

TEST(ToTimeUnit, NanosMayBeNegativeAndMoreThanASecond) {
  EXPECT_EQ(ToTimeUnit(0, -1, TimeUnit::kNanoseconds), -1);
  EXPECT_EQ(ToTimeUnit(0, -1, TimeUnit::kMicroseconds), -1);
  EXPECT_EQ(ToTimeUnit(0, -1'000, TimeUnit::kMicroseconds), -1);
  EXPECT_EQ(ToTimeUnit(0, -1'001, TimeUnit::kMicroseconds), -2);
  EXPECT_EQ(ToTimeUnit(-1, -500'000'000, TimeUnit::kMilliseconds), -1'500);
  EXPECT_EQ(ToTimeUnit(-1, -500'000'000, TimeUnit::kSeconds), -2);
  EXPECT_EQ(ToTimeUnit(5, INT32_MAX, TimeUnit::kSeconds), 7);
  EXPECT_EQ(ToTimeUnit(5, INT32_MIN, TimeUnit::kMilliseconds), 5'000 - 2'148);
}

// The least and the greatest number of the unit, and one step beyond each.
TEST(ToTimeUnit, EveryUnitReachesToBothEndsOfInt64) {
  for (const TimeUnit unit : kUnits) {
    const int64_t per_second = UnitsPerSecond(unit);
    const auto nanos_per_unit = static_cast<int32_t>(1'000'000'000 / per_second);
    const int64_t last_second = INT64_MAX / per_second;
    const auto last_fraction = static_cast<int32_t>(INT64_MAX % per_second);
    EXPECT_EQ(ToTimeUnit(last_second, last_fraction * nanos_per_unit + nanos_per_unit - 1, unit), INT64_MAX);
    // INT64_MIN, with nanos below a second and not negative, as timestamps have them.
    const int64_t first_second = last_second == INT64_MAX ? INT64_MIN : -last_second - 1;
    const auto first_fraction = static_cast<int32_t>(last_second == INT64_MAX ? 0 : per_second - last_fraction - 1);
    EXPECT_EQ(ToTimeUnit(first_second, first_fraction * nanos_per_unit, unit), INT64_MIN);
    EXPECT_EQ(ToTimeUnit(first_second, first_fraction * nanos_per_unit - 1, unit), std::nullopt);
    if (unit == TimeUnit::kSeconds) {
      EXPECT_EQ(ToTimeUnit(last_second, 1'000'000'000, unit), std::nullopt);
    } else {
      EXPECT_EQ(ToTimeUnit(last_second, (last_fraction + 1) * nanos_per_unit, unit), std::nullopt);
    }
  }
}

TEST(ToTimeUnit, TheEndsOfInt64SecondsFitInSecondsOnly) {
  for (const TimeUnit unit : kUnits) {
    for (const int64_t seconds : {INT64_MIN, INT64_MAX}) {
      const std::optional<int64_t> expected = unit == TimeUnit::kSeconds ? std::optional(seconds) : std::nullopt;
      EXPECT_EQ(ToTimeUnit(seconds, 0, unit), expected);
    }
  }
  EXPECT_EQ(ToTimeUnit(INT64_MIN, 999'999'999, TimeUnit::kSeconds), INT64_MIN);
  EXPECT_EQ(ToTimeUnit(INT64_MIN, -1, TimeUnit::kSeconds), std::nullopt);
}

}  // namespace
}  // namespace structtensor::batch_to_tensor_internal
