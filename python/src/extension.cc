#include "extension.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bindings.h"
#include "convert.h"
#include "structtensor/core/base/shared/shared_parts.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/extension_types/boxed.h"
#include "structtensor/tensor/extension_types/registry.h"
#include "structtensor/tensor/extension_types/serialize.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/extension_rows.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

using State = Nest<StaticState>;

constexpr int64_t kTensor = 1;
constexpr int64_t kRagged = 2;
constexpr int64_t kStructured = 4;
constexpr int64_t kExtension = 8;

int64_t KindOf(const Value& value) {
  if (value.tensor() != nullptr) return kTensor;
  if (value.ragged() != nullptr) return kRagged;
  return value.structured() != nullptr ? kStructured : kExtension;
}

std::optional<DType> DTypeOf(const TypeSpec& spec) {
  if (spec.tensor() != nullptr) return spec.tensor()->dtype();
  if (spec.ragged() != nullptr) return spec.ragged()->dtype();
  return std::nullopt;
}

absl::Status NotAState() {
  return absl::InvalidArgumentError("the state of an extension type of Python is (shape, (kind...), ((name, state)...))");
}

// How many specs of extension types and structs are inside each other.
int DepthOf(const TypeSpec& spec) {
  if (const auto* const record = dynamic_cast<const RecordSpec*>(spec.extension())) return record->depth();
  int depth = 0;
  if (spec.structured() != nullptr) {
    for (const FieldSpec& field : spec.structured()->flat_fields()) depth = std::max(depth, DepthOf(field.spec) + 1);
  }
  if (spec.extension() != nullptr) {
    for (const TypeSpec& component : Flatten(spec.extension()->ComponentSpecs())) {
      depth = std::max(depth, DepthOf(component) + 1);
    }
  }
  return depth;
}

void AppendComponents(const State& state, std::vector<TypeSpec>& components) {
  for (const StaticState& leaf : Flatten(state)) {
    if (const TypeSpec* spec = leaf.get_if<TypeSpec>()) components.push_back(*spec);
  }
}

// The state with the specs of `components` in place of its own specs.
State WithComponents(const State& state, const std::vector<Value>& components, size_t& next) {
  if (state.kind() == NestKind::kNone) return state;
  if (state.is_leaf()) {
    if (state.leaf().get_if<TypeSpec>() == nullptr) return state;
    return State(StaticState(components[next++].spec()));
  }
  std::vector<State> items;
  items.reserve(state.items().size());
  for (const State& item : state.items()) items.push_back(WithComponents(item, components, next));
  return state.WithItems(std::move(items));
}

// The shape, with unknown sizes taken from the components, if each component begins with the axes of the shape.
State WithSizesOf(const std::vector<Value>& components, const State& shape) {
  if (!shape.is_leaf()) return shape;
  const Shape& known = *shape.leaf().get_if<Shape>();
  if (!known.rank_known() || known.is_fully_known()) return shape;
  std::vector<int64_t> dims(known.dims().begin(), known.dims().end());
  for (const Value& component : components) {
    const Shape found = component.shape();
    if (found.rank() < known.rank() || !found.Outer(known.rank()).IsCompatibleWith(known)) return shape;
    for (int axis = 0; axis < known.rank(); ++axis) {
      int64_t& size = dims[static_cast<size_t>(axis)];
      if (size == kUnknownDimension) size = found[axis];
    }
  }
  return State(StaticState(Shape(dims)));
}

}  // namespace

// --- The spec and the value

RecordSpec::RecordSpec(std::string type_name, State shape, std::vector<int64_t> kinds, std::vector<Field> fields)
    : type_name_(std::move(type_name)), shape_(std::move(shape)), kinds_(std::move(kinds)), fields_(std::move(fields)) {
  for (const Field& field : fields_) AppendComponents(field.state, components_);
  for (const TypeSpec& component : components_) depth_ = std::max(depth_, DepthOf(component) + 1);
}

absl::StatusOr<std::shared_ptr<const RecordSpec>> RecordSpec::Make(std::string type_name, State shape,
                                                                   std::vector<int64_t> kinds, std::vector<Field> fields) {
  const bool is_shape = shape.is_leaf() && shape.leaf().get_if<Shape>() != nullptr;
  if (!is_shape && shape.kind() != NestKind::kNone) return NotAState();
  std::shared_ptr<const RecordSpec> spec(
      new RecordSpec(std::move(type_name), std::move(shape), std::move(kinds), std::move(fields)));
  if (spec->kinds_.size() != spec->components_.size()) return NotAState();
  for (const TypeSpec& component : spec->components_) {
    if (component.row_partition() != nullptr) return NotAState();
  }
  if (spec->depth_ > kMaxSpecDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("values of extension types are nested deeper than ", kMaxSpecDepth, " levels"));
  }
  return spec;
}

absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> RecordSpec::FromState(std::string_view type_name, const State& state) {
  if (state.kind() != NestKind::kTuple || state.items().size() != 3) return NotAState();
  std::vector<int64_t> kinds;
  for (const State& kind : state.items()[1].items()) {
    if (!kind.is_leaf() || kind.leaf().get_if<int64_t>() == nullptr) return NotAState();
    kinds.push_back(*kind.leaf().get_if<int64_t>());
  }
  std::vector<Field> fields;
  for (const State& field : state.items()[2].items()) {
    const bool is_pair = field.kind() == NestKind::kTuple && field.items().size() == 2 && field.items()[0].is_leaf();
    if (!is_pair || field.items()[0].leaf().get_if<std::string>() == nullptr) return NotAState();
    fields.push_back({*field.items()[0].leaf().get_if<std::string>(), field.items()[1]});
  }
  return Make(std::string(type_name), state.items()[0], std::move(kinds), std::move(fields));
}

State RecordSpec::Serialize() const {
  std::vector<State> kinds;
  kinds.reserve(kinds_.size());
  for (const int64_t kind : kinds_) kinds.emplace_back(StaticState(kind));
  std::vector<State> fields;
  fields.reserve(fields_.size());
  for (const Field& field : fields_) fields.push_back(State::Tuple({State(StaticState(field.name)), field.state}));
  return State::Tuple({shape_, State::Tuple(std::move(kinds)), State::Tuple(std::move(fields))});
}

Nest<TypeSpec> RecordSpec::ComponentSpecs() const {
  std::vector<Nest<TypeSpec>> specs(components_.begin(), components_.end());
  return Nest<TypeSpec>::Tuple(std::move(specs));
}

Nest<Value> RecordSpec::ToComponents(const ExtensionType& value) const {
  const std::vector<Value>& components = static_cast<const Record&>(value).components();
  return Nest<Value>::Tuple(std::vector<Nest<Value>>(components.begin(), components.end()));
}

absl::StatusOr<Value> RecordSpec::FromComponents(const Nest<Value>& components) const {
  STRUCTTENSOR_RETURN_IF_ERROR(AssertSameStructure(ComponentSpecs(), components));
  std::vector<Value> values = Flatten(components);
  for (size_t i = 0; i < values.size(); ++i) {
    const TypeSpec found = values[i].spec();
    const bool fits = (KindOf(values[i]) & kinds_[i]) != 0 && DTypeOf(found) == DTypeOf(components_[i]) &&
                      (values[i].extension() == nullptr || found.value_type() == components_[i].value_type());
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat("component ", i, " of ", type_name_, " is ", found.DebugString(),
                                                     "; expected a value like ", components_[i].DebugString(),
                                                     ", of a type that the field's annotation allows"));
    }
  }
  size_t next = 0;
  std::vector<Field> fields;
  fields.reserve(fields_.size());
  for (const Field& field : fields_) fields.push_back({field.name, WithComponents(field.state, values, next)});
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<const RecordSpec> spec,
                                Make(type_name_, WithSizesOf(values, shape_), kinds_, std::move(fields)));
  return Value(std::shared_ptr<const ExtensionType>(std::make_shared<const Record>(std::move(spec), std::move(values))));
}

absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> RecordSpec::WithShapes(const ShapeChange& change) const {
  if (shape_.kind() == NestKind::kNone) {
    const absl::StatusOr<Shape> changed = change.shape(Shape());
    if (!changed.ok() || !(*changed == Shape())) {
      return absl::InvalidArgumentError(absl::StrCat(type_name_, " shows no shape, and so it has no rows"));
    }
  }
  return ExtensionTypeSpec::WithShapes(change);
}

// --- Between Python and C++

namespace {

// The classes in the Python half of the package. They outlive everything.
struct Classes {
  nb::object value;
  nb::object spec;
  nb::object shape;
  nb::object dtype;
  nb::object make_value;
  nb::object make_spec;
  nb::object is_plain;         // whether an object of any other class is a value of an extension type
  nb::object record_of_plain;  // the record of such an object
};

Classes& TheClasses() {
  static Classes* const classes = new Classes();
  return *classes;
}

bool IsOf(nb::handle object, const nb::object& type) {
  return type.is_valid() && PyType_IsSubtype(Py_TYPE(object.ptr()), reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

// bytes become a list of one string, in which each character is one byte. A dict whose keys are not strings becomes a list of
// pairs.
State StateOf(nb::handle object, std::vector<Value>* components, int depth) {
  PyObject* const p = object.ptr();
  if (depth > kMaxNestedDepth) {
    ThrowError(PyExc_ValueError, absl::StrCat("a field is nested deeper than ", kMaxNestedDepth, " levels"));
  }
  const auto below = [components, depth](nb::handle item) { return StateOf(item, components, depth + 1); };
  if (object.is_none()) return State();
  if (PyBool_Check(p)) return State(StaticState(p == Py_True));
  if (PyLong_Check(p)) return State(StaticState(IntegerOf(object, "field")));
  if (PyFloat_Check(p)) return State(StaticState(PyFloat_AsDouble(p)));
  if (IsOf(object, TheClasses().dtype)) return State(StaticState(DTypeOfPython(object)));
  if (IsOf(object, TheClasses().shape)) return State(StaticState(ShapeOf(object.attr("dims"))));
  if (PyUnicode_Check(p)) return State(StaticState(TextOf(object, "field")));
  if (PyBytes_Check(p)) {
    const nb::object text = nb::steal(PyUnicode_DecodeLatin1(PyBytes_AsString(p), PyBytes_Size(p), "strict"));
    if (!text.is_valid()) throw nb::python_error();
    return State::List({State(StaticState(TextOf(text, "field")))});
  }
  if (PyTuple_Check(p) || PyList_Check(p)) {
    std::vector<State> items;
    for (nb::handle item : object) items.push_back(below(item));
    return PyTuple_Check(p) ? State::Tuple(std::move(items)) : State::List(std::move(items));
  }
  if (PyDict_Check(p)) {
    State::NamedItems items;
    for (auto [name, item] : CopyOf(object)) items.emplace_back(std::string(TextOf(name, "a key")), below(item));
    return State::Dict(std::move(items));
  }
  if (components == nullptr) return State(StaticState(SpecOf(object)));
  const std::optional<Value> value = AsValue(object);
  if (!value.has_value()) ThrowError(PyExc_TypeError, "a field is neither a value nor static");
  components->push_back(*value);
  return State(StaticState(value->spec()));
}

// `components`: null for the state of a spec, which has specs in the places of components.
nb::object StateToPython(const State& state, const std::vector<Value>* components, size_t& next) {
  if (state.kind() == NestKind::kNone) return nb::none();
  if (state.is_leaf()) {
    const StaticState& leaf = state.leaf();
    if (const TypeSpec* spec = leaf.get_if<TypeSpec>()) {
      return components == nullptr ? SpecToPython(*spec) : ToPython((*components)[next++]);
    }
    if (const bool* value = leaf.get_if<bool>()) return nb::bool_(*value);
    if (const int64_t* value = leaf.get_if<int64_t>()) return nb::int_(*value);
    if (const double* value = leaf.get_if<double>()) return nb::float_(*value);
    if (const Shape* value = leaf.get_if<Shape>()) return TheClasses().shape(ShapeToPython(*value));
    if (const DType* value = leaf.get_if<DType>()) return TheClasses().dtype(DTypeToPython(*value));
    return TextToPython(*leaf.get_if<std::string>());
  }
  if (state.kind() == NestKind::kDict) {
    nb::dict dict;
    for (size_t i = 0; i < state.items().size(); ++i) {
      dict[TextToPython(state.names()[i])] = StateToPython(state.items()[i], components, next);
    }
    return dict;
  }
  if (state.kind() == NestKind::kList && state.items().size() == 1 && state.items()[0].is_leaf()) {
    nb::object bytes = nb::steal(PyUnicode_AsLatin1String(StateToPython(state.items()[0], components, next).ptr()));
    if (!bytes.is_valid()) throw nb::python_error();
    return bytes;
  }
  nb::list list;
  for (const State& item : state.items()) list.append(StateToPython(item, components, next));
  if (state.kind() == NestKind::kTuple) return nb::tuple(list);
  return list;
}

nb::list FieldsToPython(const RecordSpec& spec, const std::vector<Value>* components) {
  nb::list fields;
  size_t next = 0;
  for (const RecordSpec::Field& field : spec.fields()) {
    fields.append(nb::make_tuple(TextToPython(field.name), StateToPython(field.state, components, next)));
  }
  return fields;
}

std::shared_ptr<const RecordSpec> RecordSpecOf(nb::handle type_name, bool has_shape, nb::handle shape, nb::handle kinds,
                                               nb::dict fields, std::vector<Value>* components) {
  std::vector<RecordSpec::Field> states;
  for (auto [name, field] : CopyOf(fields)) {
    states.push_back({std::string(TextOf(name, "the name of a field")), StateOf(field, components, 0)});
  }
  const State shown = has_shape ? State(StaticState(ShapeOf(shape))) : State();
  return Unwrap(
      RecordSpec::Make(std::string(TextOf(type_name, "type_name")), shown, IntegersOf(kinds, "kinds"), std::move(states)));
}

RecordHandle MakeRecord(nb::handle type_name, bool has_shape, nb::handle shape, nb::handle kinds, nb::dict fields) {
  std::vector<Value> components;
  const auto spec = RecordSpecOf(type_name, has_shape, shape, kinds, std::move(fields), &components);
  return {Value(std::shared_ptr<const ExtensionType>(std::make_shared<const Record>(spec, std::move(components))))};
}

void RegisterName(nb::handle type_name) {
  const std::string name(TextOf(type_name, "name"));
  const absl::Status status =
      TypeRegistry::Default().RegisterName(name, [name](const State& state) { return RecordSpec::FromState(name, state); });
  if (!status.ok()) ThrowError(PyExc_ValueError, std::string(status.message()));
}

void SetClasses(nb::object value, nb::object spec, nb::object shape, nb::object dtype, nb::object make_value,
                nb::object make_spec, nb::object is_plain, nb::object record_of_plain) {
  TheClasses() = {std::move(value),      std::move(spec),      std::move(shape),    std::move(dtype),
                  std::move(make_value), std::move(make_spec), std::move(is_plain), std::move(record_of_plain)};
}

const ExtensionRowsSpec& RowsSpecOf(const TypeSpec& spec) { return *static_cast<const ExtensionRowsSpec*>(spec.extension()); }

nb::list ComponentsOf(nb::handle object) {
  const Value value = ValueOf(object);
  if (value.extension() == nullptr) ThrowError(PyExc_TypeError, "the value is of no extension type");
  return ToPython(Flatten(value.extension()->spec()->ToComponents(*value.extension())));
}

nb::list ComponentSpecsOf(nb::handle object) {
  const TypeSpec spec = SpecOf(object);
  if (spec.extension() == nullptr) ThrowError(PyExc_TypeError, "the spec is of no extension type");
  nb::list specs;
  for (const TypeSpec& component : Flatten(spec.extension()->ComponentSpecs())) specs.append(SpecToPython(component));
  return specs;
}

nb::object FromComponentsOf(nb::handle object, nb::handle components) {
  const TypeSpec spec = SpecOf(object);
  if (spec.extension() == nullptr) ThrowError(PyExc_TypeError, "the spec is of no extension type");
  return ToPython(Unwrap(
      FromComponents(*spec.extension(), Unwrap(PackSequenceAs(spec.extension()->ComponentSpecs(), ValuesOf(components))))));
}

nb::object FromBoxedOf(nb::handle spec, nb::handle shape, nb::handle values) {
  const BoxedTensor boxed = Unwrap(BoxedTensor::Make(ShapeOf(shape), ValuesOf(values)));
  return ToPython(Unwrap(FromBoxed(SpecOf(spec), boxed)));
}

}  // namespace

bool IsExtension(nb::handle object) {
  if (IsOf(object, TheClasses().value)) return true;
  // A class that knows nothing of the package but its spec.
  return nb::hasattr(object.type(), "__tf_type_spec__") && TheClasses().is_plain.is_valid() &&
         nb::cast<bool>(TheClasses().is_plain(object));
}
bool IsExtensionSpec(nb::handle object) { return IsOf(object, TheClasses().spec); }

Value ValueOfExtension(nb::handle object) {
  const nb::object handle =
      IsOf(object, TheClasses().value) ? nb::object(object.attr("_record")) : TheClasses().record_of_plain(object);
  const auto* const record = InstanceOf<RecordHandle>(handle);
  if (record == nullptr) ThrowError(PyExc_TypeError, "the object of an extension type has no value");
  return record->value;
}

TypeSpec SpecOfExtension(nb::handle object) {
  const nb::object handle = object.attr("_record");
  const auto* const record = InstanceOf<RecordSpecHandle>(handle);
  if (record == nullptr) ThrowError(PyExc_TypeError, "the spec of an extension type has no fields");
  return record->spec;
}

nb::object ExtensionToPython(const Value& value) {
  if (const auto* const record = dynamic_cast<const Record*>(value.extension())) {
    thread_local base_internal::SharedParts<nb::object, 1> known;
    const std::shared_ptr<const void> owned(std::make_shared<const Value>(value), record);
    return known.ResultOf({owned}, [&]() -> nb::object {
      const RecordSpec& spec = record->record_spec();
      return TheClasses().make_value(TextToPython(spec.type_name()), FieldsToPython(spec, &record->components()),
                                     RecordHandle{value});
    });
  }
  if (dynamic_cast<const ExtensionRows*>(value.extension()) != nullptr) return nb::cast(RowsHandle{value});
  ThrowError(PyExc_NotImplementedError,
             absl::StrCat("values of this extension type of C++ have no Python class: ", value.spec().DebugString()));
}

nb::object ExtensionSpecToPython(const TypeSpec& spec) {
  if (const auto* const record = dynamic_cast<const RecordSpec*>(spec.extension())) {
    thread_local base_internal::SharedParts<nb::object, 1> known;
    return known.ResultOf({record->shared_from_this()}, [&]() -> nb::object {
      return TheClasses().make_spec(TextToPython(record->type_name()), FieldsToPython(*record, nullptr),
                                    RecordSpecHandle{spec});
    });
  }
  if (dynamic_cast<const ExtensionRowsSpec*>(spec.extension()) != nullptr) return nb::cast(RowsSpecHandle{spec});
  ThrowError(PyExc_NotImplementedError,
             absl::StrCat("specs of this extension type of C++ have no Python class: ", spec.DebugString()));
}

namespace {

// The names of types whose specs compare themselves, in Python.
class NamesOfComparing {
 public:
  void Set(const std::string& name, bool compares_itself) {
    const std::lock_guard lock(mutex_);
    if (compares_itself) {
      names_.insert(name);
    } else {
      names_.erase(name);
    }
    any_.store(!names_.empty(), std::memory_order_release);
  }

  bool Has(std::string_view name) const {
    if (!any_.load(std::memory_order_acquire)) return false;
    const std::lock_guard lock(mutex_);
    return names_.find(name) != names_.end();
  }

 private:
  std::atomic<bool> any_{false};  // most programs have no such type, and need no lock
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> names_;
};

NamesOfComparing& TheNamesOfComparing() {
  static NamesOfComparing* const names = new NamesOfComparing();
  return *names;
}

// A spec whose method in Python is running. The default of the method asks the record, which must not ask the method again.
thread_local const RecordSpec* asked = nullptr;

// Calls a method of a spec in Python, if its class says what it answers.
class Question {
 public:
  explicit Question(const RecordSpec& spec) : spec_(spec), around_(asked) { asked = &spec; }
  ~Question() { asked = around_; }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  static bool IsPossible(const RecordSpec& spec, const ExtensionTypeSpec& other) {
    if (!TheNamesOfComparing().Has(spec.type_name()) || dynamic_cast<const RecordSpec*>(&other) == nullptr) return false;
    return asked == nullptr || !asked->Equals(spec);
  }

  nb::object Ask(const char* method, const ExtensionTypeSpec& other) const {
    return InPython(spec_).attr(method)(InPython(other));
  }
  bool IsTrue(const char* method, const ExtensionTypeSpec& other) const {
    const int result = PyObject_IsTrue(Ask(method, other).ptr());
    if (result < 0) throw nb::python_error();
    return result != 0;
  }

 private:
  static nb::object InPython(const ExtensionTypeSpec& spec) { return ExtensionSpecToPython(TypeSpec(spec.shared_from_this())); }

  const nb::gil_scoped_acquire lock_;
  const RecordSpec& spec_;
  const RecordSpec* const around_;
};

}  // namespace

bool RecordSpec::IsCompatibleWith(const ExtensionTypeSpec& other) const {
  if (!Question::IsPossible(*this, other)) return ExtensionTypeSpec::IsCompatibleWith(other);
  return Question(*this).IsTrue("is_compatible_with", other);
}

bool RecordSpec::IsSubtypeOf(const ExtensionTypeSpec& other) const {
  if (!Question::IsPossible(*this, other)) return ExtensionTypeSpec::IsSubtypeOf(other);
  return Question(*this).IsTrue("is_subtype_of", other);
}

std::shared_ptr<const ExtensionTypeSpec> RecordSpec::MostSpecificCompatibleType(const ExtensionTypeSpec& other) const {
  if (!Question::IsPossible(*this, other)) return ExtensionTypeSpec::MostSpecificCompatibleType(other);
  const Question question(*this);
  const nb::object common = question.Ask("most_specific_compatible_type", other);
  if (common.is_none()) return nullptr;
  const TypeSpec spec = SpecOf(common);
  if (spec.extension() == nullptr) {
    ThrowError(PyExc_TypeError, absl::StrCat(type_name_, ": most_specific_compatible_type() returned ", spec.DebugString(),
                                             "; expected a spec of the same type, or None"));
  }
  return spec.extension()->shared_from_this();
}

std::string RecordSpec::DebugString() const {
  // The class decides how its specs look. It may fail to, and a message about an error is no place for another error.
  if (TheClasses().make_spec.is_valid() && Py_IsInitialized() != 0) {
    const nb::gil_scoped_acquire lock;
    try {
      const nb::str text = nb::repr(ExtensionSpecToPython(TypeSpec(shared_from_this())));
      Py_ssize_t size_bytes = 0;
      if (const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size_bytes)) {
        return std::string(bytes, static_cast<size_t>(size_bytes));
      }
      PyErr_Clear();  // characters that UTF-8 does not have
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;  // KeyboardInterrupt
    }
  }
  std::string text = absl::StrCat(type_name_, "(");
  for (size_t i = 0; i < fields_.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", fields_[i].name, "=", structtensor::DebugString(fields_[i].state));
  }
  return text + ")";
}

void BindExtension(nb::module_& module) {
  nb::class_<RecordHandle>(module, "_Record")
      .def_prop_ro("shape", [](const RecordHandle& self) { return ShapeToPython(self.value.extension()->spec()->shape()); })
      .def_prop_ro("rank", [](const RecordHandle& self) { return self.value.rank(); })
      .def_prop_ro("shows_axes",
                   [](const RecordHandle& self) {
                     const auto* const record = dynamic_cast<const Record*>(self.value.extension());
                     return record != nullptr && record->record_spec().shows_axes();
                   })
      .def_prop_ro("nrows",
                   [](const RecordHandle& self) -> nb::object {
                     return self.value.rank() == 0 ? nb::none() : nb::object(nb::int_(self.value.nrows()));
                   })
      .def_prop_ro("spec", [](const RecordHandle& self) { return SpecToPython(self.value.spec()); });
  module.def("_make_record", MakeRecord, "type_name"_a, "has_shape"_a, "shape"_a.none(), "kinds"_a, "fields"_a);
  module.def(
      "_make_record_spec",
      [](nb::handle type_name, bool has_shape, nb::handle shape, nb::handle kinds, nb::dict fields) {
        return RecordSpecHandle{TypeSpec(RecordSpecOf(type_name, has_shape, shape, kinds, std::move(fields), nullptr))};
      },
      "type_name"_a, "has_shape"_a, "shape"_a.none(), "kinds"_a, "fields"_a);
  module.def("_register_extension", RegisterName, "name"_a);
  module.def(
      "_set_compares_itself",
      [](nb::handle name, bool compares_itself) {
        TheNamesOfComparing().Set(std::string(TextOf(name, "name")), compares_itself);
      },
      "name"_a, "compares_itself"_a);
  module.def("_set_extension_classes", SetClasses);
  module.def(
      "_dense", [](nb::handle object) { return DenseOf(object, "value"); }, "object"_a);
  module.def("_extension_components", ComponentsOf, "value"_a);
  module.def(
      "_extension_equals", [](nb::handle a, nb::handle b) { return ValueOf(a) == ValueOf(b); }, "a"_a, "b"_a);
  module.def("_extension_component_specs", ComponentSpecsOf, "spec"_a);
  module.def("_extension_from_components", FromComponentsOf, "spec"_a, "components"_a);
  module.def("_from_boxed", FromBoxedOf, "spec"_a, "shape"_a, "values"_a);
  module.def("_rows_element", [](const RowsSpecHandle& self) { return SpecToPython(RowsSpecOf(self.spec).element()); });
}

}  // namespace structtensor::python
