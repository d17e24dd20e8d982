#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/internal/index_list.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

absl::Status OutOfBounds(int64_t point, size_t axis, int64_t index, int64_t size) {
  return absl::OutOfRangeError(absl::StrCat("coordinate ", axis, " of point ", point, " is ", index, ", but axis ", axis,
                                            " has ", size, " values there; it must be in [0, ", size, ")"));
}

// The rows of stack.inner at `count` points. Each point has as many coordinates as the stack has axes.
absl::StatusOr<NewBuffer<int64_t>> ResolvePoints(const ops_internal::AxisStack& stack,
                                                 const ops_internal::IndexList& coordinates, int64_t count, RowBounds bounds) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows, NewBuffer<int64_t>::Allocate(count));
  std::vector<ops_internal::RowReader> readers;
  for (const RowPartition& partition : stack.partitions) readers.emplace_back(partition);
  const size_t num_axes = readers.size() + 1;
  const int64_t nrows = stack.partitions.empty() ? stack.inner.nrows() : stack.partitions.front().nrows();
  const int64_t* next = coordinates.span().data();
  for (int64_t point = 0; point < count; ++point) {
    int64_t row = next[0];
    if (row < 0 || row >= nrows) return OutOfBounds(point, 0, row, nrows);
    for (size_t axis = 1; axis < num_axes; ++axis) {
      const RowPartition& partition = stack.partitions[axis - 1];
      const RowRange range = readers[axis - 1].row(row);
      const int64_t index = next[axis];
      if (index < 0 || index >= range.size()) {
        const bool reaches = bounds == RowBounds::kValues && !partition.uniform_row_length() && -range.begin <= index &&
                             index < partition.nvals() - range.begin;
        if (!reaches) return OutOfBounds(point, axis, index, range.size());
      }
      row = range.begin + index;
    }
    rows.data()[point] = row;
    next += num_axes;
  }
  return rows;
}

// The indices of `indices.inner`, whose axis 0 is the batch elements, with the number of the batch element as first coordinate.
absl::StatusOr<Value> WithBatchCoordinate(const Value& indices) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack points, ops_internal::SplitAtAxis(indices, indices.rank() - 2));
  const Tensor* const flat = points.inner.tensor();
  if (flat == nullptr) return indices;  // GatherNd() reports it
  const int64_t num_coordinates = flat->shape()[1];
  const int64_t count = flat->nrows();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::IndexList coordinates, ops_internal::IndexList::Make(*flat));
  std::vector<int64_t> extended;
  extended.reserve(static_cast<size_t>(count * (num_coordinates + 1)));
  const auto append = [&](int64_t batch_element, int64_t begin, int64_t end) {
    for (int64_t point = begin; point < end; ++point) {
      extended.push_back(batch_element);
      for (int64_t i = 0; i < num_coordinates; ++i) extended.push_back(coordinates[point * num_coordinates + i]);
    }
  };
  if (points.partitions.empty()) {
    for (int64_t i = 0; i < count; ++i) append(i, i, i + 1);
  } else {
    const RowPartition of_batch = ops_internal::ComposePartitions(points.partitions);
    const ops_internal::RowReader rows(of_batch);
    for (int64_t i = 0; i < of_batch.nrows(); ++i) append(i, rows.row(i).begin, rows.row(i).end);
  }
  points.inner = Tensor::FromVector(extended).Reshape(Shape({count, num_coordinates + 1}));
  return ops_internal::JoinAxes(std::move(points));
}

absl::StatusOr<Value> GatherNdOfBatch(const Value& params, const Value& indices, RowBounds bounds, int64_t batch_dims) {
  if (batch_dims < 0 || batch_dims >= indices.rank() || batch_dims > params.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("batch_dims is ", batch_dims, ", but the value has ", params.rank(),
                                                   " axes and the indices have ", indices.rank(),
                                                   ", the last one for the coordinates"));
  }
  const int batch_axis = static_cast<int>(batch_dims) - 1;
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack batch, ops_internal::SplitAtAxis(params, batch_axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::AxisStack of_indices, ops_internal::SplitAtAxis(indices, batch_axis));
  STRUCTTENSOR_RETURN_IF_ERROR(
      ops_internal::CheckSameAxes(batch, "params", of_indices, "indices", static_cast<int>(batch_dims)));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value points, WithBatchCoordinate(of_indices.inner));
  STRUCTTENSOR_ASSIGN_OR_RETURN(batch.inner, GatherNd(batch.inner, points, bounds));
  return ops_internal::JoinAxes(std::move(batch));
}

}  // namespace

absl::StatusOr<Value> GatherNd(const Value& params, const Value& indices, RowBounds bounds, int64_t batch_dims) {
  if (batch_dims != 0) return GatherNdOfBatch(params, indices, bounds, batch_dims);
  const Tensor* flat = indices.ragged() != nullptr ? &indices.ragged()->flat_values() : indices.tensor();
  if (flat == nullptr || indices.rank() == 0 || (indices.ragged() != nullptr && flat->rank() == 1)) {
    return absl::InvalidArgumentError(absl::StrCat("indices are ", indices.spec().DebugString(),
                                                   "; they must be integers, and their last axis dense: the coordinates"));
  }
  const int64_t num_coordinates = flat->shape()[flat->rank() - 1];
  if (num_coordinates > params.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices give ", num_coordinates, " coordinates, but the value has ", params.rank(), " axes"));
  }
  // The result begins with all axes of the indices except the last one. The axes of `params` follow.
  ops_internal::AxisStack points{{}, indices, 0};
  int64_t count = 1;
  if (indices.rank() > 1) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(points, ops_internal::SplitAtAxis(indices, indices.rank() - 2));
    count = points.inner.nrows();
    for (RowPartition& partition : points.partitions) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(partition, ops_internal::CastPartition(partition, ops_internal::RowSplitsDtype(params)));
    }
  }
  if (num_coordinates == 0) {
    // Without coordinates, every point is the whole of `params`. The indices may have any dtype: nothing says that [] has
    // integers.
    Value whole = params;
    if (params.rank() == 0) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(whole, ops_internal::ScalarAsRow(params));
    } else {
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_row,
                                    ops_internal::UniformPartition(params.nrows(), 1, ops_internal::RowSplitsDtype(params)));
      whole = ops_internal::JoinAxes({{std::move(one_row)}, params, 0});
    }
    const std::vector<int64_t> first(static_cast<size_t>(count), 0);
    STRUCTTENSOR_ASSIGN_OR_RETURN(points.inner, values_internal::TakeRowsChecked(whole, first));
  } else {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::IndexList coordinates, ops_internal::IndexList::Make(*flat));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::AxisStack stack,
                                  ops_internal::SplitAtAxis(params, static_cast<int>(num_coordinates) - 1));
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows, ResolvePoints(stack, coordinates, count, bounds));
    STRUCTTENSOR_ASSIGN_OR_RETURN(points.inner,
                                  values_internal::TakeRowsChecked(stack.inner, {rows.data(), rows.size_elements()}));
  }
  if (indices.rank() == 1) return points.inner.Row(0);
  return ops_internal::JoinAxes(std::move(points));
}

}  // namespace structtensor
