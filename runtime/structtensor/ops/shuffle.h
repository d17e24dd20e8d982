// Rows in random order.
#ifndef STRUCTTENSOR_OPS_SHUFFLE_H_
#define STRUCTTENSOR_OPS_SHUFFLE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the rows of axis 0 in an order that depends on `seed` and the number of rows only: two values of as many rows that
// are shuffled with one seed stay aligned. All orders are equally likely over the seeds, as far as 64 bits tell them apart.
// Errors: InvalidArgument if the value is a scalar. Cost: O(value). Source: tf.random.shuffle.
absl::StatusOr<Value> Shuffle(const Value& value, uint64_t seed);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_SHUFFLE_H_
