// A value taken apart along an axis.
#ifndef STRUCTTENSOR_OPS_UNSTACK_H_
#define STRUCTTENSOR_OPS_UNSTACK_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns what is at each position of `axis`, without that axis; negative axes count from the end.
// Errors: InvalidArgument if there is no such axis, or it is ragged, so that rows have different positions; ResourceExhausted,
//   Unimplemented as TakeRowsChecked.
// Cost: along axis 0 O(positions), sharing memory; else O(value). Source: tf.unstack.
absl::StatusOr<std::vector<Value>> Unstack(const Value& value, int64_t axis = 0);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_UNSTACK_H_
