#include "structtensor/tensor/math/softmax.h"

#include <utility>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/arithmetic.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/reduce.h"
#include "structtensor/tensor/math/unary.h"

namespace structtensor {

absl::StatusOr<Value> Softmax(const Value& x, int64_t axis) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, math_internal::FlatValues("Softmax", x));
  const DType dtype = flat.dtype();
  if (!IsFloating(dtype))
    return math_internal::WrongDType("Softmax", dtype, "it needs floating point numbers; cast to double first");
  ReduceOptions along_axis;
  along_axis.axes = {axis};
  along_axis.keep_dims = true;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value scores, Cast(x, dtype == DType::kDouble ? dtype : DType::kFloat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value greatest, ReduceMax(scores, along_axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value distances, Subtract(scores, greatest));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value weights, Exp(distances));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value sums, ReduceSum(weights, along_axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value shares, Divide(weights, sums));
  return Cast(shares, dtype);
}

}  // namespace structtensor
