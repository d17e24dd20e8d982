#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {
namespace {

// `dims` with the inferred size in place of -1.
absl::StatusOr<Shape> ResolveDims(std::span<const int64_t> dims, int64_t size_elements, const Shape& from) {
  std::vector<int64_t> resolved(dims.begin(), dims.end());
  std::optional<size_t> inferred;
  int64_t product = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1 && !inferred) {
      inferred = i;
    } else if (dims[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", i, " is ", dims[i], "; dimensions must not be negative, except that one may be -1"));
    } else if (__builtin_mul_overflow(product, dims[i], &product)) {
      return absl::InvalidArgumentError("the product of the dimensions is more than int64 can count");
    }
  }
  if (inferred && product > 0) {
    resolved[*inferred] = size_elements / product;
    product *= resolved[*inferred];
  }
  if (product != size_elements || (inferred && resolved[*inferred] == -1)) {
    return absl::InvalidArgumentError(absl::StrCat("a value of shape ", from.DebugString(), ", which has ", size_elements,
                                                   " elements, cannot have shape ", Shape(dims).DebugString()));
  }
  return Shape(resolved);
}

}  // namespace

absl::StatusOr<Value> Reshape(const Value& value, std::span<const int64_t> dims) {
  const Shape shape = value.shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != kUnknownDimension) continue;
    return absl::InvalidArgumentError(absl::StrCat("axis ", axis,
                                                   " is ragged; only dense and uniform axes can be reshaped. Merge "
                                                   "it with MergeDims or pad it with ToTensor first"));
  }
  if (value.extension() != nullptr) {
    return absl::UnimplementedError("values of an extension type cannot be reshaped; reshape their components");
  }
  const int64_t size_elements = value.structured() != nullptr ? value.structured()->flat_nrows() : shape.num_elements();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Shape reshaped, ResolveDims(dims, size_elements, shape));
  if (value.tensor() != nullptr) return value.tensor()->Reshape(reshaped);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value merged,
                                value.rank() == 0 ? ops_internal::ScalarAsRow(value) : MergeDims(value, 0, -1));
  if (merged.tensor() != nullptr) return merged.tensor()->Reshape(reshaped);
  if (reshaped.rank() == 0) return merged.Row(0);
  ops_internal::AxisStack stack{{}, merged, 0};
  int64_t nrows = reshaped[0];
  for (int axis = 1; axis < reshaped.rank(); ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition,
                                  ops_internal::UniformPartition(reshaped[axis], nrows, ops_internal::RowSplitsDtype(value)));
    nrows = partition.nvals();
    stack.partitions.push_back(std::move(partition));
  }
  return ops_internal::JoinAxes(std::move(stack));
}

}  // namespace structtensor
