// Rows distributed to numbered partitions.
#ifndef STRUCTTENSOR_TENSOR_OPS_DYNAMIC_PARTITION_H_
#define STRUCTTENSOR_TENSOR_OPS_DYNAMIC_PARTITION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The most partitions allowed.
inline constexpr int64_t kMaxDynamicPartitions = int64_t{1} << 24;

// Returns num_partitions values: value k has the parts of `data` whose partition is k, in their order in `data`.
//
//   data [[1, 2], [], [3]]   partitions [1, 0, 1]        [[]]        [[1, 2], [3]]
//   data [[1, 2], [], [3]]   partitions [[0, 1], [], [0]]    [1, 3]      [2]
//
// Shapes: partitions are integers and have the outer axes of data, ragged or not; for partitions of rank p, each result has
//   shape [number of parts] + data.shape[p:]. A scalar puts all of `data` as one part into one result. `data` may be structs.
// Errors: InvalidArgument if partitions are not integers, one is not in [0, num_partitions) (the message names the first),
//   their axes are not the outer axes of data, or num_partitions is negative; ResourceExhausted if num_partitions exceeds
//   kMaxDynamicPartitions, and as in TakeRowsChecked; Unimplemented for inner axes of extension types.
// Cost: O(data + num_partitions). Source: tf.dynamic_partition.
absl::StatusOr<std::vector<Value>> DynamicPartition(const Value& data, const Value& partitions, int64_t num_partitions);

// Returns the results of DynamicPartition() as one ragged value of num_partitions rows. Source:
// tf.ragged.stack_dynamic_partitions.
absl::StatusOr<Value> StackDynamicPartitions(const Value& data, const Value& partitions, int64_t num_partitions);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_DYNAMIC_PARTITION_H_
