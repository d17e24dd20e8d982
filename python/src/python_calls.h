// Calls of Python's code by threads that work without the interpreter's lock, with statuses instead of exceptions.
#ifndef STRUCTTENSOR_PYTHON_PYTHON_CALLS_H_
#define STRUCTTENSOR_PYTHON_PYTHON_CALLS_H_

#include <nanobind/nanobind.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace structtensor::python {

// An object of Python's that a thread without the interpreter's lock may let go.
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

// The status that an exception of Python's stands for. `damage`: that a file has no such content is damage.
absl::Status StatusOf(const nanobind::python_error& error, std::string_view doing, bool damage);

// Calls `call` with the interpreter's lock, and returns its status or that of what it throws.
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
