// A value cut along an axis.
#ifndef STRUCTTENSOR_TENSOR_OPS_SPLIT_H_
#define STRUCTTENSOR_TENSOR_OPS_SPLIT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns consecutive parts of these sizes along `axis`. One size may be -1: it takes what the others leave. A negative axis
// counts from the end.
// Errors: InvalidArgument if there is no such axis, it is ragged, a size is below -1, -1 comes twice, or the sizes do not add
//   up to the size of the axis; ResourceExhausted and Unimplemented as in TakeRowsChecked.
// Cost: O(number of parts), sharing memory, along axis 0 and for dense tensors; else O(value). Source: tf.split.
absl::StatusOr<std::vector<Value>> Split(const Value& value, std::span<const int64_t> sizes, int64_t axis = 0);

// Returns `count` parts of equal size. An axis without values gives empty parts.
// Errors: the errors of Split; InvalidArgument if count is not positive or does not divide the axis, or the axis has no values
//   and count is more than 65,536.
absl::StatusOr<std::vector<Value>> SplitEvenly(const Value& value, int64_t count, int64_t axis = 0);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SPLIT_H_
