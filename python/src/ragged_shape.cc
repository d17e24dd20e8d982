// Shapes with all row lengths, and functions that read or change the shape of a value.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "structtensor/tensor/math/broadcast.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/ops/shape_ops.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

using Length = DynamicRaggedShape::Length;

// Lengths are multiplied and repeated in memory.
constexpr int64_t kMaxAxes = 1000;

int SmallIntegerOf(nb::handle object, std::string_view what) {
  const int64_t integer = IntegerOf(object, what);
  if (integer < 0 || integer > kMaxAxes) {
    ThrowError(PyExc_ValueError, std::string(what) + " = " + std::to_string(integer) + "; expected 0 to 1000");
  }
  return static_cast<int>(integer);
}

DynamicRaggedShape FromLengths(nb::handle lengths, nb::handle num_row_partitions, nb::handle dtype) {
  if (!PyList_Check(lengths.ptr()) && !PyTuple_Check(lengths.ptr())) {
    ThrowError(PyExc_TypeError, "lengths: expected a list of sizes, and of lists of row lengths");
  }
  std::vector<Length> axes;
  for (nb::handle length : lengths) {
    if (PyList_Check(length.ptr()) || PyTuple_Check(length.ptr())) {
      axes.emplace_back(IntegersOf(length, "lengths of rows"));
    } else {
      axes.emplace_back(IntegerOf(length, "a length"));
    }
  }
  if (static_cast<int64_t>(axes.size()) > kMaxAxes) ThrowError(PyExc_ValueError, "lengths: there are more than 1000 axes");
  std::optional<int> partitions;
  if (!num_row_partitions.is_none()) partitions = SmallIntegerOf(num_row_partitions, "num_row_partitions");
  return Unwrap(DynamicRaggedShape::FromLengths(axes, DTypeOfPython(dtype), partitions));
}

// The sizes of uniform axes; for ragged axes, a tuple of the lengths of their rows.
nb::object LengthsOf(const DynamicRaggedShape& shape) {
  nb::list lengths;
  for (const Length& length : shape.lengths()) {
    if (const int64_t* size = std::get_if<int64_t>(&length)) {
      lengths.append(*size);
    } else {
      nb::list rows;
      for (const int64_t row : std::get<std::vector<int64_t>>(length)) rows.append(row);
      lengths.append(nb::tuple(rows));
    }
  }
  return nb::tuple(lengths);
}

bool IsUniform(const DynamicRaggedShape& shape, nb::handle axis) {
  const int64_t given = IntegerOf(axis, "axis");
  const int64_t known = given < 0 ? given + shape.rank() : given;
  if (known < 0 || known >= shape.rank()) {
    ThrowError(PyExc_IndexError, "axis " + std::to_string(given) + " of a shape of " + std::to_string(shape.rank()) + " axes");
  }
  return shape.is_uniform(static_cast<int>(known));
}

nb::object ItemOf(const DynamicRaggedShape& shape, nb::handle key) {
  if (!PySlice_Check(key.ptr())) return nb::int_(Unwrap(shape.Dimension(IntegerOf(key, "axis"))));
  const nb::object step = key.attr("step");
  if (!step.is_none() && IntegerOf(step, "the step of a slice") != 1) {
    ThrowError(PyExc_IndexError, "axes of a shape are not sliced with a step");
  }
  const auto bound = [](const nb::object& bound) -> std::optional<int64_t> {
    if (bound.is_none()) return std::nullopt;
    return ClippedIntegerOf(bound, "a bound of a slice");
  };
  return nb::cast(Unwrap(shape.Slice(bound(key.attr("start")), bound(key.attr("stop")))));
}

void BindRaggedShapeClass(nb::module_& module) {
  DocumentedClass<DynamicRaggedShape> shape(module, "DynamicRaggedShape");
  shape.DefineNoConstructor("call DynamicRaggedShape.from_lengths() or DynamicRaggedShape.from_tensor()");
  shape.def_static("from_lengths", FromLengths, "lengths"_a, "num_row_partitions"_a = nb::none(), "dtype"_a = "int64")
      .def_static(
          "from_tensor", [](nb::handle value) { return Unwrap(DynamicRaggedShape::FromValue(ValueOf(value))); }, "value"_a)
      .def_prop_ro("rank", [](const DynamicRaggedShape& self) { return self.rank(); })
      .def_prop_ro("num_row_partitions", [](const DynamicRaggedShape& self) { return self.num_row_partitions(); })
      .def_prop_ro("row_partitions",
                   [](const DynamicRaggedShape& self) {
                     nb::list list;
                     for (const RowPartition& partition : self.row_partitions()) list.append(nb::cast(partition));
                     return list;
                   })
      .def_prop_ro("inner_shape", [](const DynamicRaggedShape& self) { return ShapeToPython(self.inner_shape()); })
      .def_prop_ro("static_shape", [](const DynamicRaggedShape& self) { return ShapeToPython(self.static_shape()); })
      .def_prop_ro("lengths", LengthsOf)
      .def_prop_ro("dtype", [](const DynamicRaggedShape& self) { return DTypeToPython(self.dtype()); })
      .def("num_elements", [](const DynamicRaggedShape& self) { return self.num_elements(); })
      .def("is_uniform", IsUniform, "axis"_a)
      .def(
          "with_dtype",
          [](const DynamicRaggedShape& self, nb::handle dtype) { return Unwrap(self.WithDtype(DTypeOfPython(dtype))); },
          "dtype"_a)
      .def("__getitem__", ItemOf, "key"_a)
      .def("__len__", [](const DynamicRaggedShape& self) { return static_cast<size_t>(self.rank()); })
      .def(
          "__eq__",
          [](const DynamicRaggedShape& self, nb::handle other) -> nb::object {
            const auto* const shape = InstanceOf<DynamicRaggedShape>(other);
            if (shape == nullptr) return nb::borrow(nb::handle(Py_NotImplemented));
            return nb::bool_(self == *shape);
          },
          "other"_a.none())
      .def("__repr__", [](const DynamicRaggedShape& self) { return TextToPython(self.DebugString()); });
  shape.attr("__hash__") = nb::none();
}

// A DynamicRaggedShape, or the lengths of one.
DynamicRaggedShape RaggedShapeOf(nb::handle shape) {
  if (const auto* const ragged = InstanceOf<DynamicRaggedShape>(shape)) return *ragged;
  return FromLengths(shape, nb::none(), nb::str("int64"));
}

// The shape of a value: a vector if all axes have one size, else a DynamicRaggedShape.
nb::object ShapeOfValue(nb::handle object, nb::handle out_type) {
  const Value value = ValueOf(object);
  const DType dtype = DTypeOfPython(out_type);
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    ThrowError(PyExc_ValueError, "out_type = " + std::string(DTypeName(dtype)) + "; expected int32 or int64");
  }
  const Shape shape = value.shape();
  const bool dense = value.tensor() != nullptr || (value.ragged() == nullptr && shape.is_fully_known());
  if (!dense) return nb::cast(Unwrap(Unwrap(DynamicRaggedShape::FromValue(value)).WithDtype(dtype)));
  const std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
  if (dtype == DType::kInt64) return nb::cast(Tensor::FromVector(sizes));
  std::vector<int32_t> narrow;
  for (const int64_t size : sizes) {
    if (size > INT32_MAX) ThrowError(PyExc_OverflowError, "shape: a size does not fit in int32; give out_type=\"int64\"");
    narrow.push_back(static_cast<int32_t>(size));
  }
  return nb::cast(Tensor::FromVector(narrow));
}

}  // namespace

void BindRaggedShape(nb::module_& module, ValueClasses& classes) {
  BindRaggedShapeClass(module);
  module.def(
      "broadcast_dynamic_shape",
      [](nb::handle a, nb::handle b) { return Unwrap(BroadcastShapes(RaggedShapeOf(a), RaggedShapeOf(b))); }, "shape_x"_a,
      "shape_y"_a);
  module.def(
      "broadcast_to",
      [](nb::handle value, nb::handle shape) { return ToPython(Unwrap(BroadcastTo(ValueOf(value), RaggedShapeOf(shape)))); },
      "input"_a, "shape"_a);
  module.def(
      "identity", [](nb::handle value) { return ToPython(Identity(ValueOf(value))); }, "input"_a);
  module.def(
      "rank", [](nb::handle value) { return Rank(ValueOf(value)); }, "input"_a);
  module.def("shape", ShapeOfValue, "input"_a, "out_type"_a = "int32");
  module.def(
      "size", [](nb::handle value, nb::handle out_type) { return Unwrap(Size(ValueOf(value), DTypeOfPython(out_type))); },
      "input"_a, "out_type"_a = "int32");
  classes.structured.def_static(
      "from_shape", [](nb::handle shape) { return Unwrap(StructsOfShape(RaggedShapeOf(shape))); }, "shape"_a);
}

}  // namespace structtensor::python
