// How often each integer occurs.
#ifndef STRUCTTENSOR_MATH_BINCOUNT_H_
#define STRUCTTENSOR_MATH_BINCOUNT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/tensor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/dtype.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct BincountOptions {
  // Count for each innermost row on its own. Default: all elements together.
  bool by_row = false;
  // At least so many counts. Default: what the greatest element needs.
  int64_t min_length = 0;
  // At most so many counts; greater elements are left out. Default: no limit.
  std::optional<int64_t> max_length = std::nullopt;
  // Whether an integer occurs, 0 or 1. Default: how often.
  bool binary = false;
  DType dtype = DType::kInt32;  // of the counts: kInt32 or kInt64
};

// Returns counts: number i occurs counts[i] times, for i from 0 to the greatest element of the value.
// Shapes: [length], or [nrows, length] by row. Absent elements do not count.
// Errors: InvalidArgument if the value is a struct or of an extension type, elements are not int32, int64 or uint32, or one of
//   them is negative, a length is negative, dtype is another one, or the value counted by row has not one or two axes;
//   ResourceExhausted if there is no memory for the counts. Cost: O(elements + counts). Source: tf.math.bincount.
absl::StatusOr<Tensor> Bincount(const Value& value, const BincountOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_MATH_BINCOUNT_H_
