// Values from nested lists and dicts, from fields, and from memory.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/from_fields.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

// The dtypes of inferred numbers.
struct NumberDTypes {
  DType int_dtype;
  DType float_dtype;
};

NumberDTypes NumberDTypesOf(nb::handle int_dtype, nb::handle float_dtype) {
  const NumberDTypes dtypes{DTypeOfPython(int_dtype), DTypeOfPython(float_dtype)};
  if (!IsInteger(dtypes.int_dtype) && !IsFloating(dtypes.int_dtype)) {
    ThrowError(PyExc_ValueError, "int_dtype = " + std::string(DTypeName(dtypes.int_dtype)) + "; expected a dtype of numbers");
  }
  if (!IsFloating(dtypes.float_dtype)) {
    ThrowError(PyExc_ValueError, "float_dtype = " + std::string(DTypeName(dtypes.float_dtype)) + "; expected one of fractions");
  }
  return dtypes;
}

// An array keeps its shape. Its elements are converted as those of lists are: if nothing is lost.
Value ArrayOfDType(nb::handle array, DType dtype) {
  Value value = ValueOf(array);
  const Tensor* const flat = value.ragged() != nullptr ? &value.ragged()->flat_values() : value.tensor();
  if (flat == nullptr) ThrowError(PyExc_TypeError, "dtype goes with numbers and strings, not with structs");
  if (flat->dtype() == dtype) return value;
  if (IsTime(flat->dtype())) return Unwrap(Cast(value, dtype));
  if (flat->nullable()) {
    const Shape vector({flat->size_elements()});
    const Value made = Unwrap(Constant(ToNestedValue(flat->Reshape(vector)), {.spec = TensorSpec(vector, dtype, true)}));
    Tensor elements = made.tensor()->Reshape(flat->shape());
    if (value.tensor() != nullptr) return elements;
    return RaggedTensor::FromRowPartitionsUnchecked(value.ragged()->row_partitions(), std::move(elements));
  }
  if (value.tensor() != nullptr) {
    return Unwrap(TensorConstant(NestedOf(array), {.dtype = dtype, .shape = flat->shape()}));
  }
  return Unwrap(RaggedConstant(NestedOf(array), {.dtype = dtype, .ragged_rank = value.ragged()->ragged_rank()}));
}

// Whether the innermost values of nested lists are dicts, as far as the first one shows.
bool IsOfStructs(const NestedValue& nested) {
  const NestedValue* first = &nested;
  while (first->list() != nullptr && !first->list()->empty()) first = &first->list()->front();
  return first->dict() != nullptr;
}

nb::object ConstantOf(nb::handle value, nb::handle dtype, nb::handle spec, nb::handle shape, nb::handle int_dtype,
                      nb::handle float_dtype) {
  if (IsSpec(dtype)) {  // the document's second argument is the spec
    if (!spec.is_none()) ThrowError(PyExc_ValueError, "two specs are given; give one");
    return ConstantOf(value, nb::none(), dtype, shape, int_dtype, float_dtype);
  }
  if (!dtype.is_none() && !spec.is_none()) ThrowError(PyExc_ValueError, "dtype and spec are both given; a spec has dtypes");
  if (!spec.is_none()) {
    if (!shape.is_none()) ThrowError(PyExc_ValueError, "shape and spec are both given; a spec has a shape");
    return ToPython(Unwrap(Constant(NestedOf(value), {.spec = SpecOf(spec)})));
  }
  const auto [ints, floats] = NumberDTypesOf(int_dtype, float_dtype);
  if (!shape.is_none()) {
    const NestedValue nested = NestedOf(value);
    const Shape wanted = ShapeOf(shape);
    if (!IsOfStructs(nested)) {
      TensorConstantOptions options{.int_dtype = ints, .float_dtype = floats};
      options.dtype = OptionalDTypeOf(dtype);
      options.shape = wanted;
      return nb::cast(Unwrap(TensorConstant(nested, options)));
    }
    Value structs = Unwrap(Constant(nested, {.int_dtype = ints, .float_dtype = floats, .dtype = OptionalDTypeOf(dtype)}));
    if (!structs.shape().IsCompatibleWith(wanted)) {
      ThrowError(PyExc_ValueError,
                 "the structs have the shape " + structs.shape().DebugString() + ", not " + wanted.DebugString());
    }
    return ToPython(std::move(structs));
  }
  if (IsArray(value)) return ToPython(dtype.is_none() ? ValueOf(value) : ArrayOfDType(value, DTypeOfPython(dtype)));
  if (dtype.is_none() && ints == DType::kInt64 && floats == DType::kDouble) return ToPython(ValueOf(value));
  return ToPython(
      Unwrap(Constant(NestedOf(value), {.int_dtype = ints, .float_dtype = floats, .dtype = OptionalDTypeOf(dtype)})));
}

nb::object RaggedConstantOf(nb::handle value, nb::handle dtype, nb::handle ragged_rank, nb::handle inner_shape,
                            nb::handle row_splits_dtype, nb::handle int_dtype, nb::handle float_dtype) {
  RaggedConstantOptions options;
  const auto [ints, floats] = NumberDTypesOf(int_dtype, float_dtype);
  options.int_dtype = ints;
  options.float_dtype = floats;
  options.dtype = OptionalDTypeOf(dtype);
  if (!ragged_rank.is_none()) {
    const int64_t rank = IntegerOf(ragged_rank, "ragged_rank");
    if (rank < 0 || rank > kMaxNestedDepth)
      ThrowError(PyExc_ValueError, "ragged_rank is negative, or more than lists can have");
    options.ragged_rank = static_cast<int>(rank);
  }
  if (!inner_shape.is_none()) options.inner_shape = ShapeOf(inner_shape);
  options.row_splits_dtype = DTypeOfPython(row_splits_dtype);
  return ToPython(Unwrap(RaggedConstant(NestedOf(value), options)));
}

std::vector<RowPartition> PartitionsOf(nb::handle list) {
  if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) {
    ThrowError(PyExc_TypeError, "row_partitions: expected a list of RowPartitions");
  }
  std::vector<RowPartition> partitions;
  for (nb::handle partition : list) {
    const auto* const instance = InstanceOf<RowPartition>(partition);
    if (instance == nullptr) ThrowError(PyExc_TypeError, "row_partitions: expected a list of RowPartitions");
    partitions.push_back(*instance);
  }
  if (partitions.size() > static_cast<size_t>(kMaxNestedDepth)) {
    ThrowError(PyExc_ValueError, "row_partitions: there are more than 100");
  }
  return partitions;
}

StructuredTensor FromFieldsOf(nb::dict fields, nb::handle rank, nb::handle shape, nb::handle nrows, nb::handle shape_dtype,
                              nb::handle row_partitions) {
  std::vector<Field> values;
  for (auto [name, value] : CopyOf(fields))
    values.push_back({std::string(TextOf(name, "the name of a field")), ValueOf(value)});
  CheckDepth(values);
  const std::optional<int64_t> asked = rank.is_none() ? std::nullopt : std::optional(IntegerOf(rank, "rank"));
  if (asked.has_value() && (*asked < 0 || *asked > kMaxNestedDepth)) {
    ThrowError(PyExc_ValueError, "rank is negative, or more than 100");
  }
  if (shape.is_none() && nrows.is_none() && row_partitions.is_none()) {
    return Unwrap(FromFieldsAndRank(std::move(values), static_cast<int>(asked.value_or(1)), OptionalDTypeOf(shape_dtype)));
  }
  if (!shape_dtype.is_none())
    ThrowError(PyExc_ValueError, "shape_dtype goes with rank, not with shape, nrows or row_partitions");
  FromFieldsOptions options;
  if (!row_partitions.is_none()) options.row_partitions = PartitionsOf(row_partitions);
  const int64_t axes =
      options.row_partitions.has_value() ? static_cast<int64_t>(options.row_partitions->size()) + 1 : asked.value_or(1);
  options.shape = shape.is_none() ? Shape(std::vector<int64_t>(static_cast<size_t>(axes), kUnknownDimension)) : ShapeOf(shape);
  if (asked.has_value() && options.shape.rank() != *asked) {
    ThrowError(PyExc_ValueError, "rank = " + std::to_string(*asked) + ", but the shape or row_partitions have " +
                                     std::to_string(options.shape.rank()) + " axes");
  }
  if (!nrows.is_none()) options.nrows = IntegerOf(nrows, "nrows");
  return Unwrap(FromFields(std::move(values), options));
}

// --- Tensors from memory

// `size` elements of T, copied from `bytes`.
template <typename T>
Buffer<T> BufferOf(std::string_view bytes, int64_t size) {
  if (bytes.size() != static_cast<size_t>(size) * sizeof(T)) {
    ThrowError(PyExc_ValueError, std::to_string(size) + " elements of " + std::to_string(sizeof(T)) + " bytes, but " +
                                     std::to_string(bytes.size()) + " bytes");
  }
  std::vector<T> values(static_cast<size_t>(size));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return Buffer<T>::FromVector(std::move(values));
}

// `size` elements of T in the memory of a NumPy array. The array is kept as long as the buffer lives. It must not be changed.
template <typename T>
Buffer<T> BufferIn(nb::handle array, int64_t size) {
  const auto memory = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(array);
  if (memory.nbytes() != static_cast<size_t>(size) * sizeof(T)) {
    ThrowError(PyExc_ValueError, std::to_string(size) + " elements of " + std::to_string(sizeof(T)) + " bytes, but " +
                                     std::to_string(memory.nbytes()) + " bytes");
  }
  if (reinterpret_cast<uintptr_t>(memory.data()) % alignof(T) != 0) ThrowError(PyExc_ValueError, "the memory is not aligned");
  const std::shared_ptr<const PyObject> owner(nb::borrow(array).release().ptr(), [](const PyObject* held) {
    // When the interpreter has ended, its objects are gone, and so is the lock.
    if (Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire lock;
    Py_DecRef(const_cast<PyObject*>(held));
  });
  return Buffer<T>(owner, static_cast<const T*>(memory.data()), static_cast<size_t>(size));
}

int64_t ElementsOf(const Shape& shape) {
  constexpr int64_t kMaxElements = int64_t{1} << 48;
  int64_t size = 1;
  if (!shape.is_fully_known()) ThrowError(PyExc_ValueError, "the shape is not fully known");
  for (const int64_t dimension : shape.dims()) {
    if (__builtin_mul_overflow(size, dimension, &size) || dimension < 0 || size > kMaxElements) {
      ThrowError(PyExc_ValueError, "the shape has a negative size or too many elements");
    }
  }
  return size;
}

// One byte for each element, 0 where it is absent.
Validity ValidityOfBytes(nb::handle present, int64_t size, std::vector<nb::object>& kept) {
  if (present.is_none()) return Validity();
  const std::string_view bytes = BytesOf(present, "validity", kept);
  if (bytes.size() != static_cast<size_t>(size)) ThrowError(PyExc_ValueError, "the validity must have one byte per element");
  std::vector<uint8_t> bits(bytes.size() / 8 + 1, 0);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

Tensor StringsFromMemory(DType dtype, const Shape& shape, int64_t size, nb::handle offsets, nb::handle text, Validity validity,
                         std::vector<nb::object>& kept) {
  const std::string_view bytes = BytesOf(text, "bytes of strings", kept);
  Buffer<int32_t> splits = BufferOf<int32_t>(BytesOf(offsets, "offsets of strings", kept), size + 1);
  for (int64_t i = 0; i <= size; ++i) {
    const int32_t offset = splits[static_cast<size_t>(i)];
    if (offset < (i == 0 ? 0 : splits[static_cast<size_t>(i) - 1]) || static_cast<size_t>(offset) > bytes.size()) {
      ThrowError(PyExc_ValueError, "offsets of strings are negative, decrease, or exceed the bytes");
    }
  }
  Buffer<char> copy = Buffer<char>::FromVector(std::vector<char>(bytes.begin(), bytes.end()));
  return Tensor::FromStrings(std::move(splits), std::move(copy), dtype, std::move(validity)).Reshape(shape);
}

// The tensor of stored elements, in row-major order: `values` for numbers, `offsets` (int32) and `values` for strings. With
// `share`, numbers are not copied.
Tensor TensorFromMemory(nb::handle dtype_name, nb::handle dimensions, nb::handle values, nb::handle offsets, nb::handle present,
                        bool share) {
  const DType dtype = DTypeOfPython(dtype_name);
  const Shape shape = ShapeOf(dimensions);
  const int64_t size = ElementsOf(shape);
  std::vector<nb::object> kept;
  Validity validity = ValidityOfBytes(present, size, kept);
  if (IsStringLike(dtype)) return StringsFromMemory(dtype, shape, size, offsets, values, std::move(validity), kept);
  if (share) {
    return VisitStoredType(
        dtype, [&]<typename T>() { return Tensor::FromBuffer(BufferIn<T>(values, size), shape, dtype, std::move(validity)); });
  }
  const std::string_view bytes = BytesOf(values, "elements", kept);
  return VisitStoredType(
      dtype, [&]<typename T>() { return Tensor::FromBuffer(BufferOf<T>(bytes, size), shape, dtype, std::move(validity)); });
}

}  // namespace

void BindConstruct(nb::module_& module, ValueClasses& classes) {
  module.def("constant", ConstantOf, "value"_a.none(), "dtype"_a = nb::none(), "spec"_a = nb::none(), "shape"_a = nb::none(),
             "int_dtype"_a = "int64", "float_dtype"_a = "double");
  module.def("ragged_constant", RaggedConstantOf, "value"_a.none(), "dtype"_a = nb::none(), "ragged_rank"_a = nb::none(),
             "inner_shape"_a = nb::none(), "row_splits_dtype"_a = "int64", "int_dtype"_a = "int64", "float_dtype"_a = "double");
  module.def("_tensor_from_memory", TensorFromMemory, "dtype"_a, "shape"_a, "values"_a, "offsets"_a = nb::none(),
             "validity"_a = nb::none(), "share"_a = false);
  classes.structured.DefineConstructor(
      "def __init__(self, shape: object, fields: dict) -> None", [](const nb::tuple& arguments) {
        return FromFieldsOf(nb::borrow<nb::dict>(arguments[1]), nb::none(), arguments[0], nb::none(), nb::none(), nb::none());
      });
  classes.structured.def_static(
      "from_pyval",
      [](nb::handle pyval, nb::handle typespec) {
        ConstantOptions options{.dense_axes = false};
        if (!typespec.is_none()) options.spec = SpecOf(typespec);
        return ToPython(Unwrap(Constant(NestedOf(pyval), options)));
      },
      "pyval"_a, "typespec"_a = nb::none());
  classes.structured.def_static("from_fields", FromFieldsOf, "fields"_a, "rank"_a = nb::none(), "shape"_a = nb::none(),
                                "nrows"_a = nb::none(), "shape_dtype"_a = nb::none(), "row_partitions"_a = nb::none());
}

}  // namespace structtensor::python
