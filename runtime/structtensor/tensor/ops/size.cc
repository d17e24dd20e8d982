#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/shape_ops.h"

namespace structtensor {

absl::StatusOr<Tensor> Size(const Value& value, DType dtype) {
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("the dtype of a size is ", ToAbsl(DTypeName(dtype)), "; it must be int32 or int64"));
  }
  int64_t size = 0;
  if (value.structured() != nullptr) {
    size = value.structured()->flat_nrows();
  } else if (value.ragged() != nullptr) {
    size = value.ragged()->flat_values().size_elements();
  } else {
    size = value.shape().num_elements();
    if (size == kUnknownDimension) {
      return absl::UnimplementedError(absl::StrCat("the shape of ", value.spec().DebugString(), " does not show its size"));
    }
  }
  if (dtype == DType::kInt64) return Tensor::Scalar(size);
  if (size > std::numeric_limits<int32_t>::max()) {
    return absl::OutOfRangeError(absl::StrCat("the value has ", size, " elements, which int32 cannot count; use int64"));
  }
  return Tensor::Scalar(static_cast<int32_t>(size));
}

}  // namespace structtensor
