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
// structured tensor, and then needs the row primitives.
class ExtensionType {
 public:
  virtual ~ExtensionType() = default;

  virtual std::shared_ptr<const ExtensionTypeSpec> spec() const = 0;
  // The size of axis 0; 1 for a scalar.
  virtual int64_t nrows() const = 0;
  virtual bool Equals(const ExtensionType& other) const = 0;

  // As Value's functions of these names, with the same requirements.
  virtual Value SliceRows(int64_t begin, int64_t end) const = 0;
  virtual Value Row(int64_t i) const = 0;
  virtual Value TakeRows(std::span<const int64_t> rows) const = 0;
  virtual Value WithOuterPartition(const RowPartition& partition) const = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPE_H_
