#include "structtensor/json/internal/well_known_text.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "structtensor/base/internal/strings.h"

namespace structtensor::json_internal {
namespace {

constexpr int64_t kMaxDurationSeconds = 315'576'000'000;
constexpr int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr int32_t kNanosInSecond = 1'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes `count` digits.
bool TakeDigits(std::string_view& text, size_t count, int* number) {
  if (text.size() < count) return false;
  *number = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[i])) return false;
    *number = 10 * *number + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}
bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Takes a fraction like ".5" of one to nine digits, if there is one.
bool TakeNanos(std::string_view& text, int32_t* nanos) {
  *nanos = 0;
  if (!Take(text, '.')) return true;
  int digits = 0;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1)) {
    if (++digits > 9) return false;
    *nanos = 10 * *nanos + (text[0] - '0');
  }
  if (digits == 0) return false;
  for (; digits < 9; ++digits) *nanos *= 10;
  return true;
}

void AppendNanos(int32_t nanos, std::string& out) {
  if (nanos == 0) return;
  if (nanos % 1'000'000 == 0) {
    absl::StrAppendFormat(&out, ".%03d", nanos / 1'000'000);
  } else if (nanos % 1'000 == 0) {
    absl::StrAppendFormat(&out, ".%06d", nanos / 1'000);
  } else {
    absl::StrAppendFormat(&out, ".%09d", nanos);
  }
}

}  // namespace

std::optional<SecondsAndNanos> ParseTimestamp(std::string_view text) {
  int year, month, day, hour, minute, second;
  const bool has_civil = TakeDigits(text, 4, &year) && Take(text, '-') && TakeDigits(text, 2, &month) && Take(text, '-') &&
                         TakeDigits(text, 2, &day) && Take(text, 'T') && TakeDigits(text, 2, &hour) && Take(text, ':') &&
                         TakeDigits(text, 2, &minute) && Take(text, ':') && TakeDigits(text, 2, &second);
  SecondsAndNanos time;
  if (!has_civil || !TakeNanos(text, &time.nanos)) return std::nullopt;
  int64_t offset_seconds = 0;
  if (!Take(text, 'Z')) {
    const bool west = text.starts_with('-');
    int zone_hour, zone_minute;
    if (!Take(text, west ? '-' : '+') || !TakeDigits(text, 2, &zone_hour) || !Take(text, ':') ||
        !TakeDigits(text, 2, &zone_minute)) {
      return std::nullopt;
    }
    if (zone_hour > 23 || zone_minute > 59) return std::nullopt;
    offset_seconds = (west ? -60 : 60) * (60 * int64_t{zone_hour} + zone_minute);
  }
  const absl::CivilSecond civil(year, month, day, hour, minute, second);
  // CivilSecond turns a date or time that does not exist into another one.
  const bool exists = civil.year() == year && civil.month() == month && civil.day() == day && civil.hour() == hour &&
                      civil.minute() == minute && civil.second() == second;
  if (!text.empty() || !exists) return std::nullopt;
  time.seconds = civil - absl::CivilSecond(1970) - offset_seconds;
  if (time.seconds < kFirstSecond || time.seconds > kLastSecond) return std::nullopt;
  return time;
}

std::optional<SecondsAndNanos> ParseDuration(std::string_view text) {
  const bool negative = Take(text, '-');
  SecondsAndNanos duration;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), duration.seconds);
  if (error != std::errc() || text.empty() || !IsDigit(text[0])) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!TakeNanos(text, &duration.nanos) || text != "s") return std::nullopt;
  if (duration.seconds > kMaxDurationSeconds) return std::nullopt;
  if (negative) duration = {-duration.seconds, -duration.nanos};
  return duration;
}

bool AppendTimestamp(SecondsAndNanos time, std::string& out) {
  if (time.seconds < kFirstSecond || time.seconds > kLastSecond || time.nanos < 0 || time.nanos >= kNanosInSecond) return false;
  const absl::CivilSecond civil = absl::CivilSecond(1970) + time.seconds;
  absl::StrAppendFormat(&out, "%04d-%02d-%02dT%02d:%02d:%02d", civil.year(), civil.month(), civil.day(), civil.hour(),
                        civil.minute(), civil.second());
  AppendNanos(time.nanos, out);
  out += 'Z';
  return true;
}

bool AppendDuration(SecondsAndNanos duration, std::string& out) {
  const auto [seconds, nanos] = duration;
  if (seconds < -kMaxDurationSeconds || seconds > kMaxDurationSeconds || nanos <= -kNanosInSecond || nanos >= kNanosInSecond) {
    return false;
  }
  if ((seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0)) return false;
  if (seconds < 0 || nanos < 0) out += '-';
  absl::StrAppendFormat(&out, "%d", seconds < 0 ? -seconds : seconds);
  AppendNanos(nanos < 0 ? -nanos : nanos, out);
  out += 's';
  return true;
}

bool AppendMaskPath(std::string_view json, std::string& path) {
  for (const char c : json) {
    if (c == '_') return false;
    if (c >= 'A' && c <= 'Z') {
      path += '_';
      path += static_cast<char>(c - 'A' + 'a');
    } else {
      path += c;
    }
  }
  return true;
}

bool AppendMaskJson(std::string_view path, std::string& json) {
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] >= 'A' && path[i] <= 'Z') return false;
    if (path[i] != '_') {
      json += path[i];
      continue;
    }
    if (++i == path.size() || path[i] < 'a' || path[i] > 'z') return false;
    json += static_cast<char>(path[i] - 'a' + 'A');
  }
  return true;
}

}  // namespace structtensor::json_internal
