#include "structtensor/tensor/values/ragged_tensor.h"

#include <cassert>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

absl::StatusOr<RaggedTensor> RaggedTensor::FromRowPartitions(std::vector<RowPartition> row_partitions, Tensor flat_values) {
  if (row_partitions.empty()) {
    return absl::InvalidArgumentError("a ragged tensor needs at least one row partition; without one it is a tensor");
  }
  if (flat_values.rank() == 0) {
    return absl::InvalidArgumentError(
        "the flat values of a ragged tensor are a scalar; they need an axis for the partition's values");
  }
  for (size_t i = 0; i < row_partitions.size(); ++i) {
    const bool innermost = i + 1 == row_partitions.size();
    const int64_t expected = innermost ? flat_values.nrows() : row_partitions[i + 1].nrows();
    if (row_partitions[i].nvals() != expected) {
      return absl::InvalidArgumentError(absl::StrCat("row partition ", i, " has ", row_partitions[i].nvals(), " values, but ",
                                                     innermost ? "the flat values have " : "the next partition has ", expected,
                                                     " rows; both must be equal"));
    }
  }
  return FromRowPartitionsUnchecked(std::move(row_partitions), std::move(flat_values));
}

RaggedTensor RaggedTensor::FromRowPartitionsUnchecked(std::vector<RowPartition> row_partitions, Tensor flat_values) {
  assert(!row_partitions.empty() && flat_values.rank() >= 1 && row_partitions.back().nvals() == flat_values.nrows());
  return RaggedTensor(std::make_shared<const Rep>(Rep{std::move(row_partitions), std::move(flat_values)}));
}

Shape RaggedTensor::shape() const {
  Shape shape = flat_values().shape().DropOuter(1);
  for (auto partition = row_partitions().rbegin(); partition != row_partitions().rend(); ++partition) {
    shape = shape.Prepend(partition->uniform_row_length().value_or(kUnknownDimension));
  }
  return shape.Prepend(nrows());
}

Value RaggedTensor::values() const {
  if (ragged_rank() == 1) return flat_values();
  return RaggedTensor(std::make_shared<const Rep>(Rep{{row_partitions().begin() + 1, row_partitions().end()}, flat_values()}));
}

RaggedTensorSpec RaggedTensor::spec() const {
  std::vector<RowPartitionSpec> partition_specs;
  for (const RowPartition& partition : row_partitions()) partition_specs.push_back(partition.spec());
  return RaggedTensorSpec(std::move(partition_specs), flat_values().spec());
}

RaggedTensor RaggedTensor::SliceRows(int64_t begin, int64_t end) const {
  std::vector<RowPartition> sliced;
  RowRange rows{begin, end};
  for (const RowPartition& partition : row_partitions()) {
    RowRange values{0, 0};
    sliced.push_back(partition.SliceRows(rows.begin, rows.end, &values));
    rows = values;
  }
  return FromRowPartitionsUnchecked(std::move(sliced), flat_values().SliceRows(rows.begin, rows.end));
}

Value RaggedTensor::Row(int64_t i) const {
  const RowRange values = row_partitions().front().row(i);
  return this->values().SliceRows(values.begin, values.end);
}

bool operator==(const RaggedTensor& a, const RaggedTensor& b) {
  return a.row_partitions() == b.row_partitions() && a.flat_values() == b.flat_values();
}

}  // namespace structtensor
