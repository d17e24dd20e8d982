#include "structtensor/core/base/shared/time_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace structtensor::base_internal {
namespace {

constexpr TimeForm kForms[] = {TimeForm::kMessage, TimeForm::kColumn};

std::string Text(const std::optional<SecondsAndNanos>& time) {
  return time.has_value() ? std::to_string(time->seconds) + "," + std::to_string(time->nanos) : "none";
}
std::string Timestamp(std::string_view text, TimeForm form) { return Text(ParseTimestamp(text, form)); }
std::string Duration(std::string_view text, TimeForm form) { return Text(ParseDuration(text, form)); }
std::string WithUnits(std::string_view text) { return Text(ParseDurationWithUnits(text)); }

// "none" if nothing is appended.
std::string WrittenTimestamp(SecondsAndNanos time, TimeForm form) {
  std::string out;
  return AppendTimestamp(time, form, out) ? out : out + "none";
}
std::string WrittenDuration(SecondsAndNanos duration, TimeForm form) {
  std::string out;
  return AppendDuration(duration, form, out) ? out : out + "none";
}

TEST(ParseTimestamp, ReadsWhatBothFormsHave) {
  for (const TimeForm form : kForms) {
    EXPECT_EQ(Timestamp("1970-01-01T00:00:00Z", form), "0,0");
    EXPECT_EQ(Timestamp("1969-12-31T23:59:59.999999999Z", form), "-1,999999999");
    EXPECT_EQ(Timestamp("0001-01-01T00:00:00Z", form), "-62135596800,0");
    EXPECT_EQ(Timestamp("9999-12-31T23:59:59.999999999Z", form), "253402300799,999999999");
    EXPECT_EQ(Timestamp("2000-02-29T00:00:00Z", form), "951782400,0");
    EXPECT_EQ(Timestamp("2024-12-31T23:59:59Z", form), "1735689599,0");
    EXPECT_EQ(Timestamp("2026-11-23T15:04:05+00:00", form), "1795446245,0");
    EXPECT_EQ(Timestamp("2026-11-23T15:04:05-00:00", form), "1795446245,0");
    EXPECT_EQ(Timestamp("2026-11-23T16:34:05+01:30", form), "1795446245,0");
    EXPECT_EQ(Timestamp("2026-11-22T15:05:05.5-23:59", form), "1795446245,500000000");
  }
}

TEST(ParseTimestamp, TakesOneToNineDigitsOfAFraction) {
  const std::string digits = "123456789";
  for (const TimeForm form : kForms) {
    std::string nanos = "000000000";
    for (size_t count = 1; count <= digits.size(); ++count) {
      nanos[count - 1] = digits[count - 1];
      EXPECT_EQ(Timestamp("1970-01-01T00:00:00." + digits.substr(0, count) + "Z", form), "0," + nanos);
      EXPECT_EQ(Duration("0." + digits.substr(0, count) + "s", form), "0," + nanos);
    }
    for (const char* wrong : {".", ".1234567891", ".1234567890", ".0000000000", ".1.2", ".-1", ". 1"}) {
      EXPECT_EQ(Timestamp(std::string("1970-01-01T00:00:00") + wrong + "Z", form), "none") << wrong;
      EXPECT_EQ(Duration(std::string("0") + wrong + "s", form), "none") << wrong;
    }
  }
}

TEST(ParseTimestamp, RefusesWhatIsNoTime) {
  for (const TimeForm form : kForms) {
    for (const char* wrong : {"",
                              "Z",
                              "now",
                              "infinite-future",
                              "infinite-past",
                              "2026-11-23",
                              "2026-11-23T15:04Z",
                              "2026-11-23T15:04:05",
                              "2026-11-23 15:04:05Z",
                              "2026-11-23t15:04:05Z",
                              "2026-11-23T15:04:05z",
                              " 2026-11-23T15:04:05Z",
                              "2026-11-23T15:04:05Z ",
                              "2026-11-23T15:04:05 Z",
                              "2026-11-23T15:04:05ZZ",
                              "2026-11-23T15:04:05,5Z",
                              "2016-12-31T23:59:60Z",
                              "2016-12-31T23:59:60.5Z",
                              "2026-11-23T24:00:00Z",
                              "2026-11-23T15:60:00Z",
                              "2026-02-29T00:00:00Z",
                              "1900-02-29T00:00:00Z",
                              "2026-04-31T00:00:00Z",
                              "2026-00-01T00:00:00Z",
                              "2026-13-01T00:00:00Z",
                              "2026-01-00T00:00:00Z",
                              "2026-01-32T00:00:00Z",
                              "2026-1-01T00:00:00Z",
                              "2026-01-1T00:00:00Z",
                              "2026-01-01T0:00:00Z",
                              "226-01-01T00:00:00Z",
                              "10000-01-01T00:00:00Z",
                              "2026-11-23T15:04:05+0100",
                              "2026-11-23T15:04:05+01",
                              "2026-11-23T15:04:05+24:00",
                              "2026-11-23T15:04:05+01:60",
                              "2026-11-23T15:04:05+01:00Z",
                              "2026-11-23T15:04:05--1:00",
                              "+2026-11-23T15:04:05Z",
                              "-2026-11-23T15:04:05Z",
                              "+002026-11-23T15:04:05Z",
                              "+009999-11-23T15:04:05Z",
                              "-000000-01-01T00:00:00Z",
                              "+0010000-01-01T00:00:00Z",
                              "+9999999999999-01-01T00:00:00Z",
                              "+292277026597-01-01T00:00:00Z",
                              "-292277022658-01-01T00:00:00Z",
                              "+99999999999999999999-01-01T00:00:00Z",
                              "1s"}) {
      EXPECT_EQ(Timestamp(wrong, form), "none") << wrong;
    }
    // A zero byte is no end.
    EXPECT_EQ(Timestamp(std::string_view("2026-11-23T15:04:05Z\0", 21), form), "none");
  }
}

TEST(ParseTimestamp, OnlyColumnsHaveOtherYears) {
  for (const auto& [text, seconds] : std::vector<std::pair<std::string, std::string>>{
           {"0000-12-31T23:59:59Z", "-62135596801,0"},
           {"0000-12-31T23:59:59-23:59", "-62135510461,0"},  // in the year 1 of UTC
           {"0001-01-01T00:00:00+00:01", "-62135596860,0"},
           {"9999-12-31T23:59:59-00:01", "253402300859,0"},
           {"+010000-01-01T00:00:00Z", "253402300800,0"},
           {"+010000-01-01T00:00:00+23:59", "253402214460,0"},  // in the year 9999 of UTC
           {"-000001-12-31T23:59:59Z", "-62167219201,0"},
           {"+292277026596-12-04T15:30:07.999999999Z", "9223372036854775807,999999999"},
           {"-292277022657-01-27T08:29:52Z", "-9223372036854775808,0"}}) {
    EXPECT_EQ(Timestamp(text, TimeForm::kColumn), seconds) << text;
    EXPECT_EQ(Timestamp(text, TimeForm::kMessage), "none") << text;
  }
  EXPECT_EQ(Timestamp("+292277026596-12-04T15:30:08Z", TimeForm::kColumn), "none");
  EXPECT_EQ(Timestamp("-292277022657-01-27T08:29:51Z", TimeForm::kColumn), "none");
}

TEST(ParseDuration, ReadsSecondsWithASign) {
  for (const TimeForm form : kForms) {
    EXPECT_EQ(Duration("0s", form), "0,0");
    EXPECT_EQ(Duration("-0s", form), "0,0");
    EXPECT_EQ(Duration("007s", form), "7,0");
    EXPECT_EQ(Duration("-1.5s", form), "-1,-500000000");
    EXPECT_EQ(Duration("-0.000000001s", form), "0,-1");
    EXPECT_EQ(Duration("315576000000s", form), "315576000000,0");
    EXPECT_EQ(Duration("-315576000000s", form), "-315576000000,0");
    EXPECT_EQ(Duration("315576000000.999999999s", form), "315576000000,999999999");
    for (const char* wrong : {"",
                              "s",
                              "1",
                              "-s",
                              ".5s",
                              "1.s",
                              "+1s",
                              "--1s",
                              "- 1s",
                              " 1s",
                              "1s ",
                              "1 s",
                              "1S",
                              "1h",
                              "1ms",
                              "1e3s",
                              "0x1s",
                              "inf",
                              "infs",
                              "nan",
                              "1,5s",
                              "9223372036854775808s",
                              "99999999999999999999s",
                              "1970-01-01T00:00:00Z"}) {
      EXPECT_EQ(Duration(wrong, form), "none") << wrong;
    }
  }
}

TEST(ParseDuration, OnlyColumnsHaveMoreThan10000Years) {
  for (const auto& [text, duration] :
       std::vector<std::pair<std::string, std::string>>{{"315576000001s", "315576000001,0"},
                                                        {"-315576000001s", "-315576000001,0"},
                                                        {"9223372036854775807.999999999s", "9223372036854775807,999999999"},
                                                        {"-9223372036854775808s", "-9223372036854775808,0"}}) {
    EXPECT_EQ(Duration(text, TimeForm::kColumn), duration);
    EXPECT_EQ(Duration(text, TimeForm::kMessage), "none");
  }
}

TEST(ParseDurationWithUnits, AddsNumbersWithUnits) {
  EXPECT_EQ(WithUnits("1h30m"), "5400,0");
  EXPECT_EQ(WithUnits("-1h30m"), "-5400,0");
  EXPECT_EQ(WithUnits("250ms"), "0,250000000");
  EXPECT_EQ(WithUnits("-1500ms"), "-1,-500000000");
  EXPECT_EQ(WithUnits("1.5h"), "5400,0");
  EXPECT_EQ(WithUnits("0.000000001h"), "0,3600");
  EXPECT_EQ(WithUnits("1m1ms1us1ns"), "60,1001001");
  EXPECT_EQ(WithUnits("1.001us"), "0,1001");
  EXPECT_EQ(WithUnits("0"), "0,0");
  EXPECT_EQ(WithUnits("-0"), "0,0");
  EXPECT_EQ(WithUnits("315576000000999999999ns"), "none");
  EXPECT_EQ(WithUnits("315576000000999ms"), "315576000000,999000000");
  EXPECT_EQ(WithUnits("87660000h"), "315576000000,0");
  for (const char* wrong : {"",
                            "-",
                            "h",
                            "1",
                            "1h30",
                            "1h-30m",
                            "+1h",
                            "1d",
                            "1 h",
                            " 1h",
                            "1h ",
                            "1H",
                            "1Ms",
                            "inf",
                            "-inf",
                            "87660001h",
                            "0.5ns",
                            "0.0001us",
                            "1.0000000000s",
                            "99999999999999999999s",
                            "18446744073709551615h",
                            "315576000000s1s",
                            "18446744073709551615ns18446744073709551615ns18446744073709551615h",
                            "infinite-future",
                            "1970-01-01T00:00:00Z"}) {
    EXPECT_EQ(WithUnits(wrong), "none") << wrong;
  }
}

TEST(AppendTimestamp, WritesThreeSixOrNineDigitsOrAsFewAsAreNeeded) {
  for (const auto& [nanos, of_message, of_column] :
       std::vector<std::tuple<int32_t, std::string, std::string>>{{0, "", ""},
                                                                  {250'000'000, ".250", ".25"},
                                                                  {1'000'000, ".001", ".001"},
                                                                  {1'000, ".000001", ".000001"},
                                                                  {10, ".000000010", ".00000001"},
                                                                  {999'999'999, ".999999999", ".999999999"},
                                                                  {100'100'000, ".100100", ".1001"}}) {
    EXPECT_EQ(WrittenTimestamp({0, nanos}, TimeForm::kMessage), "1970-01-01T00:00:00" + of_message + "Z");
    EXPECT_EQ(WrittenTimestamp({0, nanos}, TimeForm::kColumn), "1970-01-01T00:00:00" + of_column + "Z");
    EXPECT_EQ(WrittenDuration({0, -nanos}, TimeForm::kMessage), (nanos == 0 ? "0" : "-0") + of_message + "s");
    EXPECT_EQ(WrittenDuration({3, nanos}, TimeForm::kColumn), "3" + of_column + "s");
  }
}

TEST(AppendTimestamp, WritesNothingForWhatTheFormDoesNotHave) {
  EXPECT_EQ(WrittenTimestamp({-62'135'596'800, 0}, TimeForm::kMessage), "0001-01-01T00:00:00Z");
  EXPECT_EQ(WrittenTimestamp({253'402'300'799, 999'999'999}, TimeForm::kMessage), "9999-12-31T23:59:59.999999999Z");
  EXPECT_EQ(WrittenDuration({-315'576'000'000, 0}, TimeForm::kMessage), "-315576000000s");
  for (const int64_t seconds : {int64_t{-62'135'596'801}, int64_t{253'402'300'800}, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(WrittenTimestamp({seconds, 0}, TimeForm::kMessage), "none");
  }
  for (const int64_t seconds : {int64_t{-315'576'000'001}, int64_t{315'576'000'001}, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(WrittenDuration({seconds, 0}, TimeForm::kMessage), "none");
  }
  for (const TimeForm form : kForms) {
    for (const int32_t nanos : {-1, 1'000'000'000, INT32_MIN, INT32_MAX}) {
      EXPECT_EQ(WrittenTimestamp({0, nanos}, form), "none");
    }
    for (const SecondsAndNanos& wrong : std::vector<SecondsAndNanos>{
             {1, -1}, {-1, 1}, {0, 1'000'000'000}, {0, -1'000'000'000}, {0, INT32_MIN}, {0, INT32_MAX}}) {
      EXPECT_EQ(WrittenDuration(wrong, form), "none");
    }
  }
  EXPECT_EQ(WrittenTimestamp({INT64_MIN, 0}, TimeForm::kColumn), "-292277022657-01-27T08:29:52Z");
  EXPECT_EQ(WrittenTimestamp({INT64_MAX, 999'999'999}, TimeForm::kColumn), "+292277026596-12-04T15:30:07.999999999Z");
  EXPECT_EQ(WrittenDuration({INT64_MIN, -999'999'999}, TimeForm::kColumn), "-9223372036854775808.999999999s");
}

TEST(TimeText, WhatIsWrittenIsReadAgain) {
  std::mt19937_64 random(20'260'131);
  for (int i = 0; i < 20'000; ++i) {
    // Of all sizes.
    const int64_t seconds = static_cast<int64_t>(random()) >> (random() % 64);
    const auto nanos = static_cast<int32_t>(random() % 1'000'000'000);
    for (const TimeForm form : kForms) {
      std::string text;
      if (AppendTimestamp({seconds, nanos}, form, text)) {
        EXPECT_EQ(ParseTimestamp(text, form), (SecondsAndNanos{seconds, nanos})) << text;
      } else {
        EXPECT_EQ(form, TimeForm::kMessage);
      }
      const SecondsAndNanos duration = {seconds, seconds < 0 ? -nanos : nanos};
      text.clear();
      if (AppendDuration(duration, form, text)) {
        EXPECT_EQ(ParseDuration(text, form), duration) << text;
        const auto with_units = form == TimeForm::kMessage ? ParseDurationWithUnits(text) : duration;
        EXPECT_EQ(with_units, duration) << text;
      }
    }
  }
}

}  // namespace
}  // namespace structtensor::base_internal
