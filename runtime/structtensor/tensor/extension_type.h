// Values of types that users define: anything that can be taken apart into tensors and put together again.
#ifndef STRUCTTENSOR_TENSOR_EXTENSION_TYPE_H_
#define STRUCTTENSOR_TENSOR_EXTENSION_TYPE_H_

#include <cstdint>
#include <memory>
#include <span>

#include "structtensor/type_spec/extension_type_spec.h"

namespace structtensor {

class RowPartition;
class Value;

// The dynamic half of an extension type; its static half is spec(). Immutable, shared. A value of rank >= 1 can be a field of a
// structured tensor, and then needs the row primitives. Those here take the value apart, do the same to every component, and put
// the results together under the spec that WithShapes() gives: right for types whose components all have the value's outer axes.
// Requires of such types: FromComponents() takes rows of its own components, and for WithOuterPartition() ragged ones.
class ExtensionType {
 public:
  virtual ~ExtensionType() = default;

  virtual std::shared_ptr<const ExtensionTypeSpec> spec() const = 0;
  // The size of axis 0; 1 for a scalar. Here: that of the spec, or of the first component.
  virtual int64_t nrows() const;
  // Here: equal specs and equal components.
  virtual bool Equals(const ExtensionType& other) const;

  // As Value's functions of these names, with the same requirements.
  virtual Value SliceRows(int64_t begin, int64_t end) const;
  virtual Value Row(int64_t i) const;
  virtual Value TakeRows(std::span<const int64_t> rows) const;
  virtual Value WithOuterPartition(const RowPartition& partition) const;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPE_H_
