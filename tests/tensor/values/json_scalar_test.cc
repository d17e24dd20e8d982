#include "structtensor/tensor/values/shared/json_scalar.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace structtensor {
namespace {

template <typename Append, typename Argument>
std::string TextOf(Append append, Argument argument) {
  std::string out;
  append(argument, out);
  return out;
}

std::string StringText(std::string_view text) { return TextOf(AppendJsonString, text); }
std::string Base64Text(std::string_view bytes) { return TextOf(values_internal::AppendJsonBase64, bytes); }
std::string TimestampText(int64_t value, TimeUnit unit = TimeUnit::kNanoseconds) {
  std::string out;
  values_internal::AppendJsonTimestamp(value, unit, out);
  return out;
}
std::string DurationText(int64_t value, TimeUnit unit = TimeUnit::kNanoseconds) {
  std::string out;
  values_internal::AppendJsonDuration(value, unit, out);
  return out;
}

TEST(JsonString, EscapesWhatJsonAsksFor) {
  EXPECT_EQ(StringText("a\"b\\c\n\t\x01\x7f"), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
  EXPECT_EQ(StringText(std::string_view("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(StringText("Gr\xc3\xbc\xc3\x9f"
                       "e \xe2\x82\xac \xf0\x9f\x8d\xb2"),
            "\"Grüße € 🍲\"");
}

TEST(JsonString, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(StringText("a\xff"
                       "b"),
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(StringText("\xc3"), "\"\xef\xbf\xbd\"");                                  // cut short
  EXPECT_EQ(StringText("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");                  // over-long
  EXPECT_EQ(StringText("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");  // a surrogate
  EXPECT_EQ(StringText("\xf4\x90\x80\x80").size(), 2 + 4 * 3u);                       // above U+10FFFF
}

TEST(JsonBase64, PadsToGroupsOfFour) {
  EXPECT_EQ(Base64Text(""), "\"\"");
  EXPECT_EQ(Base64Text("f"), "\"Zg==\"");
  EXPECT_EQ(Base64Text("fo"), "\"Zm8=\"");
  EXPECT_EQ(Base64Text("foo"), "\"Zm9v\"");
  EXPECT_EQ(Base64Text("foobar"), "\"Zm9vYmFy\"");
  EXPECT_EQ(Base64Text("\xff\xfe"), "\"//4=\"");
}

TEST(JsonNumber, IsTheShortestThatReadsBack) {
  std::string out;
  values_internal::AppendJsonNumber(0.1, out);
  out += ' ';
  values_internal::AppendJsonNumber(0.1f, out);
  out += ' ';
  values_internal::AppendJsonNumber(-0.0, out);
  out += ' ';
  values_internal::AppendJsonNumber(std::numeric_limits<double>::max(), out);
  out += ' ';
  values_internal::AppendJsonNumber(std::numeric_limits<uint64_t>::max(), out);
  out += ' ';
  values_internal::AppendJsonNumber(std::numeric_limits<int64_t>::min(), out);
  EXPECT_EQ(out, "0.1 0.1 -0.0 1.7976931348623157e+308 18446744073709551615 -9223372036854775808");
}

TEST(JsonNumber, WritesWhatJsonHasNoNumberForAsText) {
  std::string out;
  values_internal::AppendJsonNumber(std::numeric_limits<double>::quiet_NaN(), out);
  values_internal::AppendJsonNumber(std::numeric_limits<float>::infinity(), out);
  values_internal::AppendJsonNumber(-std::numeric_limits<double>::infinity(), out);
  EXPECT_EQ(out, R"("NaN""Infinity""-Infinity")");
}

TEST(JsonTimestamp, IsRfc3339) {
  EXPECT_EQ(TimestampText(0), "\"1970-01-01T00:00:00Z\"");
  EXPECT_EQ(TimestampText(1'714'566'600'250'000'000), "\"2024-05-01T12:30:00.25Z\"");
  EXPECT_EQ(TimestampText(951'782'400'000'000'001), "\"2000-02-29T00:00:00.000000001Z\"");
  EXPECT_EQ(TimestampText(951'868'800'000'000'000), "\"2000-03-01T00:00:00Z\"");
}

TEST(JsonTimestamp, BeforeTheEpochKeepsThePositiveFraction) {
  EXPECT_EQ(TimestampText(-1), "\"1969-12-31T23:59:59.999999999Z\"");
  EXPECT_EQ(TimestampText(std::numeric_limits<int64_t>::min()), "\"1677-09-21T00:12:43.145224192Z\"");
  EXPECT_EQ(TimestampText(std::numeric_limits<int64_t>::max()), "\"2262-04-11T23:47:16.854775807Z\"");
}

TEST(JsonTimestamp, HasTheDigitsOfItsUnit) {
  EXPECT_EQ(TimestampText(1'714'566'600'250'001, TimeUnit::kMicroseconds), "\"2024-05-01T12:30:00.250001Z\"");
  EXPECT_EQ(TimestampText(1'714'566'600'250, TimeUnit::kMilliseconds), "\"2024-05-01T12:30:00.25Z\"");
  EXPECT_EQ(TimestampText(1'714'566'600, TimeUnit::kSeconds), "\"2024-05-01T12:30:00Z\"");
  EXPECT_EQ(TimestampText(-1, TimeUnit::kMicroseconds), "\"1969-12-31T23:59:59.999999Z\"");
  EXPECT_EQ(TimestampText(-1, TimeUnit::kMilliseconds), "\"1969-12-31T23:59:59.999Z\"");
  EXPECT_EQ(TimestampText(-1, TimeUnit::kSeconds), "\"1969-12-31T23:59:59Z\"");
}

TEST(JsonTimestamp, YearsBeyondFourDigitsHaveASign) {
  EXPECT_EQ(TimestampText(-62'135'596'800, TimeUnit::kSeconds), "\"0001-01-01T00:00:00Z\"");
  EXPECT_EQ(TimestampText(253'402'300'799'999'999, TimeUnit::kMicroseconds), "\"9999-12-31T23:59:59.999999Z\"");
  EXPECT_EQ(TimestampText(253'402'300'800, TimeUnit::kSeconds), "\"+010000-01-01T00:00:00Z\"");
  EXPECT_EQ(TimestampText(-62'167'219'201, TimeUnit::kSeconds), "\"-000001-12-31T23:59:59Z\"");
  EXPECT_EQ(TimestampText(INT64_MAX, TimeUnit::kMicroseconds), "\"+294247-01-10T04:00:54.775807Z\"");
  EXPECT_EQ(TimestampText(INT64_MIN, TimeUnit::kMilliseconds), "\"-292275055-05-16T16:47:04.192Z\"");
  EXPECT_EQ(TimestampText(INT64_MAX, TimeUnit::kSeconds), "\"+292277026596-12-04T15:30:07Z\"");
  EXPECT_EQ(TimestampText(INT64_MIN, TimeUnit::kSeconds), "\"-292277022657-01-27T08:29:52Z\"");
}

TEST(JsonDuration, HasTheDigitsOfItsUnit) {
  EXPECT_EQ(DurationText(-1'500'000, TimeUnit::kMicroseconds), "\"-1.5s\"");
  EXPECT_EQ(DurationText(-1, TimeUnit::kMilliseconds), "\"-0.001s\"");
  EXPECT_EQ(DurationText(90, TimeUnit::kSeconds), "\"90s\"");
  EXPECT_EQ(DurationText(INT64_MIN, TimeUnit::kSeconds), "\"-9223372036854775808s\"");
  EXPECT_EQ(DurationText(INT64_MAX, TimeUnit::kMilliseconds), "\"9223372036854775.807s\"");
}

TEST(JsonDuration, HasItsSignInFront) {
  EXPECT_EQ(DurationText(0), "\"0s\"");
  EXPECT_EQ(DurationText(1'500'000'000), "\"1.5s\"");
  EXPECT_EQ(DurationText(-500'000'000), "\"-0.5s\"");
  EXPECT_EQ(DurationText(-1), "\"-0.000000001s\"");
  EXPECT_EQ(DurationText(std::numeric_limits<int64_t>::min()), "\"-9223372036.854775808s\"");
}

}  // namespace
}  // namespace structtensor
