#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/row_partitions.h"

namespace structtensor {
namespace {

// The numbers as a vector of `dtype`, which is kInt64 or kInt32. Requires: they fit.
Tensor Counts(const Buffer<int64_t>& counts, DType dtype) {
  if (dtype == DType::kInt64) return Tensor::FromBuffer(counts);
  std::vector<int32_t> narrow;
  narrow.reserve(counts.size_elements());
  for (int64_t count : counts.span()) narrow.push_back(static_cast<int32_t>(count));
  return Tensor::FromVector(std::move(narrow));
}

std::vector<Tensor> OfEach(const RaggedTensor& ragged, Tensor (*encode)(const RowPartition&)) {
  std::vector<Tensor> encoded;
  encoded.reserve(ragged.row_partitions().size());
  for (const RowPartition& partition : ragged.row_partitions()) encoded.push_back(encode(partition));
  return encoded;
}

absl::StatusOr<RaggedTensor> FromNested(const Tensor& flat_values, std::span<const Buffer<int64_t>> nested,
                                        absl::StatusOr<RowPartition> (*make)(const Buffer<int64_t>&)) {
  std::vector<RowPartition> partitions;
  partitions.reserve(nested.size());
  for (size_t i = 0; i < nested.size(); ++i) {
    absl::StatusOr<RowPartition> partition = make(nested[i]);
    if (!partition.ok()) {
      return absl::Status(partition.status().code(), absl::StrCat("row partition ", i, ": ", partition.status().message()));
    }
    partitions.push_back(*std::move(partition));
  }
  return RaggedTensor::FromRowPartitions(std::move(partitions), flat_values);
}

}  // namespace

absl::StatusOr<RaggedTensor> FromRowPartition(const Value& values, const RowPartition& partition) {
  if (values.tensor() == nullptr && values.ragged() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the values are ", values.spec().DebugString(), "; they must be a tensor or ragged tensor"));
  }
  std::vector<RowPartition> partitions = {partition};
  if (values.tensor() != nullptr) return RaggedTensor::FromRowPartitions(std::move(partitions), *values.tensor());
  const std::vector<RowPartition>& inner = values.ragged()->row_partitions();
  partitions.insert(partitions.end(), inner.begin(), inner.end());
  return RaggedTensor::FromRowPartitions(std::move(partitions), values.ragged()->flat_values());
}

absl::StatusOr<RaggedTensor> FromNestedRowSplits(const Tensor& flat_values,
                                                 std::span<const Buffer<int64_t>> nested_row_splits) {
  return FromNested(flat_values, nested_row_splits,
                    [](const Buffer<int64_t>& splits) { return RowPartition::FromRowSplits(splits); });
}

absl::StatusOr<RaggedTensor> FromNestedRowLengths(const Tensor& flat_values,
                                                  std::span<const Buffer<int64_t>> nested_row_lengths) {
  return FromNested(flat_values, nested_row_lengths,
                    [](const Buffer<int64_t>& lengths) { return RowPartition::FromRowLengths(lengths); });
}

std::vector<Tensor> NestedRowSplits(const RaggedTensor& ragged) { return OfEach(ragged, &RowSplitsTensor); }
std::vector<Tensor> NestedRowLengths(const RaggedTensor& ragged) { return OfEach(ragged, &RowLengthsTensor); }
std::vector<Tensor> NestedValueRowids(const RaggedTensor& ragged) { return OfEach(ragged, &ValueRowidsTensor); }

Tensor RowSplitsTensor(const RowPartition& partition) { return Counts(partition.row_splits(), partition.dtype()); }
Tensor RowLengthsTensor(const RowPartition& partition) { return Counts(partition.row_lengths(), partition.dtype()); }
Tensor ValueRowidsTensor(const RowPartition& partition) { return Counts(partition.value_rowids(), partition.dtype()); }

Tensor RowStartsTensor(const RowPartition& partition) {
  return Counts(partition.row_splits().Slice(0, static_cast<size_t>(partition.nrows())), partition.dtype());
}

Tensor RowLimitsTensor(const RowPartition& partition) {
  return Counts(partition.row_splits().Slice(1, static_cast<size_t>(partition.nrows())), partition.dtype());
}

}  // namespace structtensor
