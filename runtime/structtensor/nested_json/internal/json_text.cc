#include "structtensor/nested_json/internal/json_text.h"

#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "structtensor/base/internal/strings.h"

namespace structtensor::nested_json_internal {
namespace {

absl::Duration UnitOf(DType dtype) {
  switch (TimeUnitOf(dtype)) {
    case TimeUnit::kSeconds:
      return absl::Seconds(1);
    case TimeUnit::kMilliseconds:
      return absl::Milliseconds(1);
    case TimeUnit::kMicroseconds:
      return absl::Microseconds(1);
    case TimeUnit::kNanoseconds:
      break;
  }
  return absl::Nanoseconds(1);
}

// Nothing if the duration is no whole number of units, or too many.
std::optional<int64_t> CountOf(absl::Duration duration, absl::Duration unit) {
  absl::Duration rest;
  const int64_t count = absl::IDivDuration(duration, unit, &rest);
  if (rest != absl::ZeroDuration() || unit * count != duration) return std::nullopt;
  return count;
}

}  // namespace

std::optional<int64_t> ParseTimeAs(DType dtype, std::string_view text) {
  if (IsTimestamp(dtype)) {
    // absl::ParseTime takes white space around, and words for the infinite times.
    const bool has_digit =
        !text.empty() && (absl::ascii_isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '+' || text[0] == '-');
    // Years behind 9999 have a sign, as ISO 8601 has them, and absl::ParseTime takes only the other one.
    if (text.starts_with('+')) text.remove_prefix(1);
    absl::Time time;
    if (!has_digit || text.empty() || absl::ascii_isspace(static_cast<unsigned char>(text.back())) != 0) {
      return std::nullopt;
    }
    if (!absl::ParseTime(absl::RFC3339_full, ToAbsl(text), &time, nullptr)) return std::nullopt;
    return CountOf(time - absl::UnixEpoch(), UnitOf(dtype));
  }
  // protobuf's form, "-1.5s", and no other that absl::ParseDuration takes.
  if (!text.ends_with('s')) return std::nullopt;
  const std::string_view number = text.substr(text.starts_with('-') ? 1 : 0, text.size() - (text.starts_with('-') ? 2 : 1));
  if (number.empty() || number.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  absl::Duration duration;
  if (!absl::ParseDuration(ToAbsl(text), &duration)) return std::nullopt;
  return CountOf(duration, UnitOf(dtype));
}

std::optional<double> ParseSpecialDouble(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

bool AppendBase64(std::string_view text, std::string& out) {
  std::string bytes;
  if (!absl::Base64Unescape(ToAbsl(text), &bytes) && !absl::WebSafeBase64Unescape(ToAbsl(text), &bytes)) return false;
  out += bytes;
  return true;
}

}  // namespace structtensor::nested_json_internal
