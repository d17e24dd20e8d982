#include "python_calls.h"

#include <string>

#include "convert.h"

namespace structtensor::python {

absl::Status StatusOf(const nanobind::python_error& error, std::string_view doing, bool damage) {
  const std::string text(TextOf(nanobind::str(error.value()), "an error"));
  const auto status = [&](absl::StatusCode code) {
    return absl::Status(code, doing.empty() ? text : absl::StrCat(absl::string_view(doing.data(), doing.size()), ": ", text));
  };
  if (error.matches(PyExc_ImportError)) return absl::FailedPreconditionError(text);
  if (error.matches(PyExc_MemoryError)) return status(absl::StatusCode::kResourceExhausted);
  if (error.matches(PyExc_NotImplementedError)) return status(absl::StatusCode::kUnimplemented);
  if (error.matches(PyExc_KeyboardInterrupt)) return absl::CancelledError("interrupted");
  // Errors of the system are not damage. pyarrow's own errors of reading are OSErrors without a number.
  if (error.matches(PyExc_OSError)) {
    const nanobind::object number = error.value().attr("errno");
    if (!number.is_none()) return absl::ErrnoToStatus(static_cast<int>(IntegerOf(number, "errno")), text);
  }
  if (damage) return status(absl::StatusCode::kDataLoss);
  if (error.matches(PyExc_ValueError) || error.matches(PyExc_TypeError)) return status(absl::StatusCode::kInvalidArgument);
  return status(absl::StatusCode::kInternal);
}

}  // namespace structtensor::python
