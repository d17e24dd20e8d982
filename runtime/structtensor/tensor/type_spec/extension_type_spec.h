// The base of the specs that users define. Types with values derive from ExtensionValueSpec (tensor/values/extension_type.h).
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/shape.h"

#pragma GCC visibility push(default)

namespace structtensor {

class StaticState;
class TypeSpec;
struct ShapeChange;

// What the rows of an extension type's values are.
enum class RowRule : uint8_t {
  kNoRows,         // no rows: each value stays whole, whatever shape() says
  kComponentRows,  // row i is made of row i of each component; all components have the axes of shape() in front
  kOwnRows,        // what the values' own row functions say; they override those of ExtensionType
};

// The static half of an extension type's values. Immutable, shared.
//
// A derived class gives the name of the type, its static state, and the components of its values; it includes static_state.h.
// All other functions have a default that follows from the state; derived classes may override it. A type whose values have
// rank >= 1 and whose components all have the value's axes in front needs nothing more to be stacked, sliced and used as a
// field of structured tensors. Values of other types have no rows, and become rows when they are stacked; see RowRule and
// tensor/values/extension_rows.h. Specs live in shared pointers, so that values made from components can keep their spec.
//
// Source: tf.TypeSpec in the RFC "Extension types".
class ExtensionTypeSpec : public std::enable_shared_from_this<ExtensionTypeSpec> {
 public:
  virtual ~ExtensionTypeSpec() = default;

  // The globally unique name of the type, "my_package.MaskedTensor".
  virtual std::string_view type_name() const = 0;
  // The shape of values, as far as it is known; [] for types that are not arrays. Callers see it only if there are rows, see
  // row_rule().
  virtual Shape shape() const { return Shape(); }

  // All that this spec knows: WithState() makes the spec again from it.
  virtual Nest<StaticState> Serialize() const = 0;
  // The spec of this type with that state. Errors: InvalidArgument if it is not a state of this type (states come from files
  // too).
  virtual absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const = 0;

  // What the rows of values are. Default: kComponentRows if shape() has axes, and each of the ComponentSpecs() has them in
  // front, so that a spec with another number of rows has components with that number of rows; else kNoRows. By this rule a
  // sparse tensor has no rows: its components have a row for each element that is not zero.
  virtual RowRule row_rule() const;

  // The components of values: tensors, or other values.
  virtual Nest<TypeSpec> ComponentSpecs() const = 0;

  // Default: equal type_name() and equal states.
  virtual bool Equals(const ExtensionTypeSpec& other) const;
  virtual size_t Hash() const;
  // "my_package.MaskedTensor({'dtype': int64, 'shape': [2, None]})"
  virtual std::string DebugString() const;

  // Like TypeSpec's functions. Default: type names are equal; states have equal structure; shapes and specs in the states are
  // compatible (subtypes, merged), and all else is equal.
  virtual bool IsCompatibleWith(const ExtensionTypeSpec& other) const;
  virtual bool IsSubtypeOf(const ExtensionTypeSpec& other) const;
  // Null if there is no such spec.
  virtual std::shared_ptr<const ExtensionTypeSpec> MostSpecificCompatibleType(const ExtensionTypeSpec& other) const;

  // This spec with each shape and each spec of its state changed: what stacking and row operations make of it. Types with a
  // shape in their state that is not about the value's axes override this.
  // Errors: the errors of the change and of WithState().
  virtual absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithShapes(const ShapeChange& change) const;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_
