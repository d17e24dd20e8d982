// Shared code of elementwise operations on two values. Each family of operations has a file that instantiates ComputeBinary().
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_BINARY_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_BINARY_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/internal/broadcast_runs.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/validity.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::math_internal {

// Two tensors of one dtype that fit each other, and the shape and validity of their result.
struct BinaryOperands {
  std::string_view op;
  Tensor x;
  Tensor y;
  Shape shape;
  BroadcastRuns runs;
  Validity validity;  // absent where x or y is absent

  DType dtype() const { return x.dtype(); }
};

// Broadcasts the values, checks that their dtypes agree, and applies `compute` to their flat values.
// Errors: InvalidArgument if a value is not a tensor or ragged tensor, dtypes differ or shapes don't fit; ResourceExhausted if
//   the result is too big; and the errors of `compute`. Messages begin with `op`.
absl::StatusOr<Value> ApplyBinary(std::string_view op, const Value& x, const Value& y,
                                  absl::FunctionRef<absl::StatusOr<Tensor>(const BinaryOperands&)> compute);

// Computes with the elements as floats, and rounds the results to operands.dtype(), which is float16 or bfloat16.
absl::StatusOr<Tensor> ComputeViaFloat(const BinaryOperands& operands,
                                       absl::FunctionRef<absl::StatusOr<Tensor>(const BinaryOperands&)> compute);

// Errors: InvalidArgument if `dtype` is not a dtype of numbers, with advice what to do.
absl::Status CheckNumber(std::string_view op, DType dtype);
// Errors: InvalidArgument if `dtype` is not a dtype of floating point numbers, with advice what to do.
absl::Status CheckFloating(std::string_view op, DType dtype);
// The InvalidArgument for operands of different dtypes, with the cast that loses least.
absl::Status DTypesDiffer(std::string_view op, DType x, DType y);

// Returns the validity of a result of several tensors that are broadcast to one shape: an element is present where all are.
// Errors: ResourceExhausted if there is no memory.
absl::StatusOr<Validity> CommonValidity(std::span<const Tensor> operands, const BroadcastRuns& runs);

// f(x element, y element) for all elements of the result. Requires: operands are stored as In.
template <typename In, typename Out, typename F>
absl::StatusOr<Buffer<Out>> ComputeBinary(const BinaryOperands& operands, F f) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<Out> buffer, NewBuffer<Out>::Allocate(operands.runs.size_elements()));
  const In* const all_x = operands.x.values<In>().data();
  const In* const all_y = operands.y.values<In>().data();
  operands.runs.ForEach([&](const BroadcastRun& run) {
    const In* const x = all_x + run.in[0];
    const In* const y = all_y + run.in[1];
    Out* const out = buffer.data() + run.out;
    // A loop for each pair of steps, so that the compiler vectorizes them.
    if (run.step[0] != 0 && run.step[1] != 0) {
      for (int64_t i = 0; i < run.size; ++i) out[i] = f(x[i], y[i]);
    } else if (run.step[0] != 0) {
      const In only_y = *y;
      for (int64_t i = 0; i < run.size; ++i) out[i] = f(x[i], only_y);
    } else {
      const In only_x = *x;
      for (int64_t i = 0; i < run.size; ++i) out[i] = f(only_x, y[i * run.step[1]]);
    }
  });
  return std::move(buffer).Finish();
}

// f<T>(x element, y element) for floating point numbers; float16 and bfloat16 are computed as float.
// Errors: InvalidArgument if elements are not floating point numbers; and the errors of ApplyBinary.
template <typename F>
absl::StatusOr<Value> OfPairsOfFloatingPoint(std::string_view op, const Value& x, const Value& y, F f) {
  const auto compute = [f]<typename T>(const BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<T> values, (ComputeBinary<T, T>(operands, f)));
    return Tensor::FromBuffer(std::move(values), operands.shape, operands.dtype(), operands.validity);
  };
  return ApplyBinary(op, x, y, [&](const BinaryOperands& operands) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFloating(op, operands.dtype()));
    if (operands.dtype() == DType::kDouble) return compute.template operator()<double>(operands);
    if (operands.dtype() == DType::kFloat) return compute.template operator()<float>(operands);
    return ComputeViaFloat(operands, [&](const BinaryOperands& floats) { return compute.template operator()<float>(floats); });
  });
}

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_BINARY_H_
