#include "times.h"

#include "convert.h"

namespace structtensor::python {
namespace {

using nb::literals::operator""_a;

constexpr int64_t kMicroseconds = 1'000'000;  // per second
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kMaxDays = 999'999'999;          // of a timedelta
constexpr int64_t kFirstSecond = -62'135'596'800;  // the year 1 begins
constexpr int64_t kLastSecond = 253'402'300'799;   // the year 9999 ends

}  // namespace

PythonTimes::PythonTimes(DType dtype)
    : is_timestamp_(IsTimestamp(dtype)),
      per_second_(UnitsPerSecond(TimeUnitOf(dtype))),
      unit_(TimeUnitName(TimeUnitOf(dtype))) {
  const nb::module_ datetime = nb::module_::import_("datetime");
  timedelta_ = datetime.attr("timedelta");
  if (is_timestamp_) epoch_ = datetime.attr("datetime")(1970, 1, 1, "tzinfo"_a = datetime.attr("timezone").attr("utc"));
}

nb::object PythonTimes::Make(int64_t count) const {
  int64_t seconds = count / per_second_;
  int64_t rest = count % per_second_;
  if (rest < 0) {
    rest += per_second_;
    --seconds;
  }
  const bool is_exact = per_second_ <= kMicroseconds || rest % (per_second_ / kMicroseconds) == 0;
  const int64_t least = is_timestamp_ ? kFirstSecond : -kMaxDays * kSecondsPerDay;
  const int64_t greatest = is_timestamp_ ? kLastSecond : kMaxDays * kSecondsPerDay;
  if (!is_exact || seconds < least || seconds > greatest) {
    return nb::module_::import_("numpy").attr(is_timestamp_ ? "datetime64" : "timedelta64")(count, unit_.c_str());
  }
  const int64_t microseconds =
      per_second_ <= kMicroseconds ? rest * (kMicroseconds / per_second_) : rest / (per_second_ / kMicroseconds);
  const nb::object since = timedelta_(0, seconds, microseconds);
  return is_timestamp_ ? epoch_ + since : since;
}

std::optional<NestedValue> TimeOf(nb::handle object) {
  const nb::object time = PythonFunction("structtensor._numpy", "dtype_and_count_of_time")(object);
  if (time.is_none()) return std::nullopt;
  const nb::object count = time[1];
  if (count.is_none()) return NestedValue();
  return NestedValue::Time{IntegerOf(count, "time"), DTypeOfPython(time[0])};
}

}  // namespace structtensor::python
