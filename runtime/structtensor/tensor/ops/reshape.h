// The same elements with other dimensions.
#ifndef STRUCTTENSOR_TENSOR_OPS_RESHAPE_H_
#define STRUCTTENSOR_TENSOR_OPS_RESHAPE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the elements of `value`, in row-major order, as an array of shape `dims`. One dimension may be -1: it is computed
// from the others. For structs, `dims` are the axes of the structs, without the axes of their fields.
// Shapes: all axes of value are dense or uniform; the products of its dimensions and of dims are the same.
// Errors: InvalidArgument if an axis is ragged (merge it into another one, or make it dense, first), a dimension is below -1,
//   -1 comes twice, or the products differ; Unimplemented for extension types.
// Cost: O(rank), no data is copied; a strided view is made contiguous. Source: tf.reshape.
absl::StatusOr<Value> Reshape(const Value& value, std::span<const int64_t> dims);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_RESHAPE_H_
