// A range of positions along each of some axes.
#ifndef STRUCTTENSOR_TENSOR_OPS_SLICE_H_
#define STRUCTTENSOR_TENSOR_OPS_SLICE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns positions [begin[i], begin[i] + size[i]) of each axis i; a size of -1 means all from begin on. Axes without numbers
// stay whole. On a ragged axis, each row gives the positions that it has, possibly none.
// Shapes: begin and size have equal length <= value.rank().
// Errors: InvalidArgument if begin and size do not fit each other or the value; OutOfRange if begin is negative, a size is
//   below -1, or the range exceeds an axis that is not ragged; ResourceExhausted and Unimplemented as in TakeRowsChecked.
// Cost: O(1) in the data along axis 0; views of dense tensors; else O(rows + result). Source: tf.slice.
absl::StatusOr<Value> Slice(const Value& value, std::span<const int64_t> begin, std::span<const int64_t> size);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SLICE_H_
