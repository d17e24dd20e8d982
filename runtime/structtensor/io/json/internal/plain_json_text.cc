#include "structtensor/io/json/internal/plain_json_text.h"

#include <limits>

#include "structtensor/core/base/shared/time_text.h"

namespace structtensor::json_internal {

std::optional<int64_t> ParseTimeAs(DType dtype, std::string_view text) {
  constexpr auto kForm = base_internal::TimeForm::kColumn;
  const std::optional<base_internal::SecondsAndNanos> time =
      IsTimestamp(dtype) ? base_internal::ParseTimestamp(text, kForm) : base_internal::ParseDuration(text, kForm);
  if (!time.has_value()) return std::nullopt;
  const int64_t units_per_second = UnitsPerSecond(TimeUnitOf(dtype));
  const int64_t nanos_per_unit = 1'000'000'000 / units_per_second;
  if (time->nanos % nanos_per_unit != 0) return std::nullopt;
  // With 128 bits, because the smallest time has fewer whole seconds than fit.
  const __int128 units = static_cast<__int128>(time->seconds) * units_per_second + time->nanos / nanos_per_unit;
  if (units < std::numeric_limits<int64_t>::min() || units > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return static_cast<int64_t>(units);
}

std::optional<double> ParseSpecialDouble(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace structtensor::json_internal
