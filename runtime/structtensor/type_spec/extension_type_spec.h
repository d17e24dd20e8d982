// The open end of the hierarchy of specs. Types with values derive from ExtensionValueSpec (tensor/extension_type.h).
#ifndef STRUCTTENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_
#define STRUCTTENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/type_spec/nest.h"
#include "structtensor/type_spec/shape.h"

#pragma GCC visibility push(default)

namespace structtensor {

class StaticState;
class TypeSpec;
struct ShapeChange;

// What the rows of an extension type's values are.
enum class RowRule : uint8_t {
  kNoRows,         // there are none: each value stays whole, whatever shape() says
  kComponentRows,  // row i is made of row i of each component; all components have the axes of shape() in front
  kOwnRows,        // what the row functions of the type's values say, which replace those of ExtensionType
};

// The static half of an extension type's values. Immutable, shared.
//
// A derived class says how the type is called, what its static state is, and what its values' components are; it includes
// static_state.h. Everything else has a definition by the state, which derived
// classes may replace. A type whose values have rank >= 1 and whose components all have the value's axes in front needs nothing
// more to be stacked, sliced and used as a field of structured tensors. Values of other types have no rows, and become rows
// when they are stacked; see RowRule and tensor/extension_rows.h. Specs live in shared pointers, so that values made from
// components can keep theirs.
//
// Source: tf.TypeSpec in the RFC "Extension types".
class ExtensionTypeSpec : public std::enable_shared_from_this<ExtensionTypeSpec> {
 public:
  virtual ~ExtensionTypeSpec() = default;

  // The globally unique name of the type, "my_package.MaskedTensor".
  virtual std::string_view type_name() const = 0;
  // The shape of values, as far as it is known; [] for types that are no arrays. It shows only if there are rows, see
  // row_rule().
  virtual Shape shape() const { return Shape(); }

  // All that this spec knows: what WithState() needs to make it again.
  virtual Nest<StaticState> Serialize() const = 0;
  // The spec of this type with that state. States come from files too. Errors: InvalidArgument if it is no state of this type.
  virtual absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const = 0;

  // What the rows of values are. Here: kComponentRows if shape() has axes, and each of the ComponentSpecs() has them in front,
  // so that a spec of another number of rows has components with that number of rows; else kNoRows. A sparse tensor, whose
  // components have a row for each element that is not zero, has no rows by that.
  virtual RowRule row_rule() const;

  // The components of values: tensors, or other values.
  virtual Nest<TypeSpec> ComponentSpecs() const = 0;

  // Equal type_name() and equal states.
  virtual bool Equals(const ExtensionTypeSpec& other) const;
  virtual size_t Hash() const;
  // "my_package.MaskedTensor({'dtype': int64, 'shape': [2, None]})"
  virtual std::string DebugString() const;

  // As TypeSpec's functions. Equal type names, and states of equal structure in which shapes and specs are compatible
  // (subtypes, merged), and all else is equal.
  virtual bool IsCompatibleWith(const ExtensionTypeSpec& other) const;
  virtual bool IsSubtypeOf(const ExtensionTypeSpec& other) const;
  // Null if there is none.
  virtual std::shared_ptr<const ExtensionTypeSpec> MostSpecificCompatibleType(const ExtensionTypeSpec& other) const;

  // This spec with each shape and each spec of its state changed: what stacking and row operations make of it. Types with a
  // shape in their state that has nothing to do with the value's axes replace this. Errors: those of the change and of
  // WithState().
  virtual absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithShapes(const ShapeChange& change) const;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_
