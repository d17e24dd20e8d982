#include "structtensor/tensor/values/value.h"

#include <cassert>
#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "structtensor/core/base/shared/shared_parts.h"

namespace structtensor {

namespace {

// Calls visit with the value; for an extension type, with a reference to it.
template <typename Variant, typename Visit>
decltype(auto) VisitValue(const Variant& variant, const Visit& visit) {
  return std::visit(
      [&]<typename T>(const T& value) -> decltype(auto) {
        if constexpr (std::is_same_v<T, std::shared_ptr<const ExtensionType>>) {
          return visit(*value);
        } else {
          return visit(value);
        }
      },
      variant);
}

}  // namespace

int Value::rank() const {
  if (tensor() != nullptr) return tensor()->rank();
  if (ragged() != nullptr) return ragged()->rank();
  return structured() != nullptr ? structured()->rank() : extension()->rank();
}

int64_t Value::nrows() const {
  if (extension() != nullptr && extension()->rank() == 0) return 1;
  return VisitValue(value_, [](const auto& value) { return value.nrows(); });
}

Shape Value::shape() const {
  if (extension() != nullptr) return extension()->rank() == 0 ? Shape() : extension()->spec()->shape();
  if (tensor() != nullptr) return tensor()->shape();
  return ragged() != nullptr ? ragged()->shape() : structured()->shape();
}

TypeSpec Value::spec() const {
  return VisitValue(value_, [](const auto& value) -> TypeSpec { return value.spec(); });
}

Value Value::SliceRows(int64_t begin, int64_t end) const {
  return VisitValue(value_, [=](const auto& value) -> Value { return value.SliceRows(begin, end); });
}

Value Value::Row(int64_t i) const {
  return VisitValue(value_, [=](const auto& value) -> Value { return value.Row(i); });
}

bool operator==(const Value& a, const Value& b) {
  if (a.extension() != nullptr && b.extension() != nullptr) {
    using Extension = std::shared_ptr<const ExtensionType>;
    thread_local base_internal::SharedParts<bool, 2> known;
    return known.ResultOf({std::get<Extension>(a.value_), std::get<Extension>(b.value_)},
                          [&] { return a.extension()->Equals(*b.extension()); });
  }
  return a.value_ == b.value_;
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
  if (inner.extension() != nullptr) return inner.extension()->WithOuterPartition(partition);
  return inner.structured()->WithOuterPartition(partition);
}

}  // namespace structtensor
