// Calls of Python's code by threads that work without the interpreter's lock, with statuses instead of exceptions.
#ifndef STRUCTTENSOR_PYTHON_PYTHON_CALLS_H_
#define STRUCTTENSOR_PYTHON_PYTHON_CALLS_H_

#include <nanobind/nanobind.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace structtensor::python {

// A Python object that a thread may release without having the interpreter's lock.
class Held {
 public:
  explicit Held(nanobind::object object) : object_(std::move(object)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    const nanobind::gil_scoped_acquire lock;
    object_.reset();
  }

  const nanobind::object& operator*() const { return object_; }
  const nanobind::object* operator->() const { return &object_; }

 private:
  nanobind::object object_;
};

// The status for an exception of Python. `damage`: wrong content of a file counts as damage.
absl::Status StatusOf(const nanobind::python_error& error, std::string_view doing, bool damage);

// Calls `call` with the interpreter's lock. Returns its status, or the status for the exception that it throws.
template <typename Call>
absl::Status WithPython(std::string_view doing, bool damage, Call call) {
  const nanobind::gil_scoped_acquire lock;
  try {
    return call();
  } catch (const nanobind::python_error& error) {
    return StatusOf(error, doing, damage);
  } catch (const nanobind::cast_error&) {
    return absl::InternalError(
        absl::StrCat(absl::string_view(doing.data(), doing.size()), ": an object of an unexpected type"));
  }
}

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_PYTHON_CALLS_H_
