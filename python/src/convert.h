// Conversions between Python's objects and the runtime's values, for all files of the bindings.
//
// The bindings are thin: they convert Python's arguments, call one function of the runtime, and convert its result or error for
// Python. Anything that a C++ user might also need does not belong here.
#ifndef STRUCTTENSOR_PYTHON_CONVERT_H_
#define STRUCTTENSOR_PYTHON_CONVERT_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/nested_value.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::python {

namespace nb = nanobind;

// The exceptions for those errors whose meaning differs from function to function. The other errors are InvalidArgument:
// ValueError, ResourceExhausted: MemoryError, Unimplemented: NotImplementedError, PermissionDenied: PermissionError,
// Unavailable: ConnectionError, else RuntimeError.
struct ErrorTypes {
  PyObject* not_found = PyExc_KeyError;
  PyObject* out_of_range = PyExc_IndexError;
};

// A function of a module of the package.
nb::object PythonFunction(const char* module, const char* name);

// Throws an exception of this type with this message.
[[noreturn]] void ThrowError(PyObject* type, std::string_view message);
// Throws the exception for a status. Requires: status is not OK.
[[noreturn]] void Throw(const absl::Status& status, ErrorTypes types = {});

inline void Check(const absl::Status& status, ErrorTypes types = {}) {
  if (!status.ok()) Throw(status, types);
}
template <typename T>
T Unwrap(absl::StatusOr<T> result, ErrorTypes types = {}) {
  if (!result.ok()) Throw(result.status(), types);
  return *std::move(result);
}

// The T of the object, or null if the object is not a T. Throws TypeError for an object that was made without __init__
// (T.__new__(T)) and so has no value.
template <typename T>
const T* InstanceOf(nb::handle object) {
  if (!nb::isinstance<T>(object)) return nullptr;
  if (!nb::inst_ready(object)) ThrowError(PyExc_TypeError, "the object was made without its __init__, and has no value");
  return nb::inst_ptr<T>(object);
}

// A file path in the form of the system. `path`: a str, whose bytes need not be UTF-8, or bytes.
std::string FilePathOf(nb::handle path, std::string_view what);

// Throws TypeError: "WHAT: expected EXPECTED, found TYPE".
[[noreturn]] void ThrowType(std::string_view what, std::string_view expected, nb::handle found);

// The text of a str. Throws TypeError with `what` for other objects. The view lives as long as the object.
std::string_view TextOf(nb::handle text, std::string_view what);
inline nb::str TextToPython(std::string_view text) { return nb::str(text.data(), text.size()); }
// The text of an error, which may quote bytes that are not UTF-8.
nb::object ErrorTextToPython(std::string_view text);

// The bytes of a bytes object, or of any other object with a buffer. Other buffers are copied to a bytes object, which is added
// to `kept`. Throws TypeError, with `what`, for objects without a buffer.
std::string_view BytesOf(nb::handle object, std::string_view what, std::vector<nb::object>& kept);

// A dict with the same items, for loops whose body calls Python code, which may change the dict. Requires: `dict` is a dict.
nb::dict CopyOf(nb::handle dict);

// Integers are objects that have __index__, except booleans. Throws TypeError, with `what`, or OverflowError.
int64_t IntegerOf(nb::handle object, std::string_view what);
// The same, also for integers from 2^63 to 2^64 - 1.
std::variant<int64_t, uint64_t> WideIntegerOf(nb::handle object, std::string_view what);
std::vector<int64_t> IntegersOf(nb::handle objects, std::string_view what);
// The same for a bound or a step of a slice, which Python clips to 64 bits.
int64_t ClippedIntegerOf(nb::handle object, std::string_view what);
// Whether it is one integer (or a scalar, which IntegerOf() checks) instead of several.
bool IsOneInteger(nb::handle object);
// One integer, or a list of them.
std::vector<int64_t> OneOrMoreIntegersOf(nb::handle objects, std::string_view what);
// Nothing for None.
std::optional<int64_t> OptionalIntegerOf(nb::handle object, std::string_view what);

// The class of shapes, a subclass of tuple.
void UseShapeClass(nb::object type);
// The class of dtypes, a subclass of str.
void UseDTypeClass(nb::object type);
// A TensorShape of sizes, None for unknown ones; None for an unknown rank.
nb::object ShapeToPython(const Shape& shape);
Shape ShapeOf(nb::handle shape);

// Names of dtypes, as specs write them. NumPy's names and dtypes, and bool, int, float, str and bytes are accepted as well.
nb::object DTypeToPython(DType dtype);
DType DTypeOfPython(nb::handle dtype);
std::optional<DType> OptionalDTypeOf(nb::handle dtype);

// The value of the object, if it is a Tensor, a RaggedTensor or a StructuredTensor.
std::optional<Value> AsValue(nb::handle object);
// The same, or a value made from Arrow's and NumPy's arrays, or from nested lists, dicts and scalars. Throws TypeError and
// ValueError for other objects.
Value ValueOf(nb::handle object);
// Whether it is a value, or an array of NumPy or Arrow, which has a dtype and a shape.
bool IsArray(nb::handle object);
// The same for values that have to be dense: nested lists become a dense tensor.
Tensor DenseOf(nb::handle object, std::string_view what);
std::vector<Value> ValuesOf(nb::handle objects);
StructuredTensor StructuredOf(nb::handle object);
nb::object ToPython(Value value);
nb::list ToPython(std::vector<Value> values);

nb::object SpecToPython(const TypeSpec& spec);
// Whether SpecOf() accepts the object.
bool IsSpec(nb::handle object);
TypeSpec SpecOf(nb::handle spec);

// Raises ValueError if structs with these fields would be nested deeper than kMaxNestedDepth. Functions that walk structs are
// recursive.
void CheckDepth(const std::vector<Field>& fields);
void CheckDepth(const std::vector<FieldSpec>& fields);

// Throws ValueError for objects nested deeper than kMaxNestedDepth (tensor/values/constant.h).
NestedValue NestedOf(nb::handle object);
// `times_as_text`: times are TimeText(), for repr().
nb::object NestedToPython(const NestedValue& nested, bool times_as_text = false);

// A field path as text ("a.b"), or as a list of names.
Path PathOf(nb::handle path);
std::vector<Path> PathsOf(nb::handle paths);

// The number of the string `value` among the strings that an option may have.
int OneOf(std::string_view option, nb::handle value, std::initializer_list<std::string_view> names);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_CONVERT_H_
