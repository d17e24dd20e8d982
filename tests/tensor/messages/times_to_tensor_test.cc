// Timestamps and durations as tensors, in every unit and in every place where a field can be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "calendar.structtensor.h"
#include "cookbook_testutil.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::cookbook::CalendarDecoder;

constexpr TimeUnit kUnits[] = {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds, TimeUnit::kNanoseconds};
constexpr Optionals kAllOptionals[] = {Optionals::kRagged, Optionals::kNullable, Optionals::kDefaultFilled};

// 9999-12-31T23:59:59.5Z, which nanoseconds cannot hold, everywhere; and beside each a time of 1970.
constexpr char kSentinels[] = R"(
    opens { seconds: 253402300799 nanos: 500000000 }
    rest { seconds: 315576000000 }
    days { seconds: 1 } days { seconds: 253402300799 nanos: 500000000 }
    feasts { key: 'end' value { seconds: 253402300799 } } feasts { key: 'start' value { seconds: 2 } }
    waits { key: 1 value { seconds: -315576000000 } } waits { key: 2 value { seconds: -1 nanos: -500000000 } }
    stays_open { seconds: 315576000000 }
    meals { at { seconds: 253402300799 } } meals { at { seconds: 3 } } meals {})";

StructuredTensor Convert(const std::vector<std::string>& strings, const TensorOptions& options,
                         std::vector<InexactTimes>* inexact_times = nullptr) {
  std::vector<std::string> messages;
  for (const std::string& text : strings) messages.push_back(Serialized("Calendar", text));
  CalendarDecoder decoder;
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  EXPECT_TRUE(batch.ok()) << batch.status();
  absl::StatusOr<StructuredTensor> value = ToStructuredTensor(batch->decoded(), options, inexact_times);
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}

std::string TimesJson(const StructuredTensor& value, const char* path) {
  const auto field = value.field_value(path);
  EXPECT_TRUE(field.ok()) << field.status();
  return ToJson(*field);
}

TEST(TimesToTensor, OneOutOfRangeIsAbsentAndHarmsNoOther) {
  std::vector<InexactTimes> inexact_times;
  const StructuredTensor value =
      Convert({"opens { seconds: 1 }", kSentinels, "", "opens { seconds: 2 }"},
              {.optionals = Optionals::kNullable, .timestamps = TimeUnit::kNanoseconds}, &inexact_times);
  EXPECT_EQ(TimesJson(value, "opens"), R"(["1970-01-01T00:00:01Z",null,null,"1970-01-01T00:00:02Z"])");
  EXPECT_EQ(TimesJson(value, "rest"), "[null,null,null,null]");
  EXPECT_EQ(TimesJson(value, "days"), R"([[],["1970-01-01T00:00:01Z",null],[],[]])");
  EXPECT_THAT(TimesJson(value, "feasts"), AnyOf(R"([{},{"end":null,"start":"1970-01-01T00:00:02Z"},{},{}])",
                                                R"([{},{"start":"1970-01-01T00:00:02Z","end":null},{},{}])"));
  EXPECT_THAT(TimesJson(value, "waits"), AnyOf(R"([{},{"1":null,"2":"-1.5s"},{},{}])", R"([{},{"2":"-1.5s","1":null},{},{}])"));
  EXPECT_EQ(TimesJson(value, "stays_open"), "[null,null,null,null]");
  EXPECT_EQ(TimesJson(value, "end_case"), "[0,7,0,0]");
  EXPECT_EQ(TimesJson(value, "meals.at"), R"([[],[null,"1970-01-01T00:00:03Z",null],[],[]])");

  std::vector<std::string> found;
  for (const InexactTimes& times : inexact_times) {
    EXPECT_EQ(times.truncated, 0);
    found.push_back(times.field_path + " " + std::to_string(times.out_of_range));
  }
  EXPECT_THAT(found, ::testing::ElementsAre("opens 1", "rest 1", "days 1", "feasts.value 1", "waits.value 1", "stays_open 1",
                                            "meals.at 1"));
}

TEST(TimesToTensor, TheDefaultUnitHoldsAllTimesOfProtobuf) {
  std::vector<InexactTimes> inexact_times;
  const StructuredTensor value = Convert({kSentinels}, {.optionals = Optionals::kNullable}, &inexact_times);
  EXPECT_TRUE(inexact_times.empty());
  EXPECT_EQ(value.field_value("opens")->tensor()->dtype(), DType::kTimestampUs);
  EXPECT_EQ(value.field_value("rest")->tensor()->dtype(), DType::kDurationUs);
  EXPECT_EQ(TimesJson(value, "opens"), R"(["9999-12-31T23:59:59.5Z"])");
  EXPECT_EQ(TimesJson(value, "rest"), R"(["315576000000s"])");
  EXPECT_EQ(TimesJson(value, "days"), R"([["1970-01-01T00:00:01Z","9999-12-31T23:59:59.5Z"]])");
  EXPECT_THAT(TimesJson(value, "feasts"), HasSubstr(R"("end":"9999-12-31T23:59:59Z")"));
  EXPECT_THAT(TimesJson(value, "waits"), HasSubstr(R"("1":"-315576000000s")"));

  const StructuredTensor first = Convert({"opens { seconds: -62135596800 nanos: 1000 }"}, {.optionals = Optionals::kNullable});
  EXPECT_EQ(TimesJson(first, "opens"), R"(["0001-01-01T00:00:00.000001Z"])");
}

TEST(TimesToTensor, TimesThatLoseDigitsAreCounted) {
  const std::vector<std::string> strings = {
      "opens { seconds: 1 nanos: 1 } days { nanos: 1000 } days { nanos: 1000001 } rest { seconds: -1 nanos: -1 }",
      "opens { seconds: 253402300799 nanos: 999999999 }", "",
      "opens { nanos: 5000000 } rest { nanos: -3000 } meals { at { nanos: 2 } } meals {}"};
  const auto truncated = [&strings](TimeUnit unit) {
    std::vector<InexactTimes> inexact_times;
    (void)Convert(strings, {.optionals = Optionals::kNullable, .timestamps = unit}, &inexact_times);
    std::vector<std::string> found;
    for (const InexactTimes& times : inexact_times) {
      EXPECT_EQ(times.unit, unit);
      if (times.truncated > 0) found.push_back(times.field_path + " " + std::to_string(times.truncated));
    }
    return found;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(truncated(TimeUnit::kSeconds), ElementsAre("opens 3", "rest 2", "days 2", "meals.at 1"));
  EXPECT_THAT(truncated(TimeUnit::kMilliseconds), ElementsAre("opens 2", "rest 2", "days 2", "meals.at 1"));
  EXPECT_THAT(truncated(TimeUnit::kMicroseconds), ElementsAre("opens 2", "rest 1", "days 1", "meals.at 1"));
  EXPECT_THAT(truncated(TimeUnit::kNanoseconds), ElementsAre());
}

TEST(TimesToTensor, TheUnitIsInTheDType) {
  for (const TimeUnit unit : kUnits) {
    const StructuredTensor value = Convert({kSentinels}, {.optionals = Optionals::kNullable, .timestamps = unit});
    EXPECT_EQ(value.field_value("opens")->tensor()->dtype(), TimestampDType(unit));
    EXPECT_EQ(value.field_value("rest")->tensor()->dtype(), DurationDType(unit));
    EXPECT_EQ(value.field_value("days")->ragged()->dtype(), TimestampDType(unit));
    EXPECT_EQ(value.field_value("waits.value")->ragged()->dtype(), DurationDType(unit));
  }
}

TEST(TimesToTensor, WhatIsFinerThanTheUnitIsCutOff) {
  const std::string text = "opens { seconds: -1 nanos: 123456789 } rest { seconds: -1 nanos: -1 }";
  const auto json = [&text](TimeUnit unit) {
    const StructuredTensor value = Convert({text}, {.optionals = Optionals::kNullable, .timestamps = unit});
    return TimesJson(value, "opens") + TimesJson(value, "rest");
  };
  EXPECT_EQ(json(TimeUnit::kNanoseconds), R"(["1969-12-31T23:59:59.123456789Z"]["-1.000000001s"])");
  EXPECT_EQ(json(TimeUnit::kMicroseconds), R"(["1969-12-31T23:59:59.123456Z"]["-1.000001s"])");
  EXPECT_EQ(json(TimeUnit::kMilliseconds), R"(["1969-12-31T23:59:59.123Z"]["-1.001s"])");
  EXPECT_EQ(json(TimeUnit::kSeconds), R"(["1969-12-31T23:59:59Z"]["-2s"])");
}

TEST(TimesToTensor, RaggedOptionalsHoldAnAbsentElementForATimeOutOfRange) {
  const StructuredTensor value = Convert({"", kSentinels, "opens { seconds: 2 }"},
                                         {.optionals = Optionals::kRagged, .timestamps = TimeUnit::kNanoseconds});
  EXPECT_EQ(TimesJson(value, "opens"), R"([[],[null],["1970-01-01T00:00:02Z"]])");
  EXPECT_EQ(TimesJson(value, "meals.at"), R"([[],[[null],["1970-01-01T00:00:03Z"],[]],[]])");
}

TEST(TimesToTensor, FilledOptionalsAreZeroWhereAbsentAndNullWhereOutOfRange) {
  const StructuredTensor value =
      Convert({"", kSentinels}, {.optionals = Optionals::kDefaultFilled, .timestamps = TimeUnit::kNanoseconds});
  EXPECT_EQ(TimesJson(value, "opens"), R"(["1970-01-01T00:00:00Z",null])");
}

TEST(TimesToTensor, ManyRowsWithOneOutOfRangeInEach64th) {
  std::vector<std::string> strings;
  for (int i = 0; i < 1000; ++i) {
    strings.push_back(i % 64 == 63 ? "opens { seconds: -62135596800 }" : i % 3 == 0 ? "" : "opens { seconds: 1 }");
  }
  const StructuredTensor nullable = Convert(strings, {.optionals = Optionals::kNullable, .timestamps = TimeUnit::kNanoseconds});
  const Tensor opens = *nullable.field_value("opens")->tensor();
  const StructuredTensor optional = Convert(strings, {.optionals = Optionals::kRagged, .timestamps = TimeUnit::kNanoseconds});
  const RaggedTensor ragged = *optional.field_value("opens")->ragged();
  int64_t present = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool in_range = i % 64 != 63;
    const bool absent = in_range && i % 3 == 0;
    EXPECT_EQ(opens.is_valid(i), in_range && !absent) << i;
    if (absent) continue;
    EXPECT_EQ(ragged.flat_values().is_valid(present), in_range) << i;
    ++present;
  }
  EXPECT_EQ(ragged.flat_values().size_elements(), present);
}

// Whether a batch has times out of range or none at all: what follows it in a file has one schema.
TEST(TimesToTensor, AllBatchesHaveTheSameSpec) {
  for (const Optionals optionals : kAllOptionals) {
    const TensorOptions options = {.optionals = optionals, .timestamps = TimeUnit::kNanoseconds};
    const TypeSpec none = TypeSpec(Convert({}, options).spec()).WithUnknownSizes();
    for (const char* text : {"", kSentinels, "opens {} days {} feasts {} waits {} meals { at {} } closes {}"}) {
      const TypeSpec spec = TypeSpec(Convert({text}, options).spec()).WithUnknownSizes();
      EXPECT_EQ(none, spec) << none.TreeString() << spec.TreeString();
    }
  }
}

TEST(TimesToTensor, AnOptionThatIsNoneIsRefusedByItsName) {
  CalendarDecoder decoder;
  const std::vector<std::string> messages;
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  const auto problem = [&batch](const TensorOptions& options) {
    const absl::Status status = ToStructuredTensor(*batch, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_EQ(problem({.timestamps = static_cast<TimeUnit>(4)}),
            "`timestamps=4`: expected kSeconds (0), kMilliseconds (1), kMicroseconds (2) or kNanoseconds (3)");
  EXPECT_THAT(problem({.optionals = static_cast<Optionals>(-1)}), HasSubstr("`optionals=-1"));
  EXPECT_THAT(problem({.well_known_types = static_cast<WellKnownTypes>(2)}), HasSubstr("`well_known_types=2"));
  EXPECT_EQ(problem({.enums = static_cast<Enums>(3)}), "`enums=3`: expected kNumbers (0), kNames (1) or kDictionary (2)");
}

}  // namespace
}  // namespace structtensor
