// The innermost loops of elementwise operations on dense tensors of different shapes.
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_BROADCAST_RUNS_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_BROADCAST_RUNS_H_

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::math_internal {

// Elements [out, out + size) of the result. They come from elements in[k], in[k] + step[k], ... of operand k, counted in the
// operand's own row-major order. Steps are 1 or 0.
struct BroadcastRun {
  int64_t size;
  int64_t out;
  absl::InlinedVector<int64_t, 3> in;
  absl::InlinedVector<int64_t, 3> step;
};

// The runs of a result whose operands are broadcast to its shape: as few runs as the shapes allow, and only one if the shapes
// are equal or scalars.
class BroadcastRuns {
 public:
  // Requires: with shapes aligned at the last axis, each dimension of an operand is 1 or equal to the dimension of `shape`.
  BroadcastRuns(const Shape& shape, std::span<const Tensor> operands);

  // How many elements the result has.
  int64_t size_elements() const { return size_elements_; }
  // In the order of the result; no runs of size 0.
  void ForEach(absl::FunctionRef<void(const BroadcastRun&)> visit) const;

 private:
  // Adjacent axes along which each operand is either read on or repeated.
  struct Loop {
    int64_t size;
    absl::InlinedVector<int64_t, 3> strides;  // one for each operand
  };

  int64_t size_elements_;
  size_t num_operands_;
  absl::InlinedVector<Loop, 4> loops_;  // innermost first
};

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_BROADCAST_RUNS_H_
