// Tensors, ragged tensors, structured tensors and row partitions, and how they are indexed.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "extension.h"
#include "struct_classes.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/row_partitions.h"
#include "structtensor/tensor/struct_ops/select.h"
#include "structtensor/tensor/values/equality.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"
#include "to_py.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

// st.MapKey("env"): a piece of a key.
struct MapKey {
  Key key;
};

// An iterator over the rows of a value.
struct RowIterator {
  Value value;
  int64_t next = 0;
};

nb::object ValueAt(const Value& value, int64_t row) { return ToPython(value.Row(row)); }

// --- Keys

// An integer, or the integer in a scalar tensor.
nb::object IndexOf(nb::handle index) {
  const std::optional<Value> value = AsValue(index);
  const bool is_scalar = value.has_value() && value->tensor() != nullptr && value->tensor()->rank() == 0;
  return is_scalar ? ToPy(*value) : nb::borrow(index);
}

std::optional<int64_t> BoundOf(nb::handle bound) {
  if (bound.is_none()) return std::nullopt;
  return ClippedIntegerOf(IndexOf(bound), "a bound of a slice");
}

// The mask with false instead of absent elements, as in BooleanMask(), pandas, polars and SQL. Index() refuses masks with
// absent elements. Requires: the value has booleans.
Value WithoutAbsent(const Value& mask) {
  const Tensor& flat = mask.tensor() != nullptr ? *mask.tensor() : mask.ragged()->flat_values();
  if (!flat.nullable()) return mask;
  std::vector<uint8_t> present(flat.values<uint8_t>().begin(), flat.values<uint8_t>().end());
  for (size_t i = 0; i < present.size(); ++i) {
    if (!flat.is_valid(static_cast<int64_t>(i))) present[i] = 0;
  }
  Tensor known = Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(present)), flat.shape());
  if (mask.tensor() != nullptr) return known;
  return RaggedTensor::FromRowPartitionsUnchecked(mask.ragged()->row_partitions(), std::move(known));
}

Key KeyOfArray(const Value& value) {
  const Tensor* const tensor = value.tensor();
  const DType dtype = tensor != nullptr           ? tensor->dtype()
                      : value.ragged() != nullptr ? value.ragged()->dtype()
                                                  : DType::kString;
  if (dtype == DType::kBool && value.rank() > 0) return Key::Mask(WithoutAbsent(value));
  if (tensor != nullptr && IsInteger(dtype)) {
    if (tensor->rank() > 0) return Key::Rows(*tensor);
    return Key(IntegerOf(ToPy(value), "index"));
  }
  ThrowError(PyExc_TypeError,
             "an index is an integer, a slice, a name, a list of these, a dense tensor of integers, or a mask of "
             "booleans; found " +
                 value.spec().DebugString());
}

bool AreNames(nb::handle list) {
  if (nb::len(list) == 0) return false;
  for (nb::handle item : nb::borrow<nb::list>(list)) {
    if (!PyUnicode_Check(item.ptr())) return false;
  }
  return true;
}

Key KeyOf(nb::handle piece) {
  PyObject* const p = piece.ptr();
  if (PyUnicode_Check(p)) return Key(TextOf(piece, "name"));
  if (p == Py_Ellipsis) return Key::Ellipsis();
  if (p == Py_None) return Key::NewAxis();
  if (PyLong_Check(p)) return Key(IntegerOf(piece, "index"));
  if (PySlice_Check(p)) {
    const nb::object step = piece.attr("step");
    return Key::Range(BoundOf(piece.attr("start")), BoundOf(piece.attr("stop")),
                      step.is_none() ? 1 : ClippedIntegerOf(IndexOf(step), "the step of a slice"));
  }
  if (const auto* const map_key = InstanceOf<MapKey>(piece)) return map_key->key;
  if (PyList_Check(p)) {
    if (nb::len(piece) == 0) return Key::Rows({});
    if (AreNames(piece)) {
      std::vector<std::string> names;
      for (nb::handle name : nb::borrow<nb::list>(piece)) names.emplace_back(TextOf(name, "name"));
      return Key::Fields(std::move(names));
    }
    // Nested lists of integers are one dense tensor, as in NumPy. Those of booleans are a mask, which may be ragged.
    const Value value = ValueOf(piece);
    if (value.ragged() != nullptr && IsInteger(value.ragged()->dtype())) return KeyOfArray(DenseOf(piece, "index"));
    return KeyOfArray(value);
  }
  if (PyFloat_Check(p) || PyBytes_Check(p) || PyDict_Check(p)) {
    ThrowType("index", "an integer, a slice, a name, a list of these, a dense tensor of integers, or a mask of booleans",
              piece);
  }
  return KeyOfArray(ValueOf(piece));
}

// A text, a boolean, or an integer of 64 bits with or without a sign.
Key MapKeyOf(nb::handle key) {
  if (PyUnicode_Check(key.ptr())) return Key::MapKey(std::string(TextOf(key, "key")));
  if (PyBool_Check(key.ptr())) return Key::MapKey(key.ptr() == Py_True);
  if (!PyIndex_Check(key.ptr())) ThrowType("key", "a text, an integer or a boolean", key);
  return std::visit([](auto integer) { return Key::MapKey(integer); }, WideIntegerOf(key, "key"));
}

nb::object GetItem(const Value& value, nb::handle key, AxesBeforeNames axes = AxesBeforeNames::kMayBeLeftOut) {
  if (PyTuple_Check(key.ptr())) {
    std::vector<Key> keys;
    for (nb::handle piece : nb::borrow<nb::tuple>(key)) keys.push_back(KeyOf(piece));
    return ToPython(Unwrap(Index(value, keys, axes)));
  }
  const Key single = KeyOf(key);
  return ToPython(Unwrap(Index(value, std::span(&single, 1), axes)));
}

void CheckHasRows(const StructuredTensor& structs) {
  if (structs.rank() < 2) {
    ThrowError(PyExc_AttributeError, "structs of shape " + structs.shape().DebugString() +
                                         " have no values and row_splits, which are those of axis 1");
  }
}

// --- Members of all values

template <typename T>
void BindAllValues(DocumentedClass<T>& values) {
  values.def_prop_ro("shape", [](const T& self) { return ShapeToPython(self.shape()); })
      .def_prop_ro("rank", [](const T& self) { return self.rank(); })
      .def_prop_ro("ndim", [](const T& self) { return self.rank(); })
      .def_prop_ro(
          "nrows",
          [](const T& self) -> nb::object { return self.rank() == 0 ? nb::none() : nb::object(nb::int_(self.nrows())); })
      .def_prop_ro("spec", [](const T& self) { return SpecToPython(Value(self).spec()); })
      .def("__len__",
           [](const T& self) {
             if (self.rank() == 0) ThrowError(PyExc_TypeError, "a scalar has no len()");
             return static_cast<size_t>(self.nrows());
           })
      .def(
          "__getitem__", [](const T& self, nb::handle key) { return GetItem(Value(self), key); }, "key"_a.none())
      .def("__iter__",
           [](const T& self) {
             if (self.rank() == 0) ThrowError(PyExc_TypeError, "a scalar has no rows");
             return RowIterator{Value(self)};
           })
      .def("__repr__", [](const T& self) { return TextToPython(ReprOf(Value(self))); })
      .def("to_py", [](const T& self) { return ToPy(Value(self)); })
      .def("to_json", [](const T& self) { return TextToPython(ToJson(Value(self))); })
      .def(
          "equals",
          [](const T& self, nb::handle other) {
            const std::optional<Value> value = AsValue(other);
            return value.has_value() && *value == Value(self);
          },
          "other"_a.none());
  values.attr("__hash__") = nb::none();
}

// --- Tensors

template <typename T>
nb::object ArrayOf(const Tensor& tensor, const T* values) {
  static const T kNothing{};
  constexpr size_t kMaxAxes = 64;  // NumPy's limit
  if (tensor.shape().dims().size() > kMaxAxes) {
    ThrowError(PyExc_ValueError,
               "NumPy's arrays have at most 64 axes; the tensor has " + std::to_string(tensor.shape().dims().size()));
  }
  std::vector<size_t> shape(tensor.shape().dims().begin(), tensor.shape().dims().end());
  const nb::capsule owner(new Tensor(tensor), [](void* held) noexcept { delete static_cast<Tensor*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, const T>(values == nullptr ? &kNothing : values, shape.size(), shape.data(), owner));
}

// A NumPy array that shares the stored elements: booleans as bool, float16 and bfloat16 as their bits, times as int64.
nb::object StoredArray(const Tensor& tensor) {
  if (IsStringLike(tensor.dtype())) ThrowError(PyExc_TypeError, "strings have no array of fixed-size elements");
  if (tensor.dtype() == DType::kBool) {
    return ArrayOf(tensor, reinterpret_cast<const bool*>(tensor.values<uint8_t>().data()));
  }
  return VisitStoredType(tensor.dtype(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      return ArrayOf(tensor, reinterpret_cast<const uint16_t*>(tensor.values<T>().data()));
    } else {
      return ArrayOf(tensor, tensor.values<T>().data());
    }
  });
}

nb::object ValidityOf(const Tensor& tensor) {
  if (!tensor.nullable()) return nb::none();
  std::vector<uint8_t> present(static_cast<size_t>(tensor.size_elements()));
  for (int64_t i = 0; i < tensor.size_elements(); ++i) present[static_cast<size_t>(i)] = tensor.is_valid(i) ? 1 : 0;
  return nb::cast(Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(present)), tensor.shape()));
}

nb::object ItemOf(const Tensor& tensor) {
  if (tensor.rank() != 0) {
    ThrowError(PyExc_TypeError, "only a scalar is one number; the tensor has the shape " + tensor.shape().DebugString());
  }
  return ToPy(Value(tensor));
}

// What a value of several elements is.
[[noreturn]] void ThrowAmbiguous(const std::string& what) {
  ThrowError(PyExc_ValueError, "whether " + what +
                                   " is true is ambiguous; use st.reduce_any() or st.reduce_all(), or equals() "
                                   "to compare whole values");
}

bool TruthOf(const Tensor& tensor) {
  if (tensor.rank() != 0) {
    ThrowAmbiguous("a tensor of the shape " + tensor.shape().DebugString());
  }
  const nb::object item = ItemOf(tensor);
  if (item.is_none()) ThrowError(PyExc_ValueError, "whether an absent value is true is ambiguous");
  const int truth = PyObject_IsTrue(item.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

nb::object NumberItemOf(const Tensor& tensor) {
  if (IsTime(tensor.dtype())) {
    ThrowError(PyExc_TypeError, absl::StrCat("a ", ToAbsl(DTypeName(tensor.dtype())),
                                             " is not a number; st.cast(x, \"int64\") counts its units"));
  }
  return ItemOf(tensor);
}

void BindTensor(DocumentedClass<Tensor>& tensors) {
  BindAllValues(tensors);
  tensors.def_prop_ro("dtype", [](const Tensor& self) { return DTypeToPython(self.dtype()); })
      .def_prop_ro("nullable", [](const Tensor& self) { return self.nullable(); })
      .def_prop_ro("size", [](const Tensor& self) { return self.size_elements(); })
      .def_prop_ro("validity", [](const Tensor& self) { return ValidityOf(self); })
      .def("_stored_array", [](const Tensor& self) { return StoredArray(self); })
      .def("item", [](const Tensor& self) { return ItemOf(self); })
      .def("__int__", [](const Tensor& self) { return nb::int_(NumberItemOf(self)); })
      .def("__index__",
           [](const Tensor& self) {
             if (self.rank() != 0 || !IsInteger(self.dtype()) || !self.is_valid(0)) {
               ThrowError(PyExc_TypeError,
                          "only a scalar of an integer dtype is an index; found " + Value(self).spec().DebugString());
             }
             return nb::int_(ItemOf(self));
           })
      .def("__float__", [](const Tensor& self) { return nb::float_(NumberItemOf(self)); })
      .def("__bool__", [](const Tensor& self) { return TruthOf(self); });
}

// --- Row partitions

Buffer<int64_t> BufferOf(nb::handle integers, std::string_view what) {
  // A tensor is never changed, so it is shared.
  if (const auto* const tensor = InstanceOf<Tensor>(integers);
      tensor != nullptr && tensor->dtype() == DType::kInt64 && tensor->rank() == 1 && !tensor->nullable()) {
    return tensor->buffer<int64_t>();
  }
  return Buffer<int64_t>::FromVector(IntegersOf(integers, what));
}

// Splits of int32 stay int32, as in TensorFlow.
RowPartition PartitionOfSplits(nb::handle row_splits) {
  if (IsArray(row_splits)) {
    const Tensor splits = DenseOf(row_splits, "row_splits");
    if (splits.dtype() == DType::kInt32 && splits.rank() == 1 && !splits.nullable()) {
      return Unwrap(RowPartition::FromRowSplits32(splits.buffer<int32_t>()));
    }
  }
  return Unwrap(RowPartition::FromRowSplits(BufferOf(row_splits, "row_splits")));
}

RowPartition PartitionOfRowids(nb::handle value_rowids, nb::handle nrows) {
  return Unwrap(RowPartition::FromValueRowids(BufferOf(value_rowids, "value_rowids"), OptionalIntegerOf(nrows, "nrows")));
}

RowPartition UniformPartition(nb::handle length, nb::handle nrows, nb::handle nvals) {
  return Unwrap(RowPartition::FromUniformRowLength(IntegerOf(length, "uniform_row_length"), OptionalIntegerOf(nrows, "nrows"),
                                                   OptionalIntegerOf(nvals, "nvals")));
}

nb::list PartitionsOf(const std::vector<RowPartition>& partitions) {
  nb::list list;
  for (const RowPartition& partition : partitions) list.append(nb::cast(partition));
  return list;
}

void BindRowPartition(DocumentedClass<RowPartition>& partitions) {
  partitions
      .def_static(
          "from_row_splits", [](nb::handle row_splits) { return PartitionOfSplits(row_splits); }, "row_splits"_a)
      .def_static(
          "from_row_lengths",
          [](nb::handle row_lengths) { return Unwrap(RowPartition::FromRowLengths(BufferOf(row_lengths, "row_lengths"))); },
          "row_lengths"_a)
      .def_static(
          "from_row_starts",
          [](nb::handle row_starts, nb::handle nvals) {
            return Unwrap(RowPartition::FromRowStarts(BufferOf(row_starts, "row_starts"), IntegerOf(nvals, "nvals")));
          },
          "row_starts"_a, "nvals"_a)
      .def_static(
          "from_row_limits",
          [](nb::handle row_limits) { return Unwrap(RowPartition::FromRowLimits(BufferOf(row_limits, "row_limits"))); },
          "row_limits"_a)
      .def_static("from_value_rowids", PartitionOfRowids, "value_rowids"_a, "nrows"_a = nb::none())
      .def_static("from_uniform_row_length", UniformPartition, "uniform_row_length"_a, "nrows"_a = nb::none(),
                  "nvals"_a = nb::none())
      .def_prop_ro("nrows", [](const RowPartition& self) { return self.nrows(); })
      .def_prop_ro("nvals", [](const RowPartition& self) { return self.nvals(); })
      .def_prop_ro("uniform_row_length",
                   [](const RowPartition& self) -> nb::object {
                     const std::optional<int64_t> length = self.uniform_row_length();
                     return length.has_value() ? nb::object(nb::int_(*length)) : nb::none();
                   })
      .def_prop_ro("is_uniform", [](const RowPartition& self) { return self.is_uniform(); })
      .def_prop_ro("is_optional", [](const RowPartition& self) { return self.is_optional(); })
      .def_prop_ro("dtype", [](const RowPartition& self) { return DTypeToPython(self.dtype()); })
      .def_prop_ro("row_splits", [](const RowPartition& self) { return RowSplitsTensor(self); })
      .def_prop_ro("row_lengths", [](const RowPartition& self) { return RowLengthsTensor(self); })
      .def_prop_ro("row_starts", [](const RowPartition& self) { return RowStartsTensor(self); })
      .def_prop_ro("row_limits", [](const RowPartition& self) { return RowLimitsTensor(self); })
      .def_prop_ro("value_rowids", [](const RowPartition& self) { return ValueRowidsTensor(self); })
      .def_prop_ro("offsets_in_rows",
                   [](const RowPartition& self) {
                     return ToPython(Unwrap(Cast(Tensor::FromBuffer(self.offsets_in_rows()), self.dtype())));
                   })
      .def_prop_ro("spec", [](const RowPartition& self) { return self.spec(); })
      .def(
          "merge",
          [](const RowPartition& self, const RowPartition& other, bool validate) {
            const auto level = validate ? RowPartition::Validate::kFull : RowPartition::Validate::kCheap;
            return Unwrap(RowPartition::Merge(self, other, level));
          },
          "other"_a, "validate"_a = true)
      .def(
          "with_dtype", [](const RowPartition& self, nb::handle dtype) { return Unwrap(self.Cast(DTypeOfPython(dtype))); },
          "dtype"_a)
      .def(
          "__eq__",
          [](const RowPartition& self, nb::handle other) -> nb::object {
            const auto* const partition = InstanceOf<RowPartition>(other);
            if (partition == nullptr) return nb::borrow(nb::handle(Py_NotImplemented));
            return nb::bool_(self == *partition);
          },
          "other"_a.none())
      .def("__len__", [](const RowPartition& self) { return static_cast<size_t>(self.nrows()); })
      .def("__repr__", [](const RowPartition& self) { return TextToPython(self.DebugString()); });
  partitions.attr("__hash__") = nb::none();
}

// --- Ragged tensors

RaggedTensor RaggedOf(nb::handle values, const RowPartition& partition) {
  return Unwrap(FromRowPartition(ValueOf(values), partition));
}

std::vector<Buffer<int64_t>> BuffersOf(nb::handle lists, std::string_view what) {
  if (!PyList_Check(lists.ptr()) && !PyTuple_Check(lists.ptr())) {
    ThrowError(PyExc_TypeError, std::string(what) + ": expected a list of lists of integers");
  }
  std::vector<Buffer<int64_t>> buffers;
  for (nb::handle list : lists) buffers.push_back(BufferOf(list, what));
  return buffers;
}

nb::list TensorsOf(const std::vector<Tensor>& tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors) list.append(nb::cast(tensor));
  return list;
}

void BindRagged(DocumentedClass<RaggedTensor>& ragged) {
  BindAllValues(ragged);
  ragged.DefineConstructor("def __init__(self, values: object, row_splits: object) -> None",
                           [](const nb::tuple& arguments) { return RaggedOf(arguments[0], PartitionOfSplits(arguments[1])); });
  // Without it, Python would ask for the length: the result of == would be true for any values.
  ragged.def("__bool__", [](const RaggedTensor& self) -> bool {
    ThrowAmbiguous("a ragged tensor of " + std::to_string(self.nrows()) + " rows");
  });
  ragged
      .def_static(
          "from_row_partition", [](nb::handle values, const RowPartition& partition) { return RaggedOf(values, partition); },
          "values"_a, "row_partition"_a)
      .def_static(
          "from_row_splits",
          [](nb::handle values, nb::handle row_splits) { return RaggedOf(values, PartitionOfSplits(row_splits)); }, "values"_a,
          "row_splits"_a)
      .def_static(
          "from_row_lengths",
          [](nb::handle values, nb::handle row_lengths) {
            return RaggedOf(values, Unwrap(RowPartition::FromRowLengths(BufferOf(row_lengths, "row_lengths"))));
          },
          "values"_a, "row_lengths"_a)
      .def_static(
          "from_value_rowids",
          [](nb::handle values, nb::handle value_rowids, nb::handle nrows) {
            return RaggedOf(values, PartitionOfRowids(value_rowids, nrows));
          },
          "values"_a, "value_rowids"_a, "nrows"_a = nb::none())
      .def_static(
          "from_uniform_row_length",
          [](nb::handle values, nb::handle uniform_row_length, nb::handle nrows) {
            const Value rows = ValueOf(values);
            const std::optional<int64_t> known = OptionalIntegerOf(nrows, "nrows");
            return Unwrap(FromRowPartition(
                rows, Unwrap(RowPartition::FromUniformRowLength(IntegerOf(uniform_row_length, "uniform_row_length"), known,
                                                                std::optional<int64_t>(rows.nrows())))));
          },
          "values"_a, "uniform_row_length"_a, "nrows"_a = nb::none())
      .def_static(
          "from_row_starts",
          [](nb::handle values, nb::handle row_starts) {
            const Value rows = ValueOf(values);
            const int64_t nvals = rows.rank() == 0 ? 0 : rows.nrows();
            return RaggedOf(values, Unwrap(RowPartition::FromRowStarts(BufferOf(row_starts, "row_starts"), nvals)));
          },
          "values"_a, "row_starts"_a)
      .def_static(
          "from_row_limits",
          [](nb::handle values, nb::handle row_limits) {
            return RaggedOf(values, Unwrap(RowPartition::FromRowLimits(BufferOf(row_limits, "row_limits"))));
          },
          "values"_a, "row_limits"_a)
      .def_static(
          "from_nested_row_splits",
          [](nb::handle flat_values, nb::handle nested_row_splits) {
            const auto nested = BuffersOf(nested_row_splits, "nested_row_splits");
            return Unwrap(FromNestedRowSplits(DenseOf(flat_values, "flat_values"), nested));
          },
          "flat_values"_a, "nested_row_splits"_a)
      .def_static(
          "from_nested_row_lengths",
          [](nb::handle flat_values, nb::handle nested_row_lengths) {
            const auto nested = BuffersOf(nested_row_lengths, "nested_row_lengths");
            return Unwrap(FromNestedRowLengths(DenseOf(flat_values, "flat_values"), nested));
          },
          "flat_values"_a, "nested_row_lengths"_a)
      .def_prop_ro("dtype", [](const RaggedTensor& self) { return DTypeToPython(self.dtype()); })
      .def_prop_ro("nullable", [](const RaggedTensor& self) { return self.flat_values().nullable(); })
      .def_prop_ro("ragged_rank", [](const RaggedTensor& self) { return self.ragged_rank(); })
      .def_prop_ro("flat_values", [](const RaggedTensor& self) { return self.flat_values(); })
      .def_prop_ro("values", [](const RaggedTensor& self) { return ToPython(self.values()); })
      .def_prop_ro("row_splits", [](const RaggedTensor& self) { return RowSplitsTensor(self.row_partition(0)); })
      .def_prop_ro("uniform_row_length",
                   [](const RaggedTensor& self) -> nb::object {
                     const std::optional<int64_t> length = self.row_partition(0).uniform_row_length();
                     return length.has_value() ? nb::object(nb::int_(*length)) : nb::none();
                   })
      .def_prop_ro("row_partitions", [](const RaggedTensor& self) { return PartitionsOf(self.row_partitions()); })
      .def_prop_ro("nested_row_splits", [](const RaggedTensor& self) { return TensorsOf(NestedRowSplits(self)); })
      .def("nested_row_lengths", [](const RaggedTensor& self) { return TensorsOf(NestedRowLengths(self)); })
      .def("nested_value_rowids", [](const RaggedTensor& self) { return TensorsOf(NestedValueRowids(self)); })
      .def("_row_lengths", [](const RaggedTensor& self) { return RowLengthsTensor(self.row_partition(0)); })
      .def("row_starts", [](const RaggedTensor& self) { return RowStartsTensor(self.row_partition(0)); })
      .def("row_limits", [](const RaggedTensor& self) { return RowLimitsTensor(self.row_partition(0)); })
      .def("value_rowids", [](const RaggedTensor& self) { return ValueRowidsTensor(self.row_partition(0)); });
}

// --- Structured tensors

void BindStructured(DocumentedClass<StructuredTensor>& structured) {
  BindAllValues(structured);
  structured
      .def("field_names",
           [](const StructuredTensor& self) {
             nb::list names;
             for (const std::string& name : self.field_names()) names.append(TextToPython(name));
             return nb::tuple(names);
           })
      .def_prop_ro("fields",
                   [](const StructuredTensor& self) {
                     nb::dict fields;
                     for (size_t i = 0; i < self.num_fields(); ++i) {
                       fields[TextToPython(self.field_names()[i])] = ToPython(self.field_value(i));
                     }
                     return fields;
                   })
      .def_prop_ro("kind",
                   [](const StructuredTensor& self) {
                     return self.kind() == StructKind::kMapEntry ? nb::str("map_entry") : nb::str("struct");
                   })
      .def_prop_ro("nullable", [](const StructuredTensor& self) { return self.nullable(); })
      .def_prop_ro("row_partitions", [](const StructuredTensor& self) { return PartitionsOf(self.row_partitions()); })
      .def_prop_ro("shape_dtype", [](const StructuredTensor& self) { return DTypeToPython(self.shape_dtype()); })
      .def_prop_ro("values",
                   [](const StructuredTensor& self) {
                     CheckHasRows(self);
                     return ToPython(Unwrap(MergeDims(Value(self), 0, 1)));
                   })
      .def_prop_ro("row_splits",
                   [](const StructuredTensor& self) {
                     CheckHasRows(self);
                     return RowSplitsTensor(self.row_partitions().front());
                   })
      .def(
          "field_value",
          [](const StructuredTensor& self, nb::handle field_name) {
            const bool is_list = PyList_Check(field_name.ptr()) || PyTuple_Check(field_name.ptr());
            if (is_list && nb::len(field_name) == 0) return nb::cast(self);
            return ToPython(Unwrap(Select(self, PathOf(field_name))));
          },
          "field_name"_a)
      .def(
          "__contains__",
          [](const StructuredTensor& self, nb::handle name) {
            return PyUnicode_Check(name.ptr()) && self.FindFlatField(TextOf(name, "name")) != nullptr;
          },
          "name"_a.none())
      .def("__str__",
           [](const StructuredTensor& self) {
             constexpr int64_t kRows = 10;
             constexpr size_t kWidthColumns = 120;
             if (self.rank() != 1) return TextToPython(ReprOf(Value(self)));
             std::string table = FormatTable(self, kRows, kWidthColumns);
             if (table.ends_with('\n')) table.pop_back();  // print() writes it
             return TextToPython(table);
           })
      .def(
          "__eq__",
          [](const StructuredTensor& self, nb::handle other) -> nb::object {
            const auto* const structs = InstanceOf<StructuredTensor>(other);
            if (structs == nullptr) return nb::borrow(nb::handle(Py_NotImplemented));
            const std::optional<Value> equal = ElementsEqual(Value(self), Value(*structs));
            return nb::bool_(equal.has_value() && equal->tensor()->values<uint8_t>()[0] != 0);
          },
          "other"_a.none());
  structured.attr("__hash__") = nb::none();
}

}  // namespace

ValueClasses BindValues(nb::module_& module) {
  module.def("_use_shape_class", UseShapeClass, "type"_a);
  module.def("_use_dtype_class", UseDTypeClass, "type"_a);
  module.def("_use_struct_classes", UseClassesByAxes<StructuredTensor>, "dense"_a, "ragged"_a, "native"_a);
  module.def("_use_struct_spec_classes", UseClassesByAxes<StructuredTensorSpec>, "dense"_a, "ragged"_a, "native"_a);
  DocumentedClass<MapKey>(module, "MapKey")
      .DefineConstructor("def __init__(self, key: object | None) -> None",
                         [](const nb::tuple& arguments) { return MapKey{MapKeyOf(arguments[0])}; })
      .def("__repr__", [](const MapKey& self) { return TextToPython("MapKey(" + self.key.DebugString() + ")"); });
  nb::class_<RowIterator>(module, "RowIterator")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", [](RowIterator& self) {
        if (self.next >= self.value.nrows()) throw nb::stop_iteration();
        return ValueAt(self.value, self.next++);
      });
  module.def(
      "index",
      [](nb::handle value, nb::handle key, nb::handle axes_before_names) {
        const int axes = OneOf("axes_before_names", axes_before_names, {"written", "may_be_left_out"});
        return GetItem(ValueOf(value), key, axes == 0 ? AxesBeforeNames::kWritten : AxesBeforeNames::kMayBeLeftOut);
      },
      "value"_a, "key"_a.none(), "axes_before_names"_a = "may_be_left_out");
  DocumentedClass<RowPartition> partitions(module, "RowPartition");
  BindRowPartition(partitions);
  partitions.DefineNoConstructor("call RowPartition.from_row_splits() or another of its from_ methods");
  ValueClasses classes{DocumentedClass<Tensor>(module, "Tensor"), DocumentedClass<RaggedTensor>(module, "RaggedTensor"),
                       DocumentedClass<StructuredTensor>(module, "StructuredTensor", WithClassByAxes<StructuredTensor>())};
  BindTensor(classes.tensor);
  classes.tensor.DefineNoConstructor("constant() makes tensors of lists, numbers and arrays");
  BindRagged(classes.ragged);
  BindStructured(classes.structured);
  DocumentedClass<RowsHandle> rows(module, "ExtensionRows");
  BindAllValues(rows);
  rows.DefineNoConstructor("stack() makes rows of an extension type");
  rows.def(
      "__eq__",
      [](const RowsHandle& self, nb::handle other) -> nb::object {
        const auto* const others = InstanceOf<RowsHandle>(other);
        if (others == nullptr) return nb::borrow(nb::handle(Py_NotImplemented));
        return nb::bool_(self.value == others->value);
      },
      "other"_a.none());
  rows.attr("__hash__") = nb::none();
  return classes;
}

}  // namespace structtensor::python
