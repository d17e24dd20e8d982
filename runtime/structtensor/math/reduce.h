// Reductions of tensors and ragged tensors: one element for all that lie along some axes.
//
//   ReduceSum([[1, 2], [], [3]])                      6
//   ReduceSum([[1, 2], [], [3]], {.axes = {{1}}})     [3, 0, 3]
//   ReduceSum([[1, 2], [], [3]], {.axes = {{0}}})     [4, 2]
//
// Along an axis that has ragged ones behind it, the elements at the same place come together, and the result has as many places
// as the longest of the rows. Absent elements do not count; elements of the result are never absent. float16 and bfloat16 are
// computed as float; sums of floating point numbers are added up as double.
//
// Errors, in all: InvalidArgument if the value is a struct (the message names its fields) or of an extension type, there is no
//   such axis, one is given twice, or elements are of another dtype than the function is for; ResourceExhausted if the result
//   is too big. Cost: O(elements).
#ifndef STRUCTTENSOR_MATH_REDUCE_H_
#define STRUCTTENSOR_MATH_REDUCE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct ReduceOptions {
  // Which axes to reduce; negative ones count from the end. Default: all, to a scalar.
  std::optional<std::vector<int64_t>> axes = std::nullopt;
  // Leave axes of size 1 in the place of the reduced ones. Default: remove them.
  bool keep_dims = false;
};

// Numbers of the same dtype; integers wrap around. Of nothing: 0 and 1.
absl::StatusOr<Value> ReduceSum(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceProd(const Value& value, const ReduceOptions& options = {});

// The least and the greatest, of numbers, timestamps and durations; NaN if one is NaN. Of nothing: the greatest and the least
// finite number of the dtype, as TensorFlow has it for ragged tensors.
absl::StatusOr<Value> ReduceMin(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceMax(const Value& value, const ReduceOptions& options = {});

// Of floating point numbers the same dtype, of integers double. Of nothing: NaN. The variance is that of the whole population,
// and the standard deviation its root.
absl::StatusOr<Value> ReduceMean(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceVariance(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceStd(const Value& value, const ReduceOptions& options = {});

// Of booleans. Of nothing: false and true.
absl::StatusOr<Value> ReduceAny(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceAll(const Value& value, const ReduceOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_MATH_REDUCE_H_
