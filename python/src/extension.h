// Values of Python's extension types in C++: their components, without the Python objects.
//
//   class MaskedTensor(st.ExtensionType):  type name   "my_package.MaskedTensor"
//     values: st.Tensor                    spec        {values: TensorSpec([3], int64), mask: TensorSpec([3], bool)}, shape [3]
//     mask: st.Tensor                      components  ([1, 2, 3], [true, false, true])
//
// Python objects are made only when a value is passed to Python. So operations of the runtime do not wait for the interpreter,
// except to compare specs of a class that compares them itself, and any thread can use and destroy values.
#ifndef STRUCTTENSOR_PYTHON_EXTENSION_H_
#define STRUCTTENSOR_PYTHON_EXTENSION_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/static_state.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/extension_type.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::python {

// The static half of an object of an extension type. The specs among the static states of its fields are the specs of its
// components. Everything else is the same for all values of the spec.
class RecordSpec final : public ExtensionValueSpec {
 public:
  struct Field {
    std::string name;
    Nest<StaticState> state;
  };

  // `shape`: nothing for a type that shows no axes. `kinds`: for each component, the kinds of values that the annotation of the
  // field allows, as a sum of the numbers in KindOf().
  // Errors: InvalidArgument if there are not as many kinds as components, or values are nested deeper than kMaxSpecDepth:
  //   everything that walks specs recurses.
  static absl::StatusOr<std::shared_ptr<const RecordSpec>> Make(std::string type_name, Nest<StaticState> shape,
                                                                std::vector<int64_t> kinds, std::vector<Field> fields);
  // The spec that has the state of Serialize().
  static absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> FromState(std::string_view type_name,
                                                                            const Nest<StaticState>& state);

  std::string_view type_name() const override { return type_name_; }
  // Whether values have axes: a type without a shape has one value, whole, even in the place of many.
  bool shows_axes() const { return shape_.kind() != NestKind::kNone; }
  Shape shape() const override { return shape_.is_leaf() ? *shape_.leaf().get_if<Shape>() : Shape(); }
  const std::vector<Field>& fields() const { return fields_; }
  // How many values of extension types are inside each other, including this one.
  int depth() const { return depth_; }

  // (shape, (kind...), ((name, state)...))
  Nest<StaticState> Serialize() const override;
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    return FromState(type_name_, state);
  }
  Nest<TypeSpec> ComponentSpecs() const override;
  Nest<Value> ToComponents(const ExtensionType& value) const override;
  absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const override;
  // "my_package.MaskedTensor(values=TensorSpec([3], int64), mask=TensorSpec([3], bool))"
  std::string DebugString() const override;
  // A class in Python may replace the methods of these names; then they are asked. Throws what they raise.
  bool IsCompatibleWith(const ExtensionTypeSpec& other) const override;
  bool IsSubtypeOf(const ExtensionTypeSpec& other) const override;
  std::shared_ptr<const ExtensionTypeSpec> MostSpecificCompatibleType(const ExtensionTypeSpec& other) const override;
  // A type without a shape has no rows; several of its values are kept as ExtensionRows.
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithShapes(const ShapeChange& change) const override;

 private:
  RecordSpec(std::string type_name, Nest<StaticState> shape, std::vector<int64_t> kinds, std::vector<Field> fields);

  std::string type_name_;
  Nest<StaticState> shape_;
  std::vector<int64_t> kinds_;
  std::vector<Field> fields_;
  std::vector<TypeSpec> components_;
  int depth_ = 1;
};

class Record final : public ExtensionType {
 public:
  // Requires: components have the specs of `spec`.
  Record(std::shared_ptr<const RecordSpec> spec, std::vector<Value> components)
      : spec_(std::move(spec)), components_(std::move(components)) {}

  std::shared_ptr<const ExtensionValueSpec> spec() const override { return spec_; }
  const RecordSpec& record_spec() const { return *spec_; }
  const std::vector<Value>& components() const { return components_; }

 private:
  std::shared_ptr<const RecordSpec> spec_;
  std::vector<Value> components_;
};

// The content of an object of a Python class: its value, or its spec.
struct RecordHandle {
  Value value;
};
struct RecordSpecHandle {
  TypeSpec spec;
  operator TypeSpec() const { return spec; }  // NOLINT: a handle is a spec
};

// ExtensionRows (tensor/values/extension_rows.h): rows of any extension type. They need no Python class for each type.
struct RowsHandle {
  Value value;
  Shape shape() const { return value.shape(); }
  int rank() const { return value.rank(); }
  int64_t nrows() const { return value.nrows(); }
  operator Value() const { return value; }  // NOLINT: a handle is a value
};
struct RowsSpecHandle {
  TypeSpec spec;
  operator TypeSpec() const { return spec; }  // NOLINT: a handle is a spec
};

// Whether the object's class derives from structtensor.ExtensionType, or from ExtensionTypeSpec.
bool IsExtension(nanobind::handle object);
bool IsExtensionSpec(nanobind::handle object);
// Requires: IsExtension(object), or IsExtensionSpec(object).
Value ValueOfExtension(nanobind::handle object);
TypeSpec SpecOfExtension(nanobind::handle object);
// Requires: the value, or the spec, is of an extension type. Throws NotImplementedError for types of C++ programs.
nanobind::object ExtensionToPython(const Value& value);
nanobind::object ExtensionSpecToPython(const TypeSpec& spec);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_EXTENSION_H_
