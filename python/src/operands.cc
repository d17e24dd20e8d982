#include "operands.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "convert.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/values/constant.h"

namespace structtensor::python {
namespace {

// The dtype of the elements of tensors and ragged tensors; nothing for other values.
std::optional<DType> ElementsOfValue(const Value& value) {
  if (value.tensor() != nullptr) return value.tensor()->dtype();
  if (value.ragged() != nullptr) return value.ragged()->dtype();
  return std::nullopt;
}

// The dtype of a Python or NumPy time in an operation with times of `dtype`. It is `dtype`, except in sums and differences:
// there, a duration may be combined with timestamps, and a timestamp with durations.
DType TimeDTypeLike(nb::handle object, DType dtype, OperationOnTimes operation) {
  if (operation != OperationOnTimes::kSum) return dtype;
  if (PyLong_Check(object.ptr())) {
    ThrowError(PyExc_TypeError, "an integer is not a time; write a datetime.timedelta or a numpy.timedelta64");
  }
  const nb::object is_point = nb::module_::import_("structtensor._numpy").attr("is_point_in_time")(object);
  if (is_point.is_none()) return dtype;
  return is_point.ptr() == Py_True ? TimestampDType(TimeUnitOf(dtype)) : DurationDType(TimeUnitOf(dtype));
}

// A Python number or text gets the dtype of the other operand. A fraction and integers make both operands fractions, as in
// NumPy: then `other` is converted, too.
Value OperandLike(nb::handle object, Value& other, OperationOnTimes operation) {
  const std::optional<DType> dtype = ElementsOfValue(other);
  if (dtype.has_value() && IsTime(*dtype)) {
    const DType own = TimeDTypeLike(object, *dtype, operation);
    if (PyLong_Check(object.ptr())) return Tensor::Scalar(IntegerOf(object, "time"), own);
    // The number of units for a datetime, a timedelta or a NumPy time; None for other objects.
    const std::string_view unit = TimeUnitName(TimeUnitOf(own));
    const nb::object count = nb::module_::import_("structtensor._numpy")
                                 .attr("count_of_time")(object, TextToPython(unit), nb::bool_(IsTimestamp(own)));
    if (!count.is_none()) return Tensor::Scalar(IntegerOf(count, "time"), own);
  }
  if (!dtype.has_value() || !IsPythonNumberOrText(object)) return ValueOf(object);
  if (IsTime(*dtype)) return Tensor::Scalar(IntegerOf(object, "time"), *dtype);
  if (PyFloat_Check(object.ptr()) && IsInteger(*dtype)) {
    other = Unwrap(Cast(other, DType::kDouble));
    return Tensor::Scalar(PyFloat_AsDouble(object.ptr()));
  }
  const bool is_text = PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr());
  if (is_text != IsStringLike(*dtype))
    ThrowType("operand", absl::StrCat("a value to go with elements of ", ToAbsl(DTypeName(*dtype))), object);
  const NestedValue nested = NestedOf(object);
  if (PyFloat_Check(object.ptr()) && IsFloating(*dtype)) {
    // Rounded to the precision of the other operand, as in NumPy: 0.1 has no exact float.
    return Unwrap(Cast(Tensor::Scalar(*nested.get_if<double>()), *dtype));
  }
  return Unwrap(TensorConstant(nested, {.dtype = *dtype}));
}

// Whether the object has a dtype of its own, to which the other operand is converted.
bool HasElements(nb::handle object) { return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || IsArray(object); }

}  // namespace

bool IsPythonNumberOrText(nb::handle object) {
  PyObject* const p = object.ptr();
  return PyLong_Check(p) || PyFloat_Check(p) || PyUnicode_Check(p) || PyBytes_Check(p);
}

std::pair<Value, Value> OperandsOf(nb::handle x, nb::handle y, OperationOnTimes operation) {
  const std::optional<Value> left = AsValue(x);
  const std::optional<Value> right = AsValue(y);
  if (left.has_value() && right.has_value()) return {*left, *right};
  if (left.has_value() || (!right.has_value() && HasElements(x) && !HasElements(y))) {
    Value a = left.has_value() ? *left : ValueOf(x);
    Value b = OperandLike(y, a, operation);
    return {std::move(a), std::move(b)};
  }
  Value b = right.has_value() ? *right : ValueOf(y);
  Value a = OperandLike(x, b, operation);
  return {std::move(a), std::move(b)};
}

}  // namespace structtensor::python
