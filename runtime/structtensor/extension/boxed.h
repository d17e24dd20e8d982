// Values in arrays: what lets code stack and unstack values that it knows nothing about, so that datasets can batch them.
//
//   value       ragged [[1, 2], [], [3]], minimum_rank 1
//   boxed       shape [3], of tensors [1, 2], [], [3]
//
// Stacking, unstacking and concatenating boxes is stacking, unstacking and concatenating what is in them:
//   FromBoxed(Stacked(spec, n), StackBoxes({ToBoxed(spec, v0), ..., ToBoxed(spec, vn-1)}))      is v0, ..., vn-1 stacked
//   FromBoxed(Unstacked(spec), UnstackBoxes(ToBoxed(spec, v, 1))[i])                            is row i of v
// A value of an extension type without rows, such as a sparse tensor, is boxed whole. The spec of several of them stacked is
// that of the value that Stack() makes, ExtensionRows; Stacked() has none.
// Source: tf.StackableTypeSpec in the RFC "Extension types". The specs' side, Stacked and Unstacked, is in
// type_spec/row_axes.h.
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

// A dense array whose elements are values, in row-major order; each shares the memory of what it was cut from.
class BoxedTensor {
 public:
  // Errors: InvalidArgument if shape is not fully known, or has another number of elements than there are values.
  static absl::StatusOr<BoxedTensor> Make(Shape shape, std::vector<Value> values);

  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  const std::vector<Value>& values() const { return values_; }

 private:
  BoxedTensor(Shape shape, std::vector<Value> values) : shape_(std::move(shape)), values_(std::move(values)) {}

  Shape shape_;
  std::vector<Value> values_;
};

// Of a boxed tensor, as far as it is known.
struct BoxedTensorSpec {
  Shape shape;
  TypeSpec element;

  friend bool operator==(const BoxedTensorSpec&, const BoxedTensorSpec&) = default;
};

// The value in an array of minimum_rank axes, which are its outer ones.
// Errors: InvalidArgument if the value does not have that spec, minimum_rank is negative or above its rank, or one of those
//   axes behind axis 0 has rows of different lengths. Cost: O(boxes), no data is copied.
absl::StatusOr<BoxedTensor> ToBoxed(const TypeSpec& spec, const Value& value, int minimum_rank = 0);

// The value of that spec that is boxed, whatever stacking, unstacking and concatenating the boxes went through.
// Errors: InvalidArgument if there is no such value: the spec has fewer axes than the array, or elements are of other types;
//   those of ConcatRows. Cost: O(data).
absl::StatusOr<Value> FromBoxed(const TypeSpec& spec, const BoxedTensor& boxed);

// The spec of ToBoxed(spec, v, minimum_rank) for all values v of that spec.
// Errors: InvalidArgument if minimum_rank is negative or above the rank.
absl::StatusOr<BoxedTensorSpec> BoxedSpec(const TypeSpec& spec, int minimum_rank = 0);

// The array with a new axis 0, of which `boxes` are the rows. Errors: InvalidArgument if shapes differ, or there are no boxes.
absl::StatusOr<BoxedTensor> StackBoxes(std::span<const BoxedTensor> boxes);
// The array whose rows are the rows of `boxes`. Errors: InvalidArgument if one is a scalar, inner shapes differ, or there are
// none.
absl::StatusOr<BoxedTensor> ConcatBoxes(std::span<const BoxedTensor> boxes);
// The rows of the array. Errors: InvalidArgument if it is a scalar.
absl::StatusOr<std::vector<BoxedTensor>> UnstackBoxes(const BoxedTensor& boxed);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXTENSION_BOXED_H_
