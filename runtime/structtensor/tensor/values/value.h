// A value of any kind, for code that walks structures whose types it does not know.
#ifndef STRUCTTENSOR_TENSOR_VALUES_VALUE_H_
#define STRUCTTENSOR_TENSOR_VALUES_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/extension_type.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A Tensor, a RaggedTensor, a StructuredTensor or an ExtensionType. A handle, as they are.
class Value {
 public:
  Value(Tensor value) : value_(std::move(value)) {}            // NOLINT: a Tensor is a Value
  Value(RaggedTensor value) : value_(std::move(value)) {}      // NOLINT
  Value(StructuredTensor value) : value_(std::move(value)) {}  // NOLINT
  // Requires: value is not null.
  Value(std::shared_ptr<const ExtensionType> value) : value_(std::move(value)) {}  // NOLINT

  // The value if it is of that kind, else null. The pointer lives as long as this Value.
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const RaggedTensor* ragged() const { return std::get_if<RaggedTensor>(&value_); }
  const StructuredTensor* structured() const { return std::get_if<StructuredTensor>(&value_); }
  const ExtensionType* extension() const {
    const auto* value = std::get_if<std::shared_ptr<const ExtensionType>>(&value_);
    return value == nullptr ? nullptr : value->get();
  }

  // For an extension type, see ExtensionType::rank(). Values of types without rows have rank 0.
  int rank() const;
  // The size of axis 0; 1 for a scalar.
  int64_t nrows() const;
  Shape shape() const;
  TypeSpec spec() const;

  // Rows [begin, end) of axis 0, sharing memory. Requires: rank() >= 1, 0 <= begin <= end <= nrows().
  Value SliceRows(int64_t begin, int64_t end) const;
  // Row i without axis 0. Requires: rank() >= 1, 0 <= i < nrows().
  Value Row(int64_t i) const;

  // Like the values' own operators; values of different kinds differ.
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<Tensor, RaggedTensor, StructuredTensor, std::shared_ptr<const ExtensionType>> value_;
};

// A field of a struct.
struct Field {
  std::string name;
  Value value;
};

// The value whose row i is rows partition.row(i) of `inner`. A dense inner stays dense if the partition is uniform and not
// optional, else it becomes ragged. Requires: inner.rank() >= 1, partition.nvals() == inner.nrows(). No data is copied.
Value WithOuterPartition(const RowPartition& partition, const Value& inner);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_VALUE_H_
