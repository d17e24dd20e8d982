// Array operations on tensors, ragged tensors and structured tensors.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bindings.h"
#include "convert.h"
#include "operands.h"
#include "structtensor/tensor/math/select_elements.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/dense.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/row_partitions.h"
#include "structtensor/tensor/ops/shape_ops.h"
#include "structtensor/tensor/ops/split.h"
#include "structtensor/tensor/values/constant.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

SortOrder OrderOf(bool descending) { return descending ? SortOrder::kDescending : SortOrder::kAscending; }

RowBounds BoundsOf(nb::handle bounds) {
  return OneOf("bounds", bounds, {"row", "values"}) == 0 ? RowBounds::kRow : RowBounds::kValues;
}

nb::object GatherOf(nb::handle params, nb::handle indices, nb::handle axis, nb::handle batch_dims, nb::handle bounds) {
  GatherOptions options;
  if (!axis.is_none()) options.axis = IntegerOf(axis, "axis");
  options.batch_dims = IntegerOf(batch_dims, "batch_dims");
  options.bounds = BoundsOf(bounds);
  return ToPython(Unwrap(Gather(ValueOf(params), ValueOf(indices), options)));
}

// Coordinates of points. The innermost lists are points, and therefore a dense axis.
Value PointsOf(nb::handle indices) {
  Value points = ValueOf(indices);
  if (points.ragged() == nullptr || IsArray(indices)) return points;  // lists of one length are dense
  return Unwrap(RaggedConstant(NestedOf(indices), {.ragged_rank = points.rank() - 2}));
}

nb::object WhereOf(nb::handle condition, nb::handle x, nb::handle y) {
  const Value mask = ValueOf(condition);
  if (x.is_none() != y.is_none()) ThrowError(PyExc_TypeError, "where: x and y go together; give both or none");
  if (x.is_none()) return nb::cast(Unwrap(Where(mask)));
  const auto [a, b] = OperandsOf(x, y);
  // Elements are chosen with broadcasting, structs row by row.
  if (a.structured() != nullptr || b.structured() != nullptr) return ToPython(Unwrap(Where(mask, a, b)));
  return ToPython(Unwrap(SelectElements(mask, a, b)));
}

nb::object SplitOf(nb::handle value, nb::handle sizes, nb::handle axis) {
  const Value parts = ValueOf(value);
  const int64_t along = IntegerOf(axis, "axis");
  if (IsOneInteger(sizes)) {
    return ToPython(Unwrap(SplitEvenly(parts, IntegerOf(sizes, "num_or_size_splits"), along)));
  }
  return ToPython(Unwrap(Split(parts, IntegersOf(sizes, "num_or_size_splits"), along)));
}

Tensor ToTensorOf(nb::handle value, nb::handle default_value, nb::handle shape) {
  const Value ragged = ValueOf(value);
  if (ragged.tensor() != nullptr && default_value.is_none() && shape.is_none()) return *ragged.tensor();
  if (ragged.ragged() == nullptr) {
    ThrowError(PyExc_TypeError, "to_tensor: expected a RaggedTensor, found " + std::string(ragged.spec().value_type()));
  }
  ToTensorOptions options;
  if (!default_value.is_none()) {
    const Value padding = ValueOf(
        nb::module_::import_("structtensor._core").attr("constant")(default_value, DTypeToPython(ragged.ragged()->dtype())));
    if (padding.tensor() == nullptr) ThrowError(PyExc_TypeError, "to_tensor: the default value is ragged");
    options.default_value = *padding.tensor();
  }
  std::vector<int64_t> sizes;
  if (!shape.is_none()) {
    for (nb::handle size : shape) sizes.push_back(size.is_none() ? -1 : IntegerOf(size, "a size of a shape"));
    options.shape = sizes;
  }
  return Unwrap(ToTensor(*ragged.ragged(), options));
}

RaggedTensor FromTensorOf(nb::handle tensor, nb::handle lengths, nb::handle padding, nb::handle ragged_rank,
                          nb::handle row_splits_dtype) {
  const Tensor dense = DenseOf(tensor, "tensor");
  FromTensorOptions options;
  const int64_t rank = IntegerOf(ragged_rank, "ragged_rank");
  if (rank < 1 || rank >= dense.rank()) {
    ThrowError(PyExc_ValueError, "ragged_rank = " + std::to_string(rank) + "; expected 1 or more, and less than the rank, " +
                                     std::to_string(dense.rank()));
  }
  options.ragged_rank = static_cast<int>(rank);
  std::vector<int64_t> numbers;
  if (!lengths.is_none()) {
    numbers = IntegersOf(lengths, "lengths");
    options.lengths = numbers;
  }
  if (!padding.is_none()) {
    const Value value =
        ValueOf(nb::module_::import_("structtensor._core").attr("constant")(padding, DTypeToPython(dense.dtype())));
    if (value.tensor() == nullptr) ThrowError(PyExc_TypeError, "from_tensor: the padding is ragged");
    options.padding = *value.tensor();
  }
  options.row_splits_dtype = DTypeOfPython(row_splits_dtype);
  return Unwrap(FromTensor(dense, options));
}

void BindSelection(nb::module_& module, ValueClasses& classes) {
  // `bounds` is no parameter of TensorFlow's functions, so it has no position.
  classes.DefineEverywhere(module, "gather", "params", GatherOf, "indices"_a, "axis"_a = nb::none(), "batch_dims"_a = 0,
                           nb::kw_only(), "bounds"_a = "row");
  module.def(
      "batch_gather",
      [](nb::handle params, nb::handle indices) { return ToPython(Unwrap(BatchGather(ValueOf(params), ValueOf(indices)))); },
      "params"_a, "indices"_a);
  module.def(
      "gather_nd",
      [](nb::handle params, nb::handle indices, nb::handle batch_dims, nb::handle bounds) {
        // The document's default is None.
        const int64_t num_batch_dims = batch_dims.is_none() ? 0 : IntegerOf(batch_dims, "batch_dims");
        return ToPython(Unwrap(GatherNd(ValueOf(params), PointsOf(indices), BoundsOf(bounds), num_batch_dims)));
      },
      "params"_a, "indices"_a, "batch_dims"_a.none() = 0, nb::kw_only(), "bounds"_a = "row");
  module.def(
      "boolean_mask",
      [](nb::handle data, nb::handle mask, nb::handle axis) {
        const int64_t along = axis.is_none() ? 0 : IntegerOf(axis, "axis");
        return ToPython(Unwrap(BooleanMask(ValueOf(data), ValueOf(mask), along)));
      },
      "data"_a, "mask"_a, "axis"_a = nb::none());
  module.def("where", WhereOf, "condition"_a, "x"_a = nb::none(), "y"_a = nb::none());
  module.def(
      "slice",
      [](nb::handle value, nb::handle begin, nb::handle size) {
        return ToPython(Unwrap(Slice(ValueOf(value), IntegersOf(begin, "begin"), IntegersOf(size, "size"))));
      },
      "input_"_a, "begin"_a, "size"_a);
  module.def("split", SplitOf, "value"_a, "num_or_size_splits"_a, "axis"_a = 0);
  module.def(
      "unstack",
      [](nb::handle input, nb::handle num, nb::handle axis) {
        const Value value = ValueOf(input);
        std::vector<Value> parts = Unwrap(Unstack(value, IntegerOf(axis, "axis")));
        if (!num.is_none() && IntegerOf(num, "num") != static_cast<int64_t>(parts.size())) {
          ThrowError(PyExc_ValueError,
                     absl::StrCat("num = ", IntegerOf(num, "num"), ", but the axis has ", parts.size(), " positions"));
        }
        return ToPython(std::move(parts));
      },
      "input"_a, "num"_a = nb::none(), "axis"_a = 0);
  module.def(
      "dynamic_partition",
      [](nb::handle data, nb::handle partitions, nb::handle num_partitions) {
        return ToPython(
            Unwrap(DynamicPartition(ValueOf(data), ValueOf(partitions), IntegerOf(num_partitions, "num_partitions"))));
      },
      "data"_a, "partitions"_a, "num_partitions"_a);
  module.def(
      "stack_dynamic_partitions",
      [](nb::handle data, nb::handle partitions, nb::handle num_partitions) {
        return ToPython(
            Unwrap(StackDynamicPartitions(ValueOf(data), ValueOf(partitions), IntegerOf(num_partitions, "num_partitions"))));
      },
      "data"_a, "partitions"_a, "num_partitions"_a);
}

void BindAxes(nb::module_& module, ValueClasses& classes) {
  module.def(
      "concat",
      [](nb::handle values, nb::handle axis) { return ToPython(Unwrap(Concat(ValuesOf(values), IntegerOf(axis, "axis")))); },
      "values"_a, "axis"_a = 0);
  module.def(
      "stack",
      [](nb::handle values, nb::handle axis) { return ToPython(Unwrap(Stack(ValuesOf(values), IntegerOf(axis, "axis")))); },
      "values"_a, "axis"_a = 0);
  classes.DefineEverywhere(
      module, "expand_dims", "input",
      [](nb::handle value, nb::handle axis) { return ToPython(Unwrap(ExpandDims(ValueOf(value), IntegerOf(axis, "axis")))); },
      "axis"_a);
  classes.DefineEverywhere(
      module, "squeeze", "input",
      [](nb::handle value, nb::handle axis) {
        if (axis.is_none()) return ToPython(Unwrap(Squeeze(ValueOf(value))));
        return ToPython(Unwrap(Squeeze(ValueOf(value), OneOrMoreIntegersOf(axis, "axis"))));
      },
      "axis"_a = nb::none());
  classes.DefineEverywhere(
      module, "merge_dims", "value",
      [](nb::handle value, nb::handle outer_axis, nb::handle inner_axis) {
        return ToPython(
            Unwrap(MergeDims(ValueOf(value), IntegerOf(outer_axis, "outer_axis"), IntegerOf(inner_axis, "inner_axis"))));
      },
      "outer_axis"_a, "inner_axis"_a);
  classes.DefineEverywhere(
      module, "reshape", "tensor",
      [](nb::handle value, nb::handle shape) {
        return ToPython(Unwrap(Reshape(ValueOf(value), OneOrMoreIntegersOf(shape, "shape"))));
      },
      "shape"_a);
  classes.DefineEverywhere(
      module, "partition_outer_dimension", "value",
      [](nb::handle value, const RowPartition& partition) {
        return ToPython(Unwrap(PartitionOuterDimension(ValueOf(value), partition)));
      },
      "row_partition"_a);
  classes.DefineEverywhere(
      module, "with_shape_dtype", "value",
      [](nb::handle value, nb::handle dtype) { return ToPython(Unwrap(WithShapeDtype(ValueOf(value), DTypeOfPython(dtype)))); },
      "dtype"_a);
  module.def(
      "reverse",
      [](nb::handle value, nb::handle axis) {
        return ToPython(Unwrap(Reverse(ValueOf(value), OneOrMoreIntegersOf(axis, "axis"))));
      },
      "tensor"_a, "axis"_a);
  module.def(
      "roll",
      [](nb::handle value, nb::handle shift, nb::handle axis) {
        return ToPython(Unwrap(Roll(ValueOf(value), OneOrMoreIntegersOf(shift, "shift"), OneOrMoreIntegersOf(axis, "axis"))));
      },
      "input"_a, "shift"_a, "axis"_a);
  module.def(
      "tile",
      [](nb::handle value, nb::handle multiples) {
        return ToPython(Unwrap(Tile(ValueOf(value), OneOrMoreIntegersOf(multiples, "multiples"))));
      },
      "input"_a, "multiples"_a);
  module.def(
      "repeat",
      [](nb::handle value, nb::handle repeats, nb::handle axis) {
        return ToPython(Unwrap(Repeat(ValueOf(value), OneOrMoreIntegersOf(repeats, "repeats"), IntegerOf(axis, "axis"))));
      },
      "input"_a, "repeats"_a, "axis"_a = 0);
  module.def(
      "bounding_shape",
      [](nb::handle value, nb::handle axis) -> nb::object {
        const nb::tuple sizes = nb::borrow<nb::tuple>(ShapeToPython(BoundingShape(ValueOf(value))));
        if (axis.is_none()) return sizes;
        const int64_t rank = static_cast<int64_t>(nb::len(sizes));
        nb::list chosen;
        for (const int64_t each : OneOrMoreIntegersOf(axis, "axis")) {
          if (each < -rank || each >= rank) {
            ThrowError(PyExc_ValueError, absl::StrCat("axis = ", each, "; the value has ", rank, " axes"));
          }
          chosen.append(sizes[static_cast<size_t>(each < 0 ? each + rank : each)]);
        }
        if (IsOneInteger(axis)) return nb::object(chosen[0]);
        return nb::tuple(chosen);
      },
      "value"_a, "axis"_a = nb::none());
}

void BindOrder(nb::module_& module, ValueClasses& classes) {
  module.def(
      "sort",
      [](nb::handle value, nb::handle axis, bool descending) {
        return ToPython(Unwrap(Sort(ValueOf(value), IntegerOf(axis, "axis"), OrderOf(descending))));
      },
      "values"_a, "axis"_a = -1, "descending"_a = false);
  module.def(
      "argsort",
      [](nb::handle value, nb::handle axis, bool descending) {
        return ToPython(Unwrap(Argsort(ValueOf(value), IntegerOf(axis, "axis"), OrderOf(descending))));
      },
      "values"_a, "axis"_a = -1, "descending"_a = false);
  classes.DefineForStructs(
      module, "sort_by_field",
      [](nb::handle structs, nb::handle path, bool descending) {
        return Unwrap(SortByField(StructuredOf(structs), PathOf(path).ToString(), OrderOf(descending)));
      },
      "path"_a, "descending"_a = false);
  module.def(
      "shuffle",
      [](nb::handle value, nb::handle seed) {
        return ToPython(Unwrap(Shuffle(ValueOf(value), static_cast<uint64_t>(IntegerOf(seed, "seed")))));
      },
      "value"_a, "seed"_a);
}

void BindDense(nb::module_& module, ValueClasses& classes) {
  classes.DefineForArrays(module, "to_tensor", "value", ToTensorOf, "default_value"_a = nb::none(), "shape"_a = nb::none());
  classes.ragged.def_static("from_tensor", FromTensorOf, "tensor"_a, "lengths"_a = nb::none(), "padding"_a = nb::none(),
                            "ragged_rank"_a = 1, "row_splits_dtype"_a = "int64");
  module.def(
      "to_sparse",
      [](const RaggedTensor& ragged) {
        const SparseParts parts = Unwrap(ToSparse(ragged));
        return nb::make_tuple(parts.indices, parts.values, parts.dense_shape);
      },
      "value"_a);
  module.def(
      "zeros_like",
      [](nb::handle value, nb::handle dtype) { return ToPython(Unwrap(ZerosLike(ValueOf(value), OptionalDTypeOf(dtype)))); },
      "input"_a, "dtype"_a = nb::none());
  module.def(
      "ones_like",
      [](nb::handle value, nb::handle dtype) { return ToPython(Unwrap(OnesLike(ValueOf(value), OptionalDTypeOf(dtype)))); },
      "input"_a, "dtype"_a = nb::none());
}

}  // namespace

void BindOps(nb::module_& module, ValueClasses& classes) {
  BindSelection(module, classes);
  BindAxes(module, classes);
  BindOrder(module, classes);
  BindDense(module, classes);
}

}  // namespace structtensor::python
