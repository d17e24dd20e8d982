// Arrays of zeros or ones in the shape of a value.
#ifndef STRUCTTENSOR_TENSOR_OPS_ZEROS_LIKE_H_
#define STRUCTTENSOR_TENSOR_OPS_ZEROS_LIKE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

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

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_ZEROS_LIKE_H_
