// Elements in order.
#ifndef STRUCTTENSOR_OPS_SORT_H_
#define STRUCTTENSOR_OPS_SORT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

enum class SortOrder : bool { kAscending, kDescending };

// Returns the value with the elements of each row of `axis` in order:
//
//   Sort([[3, 1, 2], [], [5, 4]])      [[1, 2, 3], [], [4, 5]]
//   Argsort([[3, 1, 2], [], [5, 4]])   [[1, 2, 0], [], [1, 0]]
//
// Numbers by size, strings and bytes byte by byte, false before true; NaN behind all numbers, and absent elements last, in both
// orders. Elements that are equal stay in the order they had.
// Shapes: those of the value, a tensor or ragged tensor of rank >= 1; row partitions are shared. Along an axis with dense ones
//   behind it each column is sorted by itself. `axis` counts from the end if negative.
// Errors: InvalidArgument if there is no such axis, there are ragged axes behind it, or the value is a struct (SortByField
//   sorts those) or of an extension type; ResourceExhausted if there is no memory.
// Cost: O(n log n) comparisons in each row. Source: tf.sort, applied to each row of a ragged axis.
absl::StatusOr<Value> Sort(const Value& value, int64_t axis = -1, SortOrder order = SortOrder::kAscending);

// Returns, in the place of each element of Sort(value, axis, order), the position in its row where it stood: int32.
// Errors: as Sort; ResourceExhausted if rows have more elements than int32 counts. Source: tf.argsort with stable=True.
absl::StatusOr<Value> Argsort(const Value& value, int64_t axis = -1, SortOrder order = SortOrder::kAscending);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_OPS_SORT_H_
