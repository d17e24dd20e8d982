// Elements in sorted order.
#ifndef STRUCTTENSOR_TENSOR_OPS_SORT_H_
#define STRUCTTENSOR_TENSOR_OPS_SORT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

enum class SortOrder : bool { kAscending, kDescending };

// Returns the value with the elements of each row of `axis` sorted:
//
//   Sort([[3, 1, 2], [], [5, 4]])      [[1, 2, 3], [], [4, 5]]
//   Argsort([[3, 1, 2], [], [5, 4]])   [[1, 2, 0], [], [1, 0]]
//
// Numbers sort by size, strings and bytes byte by byte, false before true. In both orders, NaN comes after all numbers and
// absent elements come last. Equal elements keep their order.
// Shapes: value is a tensor or ragged tensor of rank >= 1. The result has its shape and shares its row partitions. If dense
//   axes follow `axis`, each column is sorted by itself. `axis` counts from the end if negative.
// Errors: InvalidArgument if there is no such axis, ragged axes follow it, or the value is a struct (use SortByField) or of an
//   extension type; ResourceExhausted if there is no memory.
// Cost: O(n log n) comparisons in each row. Source: tf.sort, applied to each row of a ragged axis.
absl::StatusOr<Value> Sort(const Value& value, int64_t axis = -1, SortOrder order = SortOrder::kAscending);

// Returns, for each element of Sort(value, axis, order), its position in the unsorted row: int32.
// Errors: the errors of Sort; ResourceExhausted if a row has more elements than int32 can count. Source: tf.argsort with
//   stable=True.
absl::StatusOr<Value> Argsort(const Value& value, int64_t axis = -1, SortOrder order = SortOrder::kAscending);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SORT_H_
