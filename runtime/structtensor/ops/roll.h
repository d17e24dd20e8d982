// Axes turned round.
#ifndef STRUCTTENSOR_OPS_ROLL_H_
#define STRUCTTENSOR_OPS_ROLL_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value with what is along axes[i] moved by shifts[i] places, backwards if negative; what leaves the axis at one
// end comes in at the other. Of a ragged axis, in each row. Shifts of an axis that is named more than once add up. Negative
// axes count from the end.
// Errors: InvalidArgument if there is no such axis, or shifts and axes are not equally many; ResourceExhausted, Unimplemented
//   as TakeRowsChecked.
// Cost: O(result). Source: tf.roll.
absl::StatusOr<Value> Roll(const Value& value, std::span<const int64_t> shifts, std::span<const int64_t> axes);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_ROLL_H_
