// Where the elements of a dense or ragged array are.
#ifndef STRUCTTENSOR_TENSOR_OPS_INTERNAL_COORDINATES_H_
#define STRUCTTENSOR_TENSOR_OPS_INTERNAL_COORDINATES_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::ops_internal {

// Returns the coordinates of some elements of an array, one row for each element. `elements` are their indices in row-major
// order.
// Shapes: result int64 [elements.size(), value.rank()]. Requires: value is a tensor or a ragged tensor; elements ascend and
// exist.
// Errors: ResourceExhausted if there is no memory. Cost: O(elements + rows of ragged axes).
absl::StatusOr<Tensor> CoordinatesOf(const Value& value, std::span<const int64_t> elements);

// Returns the coordinates of all elements.
absl::StatusOr<Tensor> Coordinates(const Value& value);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_INTERNAL_COORDINATES_H_
