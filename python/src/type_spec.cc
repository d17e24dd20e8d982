// TypeSpecs.
#include "structtensor/tensor/type_spec/type_spec.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "bindings.h"
#include "convert.h"
#include "extension.h"
#include "struct_classes.h"
#include "structtensor/tensor/type_spec/make_spec.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/extension_rows.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

constexpr std::string_view kKindNames[] = {"struct", "map_entry"};

// A spec of unknown rank may have any ragged rank, but each axis takes memory.
constexpr int64_t kMaxRaggedRank = 1000;

nb::object SizeToPython(int64_t size) {
  if (size == kUnknownDimension) return nb::none();
  return nb::int_(size);
}

int64_t SizeOf(nb::handle size, std::string_view what) { return size.is_none() ? kUnknownDimension : IntegerOf(size, what); }

// Members of all specs.
template <typename Spec>
void BindAllSpecs(DocumentedClass<Spec>& spec) {
  spec.def_prop_ro("shape", [](const Spec& self) { return ShapeToPython(TypeSpec(self).shape()); })
      .def(
          "_is_compatible_with",
          [](const Spec& self, nb::handle other) {
            // A value may be passed instead of its spec, as in TensorFlow.
            const std::optional<Value> value = AsValue(other);
            if (!value.has_value() && !IsSpec(other)) return false;
            return TypeSpec(self).IsCompatibleWith(value.has_value() ? value->spec() : SpecOf(other));
          },
          "spec_or_value"_a)
      .def(
          "is_subtype_of", [](const Spec& self, nb::handle other) { return TypeSpec(self).IsSubtypeOf(SpecOf(other)); },
          "other"_a)
      .def(
          "most_specific_compatible_type",
          [](const Spec& self, nb::handle other) -> nb::object {
            const std::optional<TypeSpec> common = TypeSpec(self).MostSpecificCompatibleType(SpecOf(other));
            return common.has_value() ? SpecToPython(*common) : nb::none();
          },
          "other"_a)
      .def(
          "batch",
          [](const Spec& self, nb::handle batch_size) {
            const int64_t size = SizeOf(batch_size, "batch_size");
            if (size < 0 && !batch_size.is_none()) ThrowError(PyExc_ValueError, "batch_size is negative; None is any size");
            return SpecToPython(Unwrap(StackedOrRows(TypeSpec(self), size)));
          },
          "batch_size"_a = nb::none())
      .def("unbatch", [](const Spec& self) { return SpecToPython(Unwrap(Unstacked(TypeSpec(self)))); })
      .def("with_unknown_sizes", [](const Spec& self) { return SpecToPython(TypeSpec(self).WithUnknownSizes()); })
      .def(
          "__eq__",
          [](const Spec& self, nb::handle other) -> nb::object {
            if (!IsSpec(other)) return nb::borrow(nb::handle(Py_NotImplemented));
            return nb::bool_(TypeSpec(self) == SpecOf(other));
          },
          "other"_a.none())
      .def("__hash__", [](const Spec& self) { return static_cast<Py_ssize_t>(absl::HashOf(TypeSpec(self)) >> 1); })
      .def("__repr__", [](const Spec& self) { return TextToPython(TypeSpec(self).DebugString()); })
      .def("__str__", [](const Spec& self) {
        const TypeSpec spec(self);
        if (spec.structured() == nullptr) return TextToPython(spec.DebugString());
        std::string tree = spec.TreeString();
        tree.pop_back();  // print() writes the last end of line
        return TextToPython(tree);
      });
}

nb::list PartitionSpecs(const std::vector<RowPartitionSpec>& specs) {
  nb::list list;
  for (const RowPartitionSpec& spec : specs) list.append(nb::cast(spec));
  return list;
}

}  // namespace

void BindTypeSpecs(nb::module_& module) {
  DocumentedClass<TensorSpec> tensor(module, "TensorSpec");
  BindAllSpecs(tensor);
  tensor
      .DefineConstructor(
          "def __init__(self, shape: object | None, dtype: object = 'float', nullable: bool = False) -> None",
          [](const nb::tuple& arguments) {
            return Unwrap(MakeTensorSpec(ShapeOf(arguments[0]), DTypeOfPython(arguments[1]), nb::cast<bool>(arguments[2])));
          })
      .def_prop_ro("dtype", [](const TensorSpec& self) { return DTypeToPython(self.dtype()); })
      .def_prop_ro("nullable", [](const TensorSpec& self) { return self.nullable(); });

  DocumentedClass<RaggedTensorSpec> ragged(module, "RaggedTensorSpec");
  BindAllSpecs(ragged);
  ragged
      .DefineConstructor(
          "def __init__(self, shape: object | None, dtype: object = 'float', ragged_rank: object | None = None, "
          "row_splits_dtype: object = 'int64', nullable: bool = False) -> None",
          [](const nb::tuple& arguments) {
            const Shape known = ShapeOf(arguments[0]);
            const nb::handle ragged_rank = arguments[2];
            const int64_t rank = !ragged_rank.is_none() ? IntegerOf(ragged_rank, "ragged_rank")
                                 : known.rank_known()   ? known.rank() - 1
                                                        : 0;
            if (rank < 0 || rank > kMaxRaggedRank) {
              ThrowError(PyExc_ValueError, "ragged_rank is negative, or not below the rank of the shape and 1000");
            }
            return Unwrap(MakeRaggedTensorSpec(known, DTypeOfPython(arguments[1]), static_cast<int>(rank),
                                               nb::cast<bool>(arguments[4]), DTypeOfPython(arguments[3])));
          })
      .def_prop_ro("dtype", [](const RaggedTensorSpec& self) { return DTypeToPython(self.dtype()); })
      .def_prop_ro("nullable", [](const RaggedTensorSpec& self) { return self.nullable(); })
      .def_prop_ro("ragged_rank", [](const RaggedTensorSpec& self) { return self.ragged_rank(); })
      .def_prop_ro("row_splits_dtype", [](const RaggedTensorSpec& self) { return DTypeToPython(self.row_splits_dtype()); })
      .def_prop_ro("row_partitions", [](const RaggedTensorSpec& self) { return PartitionSpecs(self.row_partitions()); })
      .def_prop_ro("flat_values", [](const RaggedTensorSpec& self) { return self.flat_values(); });

  DocumentedClass<StructuredTensorSpec> structured(module, "StructuredTensorSpec", WithClassByAxes<StructuredTensorSpec>());
  BindAllSpecs(structured);
  structured
      .DefineConstructor(
          "def __init__(self, shape: object, fields: dict, kind: object = 'struct', nullable: bool = False, "
          "shape_dtype: object | None = None) -> None",
          [](const nb::tuple& arguments) {
            const nb::handle shape_dtype = arguments[4];
            std::vector<FieldSpec> specs;
            for (auto [name, spec] : CopyOf(arguments[1])) {
              specs.push_back({std::string(TextOf(name, "the name of a field")), SpecOf(spec)});
            }
            StructuredTensorSpecOptions options;
            options.kind = static_cast<StructKind>(OneOf("kind", arguments[2], {kKindNames[0], kKindNames[1]}));
            options.nullable = nb::cast<bool>(arguments[3]);
            if (!shape_dtype.is_none()) options.shape_dtype = DTypeOfPython(shape_dtype);
            CheckDepth(specs);
            return Unwrap(MakeStructuredTensorSpec(ShapeOf(arguments[0]), specs, options));
          })
      .def_prop_ro("kind",
                   [](const StructuredTensorSpec& self) { return TextToPython(kKindNames[static_cast<size_t>(self.kind())]); })
      .def_prop_ro("nullable", [](const StructuredTensorSpec& self) { return self.nullable(); })
      .def_prop_ro("shape_dtype", [](const StructuredTensorSpec& self) { return DTypeToPython(self.shape_dtype()); })
      .def_prop_ro("row_partitions", [](const StructuredTensorSpec& self) { return PartitionSpecs(self.row_partitions()); })
      .def_prop_ro("fields", [](const StructuredTensorSpec& self) {
        nb::dict fields;
        for (size_t i = 0; i < self.flat_fields().size(); ++i) {
          fields[TextToPython(self.flat_fields()[i].name)] = SpecToPython(self.field_spec(i));
        }
        return fields;
      });

  DocumentedClass<RowsSpecHandle> rows(module, "ExtensionRowsSpec");
  BindAllSpecs(rows);
  rows.DefineNoConstructor("it is the spec of the ExtensionRows that stack() makes");
  DocumentedClass<RecordSpecHandle> record(module, "_RecordSpec");
  BindAllSpecs(record);

  DocumentedClass<RowPartitionSpec> partition(module, "RowPartitionSpec");
  BindAllSpecs(partition);
  partition
      .DefineConstructor(
          "def __init__(self, nrows: object | None = None, nvals: object | None = None, "
          "uniform_row_length: object | None = None, dtype: object = 'int64') -> None",
          [](const nb::tuple& arguments) {
            RowPartitionSpec sizes;
            sizes.nrows = SizeOf(arguments[0], "nrows");
            sizes.nvals = SizeOf(arguments[1], "nvals");
            sizes.uniform_row_length = SizeOf(arguments[2], "uniform_row_length");
            sizes.dtype = DTypeOfPython(arguments[3]);
            return Unwrap(MakeRowPartitionSpec(sizes));
          })
      .def_prop_ro("nrows", [](const RowPartitionSpec& self) { return SizeToPython(self.nrows); })
      .def_prop_ro("nvals", [](const RowPartitionSpec& self) { return SizeToPython(self.nvals); })
      .def_prop_ro("uniform_row_length", [](const RowPartitionSpec& self) { return SizeToPython(self.uniform_row_length); })
      .def_prop_ro("dtype", [](const RowPartitionSpec& self) { return DTypeToPython(self.dtype); });
}

}  // namespace structtensor::python
