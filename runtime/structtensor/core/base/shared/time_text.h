// Times and durations as text: "1972-01-01T10:00:20.021Z" and "-1.5s". Everything in the project that reads or writes them does
// so with these functions: JSON of messages and of columns, CSV and conditions.
//
// A time is RFC 3339 as protobuf's JSON has it: "T" and "Z" in upper case, a zone ("Z" or "+01:00"), at most nine digits after
// the point, no leap seconds. There are no words ("infinite-future") and no spaces.
// Sources: timestamp.proto and duration.proto of protobuf; RFC 3339, section 5.6; ECMA-262, "Expanded Years".
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_TIME_TEXT_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_TIME_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace structtensor::base_internal {

// A duration, or a time as the duration since 1970-01-01T00:00:00Z.
struct SecondsAndNanos {
  int64_t seconds = 0;
  int32_t nanos = 0;  // of a time 0 to 999'999'999; of a duration at most 999'999'999 with the sign of `seconds`

  bool operator==(const SecondsAndNanos&) const = default;
};

// Which times and durations there are, and how many digits are written after the point.
enum class TimeForm : uint8_t {
  // google.protobuf.Timestamp and Duration: the years 1 to 9999, durations up to 315'576'000'000.999'999'999 seconds. Written
  // with 0, 3, 6 or 9 digits.
  kMessage,
  // A column of int64: all that `seconds` can hold. Years before 0 and after 9999 have a sign and at least six digits:
  // "+034865-01-01T00:00:00Z". Written with as few digits as are needed.
  kColumn,
};

// The time or duration in `text`; nullopt if there is none, or if `form` does not have it.
std::optional<SecondsAndNanos> ParseTimestamp(std::string_view text, TimeForm form);
std::optional<SecondsAndNanos> ParseDuration(std::string_view text, TimeForm form);

// A google.protobuf.Duration as people type it: what ParseDuration() takes, and also numbers with the units h, m, s, ms, us and
// ns one after another, as in "250ms" or "-1h30m", and 0 without a unit. nullopt also for parts of a nanosecond.
std::optional<SecondsAndNanos> ParseDurationWithUnits(std::string_view text);

// Append the text, without quotes. False, with nothing appended, if `form` does not have the value or its `nanos` are wrong.
bool AppendTimestamp(SecondsAndNanos time, TimeForm form, std::string& out);
bool AppendDuration(SecondsAndNanos duration, TimeForm form, std::string& out);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_TIME_TEXT_H_
