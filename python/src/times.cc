#include "times.h"

#include <vector>

#include "convert.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::python {
namespace {

using nb::literals::operator""_a;

constexpr int64_t kMicroseconds = 1'000'000;  // per second
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kOrdinalOf1970 = 719'163;        // datetime.date(1970, 1, 1).toordinal()
constexpr int64_t kMaxDays = 999'999'999;          // of a timedelta
constexpr int64_t kFirstSecond = -62'135'596'800;  // the year 1 begins
constexpr int64_t kLastSecond = 253'402'300'799;   // the year 9999 ends

int64_t NumberOf(nb::handle object, const char* attribute) { return nb::cast<int64_t>(object.attr(attribute)); }

// The microseconds of a datetime.timedelta; nullopt if 64 bits cannot hold them.
std::optional<int64_t> MicrosecondsOf(nb::handle timedelta) {
  int64_t microseconds = 0;
  const int64_t seconds = NumberOf(timedelta, "days") * kSecondsPerDay + NumberOf(timedelta, "seconds");
  if (__builtin_mul_overflow(seconds, kMicroseconds, &microseconds) ||
      __builtin_add_overflow(microseconds, NumberOf(timedelta, "microseconds"), &microseconds)) {
    return std::nullopt;
  }
  return microseconds;
}

// The time of a datetime.datetime or datetime.timedelta, as most times are. Nothing for other objects, and for instances of
// derived classes.
std::optional<NestedValue::Time> PlainTimeOf(nb::handle object) {
  const nb::module_ datetime = nb::module_::import_("datetime");
  if (object.type().is(datetime.attr("timedelta"))) {
    const std::optional<int64_t> count = MicrosecondsOf(object);
    if (!count.has_value()) return std::nullopt;
    return NestedValue::Time{*count, DType::kDurationUs};
  }
  if (!object.type().is(datetime.attr("datetime"))) return std::nullopt;
  const int64_t days = NumberOf(object.attr("toordinal")(), "real") - kOrdinalOf1970;
  int64_t count = ((days * 24 + NumberOf(object, "hour")) * 60 + NumberOf(object, "minute")) * 60 + NumberOf(object, "second");
  count = count * kMicroseconds + NumberOf(object, "microsecond");
  const nb::object offset = object.attr("utcoffset")();
  if (!offset.is_none()) count -= MicrosecondsOf(offset).value_or(0);  // less than a day
  return NestedValue::Time{count, DType::kTimestampUs};
}

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
  const int64_t least = is_timestamp_ ? kFirstSecond : -kMaxDays * kSecondsPerDay;
  const int64_t greatest = is_timestamp_ ? kLastSecond : kMaxDays * kSecondsPerDay;
  if (per_second_ > kMicroseconds || seconds < least || seconds > greatest) {
    return nb::module_::import_("numpy").attr(is_timestamp_ ? "datetime64" : "timedelta64")(count, unit_.c_str());
  }
  const nb::object since = timedelta_(0, seconds, rest * (kMicroseconds / per_second_));
  return is_timestamp_ ? epoch_ + since : since;
}

std::string TimeText(int64_t count, DType dtype) {
  std::string text;
  AppendJson(Tensor::FromVector(std::vector<int64_t>{count}, dtype), 0, text);
  return text.substr(1, text.size() - 2);
}

std::optional<NestedValue> TimeOf(nb::handle object) {
  if (std::optional<NestedValue::Time> time = PlainTimeOf(object)) return *time;
  const nb::object time = PythonFunction("structtensor._numpy", "dtype_and_count_of_time")(object);
  if (time.is_none()) return std::nullopt;
  const nb::object count = time[1];
  if (count.is_none()) return NestedValue();
  return NestedValue::Time{IntegerOf(count, "time"), DTypeOfPython(time[0])};
}

}  // namespace structtensor::python
