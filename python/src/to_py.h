// Values as Python's own lists, dicts and scalars.
#ifndef STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
#define STRUCTTENSOR_PYTHON_SRC_TO_PY_H_

#include <nanobind/nanobind.h>

#include "convert.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::python {

// The lists, dicts and scalars that ToNestedValue (tensor/values/constant.h) describes, made directly from the columns. In
// texts, U+FFFD replaces bytes that are not UTF-8. Python's garbage collector pauses meanwhile: all new objects are alive, and
// checking them would take longer than making them. Raises MemoryError.
nb::object ToPy(const Value& value);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
