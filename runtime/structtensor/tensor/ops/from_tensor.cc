#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/dense.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/values/shared/row_pieces.h"

namespace structtensor {
namespace {

absl::Status CheckOptions(const Tensor& tensor, const FromTensorOptions& options) {
  if (options.ragged_rank < 1 || options.ragged_rank >= tensor.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("ragged_rank is ", options.ragged_rank, "; of a tensor with ", tensor.rank(),
                                                   " axes it must be in [1, ", tensor.rank(), ")"));
  }
  if (options.row_splits_dtype != DType::kInt32 && options.row_splits_dtype != DType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("row_splits_dtype is ", ToAbsl(DTypeName(options.row_splits_dtype)), "; it must be int32 or int64"));
  }
  if (options.padding && options.lengths) {
    return absl::InvalidArgumentError("both padding and lengths are given; pass only one of them");
  }
  return absl::OkStatus();
}

// How many of the `size` values of each row come before its padding. `values`: the rows, one after the other.
absl::StatusOr<std::vector<int64_t>> LengthsBeforePadding(const Tensor& values, int64_t nrows, int64_t size,
                                                          const Tensor& padding) {
  const Shape value_shape = values.shape().DropOuter(1);
  if (padding.dtype() != values.dtype() || (padding.rank() != 0 && !(padding.shape() == value_shape))) {
    return absl::InvalidArgumentError(absl::StrCat("padding is ", TypeSpec(padding.spec()).DebugString(),
                                                   "; it must be a scalar of ", ToAbsl(DTypeName(values.dtype())),
                                                   ", or of shape ", value_shape.DebugString()));
  }
  Tensor pad = padding;
  if (padding.rank() == 0) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(pad,
                                  padding.View(0, value_shape, Tensor::Strides(static_cast<size_t>(value_shape.rank()), 0)));
  }
  std::vector<int64_t> lengths(static_cast<size_t>(nrows));
  for (int64_t row = 0; row < nrows; ++row) {
    int64_t length = size;
    while (length > 0 && values.Row(row * size + length - 1) == pad) --length;
    lengths[static_cast<size_t>(row)] = length;
  }
  return lengths;
}

absl::Status CheckLengths(std::span<const int64_t> lengths, int64_t nrows, int64_t size) {
  if (static_cast<int64_t>(lengths.size()) != nrows) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", lengths.size(), " lengths for ", nrows, " rows"));
  }
  for (size_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] >= 0 && lengths[row] <= size) continue;
    return absl::InvalidArgumentError(absl::StrCat("lengths[", row, "] is ", lengths[row], "; rows have ", size,
                                                   " values, so it must be in [0, ", size, "]"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RaggedTensor> FromTensor(const Tensor& tensor, const FromTensorOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckOptions(tensor, options));
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(tensor, options.ragged_rank));
  for (RowPartition& partition : stack.partitions) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(partition, ops_internal::CastPartition(partition, options.row_splits_dtype));
  }
  Tensor values = *stack.inner.tensor();
  const int64_t nrows = stack.partitions.back().nrows();
  const int64_t size = tensor.shape()[options.ragged_rank];
  std::vector<int64_t> lengths;
  if (options.lengths) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckLengths(*options.lengths, nrows, size));
    lengths.assign(options.lengths->begin(), options.lengths->end());
  } else if (options.padding) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(lengths, LengthsBeforePadding(values, nrows, size, *options.padding));
  } else {
    return RaggedTensor::FromRowPartitionsUnchecked(std::move(stack.partitions), std::move(values));
  }
  values_internal::RowPieces pieces;
  pieces.Reserve(lengths.size());
  for (int64_t row = 0; row < nrows; ++row) pieces.Append(row * size, row * size + lengths[static_cast<size_t>(row)]);
  STRUCTTENSOR_ASSIGN_OR_RETURN(values, values_internal::CopyPieces(std::span<const Tensor>(&values, 1), pieces));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition rows,
                                RowPartition::FromRowLengths(Buffer<int64_t>::FromVector(std::move(lengths))));
  STRUCTTENSOR_ASSIGN_OR_RETURN(stack.partitions.back(), ops_internal::CastPartition(rows, options.row_splits_dtype));
  return RaggedTensor::FromRowPartitionsUnchecked(std::move(stack.partitions), std::move(values));
}

}  // namespace structtensor
