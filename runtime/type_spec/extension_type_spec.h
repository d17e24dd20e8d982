// The open end of the hierarchy of specs: what users derive from to add a type of their own.
#ifndef STRUCTTENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_
#define STRUCTTENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "structtensor/type_spec/shape.h"

namespace structtensor {

// The static half of an extension type's values. Immutable, shared.
class ExtensionTypeSpec {
 public:
  virtual ~ExtensionTypeSpec() = default;

  // The globally unique name of the type, "my_package.MaskedTensor".
  virtual std::string_view type_name() const = 0;
  // The shape of values, as far as it is known; [] for types that are no arrays.
  virtual Shape shape() const { return Shape(); }

  virtual bool Equals(const ExtensionTypeSpec& other) const = 0;
  virtual size_t Hash() const = 0;
  virtual std::string DebugString() const = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TYPE_SPEC_EXTENSION_TYPE_SPEC_H_
