#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/split.h"

namespace structtensor {

absl::StatusOr<std::vector<Value>> Unstack(const Value& value, int64_t axis) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int unstacked_axis, ops_internal::ResolveAxis(axis, value.rank()));
  const int64_t size = value.shape()[unstacked_axis];
  if (size == kUnknownDimension) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " is ragged: its rows differ in length; only dense and uniform axes can be unstacked"));
  }
  std::vector<Value> values;
  values.reserve(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    if (unstacked_axis == 0) {
      values.push_back(value.Row(i));
    } else if (value.tensor() != nullptr) {
      values.push_back(value.tensor()->SelectAxis(unstacked_axis, i));
    } else {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value selected, Gather(value, Tensor::Scalar(i), {.axis = unstacked_axis}));
      values.push_back(selected);
    }
  }
  return values;
}

}  // namespace structtensor
