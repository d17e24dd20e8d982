#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/internal/index_list.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/split.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

// The parts as rows, and the partition number of each part.
struct PartitionParts {
  Value rows;
  ops_internal::IndexList partitions;
};

absl::StatusOr<PartitionParts> TakeApart(const Value& data, const Value& partitions) {
  if (partitions.tensor() == nullptr && partitions.ragged() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("partitions are ", partitions.spec().DebugString(),
                                                   "; they must be a tensor or ragged tensor of integers"));
  }
  const int rank = partitions.rank();
  if (rank == 0) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::IndexList list, ops_internal::IndexList::Make(*partitions.tensor()));
    if (data.rank() == 0) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value row, ops_internal::ScalarAsRow(data));
      return PartitionParts{std::move(row), std::move(list)};
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition one_row,
                                  ops_internal::UniformPartition(data.nrows(), 1, ops_internal::RowSplitsDtype(data)));
    return PartitionParts{ops_internal::JoinAxes({{std::move(one_row)}, data, 0}), std::move(list)};
  }
  if (rank > data.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("partitions have ", rank, " axes and data has ", data.rank(),
                                                   "; each partition must be that of a part of data"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack parts, ops_internal::SplitAtAxis(data, rank - 1));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ops_internal::AxisStack numbers, ops_internal::SplitAtAxis(partitions, rank - 1));
  STRUCTTENSOR_RETURN_IF_ERROR(ops_internal::CheckSameAxes(parts, "data", numbers, "partitions", rank));
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::IndexList list, ops_internal::IndexList::Make(*numbers.inner.tensor()));
  return PartitionParts{std::move(parts.inner), std::move(list)};
}

}  // namespace

absl::StatusOr<Value> StackDynamicPartitions(const Value& data, const Value& partitions, int64_t num_partitions) {
  if (num_partitions < 0) {
    return absl::InvalidArgumentError(absl::StrCat("num_partitions is ", num_partitions, "; it must not be negative"));
  }
  if (num_partitions > kMaxDynamicPartitions) {
    return absl::ResourceExhaustedError(
        absl::StrCat("num_partitions is ", num_partitions, "; at most ", kMaxDynamicPartitions, " are allowed"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const PartitionParts parts, TakeApart(data, partitions));
  const std::span<const int64_t> numbers = parts.partitions.span();
  // A counting sort. At first splits[k + 2] counts the parts of partition k. Their sums are the beginnings of the partitions.
  // While parts are placed, splits[k + 1] is the place for the next part of partition k. At the end, it is where partition k +
  // 1 begins.
  std::vector<int64_t> splits(static_cast<size_t>(num_partitions) + 2);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= num_partitions) {
      return absl::InvalidArgumentError(
          absl::StrCat("partition number ", i, " is ", numbers[i], "; it must be in [0, ", num_partitions, ")"));
    }
    ++splits[static_cast<size_t>(numbers[i]) + 2];
  }
  for (size_t k = 2; k < splits.size(); ++k) splits[k] += splits[k - 1];
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows, NewBuffer<int64_t>::Allocate(parts.partitions.size()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    rows.data()[splits[static_cast<size_t>(numbers[i]) + 1]++] = static_cast<int64_t>(i);
  }
  splits.pop_back();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value sorted,
                                values_internal::TakeRowsChecked(parts.rows, {rows.data(), rows.size_elements()}));
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const RowPartition partition,
      ops_internal::CastPartition(RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits))),
                                  ops_internal::RowSplitsDtype(data)));
  return WithOuterPartition(partition, sorted);
}

absl::StatusOr<std::vector<Value>> DynamicPartition(const Value& data, const Value& partitions, int64_t num_partitions) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value stacked, StackDynamicPartitions(data, partitions, num_partitions));
  std::vector<Value> values;
  values.reserve(static_cast<size_t>(num_partitions));
  for (int64_t k = 0; k < num_partitions; ++k) values.push_back(stacked.Row(k));
  return values;
}

}  // namespace structtensor
