// Reductions of tensors and ragged tensors: all elements along some axes become one element.
//
//   ReduceSum([[1, 2], [], [3]])                      6
//   ReduceSum([[1, 2], [], [3]], {.axes = {1}})     [3, 0, 3]
//   ReduceSum([[1, 2], [], [3]], {.axes = {0}})     [4, 2]
//
// If ragged axes follow a reduced axis, elements at the same place of their rows are reduced together, and the result is as
// long as the longest of the rows. Absent elements do not count; elements of the result are never absent. float16 and bfloat16
// are computed as float; sums of floating point numbers are added up as double.
//
// Errors, in all: InvalidArgument if the value is a struct (the message names its fields) or of an extension type, there is no
//   such axis, an axis is given twice, or the function does not work on the elements' dtype; ResourceExhausted if the result
//   is too big. Cost: O(elements).
#ifndef STRUCTTENSOR_TENSOR_MATH_REDUCE_H_
#define STRUCTTENSOR_TENSOR_MATH_REDUCE_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A list of axes, or all: {1} is axis 1, {} and std::nullopt are all axes, and an empty vector is none.
class Axes {
 public:
  Axes() = default;
  Axes(std::nullopt_t) {}  // NOLINT: `axes = std::nullopt` is all axes
  Axes(std::initializer_list<int64_t> axes) : axes_(std::vector(axes)) {}
  Axes(std::vector<int64_t> axes) : axes_(std::move(axes)) {}  // NOLINT: a list of integers is a list of axes

  // Null for all axes. The pointer lives as long as this object.
  const std::vector<int64_t>* list() const { return axes_.has_value() ? &*axes_ : nullptr; }

 private:
  std::optional<std::vector<int64_t>> axes_;
};

struct ReduceOptions {
  // Which axes to reduce; negative ones count from the end. Default: all, to a scalar.
  Axes axes = {};
  // Leave axes of size 1 in the place of the reduced ones. Default: remove them.
  bool keep_dims = false;
};

// The sum or product of numbers, in their dtype; integers wrap around. Without elements: 0 and 1.
absl::StatusOr<Value> ReduceSum(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceProd(const Value& value, const ReduceOptions& options = {});

// The least or the greatest number, timestamp or duration; NaN if an element is NaN. Without elements: the greatest and the
// least finite number of the dtype, as in TensorFlow for ragged tensors.
absl::StatusOr<Value> ReduceMin(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceMax(const Value& value, const ReduceOptions& options = {});

// The result keeps the dtype of floating point numbers; it is double for integers. Without elements: NaN. The variance is the
// population variance, and the standard deviation is its square root.
absl::StatusOr<Value> ReduceMean(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceVariance(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceStd(const Value& value, const ReduceOptions& options = {});

// For booleans. Without elements: false and true.
absl::StatusOr<Value> ReduceAny(const Value& value, const ReduceOptions& options = {});
absl::StatusOr<Value> ReduceAll(const Value& value, const ReduceOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_REDUCE_H_
