// Rows in random order.
#ifndef STRUCTTENSOR_TENSOR_OPS_SHUFFLE_H_
#define STRUCTTENSOR_TENSOR_OPS_SHUFFLE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the rows of axis 0 in an order that depends only on `seed` and the number of rows. Two values with the same number of
// rows, shuffled with the same seed, stay aligned. All orders are equally likely over the seeds, as far as 64 bits allow.
// Errors: InvalidArgument if the value is a scalar. Cost: O(value). Source: tf.random.shuffle.
absl::StatusOr<Value> Shuffle(const Value& value, uint64_t seed);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SHUFFLE_H_
