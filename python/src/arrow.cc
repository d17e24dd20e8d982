// Arrow's PyCapsule protocol, in both directions: pyarrow, pandas, polars and DuckDB read values and provide them, without
// copies.
#include "arrow.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bindings.h"
#include "convert.h"
#include "extension.h"
#include "interpreter_lock.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/import.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/static_state.h"
#include "structtensor/tensor/values/extension_type.h"
#include "structtensor/tensor/values/from_fields.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

template <typename CStruct>
constexpr const char* kCapsuleName = nullptr;
template <>
constexpr const char* kCapsuleName<ArrowSchema> = "arrow_schema";
template <>
constexpr const char* kCapsuleName<ArrowArray> = "arrow_array";
template <>
constexpr const char* kCapsuleName<ArrowArrayStream> = "arrow_array_stream";

// A consumer that takes the struct out of its capsule leaves an empty struct. A struct that was not taken is released with the
// capsule.
template <typename CStruct>
struct CapsuleStruct : CStruct {
  CapsuleStruct() : CStruct{} {}
  CapsuleStruct(const CapsuleStruct&) = delete;
  CapsuleStruct& operator=(const CapsuleStruct&) = delete;
  ~CapsuleStruct() {
    if (this->release != nullptr) this->release(this);
  }
};

template <typename CStruct>
nb::object Capsule(std::unique_ptr<CapsuleStruct<CStruct>> held) {
  PyObject* const capsule = PyCapsule_New(static_cast<CStruct*>(held.get()), kCapsuleName<CStruct>, [](PyObject* released) {
    void* const pointer = PyCapsule_GetPointer(released, kCapsuleName<CStruct>);
    delete static_cast<CapsuleStruct<CStruct>*>(static_cast<CStruct*>(pointer));
  });
  if (capsule == nullptr) throw nb::python_error();
  held.release();  // NOLINT: the capsule's destructor deletes it
  return nb::steal(capsule);
}

template <typename CStruct>
CStruct* Uncapsuled(nb::handle capsule) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), kCapsuleName<CStruct>);
  if (pointer == nullptr) throw nb::python_error();
  return static_cast<CStruct*>(pointer);
}

// Structs of rank 1 are record batches, as all consumers expect. Other values are arrays.
bool IsRecordBatch(const TypeSpec& spec) { return spec.structured() != nullptr && spec.structured()->rank() == 1; }

// Throws ValueError for a scalar, which has no rows.
void CheckHasRows(const TypeSpec& spec) {
  if (!spec.shape().rank_known() || spec.shape().rank() > 0) return;
  ThrowError(PyExc_ValueError, "an Arrow array or table has rows: expected rank 1 or more, found " + spec.DebugString() +
                                   "; structtensor.expand_dims(value, 0) makes one row of it");
}

// `layouts`: for a record batch.
nb::object SchemaCapsule(const TypeSpec& spec, std::span<const ArrowLayout> layouts = {}) {
  CheckHasRows(spec);
  auto schema = std::make_unique<CapsuleStruct<ArrowSchema>>();
  Check(IsRecordBatch(spec) ? ExportSchema(*spec.structured(), schema.get(), layouts) : ExportValueSchema(spec, schema.get()),
        {.out_of_range = PyExc_ValueError});
  return Capsule(std::move(schema));
}

nb::object ArrayCapsule(const Value& value) {
  CheckHasRows(value.spec());
  auto array = std::make_unique<CapsuleStruct<ArrowArray>>();
  const bool batch = IsRecordBatch(value.spec());
  Check(batch ? ExportBatch(*value.structured(), array.get()) : ExportValue(value, array.get()),
        {.out_of_range = PyExc_ValueError});
  return Capsule(std::move(array));
}

// --- Values of extension types, which are structs in Arrow

Value StructsForExtensionTypes(const Value& value);

// The structs of the value's components. A component has the name of its field. If a field has several components, they are
// called [name]_0, [name]_1, ...
StructuredTensor StructsOf(const ExtensionType& value) {
  const auto* const spec = dynamic_cast<const RecordSpec*>(value.spec().get());
  if (spec == nullptr || value.rank() == 0) {
    ThrowError(PyExc_TypeError, "Arrow has no column for " + value.spec()->DebugString() +
                                    ", whose values have no rows; select its fields, or drop it with without()");
  }
  const std::vector<Value> components = Flatten(spec->ToComponents(value));
  std::vector<Field> fields;
  for (const RecordSpec::Field& field : spec->fields()) {
    std::vector<Value> own;
    for (const StaticState& leaf : Flatten(field.state)) {
      if (leaf.get_if<TypeSpec>() != nullptr) own.push_back(StructsForExtensionTypes(components[fields.size() + own.size()]));
    }
    for (size_t i = 0; i < own.size(); ++i) {
      fields.push_back({own.size() == 1 ? field.name : field.name + "_" + std::to_string(i), std::move(own[i])});
    }
  }
  return Unwrap(FromFieldsAndRank(std::move(fields), value.rank()));
}

bool HasExtensionTypes(const Value& value) {
  if (value.extension() != nullptr) return true;
  const StructuredTensor* const structs = value.structured();
  if (structs == nullptr) return false;
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    if (HasExtensionTypes(structs->flat_field(i))) return true;
  }
  return false;
}

// The value, with structs for the extension types in it. Shares everything.
Value StructsForExtensionTypes(const Value& value) {
  if (!HasExtensionTypes(value)) return value;
  if (value.extension() != nullptr) return StructsOf(*value.extension());
  const StructuredTensor* const structs = value.structured();
  std::vector<Field> fields;
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    fields.push_back({structs->field_names()[i], StructsForExtensionTypes(structs->flat_field(i))});
  }
  return structs->WithFlatFields(std::move(fields));
}

template <typename T>
void BindArray(DocumentedClass<T>& values) {
  values.def("__arrow_c_schema__", [](const T& self) { return SchemaCapsule(StructsForExtensionTypes(Value(self)).spec()); })
      .def(
          "__arrow_c_array__",
          [](const T& self, nb::handle /*requested_schema*/) {
            const Value value = StructsForExtensionTypes(Value(self));
            return nb::make_tuple(SchemaCapsule(value.spec()), ArrayCapsule(value));
          },
          "requested_schema"_a = nb::none());
}

// What __arrow_c_array__ returns: a schema and an array.
std::pair<nb::object, nb::object> ArrayCapsulesOf(nb::handle object) {
  const nb::object capsules = object.attr("__arrow_c_array__")();
  if (!PyTuple_Check(capsules.ptr()) || nb::len(capsules) != 2) {
    ThrowError(PyExc_TypeError, "from_arrow: __arrow_c_array__ returned no pair of capsules");
  }
  const auto pair = nb::borrow<nb::tuple>(capsules);
  return {nb::object(pair[0]), nb::object(pair[1])};
}

nb::object FromArrow(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_array__")) {
    const auto [schema, array] = ArrayCapsulesOf(object);
    return ToPython(Unwrap(ImportValue(*Uncapsuled<ArrowSchema>(schema), Uncapsuled<ArrowArray>(array)),
                           {.out_of_range = PyExc_ValueError}));
  }
  if (nb::hasattr(object, "__arrow_c_stream__")) {
    const nb::object capsule = object.attr("__arrow_c_stream__")();
    ArrowArrayStream* const stream = Uncapsuled<ArrowArrayStream>(capsule);
    absl::StatusOr<std::vector<Value>> values = absl::UnknownError("");
    {
      // Producers may need the interpreter in threads of their own.
      const WithoutInterpreterLock unlocked;
      values = ImportStream(stream);
    }
    const std::vector<Value> pieces = Unwrap(std::move(values), {.out_of_range = PyExc_ValueError});
    return ToPython(Unwrap(Concat(pieces, 0)));
  }
  ThrowError(PyExc_TypeError, "from_arrow: the object has neither __arrow_c_array__ nor __arrow_c_stream__");
}

}  // namespace

nb::object ArrowStream(const StructuredTensorSpec& spec, NextBatch next, std::vector<ArrowLayout> layouts) {
  auto stream = std::make_unique<CapsuleStruct<ArrowArrayStream>>();
  Check(ExportStream(spec, std::move(next), stream.get(), std::move(layouts)));
  return Capsule(std::move(stream));
}

nb::object ArrowSchemaOf(const StructuredTensorSpec& spec, const std::vector<ArrowLayout>& layouts) {
  return SchemaCapsule(spec, layouts);
}

absl::StatusOr<nb::object> ArrowBatchOf(const StructuredTensor& batch, const StructuredTensorSpec& spec,
                                        std::span<ArrowLayout> layouts) {
  auto array = std::make_unique<CapsuleStruct<ArrowArray>>();
  if (absl::Status exported = ExportBatch(batch, spec, array.get(), layouts); !exported.ok()) return exported;
  return nb::object(nb::make_tuple(SchemaCapsule(spec, layouts), Capsule(std::move(array))));
}

nb::object ArrowStreamOfOne(const StructuredTensor& value, std::vector<ArrowLayout> layouts) {
  bool done = false;
  const Value columns = StructsForExtensionTypes(Value(value));
  const StructuredTensor& rows = *columns.structured();
  CheckHasRows(rows.spec());
  const auto next = [rows, done]() mutable -> absl::StatusOr<std::optional<StructuredTensor>> {
    if (std::exchange(done, true)) return std::optional<StructuredTensor>();
    return std::optional<StructuredTensor>(rows);
  };
  return ArrowStream(rows.spec(), next, std::move(layouts));
}

absl::StatusOr<StructuredTensor> BatchOfArrow(nb::handle object, int64_t max_dictionary_bytes) {
  const auto [schema, array] = ArrayCapsulesOf(object);
  return ImportBatch(*Uncapsuled<ArrowSchema>(schema), Uncapsuled<ArrowArray>(array), max_dictionary_bytes);
}

void BindArrow(nb::module_& module, ValueClasses& classes) {
  module.def("_structs_for_extension_types",
             [](const StructuredTensor& rows) { return ToPython(StructsForExtensionTypes(Value(rows))); });
  BindArray(classes.tensor);
  BindArray(classes.ragged);
  BindArray(classes.structured);
  classes.structured.def(
      "__arrow_c_stream__",
      [](const StructuredTensor& self, nb::handle /*requested_schema*/) { return ArrowStreamOfOne(self); },
      "requested_schema"_a = nb::none());
  module.def("from_arrow", FromArrow, "object"_a);
}

}  // namespace structtensor::python
