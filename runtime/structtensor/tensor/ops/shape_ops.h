// The rank, size and shape of values, and values of the same shape.
#ifndef STRUCTTENSOR_TENSOR_OPS_SHAPE_OPS_H_
#define STRUCTTENSOR_TENSOR_OPS_SHAPE_OPS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns value.rank() as an int32 scalar, for graphs of operations. Source: tf.rank.
inline Tensor Rank(const Value& value) { return Tensor::Scalar(int32_t{value.rank()}); }

// Returns the number of elements of an array, or of structs in a structured tensor, as a scalar.
// Errors: InvalidArgument if dtype is neither kInt32 nor kInt64; OutOfRange if the number does not fit in kInt32; Unimplemented
//   for extension types whose shape is not known. Source: tf.size.
absl::StatusOr<Tensor> Size(const Value& value, DType dtype = DType::kInt32);

// Returns the number of rows, and for each other axis the length of its longest row (0 if there are no rows) or its dense size.
// For structs, only their own axes count. An extension type reports its own shape.
// Cost: O(rows). Source: tf.RaggedTensor.bounding_shape.
Shape BoundingShape(const Value& value);

// Returns an array of zeros (false, empty strings) in the shape of `value`, with shared row partitions. For structs: one number
// for each struct, in a tensor if they have at most one axis, else in a ragged tensor with their partitions.
// Default dtype: the dtype of value; float for structs.
// Errors: Unimplemented for extension types.
// Cost: O(rank), since the array is a view of one element; O(result) when its elements are first asked for. Source:
// tf.zeros_like.
absl::StatusOr<Value> ZerosLike(const Value& value, std::optional<DType> dtype = std::nullopt);

// Returns ones (true) instead of zeros. Errors: also InvalidArgument for strings and bytes, which have no 1. Source:
// tf.ones_like.
absl::StatusOr<Value> OnesLike(const Value& value, std::optional<DType> dtype = std::nullopt);

// Returns the value itself: values are immutable, so a handle is as good as a copy. Source: tf.identity.
inline Value Identity(const Value& value) { return value; }

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SHAPE_OPS_H_
