// Values as Python's own lists, dicts and scalars.
#ifndef STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
#define STRUCTTENSOR_PYTHON_SRC_TO_PY_H_

#include <nanobind/nanobind.h>

#include "convert.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::python {

// Returns the lists, dicts and scalars that ToNestedValue (tensor/values/constant.h) describes, built directly from the
// columns. U+FFFD replaces bytes of strings that are not UTF-8. Python's garbage collector is paused meanwhile, because all new
// objects are alive and checking them would take longer than building them. Raises MemoryError.
nb::object ToPy(const Value& value);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
