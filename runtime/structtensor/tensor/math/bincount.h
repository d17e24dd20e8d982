// How often each integer occurs.
#ifndef STRUCTTENSOR_TENSOR_MATH_BINCOUNT_H_
#define STRUCTTENSOR_TENSOR_MATH_BINCOUNT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct BincountOptions {
  // Count each innermost row separately. Default: count all elements together.
  bool by_row = false;
  // The least number of counts. Default: enough for the greatest element.
  int64_t min_length = 0;
  // The greatest number of counts; elements that would need more are ignored. Default: no limit.
  std::optional<int64_t> max_length = std::nullopt;
  // Return 1 if an integer occurs and 0 if not. Default: how often it occurs.
  bool binary = false;
  DType dtype = DType::kInt32;  // of the counts: kInt32 or kInt64
};

// Returns counts: number i occurs counts[i] times, for i from 0 to the greatest element of the value.
// Shapes: [length]; [nrows, length] with `by_row` if the value has two axes. Absent elements do not count.
// Errors: InvalidArgument if the value is a struct or of an extension type, elements are not int32, int64 or uint32, an element
//   or a length is negative, the dtype option is not kInt32 or kInt64, or a value counted by row does not have one or two axes;
//   ResourceExhausted if there is no memory for the counts. Cost: O(elements + counts). Source: tf.math.bincount.
absl::StatusOr<Tensor> Bincount(const Value& value, const BincountOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_BINCOUNT_H_
