// A tensor in which some dimensions have rows of different lengths.
#ifndef STRUCTTENSOR_TENSOR_VALUES_RAGGED_TENSOR_H_
#define STRUCTTENSOR_TENSOR_VALUES_RAGGED_TENSOR_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

class Value;

// A stack of row partitions, outermost first, around one dense tensor. Partition k groups the rows of partition k + 1; the last
// one groups the rows of the flat values.
//
//   [[[1, 2], []], [[3]]]   row_partition(0): row_splits 0 2 3      row_partition(1): row_splits 0 2 2 3     flat_values 1 2 3
class RaggedTensor {
 public:
  // Errors: InvalidArgument if there is no partition, flat_values is a scalar, or sizes disagree (the message names the
  // partition).
  static absl::StatusOr<RaggedTensor> FromRowPartitions(std::vector<RowPartition> row_partitions, Tensor flat_values);
  // Like FromRowPartitions, for parts that fit by construction.
  static RaggedTensor FromRowPartitionsUnchecked(std::vector<RowPartition> row_partitions, Tensor flat_values);

  DType dtype() const { return flat_values().dtype(); }
  int ragged_rank() const { return static_cast<int>(row_partitions().size()); }
  int rank() const { return ragged_rank() + flat_values().rank(); }
  int64_t nrows() const { return row_partitions().front().nrows(); }
  // [nrows, kUnknownDimension or the uniform row length for each partition, inner dimensions...]
  Shape shape() const;

  const std::vector<RowPartition>& row_partitions() const { return rep_->row_partitions; }
  const RowPartition& row_partition(int i) const { return rep_->row_partitions[static_cast<size_t>(i)]; }
  const Buffer<int64_t>& row_splits() const { return row_partitions().front().row_splits(); }
  const Tensor& flat_values() const { return rep_->flat_values; }
  // The value without the outermost partition: a tensor if ragged_rank() is 1.
  Value values() const;

  RaggedTensorSpec spec() const;

  // Rows [begin, end) of axis 0, sharing memory. Requires: 0 <= begin <= end <= nrows(). Cost: O(ragged_rank).
  RaggedTensor SliceRows(int64_t begin, int64_t end) const;
  // Row i without axis 0: a tensor if ragged_rank() is 1. Requires: 0 <= i < nrows().
  Value Row(int64_t i) const;

 private:
  struct Rep {
    std::vector<RowPartition> row_partitions;
    Tensor flat_values;
  };
  explicit RaggedTensor(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}

  std::shared_ptr<const Rep> rep_;
};

bool operator==(const RaggedTensor& a, const RaggedTensor& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_RAGGED_TENSOR_H_
