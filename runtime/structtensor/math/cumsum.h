// Running sums.
#ifndef STRUCTTENSOR_MATH_CUMSUM_H_
#define STRUCTTENSOR_MATH_CUMSUM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct CumsumOptions {
  // Leave the element itself out of its sum, which then begins with 0. Default: it is in.
  bool exclusive = false;
  // Sum from the end of the axis. Default: from its begin.
  bool reverse = false;
};

// Returns for each element the sum of those before it along the axis, and its own; along an axis that has ragged ones behind
// it, of those at the same place of their rows.
//   [[1, 2], [], [3]]   along axis 1: [[1, 3], [], [3]]   along axis 0: [[1, 2], [], [4]]
// Shapes, dtype: those of the value; row partitions are shared. Integers wrap around; floating point numbers are added up as
// double. An absent element adds nothing, and stays absent.
// Errors: InvalidArgument if the value is a struct or of an extension type, has no such axis, or no numbers; ResourceExhausted
//   if there is no memory. Cost: O(elements). Source: tf.cumsum.
absl::StatusOr<Value> Cumsum(const Value& value, int64_t axis = 0, const CumsumOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_MATH_CUMSUM_H_
