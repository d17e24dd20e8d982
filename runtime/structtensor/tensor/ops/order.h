// Sorts, reverses, rotates and shuffles.
#ifndef STRUCTTENSOR_TENSOR_OPS_ORDER_H_
#define STRUCTTENSOR_TENSOR_OPS_ORDER_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/structured_tensor.h"
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

// Returns the structs of each row of the innermost axis in the order of their field at `path`; structs with equal values keep
// their order. Numbers sort by size, strings and bytes byte by byte, false before true. In both orders, NaN comes after all
// numbers and structs without a value come last.
// Shapes: structs have rank >= 1; the field has one value for each struct, or is optional.
// Errors: InvalidArgument if the structs are a scalar, or the field is repeated, a struct, or of an extension type; NotFound if
//   there is no such field; ResourceExhausted if there is no memory.
// Cost: O(n log n) comparisons in each row, and O(value).
absl::StatusOr<StructuredTensor> SortByField(const StructuredTensor& structs, std::string_view path,
                                             SortOrder order = SortOrder::kAscending);

// Returns the value with the order of the elements along each of `axes` reversed; on a ragged axis, within each row. Negative
// axes count from the end.
// Errors: InvalidArgument if there is no such axis, or it is named twice; ResourceExhausted and Unimplemented as in
//   TakeRowsChecked.
// Cost: O(result); dense tensors become views. Source: tf.reverse.
absl::StatusOr<Value> Reverse(const Value& value, std::span<const int64_t> axes);

// Returns the value with the elements along axes[i] moved by shifts[i] places, backwards if negative. Elements that leave the
// axis at one end come in at the other. On a ragged axis, each row rotates by itself. If an axis is named more than once, its
// shifts add up. Negative axes count from the end.
// Errors: InvalidArgument if there is no such axis, or shifts and axes differ in number; ResourceExhausted and Unimplemented as
//   in TakeRowsChecked.
// Cost: O(result). Source: tf.roll.
absl::StatusOr<Value> Roll(const Value& value, std::span<const int64_t> shifts, std::span<const int64_t> axes);

// Returns the rows of axis 0 in an order that depends only on `seed` and the number of rows. Two values with the same number of
// rows, shuffled with the same seed, stay aligned. All orders are equally likely over the seeds, as far as 64 bits allow.
// Errors: InvalidArgument if the value is a scalar. Cost: O(value). Source: tf.random.shuffle.
absl::StatusOr<Value> Shuffle(const Value& value, uint64_t seed);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_ORDER_H_
