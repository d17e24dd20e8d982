// Running sums.
#ifndef STRUCTTENSOR_TENSOR_MATH_CUMSUM_H_
#define STRUCTTENSOR_TENSOR_MATH_CUMSUM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct CumsumOptions {
  // Leave the element itself out of its sum, so that the first sum is 0. Default: the sum includes it.
  bool exclusive = false;
  // Sum from the end of the axis. Default: from its start.
  bool reverse = false;
};

// Returns for each element the sum of the elements before it along the axis and of the element itself. If ragged axes follow
// the axis, elements at the same place of their rows are summed.
//   [[1, 2], [], [3]]   along axis 1: [[1, 3], [], [3]]   along axis 0: [[1, 2], [], [4]]
// Shapes, dtype: as the value; row partitions are shared. Integers wrap around; floating point numbers are added up as
// double. An absent element adds nothing, and stays absent.
// Errors: InvalidArgument if the value is a struct or of an extension type, there is no such axis, or elements are not numbers;
//   ResourceExhausted if there is no memory. Cost: O(elements). Source: tf.cumsum.
absl::StatusOr<Value> Cumsum(const Value& value, int64_t axis = 0, const CumsumOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_CUMSUM_H_
