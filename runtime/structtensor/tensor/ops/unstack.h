// A value split along an axis, one value for each position.
#ifndef STRUCTTENSOR_TENSOR_OPS_UNSTACK_H_
#define STRUCTTENSOR_TENSOR_OPS_UNSTACK_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the part at each position of `axis`, without that axis; a negative axis counts from the end.
// Errors: InvalidArgument if there is no such axis, or it is ragged; ResourceExhausted and Unimplemented as in TakeRowsChecked.
// Cost: along axis 0 O(positions), sharing memory; else O(value). Source: tf.unstack.
absl::StatusOr<std::vector<Value>> Unstack(const Value& value, int64_t axis = 0);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_UNSTACK_H_
