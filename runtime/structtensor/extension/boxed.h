// Values in arrays. Boxes let code stack and unstack values of unknown types, so that datasets can batch them.
//
//   value       ragged [[1, 2], [], [3]], minimum_rank 1
//   boxed       shape [3], of tensors [1, 2], [], [3]
//
// Stacking, unstacking and concatenating boxes does the same to the values in them:
//   FromBoxed(Stacked(spec, n), StackBoxes({ToBoxed(spec, v0), ..., ToBoxed(spec, vn-1)}))      is v0, ..., vn-1 stacked
//   FromBoxed(Unstacked(spec), UnstackBoxes(ToBoxed(spec, v, 1))[i])                            is row i of v
// A value of an extension type without rows, such as a sparse tensor, is boxed whole. The spec of several such values stacked
// is the spec of the ExtensionRows that Stack() makes; Stacked() does not give it.
// Source: tf.StackableTypeSpec in the RFC "Extension types". Stacked and Unstacked are in type_spec/row_axes.h.
#ifndef STRUCTTENSOR_EXTENSION_BOXED_H_
#define STRUCTTENSOR_EXTENSION_BOXED_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/shape.h"
#include "structtensor/type_spec/type_spec.h"

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

// The static shape of a boxed tensor, and the spec of its elements.
struct BoxedTensorSpec {
  Shape shape;
  TypeSpec element;

  friend bool operator==(const BoxedTensorSpec&, const BoxedTensorSpec&) = default;
};

// Returns the value boxed in an array of minimum_rank axes, which are the outer axes of the value.
// Errors: InvalidArgument if the value does not have this spec, minimum_rank is negative or above its rank, or one of these
//   axes after axis 0 has rows of different lengths. Cost: O(boxes), no data is copied.
absl::StatusOr<BoxedTensor> ToBoxed(const TypeSpec& spec, const Value& value, int minimum_rank = 0);

// Returns the boxed value, of this spec. The boxes may have been stacked, unstacked and concatenated before.
// Errors: InvalidArgument if the spec has fewer axes than the array, or elements are of other types; the errors of ConcatRows.
//   Cost: O(data).
absl::StatusOr<Value> FromBoxed(const TypeSpec& spec, const BoxedTensor& boxed);

// Returns the spec of ToBoxed(spec, v, minimum_rank) for all values v of this spec.
// Errors: InvalidArgument if minimum_rank is negative or above the rank.
absl::StatusOr<BoxedTensorSpec> BoxedSpec(const TypeSpec& spec, int minimum_rank = 0);

// Returns the array with a new axis 0 whose rows are `boxes`. Errors: InvalidArgument if shapes differ, or there are no boxes.
absl::StatusOr<BoxedTensor> StackBoxes(std::span<const BoxedTensor> boxes);
// Returns the array with the rows of all `boxes`. Errors: InvalidArgument if one is a scalar, inner shapes differ, or there are
// no boxes.
absl::StatusOr<BoxedTensor> ConcatBoxes(std::span<const BoxedTensor> boxes);
// Returns the rows of the array. Errors: InvalidArgument if it is a scalar.
absl::StatusOr<std::vector<BoxedTensor>> UnstackBoxes(const BoxedTensor& boxed);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXTENSION_BOXED_H_
