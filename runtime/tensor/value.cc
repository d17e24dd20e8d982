#include "structtensor/tensor/value.h"

#include <cassert>
#include <vector>

namespace structtensor {

int Value::rank() const {
  return std::visit([](const auto& value) { return value.rank(); }, value_);
}

int64_t Value::nrows() const {
  return std::visit([](const auto& value) { return value.nrows(); }, value_);
}

Shape Value::shape() const {
  return std::visit([](const auto& value) -> Shape { return value.shape(); }, value_);
}

TypeSpec Value::spec() const {
  return std::visit([](const auto& value) -> TypeSpec { return value.spec(); }, value_);
}

Value Value::SliceRows(int64_t begin, int64_t end) const {
  return std::visit([=](const auto& value) -> Value { return value.SliceRows(begin, end); }, value_);
}

Value Value::Row(int64_t i) const {
  return std::visit([=](const auto& value) -> Value { return value.Row(i); }, value_);
}

Value WithOuterPartition(const RowPartition& partition, const Value& inner) {
  assert(inner.rank() >= 1 && partition.nvals() == inner.nrows());
  if (const Tensor* tensor = inner.tensor()) {
    if (!partition.uniform_row_length() || partition.is_optional()) {
      return RaggedTensor::FromRowPartitionsUnchecked({partition}, *tensor);
    }
    return tensor->Reshape(tensor->shape().DropOuter(1).Prepend(*partition.uniform_row_length()).Prepend(partition.nrows()));
  }
  if (const RaggedTensor* ragged = inner.ragged()) {
    std::vector<RowPartition> partitions = {partition};
    partitions.insert(partitions.end(), ragged->row_partitions().begin(), ragged->row_partitions().end());
    return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), ragged->flat_values());
  }
  return inner.structured()->WithOuterPartition(partition);
}

}  // namespace structtensor
