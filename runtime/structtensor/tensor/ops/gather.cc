// All cases are the same: there are groups of rows of `params`, and each group has indices that select from it. Along an inner
// axis, the groups are the rows of its partition. Along axis 0, there is one group. Without batch axes, all groups share the
// indices, so the indices are repeated. With batch axes, each batch element has its own indices.
#include "structtensor/tensor/ops/gather.h"

#include <cassert>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/internal/index_list.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

absl::Status OutOfBounds(int64_t position, int64_t index, int64_t size) {
  return absl::OutOfRangeError(absl::StrCat("index number ", position, " is ", index, ", but it selects from ", size,
                                            size == 1 ? " row" : " rows", "; it must be in [0, ", size, ")"));
}

absl::Status CheckBounds(std::span<const int64_t> rows, int64_t nrows) {
  // Compared as unsigned numbers, negative indices are too big as well.
  for (size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<uint64_t>(rows[i]) >= static_cast<uint64_t>(nrows)) {
      return OutOfBounds(static_cast<int64_t>(i), rows[i], nrows);
    }
  }
  return absl::OkStatus();
}

// An index array: a list of indices, and the partitions around it. The partitions have the dtype of the result's row splits.
struct Indices {
  std::vector<RowPartition> partitions;
  size_t num_ragged = 0;
  ops_internal::IndexList flat;

  // Requires: value is a tensor or ragged tensor of rank >= 1.
  static absl::StatusOr<Indices> Make(const Value& value, DType row_splits_dtype) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(value, value.rank() - 1));
    for (RowPartition& partition : stack.partitions) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(partition, ops_internal::CastPartition(partition, row_splits_dtype));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::IndexList flat, ops_internal::IndexList::Make(*stack.inner.tensor()));
    return Indices{std::move(stack.partitions), stack.num_ragged, std::move(flat)};
  }
};

absl::StatusOr<Value> GatherRows(const Value& params, const Value& indices) {
  if (indices.rank() == 0) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::IndexList index, ops_internal::IndexList::Make(*indices.tensor()));
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBounds(index.span(), params.nrows()));
    return params.Row(index[0]);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(Indices list, Indices::Make(indices, ops_internal::RowSplitsDtype(params)));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckBounds(list.flat.span(), params.nrows()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken, values_internal::TakeRowsChecked(params, list.flat.span()));
  return ops_internal::JoinAxes({std::move(list.partitions), taken, list.num_ragged});
}

// The batch element of each group of `params` along `axis`. Requires: the axis comes after the batch axes.
absl::StatusOr<std::vector<int64_t>> BatchOfGroups(const ops_internal::AxisStack& params, int batch_dims, int axis) {
  const std::span<const RowPartition> partitions = params.partitions;
  const int64_t num_groups = partitions[static_cast<size_t>(axis) - 1].nrows();
  std::vector<int64_t> batch;
  if (batch_dims == 0) {
    batch.assign(static_cast<size_t>(num_groups), 0);
    return batch;
  }
  batch.reserve(static_cast<size_t>(num_groups));
  const RowPartition of_batch = ops_internal::ComposePartitions(
      partitions.subspan(static_cast<size_t>(batch_dims) - 1, static_cast<size_t>(axis - batch_dims)));
  const ops_internal::RowReader rows(of_batch);
  for (int64_t i = 0; i < of_batch.nrows(); ++i) batch.insert(batch.end(), static_cast<size_t>(rows.row(i).size()), i);
  return batch;
}

// The index array with its batch axes merged into one. Row i has the indices for group i of `params`.
absl::StatusOr<Value> IndicesOfGroups(const ops_internal::AxisStack& params, const Value& indices, int batch_dims, int axis) {
  if (batch_dims == 0) {
    // All groups share the indices: the indices become the only row of an array with one more axis.
    ops_internal::AxisStack stack{{}, indices, 0};
    if (indices.rank() == 0) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(stack.inner, ops_internal::ScalarAsRow(indices));
    } else {
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_row,
                                    ops_internal::UniformPartition(indices.nrows(), 1, ops_internal::RowSplitsDtype(indices)));
      stack.partitions.push_back(std::move(one_row));
    }
    const Value row = ops_internal::JoinAxes(std::move(stack));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> batch, BatchOfGroups(params, batch_dims, axis));
    return values_internal::TakeRowsChecked(row, batch);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::AxisStack stack, ops_internal::SplitAtAxis(indices, batch_dims - 1));
  STRUCTTENSOR_RETURN_IF_ERROR(ops_internal::CheckSameAxes(params, "params", stack, "indices", batch_dims));
  if (axis == batch_dims) return stack.inner;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> batch, BatchOfGroups(params, batch_dims, axis));
  return values_internal::TakeRowsChecked(stack.inner, batch);
}

// The rows that the indices select. `index_groups`: row i has the indices of group i, which are elements of `flat`.
absl::StatusOr<NewBuffer<int64_t>> ResolveRows(const RowPartition& groups, const RowPartition& index_groups,
                                               const ops_internal::IndexList& flat, int64_t nrows, RowBounds bounds) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows, NewBuffer<int64_t>::Allocate(flat.size()));
  const bool within_row = bounds == RowBounds::kRow || groups.uniform_row_length();
  const ops_internal::RowReader group_rows(groups);
  const ops_internal::RowReader index_rows(index_groups);
  for (int64_t group = 0; group < groups.nrows(); ++group) {
    const RowRange row = group_rows.row(group);
    const RowRange indices = index_rows.row(group);
    for (int64_t i = indices.begin; i < indices.end; ++i) {
      const int64_t index = flat[i];
      const bool in_row = static_cast<uint64_t>(index) < static_cast<uint64_t>(row.size());
      if (!in_row) {
        const bool in_values = -row.begin <= index && index < nrows - row.begin;
        if (within_row || !in_values) return OutOfBounds(i, index, row.size());
      }
      rows.data()[i] = row.begin + index;
    }
  }
  return rows;
}

absl::StatusOr<Value> GatherInner(const Value& params, const Value& indices, int batch_dims, int axis, RowBounds bounds) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(params, axis));
  const RowPartition groups = stack.partitions.back();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value of_groups, IndicesOfGroups(stack, indices, batch_dims, axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Indices list, Indices::Make(of_groups, groups.dtype()));
  std::optional<RowPartition> index_groups;
  if (list.partitions.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(index_groups, ops_internal::UniformPartition(1, groups.nrows(), DType::kInt64));
  } else {
    index_groups = ops_internal::ComposePartitions(list.partitions);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows,
                                ResolveRows(groups, *index_groups, list.flat, stack.inner.nrows(), bounds));
  STRUCTTENSOR_ASSIGN_OR_RETURN(stack.inner,
                                values_internal::TakeRowsChecked(stack.inner, {rows.data(), rows.size_elements()}));
  // The axes of the indices replace the axis.
  stack.partitions.pop_back();
  const size_t num_outer = stack.partitions.size();
  stack.num_ragged = num_outer < stack.num_ragged ? num_outer + list.num_ragged : stack.num_ragged;
  stack.partitions.insert(stack.partitions.end(), list.partitions.begin(), list.partitions.end());
  return ops_internal::JoinAxes(std::move(stack));
}

}  // namespace

absl::StatusOr<Value> Gather(const Value& params, const Value& indices, const GatherOptions& options) {
  if (indices.tensor() == nullptr && indices.ragged() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices are ", indices.spec().DebugString(), "; they must be a tensor or ragged tensor of integers"));
  }
  const int64_t batch_dims = options.batch_dims < 0 ? options.batch_dims + indices.rank() : options.batch_dims;
  if (batch_dims < 0 || batch_dims > indices.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims is ", options.batch_dims, ", but the indices have ", indices.rank(), " axes"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int axis,
                                ops_internal::ResolveAxis(options.axis.value_or(options.batch_dims), params.rank()));
  if (axis < batch_dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " is one of the ", batch_dims, " batch axes; choose one after them"));
  }
  if (axis == 0) return GatherRows(params, indices);
  return GatherInner(params, indices, static_cast<int>(batch_dims), axis, options.bounds);
}

}  // namespace structtensor
