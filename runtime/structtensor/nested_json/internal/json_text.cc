#include "structtensor/nested_json/internal/json_text.h"

#include <algorithm>
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

// Returns nothing if the duration is not a whole number of units, or if there are too many units.
std::optional<int64_t> CountOf(absl::Duration duration, absl::Duration unit) {
  absl::Duration rest;
  const int64_t count = absl::IDivDuration(duration, unit, &rest);
  if (rest != absl::ZeroDuration() || unit * count != duration) return std::nullopt;
  return count;
}

// How many digits follow the point, if there is one.
size_t FractionDigits(std::string_view text) {
  const size_t point = text.find('.');
  if (point == std::string_view::npos) return 0;
  return std::min(text.find_first_not_of("0123456789", point + 1), text.size()) - point - 1;
}

}  // namespace

std::optional<int64_t> ParseTimeAs(DType dtype, std::string_view text) {
  if (IsTimestamp(dtype)) {
    // absl::ParseTime also takes white space around the time, and words for the infinite times. These are refused here.
    const bool has_digit =
        !text.empty() && (absl::ascii_isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '+' || text[0] == '-');
    // Years after 9999 have a plus sign, as in ISO 8601. absl::ParseTime takes only a minus sign.
    if (text.starts_with('+')) text.remove_prefix(1);
    absl::Time time;
    if (!has_digit || text.empty() || absl::ascii_isspace(static_cast<unsigned char>(text.back())) != 0) {
      return std::nullopt;
    }
    // absl::Time would drop digits beyond a quarter of a nanosecond, and make a leap second the second after it.
    if (FractionDigits(text) > 9 || text.substr(0, text.find_first_of(".Zz")).ends_with(":60")) return std::nullopt;
    if (!absl::ParseTime(absl::RFC3339_full, ToAbsl(text), &time, nullptr)) return std::nullopt;
    return CountOf(time - absl::UnixEpoch(), UnitOf(dtype));
  }
  // Only protobuf's form is read, "-1.5s", although absl::ParseDuration takes other forms.
  if (!text.ends_with('s')) return std::nullopt;
  const std::string_view number = text.substr(text.starts_with('-') ? 1 : 0, text.size() - (text.starts_with('-') ? 2 : 1));
  if (number.empty() || number.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  if (FractionDigits(text) > 9) return std::nullopt;
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

}  // namespace structtensor::nested_json_internal
