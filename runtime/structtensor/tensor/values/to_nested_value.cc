// Walks down with row ranges, like the JSON writer, so that no values are made on the way.
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

template <typename Item>
NestedValue List(RowRange range, const Item& item) {
  NestedValue::List list;
  list.reserve(static_cast<size_t>(range.size()));
  for (int64_t i = range.begin; i < range.end; ++i) list.push_back(item(i));
  return list;
}

template <typename T>
NestedValue Number(T element) {
  if constexpr (!std::numeric_limits<T>::is_integer) {
    return static_cast<double>(element);
  } else if (std::in_range<int64_t>(element)) {
    return static_cast<int64_t>(element);
  } else {
    return static_cast<uint64_t>(element);
  }
}

NestedValue Element(const Tensor& tensor, int64_t i) {
  if (!tensor.is_valid(i)) return nullptr;
  if (tensor.dtype() == DType::kString) return std::string(tensor.string_at(i));
  if (tensor.dtype() == DType::kBytes) return NestedValue::Bytes{std::string(tensor.string_at(i))};
  if (tensor.dtype() == DType::kBool) return tensor.values<uint8_t>()[static_cast<size_t>(i)] != 0;
  if (IsTime(tensor.dtype())) return NestedValue::Time{tensor.values<int64_t>()[static_cast<size_t>(i)], tensor.dtype()};
  return VisitStoredType(tensor.dtype(), [&]<typename T>() { return Number(tensor.values<T>()[static_cast<size_t>(i)]); });
}

// Returns the part of `tensor` with index `block`, where the axes before `axis` count as one axis in row-major order.
NestedValue Block(const Tensor& tensor, int axis, int64_t block) {
  if (axis >= tensor.rank()) return Element(tensor, block);
  const int64_t length = tensor.shape()[axis];
  return List({block * length, (block + 1) * length}, [&](int64_t i) { return Block(tensor, axis + 1, i); });
}

NestedValue Row(const Value& value, int64_t row);

NestedValue Struct(const StructuredTensor& structs, int64_t flat_row) {
  if (!structs.validity().is_valid(flat_row)) return nullptr;
  NestedValue::Dict dict;
  dict.reserve(structs.num_fields());
  for (size_t i = 0; i < structs.num_fields(); ++i)
    dict.emplace_back(structs.field_names()[i], Row(structs.flat_field(i), flat_row));
  return dict;
}

NestedValue Innermost(const RaggedTensor& ragged, int64_t row) { return Block(ragged.flat_values(), 1, row); }
NestedValue Innermost(const StructuredTensor& structs, int64_t row) { return Struct(structs, row); }

// Row `row` of row partition `level`. Partitioned: RaggedTensor or StructuredTensor.
template <typename Partitioned>
NestedValue PartitionRow(const Partitioned& value, size_t level, int64_t row) {
  if (level == value.row_partitions().size()) return Innermost(value, row);
  return List(value.row_partitions()[level].row(row), [&](int64_t i) { return PartitionRow(value, level + 1, i); });
}

// Returns a value with the structure of the components, in which each component is what `leaf` returns for it.
template <typename Leaf>
NestedValue Components(const Nest<Value>& components, const Leaf& leaf) {
  if (components.kind() == NestKind::kNone) return nullptr;
  if (components.is_leaf()) return leaf(components.leaf());
  NestedValue::List list;
  NestedValue::Dict dict;
  for (size_t i = 0; i < components.items().size(); ++i) {
    NestedValue item = Components(components.items()[i], leaf);
    if (components.kind() == NestKind::kDict) {
      dict.emplace_back(components.names()[i], std::move(item));
    } else {
      list.push_back(std::move(item));
    }
  }
  return components.kind() == NestKind::kDict ? NestedValue(std::move(dict)) : NestedValue(std::move(list));
}

NestedValue Row(const ExtensionType& value, int64_t row) {
  const std::shared_ptr<const ExtensionValueSpec> spec = value.spec();
  if (value.rank() == 0) return Components(spec->ToComponents(value), [](const Value& part) { return ToNestedValue(part); });
  if (value.rank() > 1 || spec->row_rule() == RowRule::kOwnRows) return ToNestedValue(value.Row(row));
  return Components(spec->ToComponents(value), [row](const Value& component) { return Row(component, row); });
}

// Returns row `row` of axis 0, or the value of a scalar.
NestedValue Row(const Value& value, int64_t row) {
  if (const Tensor* tensor = value.tensor()) return Block(*tensor, 1, row);
  if (const RaggedTensor* ragged = value.ragged()) return PartitionRow(*ragged, 0, row);
  if (const StructuredTensor* structs = value.structured()) return PartitionRow(*structs, 0, row);
  return Row(*value.extension(), row);
}

}  // namespace

NestedValue ToNestedValue(const Value& value) {
  if (value.rank() == 0) return Row(value, 0);
  return List({0, value.nrows()}, [&](int64_t i) { return Row(value, i); });
}

}  // namespace structtensor
