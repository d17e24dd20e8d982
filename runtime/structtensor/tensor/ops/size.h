// How many elements a value has.
#ifndef STRUCTTENSOR_TENSOR_OPS_SIZE_H_
#define STRUCTTENSOR_TENSOR_OPS_SIZE_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the number of elements of an array, or of structs in a structured tensor, as a scalar.
// Errors: InvalidArgument if dtype is neither kInt32 nor kInt64; OutOfRange if the number does not fit in kInt32; Unimplemented
//   for extension types whose shape is not known. Source: tf.size.
absl::StatusOr<Tensor> Size(const Value& value, DType dtype = DType::kInt32);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SIZE_H_
