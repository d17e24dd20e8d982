#include "structtensor/core/base/shared/time_text.h"

#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

namespace structtensor::base_internal {
namespace {

// Holds every int64 of seconds in nanoseconds, and every year that is read in seconds.
using Wide = __int128;

constexpr int64_t kFirstMessageSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr int64_t kLastMessageSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr int64_t kMaxMessageDurationSeconds = 315'576'000'000;
constexpr int32_t kNanosPerSecond = 1'000'000'000;
constexpr int kNanosDigits = 9;
constexpr int64_t kSecondsPerDay = 86'400;
// The last year of int64 seconds has twelve digits.
constexpr size_t kMinSignedYearDigits = 6;
constexpr size_t kMaxSignedYearDigits = 12;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Takes `count` digits.
bool TakeDigits(std::string_view& text, size_t count, int64_t* number) {
  if (text.size() < count) return false;
  *number = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[i])) return false;
    *number = 10 * *number + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

// Takes a fraction like ".5" of one to nine digits, if there is one.
bool TakeNanos(std::string_view& text, int32_t* nanos) {
  *nanos = 0;
  if (!Take(text, '.')) return true;
  int digits = 0;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1)) {
    if (++digits > kNanosDigits) return false;
    *nanos = 10 * *nanos + (text[0] - '0');
  }
  if (digits == 0) return false;
  for (; digits < kNanosDigits; ++digits) *nanos *= 10;
  return true;
}

// Takes a number like "12.5".
bool TakeSecondsAndNanos(std::string_view& text, uint64_t* seconds, int32_t* nanos) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *seconds);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return TakeNanos(text, nanos);
}

// Takes a year: four digits, or a sign and more digits for a year that four digits cannot hold. So each year has one text.
bool TakeYear(std::string_view& text, TimeForm form, int64_t* year) {
  const bool before = text.starts_with('-');
  if (!before && !text.starts_with('+')) {
    return TakeDigits(text, 4, year) && (form != TimeForm::kMessage || *year != 0);
  }
  if (form == TimeForm::kMessage) return false;
  text.remove_prefix(1);
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  if (digits < kMinSignedYearDigits || digits > kMaxSignedYearDigits || (digits > kMinSignedYearDigits && text[0] == '0')) {
    return false;
  }
  if (!TakeDigits(text, digits, year) || *year == 0 || (!before && *year <= 9999)) return false;
  if (before) *year = -*year;
  return true;
}

bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int64_t DaysOfMonth(int64_t year, int64_t month) {
  constexpr int8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[month - 1] + (month == 2 && IsLeapYear(year) ? 1 : 0);
}

struct Date {
  int64_t year;
  int64_t month;
  int64_t day;
};

// Days of the proleptic Gregorian calendar are counted from 1970-01-01, years from March, so that the leap day is the last day
// of its year. 400 years have 146,097 days. Months from March on have 31 30 31 30 31 days, twice and a bit: 153 days in five
// months.
constexpr int64_t kDaysOf400Years = 146'097;
constexpr int64_t kDaysFromMarchOfYear0 = 719'468;  // until 1970-01-01

int64_t DaysOfDate(const Date& date) {
  const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const int64_t month_from_march = date.month <= 2 ? date.month + 9 : date.month - 3;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const int64_t day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysOf400Years + day_of_era - kDaysFromMarchOfYear0;
}

Date DateOfDays(int64_t days) {
  days += kDaysFromMarchOfYear0;
  const int64_t era = (days >= 0 ? days : days - (kDaysOf400Years - 1)) / kDaysOf400Years;
  const int64_t day_of_era = days - era * kDaysOf400Years;
  const int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

bool HasTime(TimeForm form, int64_t seconds) {
  return form == TimeForm::kColumn || (seconds >= kFirstMessageSecond && seconds <= kLastMessageSecond);
}

bool HasDuration(TimeForm form, int64_t seconds) {
  return form == TimeForm::kColumn || (seconds >= -kMaxMessageDurationSeconds && seconds <= kMaxMessageDurationSeconds);
}

// `nanoseconds` as seconds and what is left, with one sign. nullopt if `form` does not have the duration.
std::optional<SecondsAndNanos> DurationOf(Wide nanoseconds, TimeForm form) {
  const Wide seconds = nanoseconds / kNanosPerSecond;
  if (seconds < std::numeric_limits<int64_t>::min() || seconds > std::numeric_limits<int64_t>::max()) return std::nullopt;
  if (!HasDuration(form, static_cast<int64_t>(seconds))) return std::nullopt;
  return SecondsAndNanos{static_cast<int64_t>(seconds), static_cast<int32_t>(nanoseconds % kNanosPerSecond)};
}

// Takes a unit and returns its nanoseconds, or 0 if there is none.
int64_t TakeUnit(std::string_view& text) {
  constexpr std::pair<std::string_view, int64_t> kUnits[] = {{"ms", 1'000'000},
                                                             {"us", 1'000},
                                                             {"ns", 1},
                                                             {"h", int64_t{3'600} * kNanosPerSecond},
                                                             {"m", int64_t{60} * kNanosPerSecond},
                                                             {"s", kNanosPerSecond}};
  for (const auto& [name, nanoseconds] : kUnits) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return nanoseconds;
  }
  return 0;
}

void AppendPadded(uint64_t value, int digits, std::string& out) {
  char text[20];
  char* const end = std::to_chars(text, text + sizeof(text), value).ptr;
  for (auto missing = digits - (end - text); missing > 0; --missing) out += '0';
  out.append(text, end);
}

// Requires: 0 <= nanos < 1'000'000'000.
void AppendNanos(int32_t nanos, TimeForm form, std::string& out) {
  if (nanos == 0) return;
  out += '.';
  AppendPadded(static_cast<uint64_t>(nanos), kNanosDigits, out);
  if (form == TimeForm::kColumn) {
    while (out.back() == '0') out.pop_back();
  } else {
    while (out.ends_with("000")) out.resize(out.size() - 3);
  }
}

void AppendYear(int64_t year, std::string& out) {
  if (year >= 0 && year <= 9999) return AppendPadded(static_cast<uint64_t>(year), 4, out);
  out += year < 0 ? '-' : '+';
  AppendPadded(static_cast<uint64_t>(year < 0 ? -year : year), kMinSignedYearDigits, out);
}

}  // namespace

std::optional<SecondsAndNanos> ParseTimestamp(std::string_view text, TimeForm form) {
  Date date = {};
  int64_t hour = 0, minute = 0, second = 0;
  const bool has_civil = TakeYear(text, form, &date.year) && Take(text, '-') && TakeDigits(text, 2, &date.month) &&
                         Take(text, '-') && TakeDigits(text, 2, &date.day) && Take(text, 'T') && TakeDigits(text, 2, &hour) &&
                         Take(text, ':') && TakeDigits(text, 2, &minute) && Take(text, ':') && TakeDigits(text, 2, &second);
  SecondsAndNanos time;
  if (!has_civil || !TakeNanos(text, &time.nanos)) return std::nullopt;
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > DaysOfMonth(date.year, date.month)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  int64_t offset_seconds = 0;
  if (!Take(text, 'Z')) {
    const bool west = text.starts_with('-');
    int64_t zone_hour = 0, zone_minute = 0;
    if (!Take(text, west ? '-' : '+') || !TakeDigits(text, 2, &zone_hour) || !Take(text, ':') ||
        !TakeDigits(text, 2, &zone_minute) || zone_hour > 23 || zone_minute > 59) {
      return std::nullopt;
    }
    offset_seconds = (west ? -60 : 60) * (60 * zone_hour + zone_minute);
  }
  if (!text.empty()) return std::nullopt;
  const Wide seconds = Wide{DaysOfDate(date)} * kSecondsPerDay + (hour * 3'600 + minute * 60 + second - offset_seconds);
  if (seconds < std::numeric_limits<int64_t>::min() || seconds > std::numeric_limits<int64_t>::max()) return std::nullopt;
  time.seconds = static_cast<int64_t>(seconds);
  if (!HasTime(form, time.seconds)) return std::nullopt;
  return time;
}

std::optional<SecondsAndNanos> ParseDuration(std::string_view text, TimeForm form) {
  const bool negative = Take(text, '-');
  uint64_t seconds = 0;
  int32_t nanos = 0;
  if (!TakeSecondsAndNanos(text, &seconds, &nanos) || text != "s") return std::nullopt;
  const Wide nanoseconds = Wide{seconds} * kNanosPerSecond + nanos;
  return DurationOf(negative ? -nanoseconds : nanoseconds, form);
}

std::optional<SecondsAndNanos> ParseDurationWithUnits(std::string_view text) {
  const bool negative = Take(text, '-');
  if (text == "0") return SecondsAndNanos();
  if (text.empty()) return std::nullopt;
  Wide nanoseconds = 0;
  while (!text.empty()) {
    uint64_t whole = 0;
    int32_t billionths = 0;
    if (!TakeSecondsAndNanos(text, &whole, &billionths)) return std::nullopt;
    const int64_t unit = TakeUnit(text);
    const Wide fraction = Wide{billionths} * unit;
    if (unit == 0 || fraction % kNanosPerSecond != 0) return std::nullopt;
    nanoseconds += Wide{whole} * unit + fraction / kNanosPerSecond;
    // Checked at each part, so that the sum cannot overflow.
    if (!DurationOf(nanoseconds, TimeForm::kMessage).has_value()) return std::nullopt;
  }
  return DurationOf(negative ? -nanoseconds : nanoseconds, TimeForm::kMessage);
}

bool AppendTimestamp(SecondsAndNanos time, TimeForm form, std::string& out) {
  if (time.nanos < 0 || time.nanos >= kNanosPerSecond || !HasTime(form, time.seconds)) return false;
  // Division rounds towards zero, but the second of the day must not be negative.
  int64_t days = time.seconds / kSecondsPerDay;
  int64_t second_of_day = time.seconds % kSecondsPerDay;
  if (second_of_day < 0) {
    --days;
    second_of_day += kSecondsPerDay;
  }
  const auto append_two = [&out](int64_t value, char before) {
    out += before;
    AppendPadded(static_cast<uint64_t>(value), 2, out);
  };
  const Date date = DateOfDays(days);
  AppendYear(date.year, out);
  append_two(date.month, '-');
  append_two(date.day, '-');
  append_two(second_of_day / 3'600, 'T');
  append_two(second_of_day / 60 % 60, ':');
  append_two(second_of_day % 60, ':');
  AppendNanos(time.nanos, form, out);
  out += 'Z';
  return true;
}

bool AppendDuration(SecondsAndNanos duration, TimeForm form, std::string& out) {
  const auto [seconds, nanos] = duration;
  if (nanos <= -kNanosPerSecond || nanos >= kNanosPerSecond || !HasDuration(form, seconds)) return false;
  if ((seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0)) return false;
  if (seconds < 0 || nanos < 0) out += '-';
  // Unsigned, because the smallest number of seconds has no positive counterpart.
  AppendPadded(seconds < 0 ? uint64_t{0} - static_cast<uint64_t>(seconds) : static_cast<uint64_t>(seconds), 1, out);
  AppendNanos(nanos < 0 ? -nanos : nanos, form, out);
  out += 's';
  return true;
}

}  // namespace structtensor::base_internal
