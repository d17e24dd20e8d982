// The two operands of an operation. One of them may be a Python number, string or time.
#ifndef STRUCTTENSOR_PYTHON_OPERANDS_H_
#define STRUCTTENSOR_PYTHON_OPERANDS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include "convert.h"

namespace structtensor::python {

// In sums and differences, durations are combined with timestamps. Other operations have times of one dtype.
enum class OperationOnTimes : uint8_t { kSum, kOther };

bool IsPythonNumberOrText(nb::handle object);

// Returns both operands as values. A Python number, text or time gets the dtype of the other operand. A fraction and integers
// make both operands doubles.
// Throws TypeError and ValueError as ValueOf() does, and ValueError for an integer that would lose digits in that dtype.
std::pair<Value, Value> OperandsOf(nb::handle x, nb::handle y, OperationOnTimes operation = OperationOnTimes::kOther);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_OPERANDS_H_
