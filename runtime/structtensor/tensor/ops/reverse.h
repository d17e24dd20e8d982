// Elements along axes in reverse order.
#ifndef STRUCTTENSOR_TENSOR_OPS_REVERSE_H_
#define STRUCTTENSOR_TENSOR_OPS_REVERSE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with the order of the elements along each of `axes` reversed; on a ragged axis, within each row. Negative
// axes count from the end.
// Errors: InvalidArgument if there is no such axis, or it is named twice; ResourceExhausted and Unimplemented as in
//   TakeRowsChecked.
// Cost: O(result); dense tensors become views. Source: tf.reverse.
absl::StatusOr<Value> Reverse(const Value& value, std::span<const int64_t> axes);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_REVERSE_H_
