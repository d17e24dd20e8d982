// Values as Python's own lists, dicts and scalars.
#ifndef STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
#define STRUCTTENSOR_PYTHON_SRC_TO_PY_H_

#include <nanobind/nanobind.h>

#include "convert.h"
#include "structtensor/tensor/value.h"

namespace structtensor::python {

// The lists, dicts and scalars that ToNestedValue (construct/constant.h) describes, made straight from the columns. In texts
// that are not UTF-8, U+FFFD stands for the bytes that are none. Python's garbage collector pauses meanwhile: everything made
// is alive, and to look through it takes longer than to make it. Raises MemoryError.
nb::object ToPy(const Value& value);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
