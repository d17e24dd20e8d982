// Values in arrays, so that datasets can batch values of types that they do not know.
//
//   value       ragged [[1, 2], [], [3]]
//   boxed       shape [3], of tensors [1, 2], [], [3]
//
// A value of an extension type without rows, such as a sparse tensor, is boxed whole. The spec of several such values stacked
// is the spec of the ExtensionRows that Stack() makes; Stacked() does not give it.
// Source: tf.StackableTypeSpec in the RFC "Extension types". Stacked and Unstacked are in tensor/type_spec/row_axes.h.
#ifndef STRUCTTENSOR_TENSOR_EXTENSION_TYPES_BOXED_H_
#define STRUCTTENSOR_TENSOR_EXTENSION_TYPES_BOXED_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A dense array whose elements are values, in row-major order; each shares the memory of the value that it was cut from.
class BoxedTensor {
 public:
  // Errors: InvalidArgument if shape is not fully known, or its number of elements is not the number of values.
  static absl::StatusOr<BoxedTensor> Make(Shape shape, std::vector<Value> values);

  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  const std::vector<Value>& values() const { return values_; }

 private:
  BoxedTensor(Shape shape, std::vector<Value> values) : shape_(std::move(shape)), values_(std::move(values)) {}

  Shape shape_;
  std::vector<Value> values_;
};

// Returns the boxed values as one value of this spec.
// Errors: InvalidArgument if the spec has fewer axes than the array, or elements are of other types; the errors of ConcatRows.
//   Cost: O(data).
absl::StatusOr<Value> FromBoxed(const TypeSpec& spec, const BoxedTensor& boxed);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPES_BOXED_H_
