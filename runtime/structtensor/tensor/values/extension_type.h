// Values of types that users define: anything that can be taken apart into tensors and put together again.
#ifndef STRUCTTENSOR_TENSOR_VALUES_EXTENSION_TYPE_H_
#define STRUCTTENSOR_TENSOR_VALUES_EXTENSION_TYPE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/extension_type_spec.h"
#include "structtensor/tensor/type_spec/nest.h"

#pragma GCC visibility push(default)

namespace structtensor {

class ExtensionType;
class RowPartition;
class Value;

// The base of specs of types with values. It also says how values become components and back.
class ExtensionValueSpec : public ExtensionTypeSpec {
 public:
  // Takes `value` apart, in the structure of ComponentSpecs(). Requires: value is of this type.
  virtual Nest<Value> ToComponents(const ExtensionType& value) const = 0;
  // Returns the value of this spec that ToComponents() takes apart into these components. Dense components become ragged under
  // row partitions, and where rows of different lengths are stacked. Components that the type refuses are kept as
  // ExtensionRows.
  // Errors: InvalidArgument if they cannot be components of this type.
  virtual absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const = 0;

  std::shared_ptr<const ExtensionValueSpec> shared_from_this() const {
    return std::static_pointer_cast<const ExtensionValueSpec>(ExtensionTypeSpec::shared_from_this());
  }
};

// The dynamic half of an extension type; spec() is the static half. Immutable, shared. A value of rank >= 1 can be a field of a
// structured tensor, and the row functions cut it into rows. The row functions of this class take the value apart, do the same
// to every component, and put the results together under the spec that WithShapes() gives. What the type refuses, such as
// ragged components, is kept as ExtensionRows (extension_rows.h), so rows can always be cut.
class ExtensionType {
 public:
  virtual ~ExtensionType() = default;

  virtual std::shared_ptr<const ExtensionValueSpec> spec() const = 0;
  // The number of axes of the value: as many as the spec's shape() has. 0 if the spec's row_rule() is kNoRows, or this value's
  // components do not have those axes in common. A value of rank 0 is never cut.
  // Cost: O(row splits) at the first call, then O(1).
  int rank() const;
  // The size of axis 0; 1 for a scalar. Default: the size in the spec, or of the first component.
  virtual int64_t nrows() const;
  // Default: equal specs and equal components.
  virtual bool Equals(const ExtensionType& other) const;

  // Like Value's functions of these names, with the same requirements. A type that overrides them has RowRule::kOwnRows.
  virtual Value SliceRows(int64_t begin, int64_t end) const;
  virtual Value Row(int64_t i) const;
  virtual Value WithOuterPartition(const RowPartition& partition) const;
  // Like TakeRowsChecked(): any rows, any number of times. Errors: ResourceExhausted if they cannot be counted or held.
  virtual absl::StatusOr<Value> TakeRows(std::span<const int64_t> rows) const;

 protected:
  ExtensionType() = default;
  ExtensionType(const ExtensionType& /*other*/) {}
  ExtensionType& operator=(const ExtensionType&) = delete;

 private:
  static constexpr int kNotCounted = -1;

  mutable std::atomic<int> rank_{kNotCounted};
};

// Returns spec.FromComponents(components).
// Errors: InvalidArgument if the spec is not an ExtensionValueSpec, so that no value has it; and the errors of
//   FromComponents().
absl::StatusOr<Value> FromComponents(const ExtensionTypeSpec& spec, const Nest<Value>& components);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_EXTENSION_TYPE_H_
