#include <algorithm>
#include <vector>

#include "structtensor/tensor/ops/shape_ops.h"
#include "structtensor/tensor/ops/shared/row_reader.h"

namespace structtensor {
namespace {

int64_t LongestRow(const RowPartition& partition) {
  if (partition.uniform_row_length()) return *partition.uniform_row_length();
  const ops_internal::RowReader rows(partition);
  int64_t longest = 0;
  for (int64_t row = 0; row < partition.nrows(); ++row) longest = std::max(longest, rows.row(row).size());
  return longest;
}

}  // namespace

Shape BoundingShape(const Value& value) {
  const RaggedTensor* ragged = value.ragged();
  const StructuredTensor* structs = value.structured();
  if ((ragged == nullptr && structs == nullptr) || value.rank() == 0) return value.shape();
  std::vector<int64_t> dims = {value.nrows()};
  for (const RowPartition& partition : ragged != nullptr ? ragged->row_partitions() : structs->row_partitions()) {
    dims.push_back(LongestRow(partition));
  }
  if (ragged == nullptr) return Shape(dims);
  return Shape(dims).Concat(ragged->flat_values().shape().DropOuter(1));
}

}  // namespace structtensor
