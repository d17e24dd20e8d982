// Timestamps and durations as Python's objects.
#ifndef STRUCTTENSOR_PYTHON_SRC_TIMES_H_
#define STRUCTTENSOR_PYTHON_SRC_TIMES_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/values/nested_value.h"

namespace structtensor::python {

namespace nb = nanobind;

// Makes the Python objects of times of one dtype: a datetime.datetime in UTC, or a datetime.timedelta. Times of nanoseconds,
// which these cannot hold, are numpy.datetime64 and numpy.timedelta64, so that all times of a dtype have one type. So are times
// that are out of the range of Python's: before the year 1, after 9999, or longer than 999,999,999 days.
class PythonTimes {
 public:
  // Requires: IsTime(dtype).
  explicit PythonTimes(DType dtype);

  // `count`: of the units of the dtype.
  nb::object Make(int64_t count) const;

 private:
  const bool is_timestamp_;
  const int64_t per_second_;
  const std::string unit_;
  nb::object timedelta_, epoch_;
};

// The time as repr() and JSON have it, without quotation marks: "2026-11-28T18:30:00Z", "1.5s". Requires: IsTime(dtype).
std::string TimeText(int64_t count, DType dtype);

// Reads a datetime, date, timedelta, or a scalar of NumPy or pandas, in its own unit. NaT is nothing. Datetimes without a time
// zone are in UTC, as for google.protobuf.Timestamp.FromDatetime. Returns nullopt for other objects.
// Raises OverflowError, or TypeError for a unit that no dtype has.
std::optional<NestedValue> TimeOf(nb::handle object);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SRC_TIMES_H_
