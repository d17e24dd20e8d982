#include "structtensor/tensor/internal/json_scalar.h"

#include <cmath>

namespace structtensor::tensor_internal {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;

template <typename Float>
void AppendFloat(Float value, std::string& out) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else if (value == 0 && std::signbit(value)) {
    out += "-0.0";  // "-0" is the integer 0 for most readers
  } else {
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
  }
}

void AppendPadded(int64_t value, int digits, std::string& out) {
  char text[20];
  char* const end = std::to_chars(text, text + sizeof(text), value).ptr;
  for (auto missing = digits - (end - text); missing > 0; --missing) out += '0';
  out.append(text, end);
}

// Appends ".25" for 250 milliseconds; nothing for 0.
void AppendFraction(int64_t fraction, TimeUnit unit, std::string& out) {
  if (fraction == 0) return;
  out += '.';
  AppendPadded(fraction, 3 * static_cast<int>(unit), out);
  while (out.back() == '0') out.pop_back();
}

void AppendYear(int64_t year, std::string& out) {
  if (year >= 0 && year <= 9999) return AppendPadded(year, 4, out);
  out += year < 0 ? '-' : '+';
  AppendPadded(year < 0 ? -year : year, 6, out);
}

struct Date {
  int64_t year;
  int64_t month;
  int64_t day;
};

// The date in the proleptic Gregorian calendar, `days` after 1970-01-01. Years are counted from March, so that the leap day is
// the last one of its year; 400 years have 146,097 days.
Date DateFromDays(int64_t days) {
  days += 719'468;  // from 0000-03-01
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  // Months from March on have 31 30 31 30 31 days, twice and a bit: 153 days every five.
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

}  // namespace

void AppendJsonBase64(std::string_view bytes, std::string& out) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out += '"';
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t present = bytes.size() - i;
    uint32_t group = static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << 16;
    if (present > 1) group |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i + 1])) << 8;
    if (present > 2) group |= static_cast<uint8_t>(bytes[i + 2]);
    out += kAlphabet[group >> 18];
    out += kAlphabet[(group >> 12) & 63];
    out += present > 1 ? kAlphabet[(group >> 6) & 63] : '=';
    out += present > 2 ? kAlphabet[group & 63] : '=';
  }
  out += '"';
}

void AppendJsonNumber(double value, std::string& out) { AppendFloat(value, out); }
void AppendJsonNumber(float value, std::string& out) { AppendFloat(value, out); }

void AppendJsonTimestamp(int64_t value, TimeUnit unit, std::string& out) {
  // Division rounds towards zero, but the fraction must not be negative.
  const int64_t units_per_second = UnitsPerSecond(unit);
  int64_t seconds = value / units_per_second;
  int64_t fraction = value % units_per_second;
  if (fraction < 0) {
    --seconds;
    fraction += units_per_second;
  }
  int64_t days = seconds / kSecondsPerDay;
  int64_t second_of_day = seconds % kSecondsPerDay;
  if (second_of_day < 0) {
    --days;
    second_of_day += kSecondsPerDay;
  }
  const Date date = DateFromDays(days);
  out += '"';
  AppendYear(date.year, out);
  out += '-';
  AppendPadded(date.month, 2, out);
  out += '-';
  AppendPadded(date.day, 2, out);
  out += 'T';
  AppendPadded(second_of_day / 3600, 2, out);
  out += ':';
  AppendPadded(second_of_day / 60 % 60, 2, out);
  out += ':';
  AppendPadded(second_of_day % 60, 2, out);
  AppendFraction(fraction, unit, out);
  out += "Z\"";
}

void AppendJsonDuration(int64_t value, TimeUnit unit, std::string& out) {
  const int64_t units_per_second = UnitsPerSecond(unit);
  const int64_t seconds = value / units_per_second;
  const int64_t fraction = value % units_per_second;
  out += '"';
  if (value < 0) out += '-';
  // Unsigned, because the smallest number of seconds has no positive counterpart.
  AppendJsonNumber(seconds < 0 ? uint64_t{0} - static_cast<uint64_t>(seconds) : static_cast<uint64_t>(seconds), out);
  AppendFraction(fraction < 0 ? -fraction : fraction, unit, out);
  out += "s\"";
}

}  // namespace structtensor::tensor_internal
