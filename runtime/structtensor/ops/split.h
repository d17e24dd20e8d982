// A value cut along an axis.
#ifndef STRUCTTENSOR_OPS_SPLIT_H_
#define STRUCTTENSOR_OPS_SPLIT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the parts of those sizes along `axis`, one after the other. One size may be -1: what the others leave. Negative axes
// count from the end.
// Errors: InvalidArgument if there is no such axis, it is ragged, a size is negative or -1 comes twice, or the sizes do not add
//   up to that of the axis; ResourceExhausted, Unimplemented as TakeRowsChecked.
// Cost: along axis 0, and of dense tensors, O(number of parts), sharing memory; else O(value). Source: tf.split.
absl::StatusOr<std::vector<Value>> Split(const Value& value, std::span<const int64_t> sizes, int64_t axis = 0);

// Returns `count` parts of equal size. Errors: also InvalidArgument if count is not positive or does not divide the axis.
absl::StatusOr<std::vector<Value>> SplitEvenly(const Value& value, int64_t count, int64_t axis = 0);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_SPLIT_H_
