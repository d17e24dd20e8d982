#include "convert.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "extension.h"
#include "option_names.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/from_fields.h"
#include "times.h"
#include "to_py.h"

namespace structtensor::python {
nb::object PythonFunction(const char* module, const char* name) { return nb::module_::import_(module).attr(name); }

namespace {

absl::string_view ToAbslText(std::string_view text) { return {text.data(), text.size()}; }

std::string TypeName(nb::handle object) { return nb::str(object.type().attr("__name__")).c_str(); }

bool HasAttribute(nb::handle object, const char* name) { return nb::hasattr(object, name); }

// Where an object is in nested lists and dicts. The outermost object has no place.
struct Place {
  const Place* outer;
  std::optional<std::string_view> field;  // the name in a dict
  int64_t index = 0;                      // the position in a list
};

// "a.b[3]".
void AppendPlace(const Place* place, std::string& text) {
  if (place == nullptr) return;
  AppendPlace(place->outer, text);
  if (place->field.has_value()) {
    AppendField(*place->field, text);
  } else {
    absl::StrAppend(&text, "[", place->index, "]");
  }
}

// The nested value of an object. `depth`: how many lists and dicts are around the object. `values`: if not null, it becomes
// true if there are values and arrays with axes, whose elements are not in the result then.
NestedValue NestedAt(nb::handle object, int depth, bool* values, const Place* place = nullptr) {
  PyObject* const p = object.ptr();
  if (p == Py_None) return NestedValue();
  if (PyBool_Check(p)) return NestedValue(p == Py_True);
  if (PyLong_Check(p)) {
    int overflow = 0;
    const int64_t integer = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow == 0) return NestedValue(integer);
    const uint64_t positive = overflow > 0 ? PyLong_AsUnsignedLongLong(p) : 0;
    if (overflow < 0 || PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      ThrowError(PyExc_OverflowError, "the integer does not fit in 64 bits");
    }
    return NestedValue(positive);
  }
  if (PyFloat_Check(p)) return NestedValue(PyFloat_AsDouble(p));
  if (PyUnicode_Check(p)) return NestedValue(TextOf(object, "text"));
  if (PyBytes_Check(p)) {
    std::vector<nb::object> kept;
    return NestedValue(NestedValue::Bytes{std::string(BytesOf(object, "bytes", kept))});
  }
  if (depth > kMaxNestedDepth) {
    ThrowError(PyExc_ValueError, absl::StrCat("lists and dicts are nested deeper than ", kMaxNestedDepth, " levels"));
  }
  if (PyList_Check(p) || PyTuple_Check(p)) {
    NestedValue::List list;
    Place inner{place, std::nullopt};
    for (nb::handle item : object) {
      list.push_back(NestedAt(item, depth + 1, values, &inner));
      ++inner.index;
    }
    return NestedValue(std::move(list));
  }
  if (PyDict_Check(p)) {
    NestedValue::Dict dict;
    // A copy, because code of the items may change the dict while their values are read.
    for (auto [key, item] : CopyOf(object)) {
      const Place inner{place, TextOf(key, "the name of a field")};
      dict.emplace_back(std::string(*inner.field), NestedAt(item, depth + 1, values, &inner));
    }
    return NestedValue(std::move(dict));
  }
  if (const std::optional<Value> value = AsValue(object)) {
    if (values != nullptr && (value->rank() > 0 || value->tensor() == nullptr)) {
      *values = true;
      return NestedValue();
    }
    if (value->extension() != nullptr) {
      ThrowError(PyExc_TypeError,
                 absl::StrCat("a value of ", TypeName(object), " inside of nested lists; stack() puts them together"));
    }
    return ToNestedValue(*value);
  }
  try {
    if (std::optional<NestedValue> time = TimeOf(object)) return *std::move(time);
  } catch (nb::python_error& error) {
    if (place == nullptr) throw;
    std::string where;
    AppendPlace(place, where);
    ThrowError(error.type().ptr(), absl::StrCat(where, ": ", nb::str(error.value()).c_str()));
  }
  const bool has_axes =
      HasAttribute(object, "__array__") && HasAttribute(object, "ndim") && IntegerOf(object.attr("ndim"), "ndim") > 0;
  if (values != nullptr && has_axes) {
    *values = true;
    return NestedValue();
  }
  // NumPy makes integers of nanoseconds, so its times need another way.
  if (has_axes && !PythonFunction("structtensor._numpy", "is_point_in_time")(object).is_none())
    return ToNestedValue(ValueOf(object));
  if (HasAttribute(object, "tolist"))
    return NestedAt(object.attr("tolist")(), depth + 1, values, place);  // NumPy's scalars and arrays
  std::string where;
  AppendPlace(place, where);
  ThrowType(where.empty() ? "value" : where, "a number, a string, bytes, a datetime, a timedelta, None, a list or a dict",
            object);
}

}  // namespace

void ThrowType(std::string_view what, std::string_view expected, nb::handle found) {
  ThrowError(PyExc_TypeError, absl::StrCat(ToAbslText(what), ": expected ", ToAbslText(expected), ", found ", TypeName(found)));
}

nb::dict CopyOf(nb::handle dict) {
  nb::object copy = nb::steal(PyDict_Copy(dict.ptr()));
  if (!copy.is_valid()) throw nb::python_error();
  return nb::borrow<nb::dict>(copy);
}

nb::object ErrorTextToPython(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void ThrowError(PyObject* type, std::string_view message) {
  PyErr_SetObject(type, ErrorTextToPython(message).ptr());
  throw nb::python_error();
}

void Throw(const absl::Status& status, ErrorTypes types) {
  PyObject* type = PyExc_RuntimeError;
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      type = PyExc_ValueError;
      break;
    case absl::StatusCode::kNotFound:
      type = types.not_found;
      break;
    case absl::StatusCode::kOutOfRange:
      type = types.out_of_range;
      break;
    case absl::StatusCode::kResourceExhausted:
      type = PyExc_MemoryError;
      break;
    case absl::StatusCode::kUnimplemented:
      type = PyExc_NotImplementedError;
      break;
    case absl::StatusCode::kUnavailable:
      type = PyExc_ConnectionError;
      break;
    case absl::StatusCode::kPermissionDenied:
      type = PyExc_PermissionError;
      break;
    default:
      break;
  }
  const absl::string_view text = status.message();
  std::string message = WithPythonNames({text.data(), text.size()});
  // Python shows the text of a KeyError as a literal, with escapes instead of the drawing below a condition.
  if (type == PyExc_KeyError) message.resize(std::min(message.find('\n'), message.size()));
  ThrowError(type, message);
}

std::string FilePathOf(nb::handle path, std::string_view what) {
  if (PyBytes_Check(path.ptr())) {
    std::vector<nb::object> kept;
    return std::string(BytesOf(path, what, kept));
  }
  if (!PyUnicode_Check(path.ptr())) ThrowType(what, "a path", path);
  const nb::object bytes = nb::steal(PyUnicode_EncodeFSDefault(path.ptr()));
  if (!bytes.is_valid()) throw nb::python_error();
  return FilePathOf(bytes, what);
}

std::string_view TextOf(nb::handle text, std::string_view what) {
  if (!PyUnicode_Check(text.ptr())) ThrowType(what, "str", text);
  Py_ssize_t size_bytes = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size_bytes);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<size_t>(size_bytes)};
}

std::string_view BytesOf(nb::handle object, std::string_view what, std::vector<nb::object>& kept) {
  PyObject* bytes = object.ptr();
  if (!PyBytes_Check(bytes)) {
    // bytes(x) would also accept an integer or a list of integers. A memoryview accepts buffers only.
    const nb::object view = nb::steal(PyMemoryView_FromObject(bytes));
    if (!view.is_valid()) {
      PyErr_Clear();
      ThrowType(what, "bytes", object);
    }
    nb::object copy = nb::steal(PyBytes_FromObject(view.ptr()));
    if (!copy.is_valid()) throw nb::python_error();
    bytes = copy.ptr();
    kept.push_back(std::move(copy));
  }
  char* data = nullptr;
  Py_ssize_t size_bytes = 0;
  if (PyBytes_AsStringAndSize(bytes, &data, &size_bytes) != 0) throw nb::python_error();
  return {data, static_cast<size_t>(size_bytes)};
}

// Whether the object is a sequence of values. Strings and bytes are single values.
bool IsSequence(nb::handle object) {
  PyObject* const p = object.ptr();
  return PySequence_Check(p) && !PyUnicode_Check(p) && !PyBytes_Check(p) && !PyByteArray_Check(p);
}

int64_t IntegerOf(nb::handle object, std::string_view what) {
  if (PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr())) ThrowType(what, "an integer", object);
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const int64_t integer = PyLong_AsLongLong(index.ptr());
  if (integer == -1 && PyErr_Occurred()) throw nb::python_error();
  return integer;
}

std::variant<int64_t, uint64_t> WideIntegerOf(nb::handle object, std::string_view what) {
  if (PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr())) ThrowType(what, "an integer", object);
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const int64_t integer = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow == 0) return integer;
  const uint64_t above = overflow > 0 ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
  if (overflow > 0 && PyErr_Occurred() == nullptr) return above;
  PyErr_Clear();
  ThrowError(PyExc_OverflowError, absl::StrCat(ToAbslText(what), ": the integer is too large for 64 bits"));
}

int64_t ClippedIntegerOf(nb::handle object, std::string_view what) {
  if (PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr())) ThrowType(what, "an integer", object);
  const Py_ssize_t integer = PyNumber_AsSsize_t(object.ptr(), nullptr);
  if (integer == -1 && PyErr_Occurred()) throw nb::python_error();
  return integer;
}

bool IsOneInteger(nb::handle object) {
  if (const std::optional<Value> value = AsValue(object)) return value->rank() == 0;
  if (PyIndex_Check(object.ptr()) == 0) return false;
  // NumPy's arrays of any rank have __index__.
  return !HasAttribute(object, "ndim") || nb::cast<int>(object.attr("ndim")) == 0;
}

std::vector<int64_t> IntegersOf(nb::handle objects, std::string_view what) {
  std::vector<int64_t> integers;
  if (const std::optional<Value> value = AsValue(objects)) {
    return IntegersOf(ToPy(*value), what);
  }
  if (!IsSequence(objects)) ThrowType(what, "a list of integers", objects);
  for (nb::handle item : objects) integers.push_back(IntegerOf(item, what));
  return integers;
}

std::vector<int64_t> OneOrMoreIntegersOf(nb::handle objects, std::string_view what) {
  if (IsOneInteger(objects)) return {IntegerOf(objects, what)};
  return IntegersOf(objects, what);
}

std::optional<int64_t> OptionalIntegerOf(nb::handle object, std::string_view what) {
  if (object.is_none()) return std::nullopt;
  return IntegerOf(object, what);
}

namespace {

// TensorShape of the Python package, which is not destroyed, because shapes may outlive the module. Null at first.
PyObject* shape_class = nullptr;
// DType, also not destroyed.
PyObject* dtype_class = nullptr;

}  // namespace

void UseShapeClass(nb::object type) { shape_class = type.release().ptr(); }

nb::object ShapeToPython(const Shape& shape) {
  if (!shape.rank_known()) return nb::none();
  nb::list sizes;
  for (const int64_t size : shape.dims()) {
    if (size == kUnknownDimension) {
      sizes.append(nb::none());
    } else {
      sizes.append(size);
    }
  }
  if (shape_class == nullptr) return nb::tuple(sizes);
  // The constructor of tuples does not check the sizes once more.
  return nb::handle(reinterpret_cast<PyObject*>(&PyTuple_Type)).attr("__new__")(nb::handle(shape_class), sizes);
}

Shape ShapeOf(nb::handle shape) {
  if (shape.is_none()) return Shape::UnknownRank();
  const bool is_shape = shape_class != nullptr && PyObject_IsInstance(shape.ptr(), shape_class) == 1;
  if (is_shape && shape.attr("rank").is_none()) return Shape::UnknownRank();  // an empty tuple otherwise
  if (!IsSequence(shape)) ThrowType("shape", "a tuple of sizes", shape);
  std::vector<int64_t> sizes;
  for (nb::handle size : shape) sizes.push_back(size.is_none() ? kUnknownDimension : IntegerOf(size, "a size of a shape"));
  return Shape(sizes);
}

void UseDTypeClass(nb::object type) { dtype_class = type.release().ptr(); }

nb::object DTypeToPython(DType dtype) {
  if (dtype_class == nullptr) return TextToPython(DTypeName(dtype));
  // Each dtype is one object, which lives for ever, as the class does.
  static std::array<PyObject*, static_cast<size_t>(kLastDType) + 1> dtypes = {};
  PyObject*& object = dtypes[static_cast<size_t>(dtype)];
  if (object == nullptr) {
    // The constructor of strings does not check the name once more.
    const nb::handle strings(reinterpret_cast<PyObject*>(&PyUnicode_Type));
    object = strings.attr("__new__")(nb::handle(dtype_class), TextToPython(DTypeName(dtype))).release().ptr();
  }
  return nb::borrow(nb::handle(object));
}

DType DTypeOfPython(nb::handle dtype) {
  static const std::map<std::string, std::string, std::less<>> kAliases = {
      {"bool_", "bool"}, {"str", "string"},    {"str_", "string"},    {"bytes_", "bytes"},
      {"int", "int64"},  {"float32", "float"}, {"float64", "double"}, {"half", "float16"},
  };
  if (dtype.ptr() == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::kDouble;
  nb::object text = nb::borrow(dtype);
  if (!PyUnicode_Check(dtype.ptr())) {
    if (HasAttribute(dtype, "name")) {
      text = dtype.attr("name");
    } else if (PyType_Check(dtype.ptr())) {
      text = dtype.attr("__name__");
    }
  }
  std::string name(TextOf(text, "dtype"));
  if (const auto alias = kAliases.find(name); alias != kAliases.end()) name = alias->second;
  if (name.starts_with("datetime64[")) name = "timestamp" + name.substr(10);
  if (name.starts_with("timedelta64[")) name = "duration" + name.substr(11);
  std::vector<std::string_view> known;
  for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
    const DType candidate = static_cast<DType>(i);
    if (DTypeName(candidate) == name) return candidate;
    known.push_back(DTypeName(candidate));
  }
  ThrowError(PyExc_TypeError,
             absl::StrCat("there is no dtype ", name, "; there are ",
                          absl::StrJoin(known, ", ", [](std::string* out, std::string_view text) { out->append(text); })));
}

std::optional<DType> OptionalDTypeOf(nb::handle dtype) {
  if (dtype.is_none()) return std::nullopt;
  return DTypeOfPython(dtype);
}

std::optional<Value> AsValue(nb::handle object) {
  if (const auto* const structured = InstanceOf<StructuredTensor>(object)) return Value(*structured);
  if (const auto* const tensor = InstanceOf<Tensor>(object)) return Value(*tensor);
  if (const auto* const ragged = InstanceOf<RaggedTensor>(object)) return Value(*ragged);
  if (IsExtension(object)) return ValueOfExtension(object);
  if (const auto* const rows = InstanceOf<RowsHandle>(object)) return rows->value;
  return std::nullopt;
}

namespace {

// What Python itself has for values, whatever attributes a subclass adds.
bool IsOfPython(nb::handle object) {
  PyObject* const p = object.ptr();
  return PyList_Check(p) || PyTuple_Check(p) || PyDict_Check(p) || PyLong_Check(p) || PyFloat_Check(p) || PyUnicode_Check(p) ||
         PyBytes_Check(p);
}

bool IsArrowArray(nb::handle object) {
  return !IsOfPython(object) && (HasAttribute(object, "__arrow_c_array__") || HasAttribute(object, "__arrow_c_stream__"));
}

bool IsNumpyArray(nb::handle object) { return !IsOfPython(object) && HasAttribute(object, "__array__"); }

}  // namespace

bool IsArray(nb::handle object) { return AsValue(object).has_value() || IsArrowArray(object) || IsNumpyArray(object); }

namespace {

// The value of lists and dicts with values and arrays in them, which keep their dtypes and axes: a dict is a struct, a list the
// stack of its items. Requires: NestedAt() has checked the depth.
Value ValueOfParts(nb::handle object) {
  bool has_values = false;
  if (!IsArray(object)) {
    const NestedValue nested = NestedAt(object, 0, &has_values);
    if (!has_values) return Unwrap(Constant(nested));
  }
  if (!has_values) return ValueOf(object);
  if (PyDict_Check(object.ptr())) {
    std::vector<Field> fields;
    for (auto [name, item] : CopyOf(object)) {
      fields.push_back({std::string(TextOf(name, "the name of a field")), ValueOfParts(item)});
    }
    return Unwrap(FromFields(std::move(fields), {.shape = Shape(std::vector<int64_t>())}));
  }
  std::vector<Value> items;
  for (nb::handle item : nb::list(object)) items.push_back(ValueOfParts(item));
  return Unwrap(Stack(items));
}

}  // namespace

Value ValueOf(nb::handle object) {
  if (std::optional<Value> value = AsValue(object)) return *std::move(value);
  PyObject* const p = object.ptr();
  // A list of values of an extension type: one for each row.
  if (PyList_Check(p) && nb::len(object) > 0 && IsExtension(nb::object(object[0]))) return Unwrap(Stack(ValuesOf(object)));
  if (IsArrowArray(object)) return *AsValue(PythonFunction("structtensor._core", "from_arrow")(object));
  if (IsNumpyArray(object)) return *AsValue(PythonFunction("structtensor._numpy", "value_of_array")(object));
  bool has_values = false;
  const NestedValue nested = NestedAt(object, 0, &has_values);
  return has_values ? ValueOfParts(object) : Unwrap(Constant(nested));
}

namespace {

// The elements of a tensor or ragged tensor; null for other values.
const Tensor* FlatOf(const Value& value) { return value.ragged() != nullptr ? &value.ragged()->flat_values() : value.tensor(); }

}  // namespace

Tensor DenseOf(nb::handle object, std::string_view what) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return Unwrap(TensorConstant(NestedOf(object)));
  const Value value = ValueOf(object);
  if (value.tensor() == nullptr) ThrowType(what, "a dense tensor", object);
  return *value.tensor();
}

std::vector<Value> ValuesOf(nb::handle objects) {
  if (AsValue(objects).has_value() || !IsSequence(objects)) ThrowType("values", "a list of values", objects);
  std::vector<Value> values;
  std::vector<nb::object> without_type;  // lists without elements say nothing of their dtype
  std::optional<DType> dtype;            // of the first value that has one
  for (nb::handle object : objects) {
    values.push_back(ValueOf(object));
    const Tensor* const flat = FlatOf(values.back());
    const bool is_list = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
    const bool has_type = flat != nullptr && !(is_list && flat->size_elements() == 0);
    without_type.push_back(is_list && flat != nullptr && !has_type ? nb::borrow(object) : nb::object());
    if (has_type && !dtype.has_value()) dtype = flat->dtype();
  }
  for (size_t i = 0; dtype.has_value() && i < values.size(); ++i) {
    if (without_type[i].is_valid()) values[i] = Unwrap(Constant(NestedOf(without_type[i]), {.dtype = dtype}));
  }
  return values;
}

StructuredTensor StructuredOf(nb::handle object) {
  const auto* const structured = InstanceOf<StructuredTensor>(object);
  if (structured == nullptr) ThrowType("structs", "a StructuredTensor", object);
  return *structured;
}

nb::object ToPython(Value value) {
  if (value.tensor() != nullptr) return nb::cast(*value.tensor());
  if (value.ragged() != nullptr) return nb::cast(*value.ragged());
  if (value.structured() != nullptr) return nb::cast(*value.structured());
  return ExtensionToPython(value);
}

nb::list ToPython(std::vector<Value> values) {
  nb::list list;
  for (Value& value : values) list.append(ToPython(std::move(value)));
  return list;
}

nb::object SpecToPython(const TypeSpec& spec) {
  if (spec.tensor() != nullptr) return nb::cast(*spec.tensor());
  if (const RaggedTensorSpec* const ragged = spec.ragged()) {
    // How many values all rows have together does not show in the shape. Without it, specs that print alike are equal.
    const bool has_rows = ragged->ragged_rank() > 0 && ragged->shape().rank_known();
    return nb::cast(has_rows ? *WithNrows(spec, ragged->shape()[0]).ragged() : *ragged);
  }
  if (spec.structured() != nullptr) return nb::cast(*spec.structured());
  if (spec.row_partition() != nullptr) return nb::cast(*spec.row_partition());
  const bool has_rows = spec.shape().rank_known() && spec.shape().rank() > 0;
  return ExtensionSpecToPython(has_rows ? WithNrows(spec, spec.shape()[0]) : spec);
}

bool IsSpec(nb::handle object) {
  return nb::isinstance<TensorSpec>(object) || nb::isinstance<RaggedTensorSpec>(object) ||
         nb::isinstance<StructuredTensorSpec>(object) || nb::isinstance<RowPartitionSpec>(object) || IsExtensionSpec(object) ||
         nb::isinstance<RowsSpecHandle>(object) || nb::isinstance<RecordSpecHandle>(object);
}

TypeSpec SpecOf(nb::handle spec) {
  if (const auto* const tensor = InstanceOf<TensorSpec>(spec)) return *tensor;
  if (const auto* const ragged = InstanceOf<RaggedTensorSpec>(spec)) return *ragged;
  if (const auto* const structured = InstanceOf<StructuredTensorSpec>(spec)) return *structured;
  if (const auto* const row_partition = InstanceOf<RowPartitionSpec>(spec)) return *row_partition;
  if (IsExtensionSpec(spec)) return SpecOfExtension(spec);
  if (const auto* const rows = InstanceOf<RowsSpecHandle>(spec)) return rows->spec;
  if (const auto* const record = InstanceOf<RecordSpecHandle>(spec)) return record->spec;
  ThrowType("spec", "a TypeSpec", spec);
}

namespace {

// Whether the fields have structs nested deeper than `levels`.
bool IsDeeper(const Value& value, int levels) {
  const StructuredTensor* const structs = value.structured();
  if (structs == nullptr) return false;
  if (levels == 0) return true;
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    if (IsDeeper(structs->flat_field(i), levels - 1)) return true;
  }
  return false;
}

bool IsDeeper(const TypeSpec& spec, int levels) {
  const StructuredTensorSpec* const structs = spec.structured();
  if (structs == nullptr) return false;
  if (levels == 0) return true;
  for (const FieldSpec& field : structs->flat_fields()) {
    if (IsDeeper(field.spec, levels - 1)) return true;
  }
  return false;
}

[[noreturn]] void ThrowDepth(const std::string& name) {
  ThrowError(PyExc_ValueError, absl::StrCat("field ", name, ": structs are nested deeper than ", kMaxNestedDepth, " levels"));
}

}  // namespace

void CheckDepth(const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    if (IsDeeper(field.value, kMaxNestedDepth - 1)) ThrowDepth(field.name);
  }
}

void CheckDepth(const std::vector<FieldSpec>& fields) {
  for (const FieldSpec& field : fields) {
    if (IsDeeper(field.spec, kMaxNestedDepth - 1)) ThrowDepth(field.name);
  }
}

NestedValue NestedOf(nb::handle object) { return NestedAt(object, 0, nullptr); }

nb::object NestedToPython(const NestedValue& nested, bool times_as_text) {
  if (const auto* value = nested.get_if<bool>()) return nb::bool_(*value);
  if (const auto* value = nested.get_if<int64_t>()) return nb::steal(PyLong_FromLongLong(*value));
  if (const auto* value = nested.get_if<uint64_t>()) return nb::steal(PyLong_FromUnsignedLongLong(*value));
  if (const auto* value = nested.get_if<double>()) return nb::steal(PyFloat_FromDouble(*value));
  if (const auto* value = nested.get_if<std::string>()) {
    nb::object text = nb::steal(PyUnicode_DecodeUTF8(value->data(), static_cast<Py_ssize_t>(value->size()), "replace"));
    if (!text.is_valid()) throw nb::python_error();
    return text;
  }
  if (const auto* value = nested.get_if<NestedValue::Bytes>()) return nb::bytes(value->value.data(), value->value.size());
  if (const auto* value = nested.get_if<NestedValue::Time>()) {
    if (times_as_text) return TextToPython(TimeText(value->count, value->dtype));
    return PythonTimes(value->dtype).Make(value->count);
  }
  if (const NestedValue::List* values = nested.list()) {
    nb::list list;
    for (const NestedValue& value : *values) list.append(NestedToPython(value, times_as_text));
    return list;
  }
  if (const NestedValue::Dict* values = nested.dict()) {
    nb::dict dict;
    for (const auto& [name, value] : *values) dict[TextToPython(name)] = NestedToPython(value, times_as_text);
    return dict;
  }
  return nb::none();
}

Path PathOf(nb::handle path) {
  if (PyUnicode_Check(path.ptr())) {
    const std::string_view text = TextOf(path, "path");
    return Unwrap(Path::Parse(text));
  }
  if (!PyList_Check(path.ptr()) && !PyTuple_Check(path.ptr())) ThrowType("path", "a string, or a list of names", path);
  std::vector<std::string> names;
  for (nb::handle name : path) names.emplace_back(TextOf(name, "a name in a path"));
  return Path::FromNames(names);
}

std::vector<Path> PathsOf(nb::handle paths) {
  if (!PyList_Check(paths.ptr()) && !PyTuple_Check(paths.ptr())) ThrowType("paths", "a list of paths", paths);
  std::vector<Path> result;
  for (nb::handle path : paths) result.push_back(PathOf(path));
  return result;
}

int OneOf(std::string_view option, nb::handle value, std::initializer_list<std::string_view> names) {
  const std::string_view text = TextOf(value, option);
  int number = 0;
  std::string known;
  for (const std::string_view name : names) {
    if (name == text) return number;
    absl::StrAppend(&known, number == 0 ? "" : ", ", ToAbslText(name));
    ++number;
  }
  ThrowError(PyExc_ValueError, absl::StrCat(ToAbslText(option), " = \"", ToAbslText(text), "\"; expected one of ", known));
}

}  // namespace structtensor::python
