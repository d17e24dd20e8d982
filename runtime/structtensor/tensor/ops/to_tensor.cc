// The result is a sequence of rows of flat values and rows of padding. Source 0 of the rows are the flat values, source 1 is
// padding. So the result is described by a list of pieces, which is copied in the same way as everywhere.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/dense.h"
#include "structtensor/tensor/ops/shape_ops.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/row_pieces.h"

namespace structtensor {
namespace {

// The dimensions of the result.
absl::StatusOr<Shape> ResolveShape(const RaggedTensor& ragged, std::span<const int64_t> wanted) {
  const Shape needed = BoundingShape(ragged);
  if (wanted.size() > static_cast<size_t>(needed.rank())) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape has ", wanted.size(), " dimensions, but the ragged tensor has ", needed.rank(), " axes"));
  }
  std::vector<int64_t> dims(needed.dims().begin(), needed.dims().end());
  for (size_t axis = 0; axis < wanted.size(); ++axis) {
    if (wanted[axis] == -1) continue;
    const bool dense = axis > static_cast<size_t>(ragged.ragged_rank());
    if (wanted[axis] < 0 || (dense && wanted[axis] != dims[axis])) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", axis, " of shape is ", wanted[axis],
                                                     dense ? "; that axis is dense and has size " : "; rows need up to ",
                                                     dims[axis], dense ? "" : ". Dimensions are not negative, or -1 for that"));
    }
    dims[axis] = wanted[axis];
  }
  // A dimension of 0 counts as 1, because parts of the product must fit as well.
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(product, std::max<int64_t>(dim, 1), &product)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a dense array of shape ", Shape(dims).DebugString(), " has more elements than int64 can count"));
    }
  }
  return Shape(dims);
}

// Whether the text of the default value, in every place of `shape`, stays below 2 GiB.
bool FitsTensor(const Tensor& default_value, const Shape& shape) {
  const Buffer<int32_t>& offsets = default_value.string_offsets();
  const int64_t size_bytes = offsets[static_cast<size_t>(default_value.size_elements())] - offsets[0];
  const int64_t count = default_value.rank() == 0 ? shape.num_elements() : shape[0];
  int64_t total = 0;
  return !__builtin_mul_overflow(size_bytes, count, &total) && total <= std::numeric_limits<int32_t>::max();
}

// `count` rows of padding.
absl::StatusOr<Tensor> Padding(const RaggedTensor& ragged, const std::optional<Tensor>& default_value, int64_t count) {
  const Shape row_shape = ragged.flat_values().shape().DropOuter(1);
  const Shape shape = row_shape.Prepend(count);
  const Tensor::Strides everywhere(static_cast<size_t>(shape.rank()), 0);
  if (!default_value) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value zero, ZerosLike(Tensor::Scalar(int64_t{0}), ragged.dtype()));
    return zero.tensor()->View(0, shape, everywhere);
  }
  if (default_value->dtype() != ragged.dtype()) {
    return absl::InvalidArgumentError(absl::StrCat("the default value is ", ToAbsl(DTypeName(default_value->dtype())),
                                                   " and the values are ", ToAbsl(DTypeName(ragged.dtype())),
                                                   "; cast one of them"));
  }
  if (IsStringLike(default_value->dtype()) && !FitsTensor(*default_value, shape)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("padding of ", count, " rows of text would exceed 2 GiB, the most that one tensor can hold"));
  }
  if (default_value->rank() == 0) return default_value->View(0, shape, everywhere);
  if (default_value->shape() == row_shape) {
    Tensor::Strides strides = default_value->strides();
    strides.insert(strides.begin(), 0);
    return default_value->View(0, shape, strides);
  }
  return absl::InvalidArgumentError(absl::StrCat("the shape of the default value is ", default_value->shape().DebugString(),
                                                 "; it must be a scalar or of shape ", row_shape.DebugString()));
}

// Lists what the result is made of, row by row.
class Padder {
 public:
  Padder(const RaggedTensor& ragged, const Shape& shape)
      : shape_(shape), row_sizes_(static_cast<size_t>(ragged.ragged_rank()) + 1) {
    for (const RowPartition& partition : ragged.row_partitions()) readers_.emplace_back(partition);
    row_sizes_.back() = 1;
    for (size_t axis = row_sizes_.size() - 1; axis > 0; --axis) {
      row_sizes_[axis - 1] = row_sizes_[axis] * shape_[static_cast<int>(axis)];
    }
  }

  // Appends `range` of the values along `axis`, cut and padded to the size of the axis.
  void Append(size_t axis, RowRange range) {
    const int64_t size = shape_[static_cast<int>(axis)];
    const int64_t kept = std::min(range.size(), size);
    if (axis + 1 == row_sizes_.size()) {
      pieces_.Append(range.begin, range.begin + kept, 0);
    } else {
      for (int64_t row = range.begin; row < range.begin + kept; ++row) Append(axis + 1, readers_[axis].row(row));
    }
    AppendPadding((size - kept) * row_sizes_[axis]);
  }

  const values_internal::RowPieces& pieces() const { return pieces_; }
  int64_t longest_padding() const { return longest_padding_; }

 private:
  void AppendPadding(int64_t rows) {
    pieces_.Append(0, rows, 1);
    longest_padding_ = std::max(longest_padding_, rows);
  }

  const Shape& shape_;
  std::vector<ops_internal::RowReader> readers_;
  std::vector<int64_t> row_sizes_;  // for each partitioned axis: how many rows of flat values an element takes
  values_internal::RowPieces pieces_;
  int64_t longest_padding_ = 0;
};

}  // namespace

absl::StatusOr<Tensor> ToTensor(const RaggedTensor& ragged, const ToTensorOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Shape shape, ResolveShape(ragged, options.shape));
  Padder padder(ragged, shape);
  padder.Append(0, {0, ragged.nrows()});
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor padding, Padding(ragged, options.default_value, padder.longest_padding()));
  const std::array<Tensor, 2> sources = {ragged.flat_values(), padding};
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor rows, values_internal::CopyPieces(sources, padder.pieces()));
  return rows.Reshape(shape);
}

}  // namespace structtensor
