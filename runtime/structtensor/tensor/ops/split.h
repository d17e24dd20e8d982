// Splits a value along an axis.
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

// Returns the part at each position of `axis`, without that axis; a negative axis counts from the end.
// Errors: InvalidArgument if there is no such axis, or it is ragged; ResourceExhausted and Unimplemented as in TakeRowsChecked.
// Cost: along axis 0 O(positions), sharing memory; else O(value). Source: tf.unstack.
absl::StatusOr<std::vector<Value>> Unstack(const Value& value, int64_t axis = 0);

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

#endif  // STRUCTTENSOR_TENSOR_OPS_SPLIT_H_
