// Values as Python's own lists, dicts and scalars.
#ifndef STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
#define STRUCTTENSOR_PYTHON_SRC_TO_PY_H_

#include <nanobind/nanobind.h>

#include <string>

#include "convert.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::python {

// Returns the lists, dicts and scalars that ToNestedValue (tensor/values/constant.h) describes, built directly from the
// columns. Timestamps and durations are as PythonTimes makes them. U+FFFD replaces bytes of strings that are not UTF-8.
// Python's garbage collector is paused meanwhile, because all new objects are alive and checking them would take longer than
// building them. Raises MemoryError.
nb::object ToPy(const Value& value);

// Returns the text of repr(), in Python's notation: `Tensor([1, 2], shape=(2,), dtype=int64)`,
// `<StructuredTensor [{'a': 1}, ...], shape=(300,)>`. Large values are cut after about 240 characters, with "..." in each place
// where something is left out.
// Requires: value is of no extension type. Cost: O(text), however big the value is.
std::string ReprOf(const Value& value);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SRC_TO_PY_H_
