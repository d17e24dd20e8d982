#include "structtensor/tensor/messages/shared/native_times.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "calendar.structtensor.h"
#include "cookbook_testutil.h"

namespace structtensor::messages_internal {
namespace {

// The only time of a batch, or nullopt if the unit cannot hold it.
std::optional<int64_t> InUnit(int64_t seconds, int32_t nanos, TimeUnit unit) {
  const std::string message = Serialized("Calendar", absl::StrCat("opens { seconds: ", seconds, " nanos: ", nanos, " }"));
  testing::cookbook::CalendarDecoder decoder;
  const auto batch = decoder.Decode(std::array{message});
  EXPECT_TRUE(batch.ok()) << batch.status();
  const NodeView root = batch->decoded().root();
  size_t opens = 0;
  while (root.plan().fields[opens].name != "opens") ++opens;
  const NativeTimes times = ReadTimes(root.child(opens), unit);
  EXPECT_EQ(times.values.size(), 1u);
  EXPECT_EQ(times.fits.empty(), times.out_of_range == 0);
  return times.out_of_range == 0 ? std::optional(times.values[0]) : std::nullopt;
}

constexpr TimeUnit kUnits[] = {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds, TimeUnit::kNanoseconds};
// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z: what google.protobuf.Timestamp allows.
constexpr int64_t kFirstYear = -62'135'596'800;
constexpr int64_t kLastYear = 253'402'300'799;

TEST(ReadTimes, TheYearsOfProtobufFitInAllUnitsButNanoseconds) {
  EXPECT_EQ(InUnit(kFirstYear, 0, TimeUnit::kSeconds), kFirstYear);
  EXPECT_EQ(InUnit(kLastYear, 999'999'999, TimeUnit::kSeconds), kLastYear);
  EXPECT_EQ(InUnit(kFirstYear, 0, TimeUnit::kMilliseconds), kFirstYear * 1'000);
  EXPECT_EQ(InUnit(kLastYear, 999'999'999, TimeUnit::kMilliseconds), kLastYear * 1'000 + 999);
  EXPECT_EQ(InUnit(kFirstYear, 0, TimeUnit::kMicroseconds), kFirstYear * 1'000'000);
  EXPECT_EQ(InUnit(kLastYear, 999'999'999, TimeUnit::kMicroseconds), kLastYear * 1'000'000 + 999'999);
  EXPECT_EQ(InUnit(kFirstYear, 0, TimeUnit::kNanoseconds), std::nullopt);
  EXPECT_EQ(InUnit(kLastYear, 0, TimeUnit::kNanoseconds), std::nullopt);
}

TEST(ReadTimes, WhatIsFinerThanTheUnitIsCutOffTowardsThePast) {
  EXPECT_EQ(InUnit(1, 999'999'999, TimeUnit::kMicroseconds), 1'999'999);
  EXPECT_EQ(InUnit(1, 999'999'999, TimeUnit::kMilliseconds), 1'999);
  EXPECT_EQ(InUnit(1, 999'999'999, TimeUnit::kSeconds), 1);
  EXPECT_EQ(InUnit(-1, 500'000'001, TimeUnit::kMilliseconds), -500);
  EXPECT_EQ(InUnit(-1, 1, TimeUnit::kSeconds), -1);
}

TEST(ReadTimes, NanosMayBeNegativeAndMoreThanASecond) {
  EXPECT_EQ(InUnit(0, -1, TimeUnit::kNanoseconds), -1);
  EXPECT_EQ(InUnit(0, -1, TimeUnit::kMicroseconds), -1);
  EXPECT_EQ(InUnit(0, -1'000, TimeUnit::kMicroseconds), -1);
  EXPECT_EQ(InUnit(0, -1'001, TimeUnit::kMicroseconds), -2);
  EXPECT_EQ(InUnit(-1, -500'000'000, TimeUnit::kMilliseconds), -1'500);
  EXPECT_EQ(InUnit(-1, -500'000'000, TimeUnit::kSeconds), -2);
  EXPECT_EQ(InUnit(5, INT32_MAX, TimeUnit::kSeconds), 7);
  EXPECT_EQ(InUnit(5, INT32_MIN, TimeUnit::kMilliseconds), 5'000 - 2'148);
}

// The least and the greatest number of the unit, and one step beyond each.
TEST(ReadTimes, EveryUnitReachesToBothEndsOfInt64) {
  for (const TimeUnit unit : kUnits) {
    const int64_t per_second = UnitsPerSecond(unit);
    const auto nanos_per_unit = static_cast<int32_t>(1'000'000'000 / per_second);
    const int64_t last_second = INT64_MAX / per_second;
    const auto last_fraction = static_cast<int32_t>(INT64_MAX % per_second);
    EXPECT_EQ(InUnit(last_second, last_fraction * nanos_per_unit + nanos_per_unit - 1, unit), INT64_MAX);
    // INT64_MIN, with nanos below a second and not negative, as timestamps have them.
    const int64_t first_second = last_second == INT64_MAX ? INT64_MIN : -last_second - 1;
    const auto first_fraction = static_cast<int32_t>(last_second == INT64_MAX ? 0 : per_second - last_fraction - 1);
    EXPECT_EQ(InUnit(first_second, first_fraction * nanos_per_unit, unit), INT64_MIN);
    EXPECT_EQ(InUnit(first_second, first_fraction * nanos_per_unit - 1, unit), std::nullopt);
    if (unit == TimeUnit::kSeconds) {
      EXPECT_EQ(InUnit(last_second, 1'000'000'000, unit), std::nullopt);
    } else {
      EXPECT_EQ(InUnit(last_second, (last_fraction + 1) * nanos_per_unit, unit), std::nullopt);
    }
  }
}

TEST(ReadTimes, TheEndsOfInt64SecondsFitInSecondsOnly) {
  for (const TimeUnit unit : kUnits) {
    for (const int64_t seconds : {INT64_MIN, INT64_MAX}) {
      const std::optional<int64_t> expected = unit == TimeUnit::kSeconds ? std::optional(seconds) : std::nullopt;
      EXPECT_EQ(InUnit(seconds, 0, unit), expected);
    }
  }
  EXPECT_EQ(InUnit(INT64_MIN, 999'999'999, TimeUnit::kSeconds), INT64_MIN);
  EXPECT_EQ(InUnit(INT64_MIN, -1, TimeUnit::kSeconds), std::nullopt);
}

}  // namespace
}  // namespace structtensor::messages_internal
