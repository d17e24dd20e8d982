// Converts ragged arrays to and from their row splits, row lengths and value rowids.
#ifndef STRUCTTENSOR_TENSOR_OPS_ROW_PARTITIONS_H_
#define STRUCTTENSOR_TENSOR_OPS_ROW_PARTITIONS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the ragged tensor whose row i is rows partition.row(i) of `values`, also if the partition is uniform.
// Errors: InvalidArgument if values are not a tensor or ragged tensor, are a scalar, or their number is not partition.nvals().
// Cost: O(rank). Source: the from_* factories of tf.RaggedTensor, according to the partition.
absl::StatusOr<RaggedTensor> FromRowPartition(const Value& values, const RowPartition& partition);

// Returns the ragged tensor with these partitions, outermost first, around `flat_values`.
// Errors: InvalidArgument if there are no partitions, one has invalid row splits or row lengths, or sizes do not fit (the
//   message names the partition).
// Cost: O(rows). Source: tf.RaggedTensor.from_nested_row_splits, from_nested_row_lengths.
absl::StatusOr<RaggedTensor> FromNestedRowSplits(const Tensor& flat_values, std::span<const Buffer<int64_t>> nested_row_splits);
absl::StatusOr<RaggedTensor> FromNestedRowLengths(const Tensor& flat_values,
                                                  std::span<const Buffer<int64_t>> nested_row_lengths);

// The row splits, row lengths or value rowids of each partition, outermost first, as vectors of the partition's dtype. Cost:
// O(rows + values) at the first call, then O(rank), for int64. Source: tf.RaggedTensor.nested_row_splits and its siblings.
std::vector<Tensor> NestedRowSplits(const RaggedTensor& ragged);
std::vector<Tensor> NestedRowLengths(const RaggedTensor& ragged);
std::vector<Tensor> NestedValueRowids(const RaggedTensor& ragged);

// The encodings of one partition, as vectors of the partition's dtype.
Tensor RowSplitsTensor(const RowPartition& partition);    // [nrows + 1]
Tensor RowLengthsTensor(const RowPartition& partition);   // [nrows]
Tensor ValueRowidsTensor(const RowPartition& partition);  // [nvals]
Tensor RowStartsTensor(const RowPartition& partition);    // [nrows]
Tensor RowLimitsTensor(const RowPartition& partition);    // [nrows]

// Returns the value with this dtype for all its row partitions, including the row partitions of its fields at any depth.
// Errors: InvalidArgument if dtype is neither kInt32 nor kInt64; ResourceExhausted if kInt32 cannot count the values of a
//   partition (the message has the field's path). Extension types stay as they are.
// Cost: O(number of fields), no data is copied. Source: tf.experimental.StructuredTensor.with_shape_dtype.
absl::StatusOr<Value> WithShapeDtype(const Value& value, DType dtype);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_ROW_PARTITIONS_H_
