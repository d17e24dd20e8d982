#include "structtensor/tensor/values/shared/compose_rows.h"

#include <cassert>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/extension_rows.h"

namespace structtensor::values_internal {

Value ComposeRows(const TypeSpec& spec, Nest<Value> components, int rank, int64_t nrows) {
  const absl::StatusOr<Value> made = FromComponents(*spec.extension(), components);
  if (made.ok() && made->extension() != nullptr && made->rank() == rank && (rank == 0 || made->nrows() == nrows) &&
      made->extension()->spec()->type_name() == spec.extension()->type_name()) {
    return *made;
  }
  if (rank == 0) return ExtensionRows::Make(spec, 0, 0, std::move(components));
  return ExtensionRows::Make(Unstacked(spec).value_or(spec), 1, rank, std::move(components));
}

absl::StatusOr<Value> AsOneRow(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return Value(tensor->Reshape(tensor->shape().Prepend(1)));
  if (const StructuredTensor* structs = value.structured(); structs != nullptr && structs->rank() == 0) {
    return Value(structs->WithRowPartitions({}));
  }
  if (value.extension() != nullptr && value.rank() == 0) {
    const std::shared_ptr<const ExtensionValueSpec> spec = value.extension()->spec();
    const Nest<Value> components = spec->ToComponents(*value.extension());
    std::vector<Value> rows;
    for (const Value& component : Flatten(components)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value row, AsOneRow(component));
      rows.push_back(std::move(row));
    }
    if (rows.empty()) {
      return absl::UnimplementedError(
          absl::StrCat(spec->DebugString(), " has no components, and so no rows; it cannot be given an axis"));
    }
    Nest<Value> of_row = *PackSequenceAs(components, rows);
    if (const auto stacked = Stacked(TypeSpec(spec), 1); stacked.ok() && spec->shape() == Shape()) {
      return ComposeRows(*stacked, std::move(of_row), 1, 1);
    }
    return ExtensionRows::Make(spec, 1, 1, std::move(of_row));
  }
  const DType dtype = value.ragged() != nullptr       ? value.ragged()->row_partition(0).dtype()
                      : value.structured() != nullptr ? value.structured()->shape_dtype()
                                                      : DType::kInt64;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition row, RowPartition::FromUniformRowLength(value.nrows(), 1));
  return WithOuterPartition(row.WithDtype(dtype), value);
}

absl::StatusOr<InnerRows> TakeOffAxes(const Value& value, int count) {
  assert(0 <= count && count < value.rank());
  if (count == 0) return InnerRows{{}, value};
  if (value.extension() == nullptr) {
    InnerRows rows{{}, value};
    for (int i = 0; i < count; ++i) {
      if (const RaggedTensor* ragged = rows.inner.ragged()) {
        rows.partitions.push_back(ragged->row_partition(0));
        rows.inner = Value(ragged->values());
      } else if (const StructuredTensor* structs = rows.inner.structured()) {
        rows.partitions.push_back(structs->row_partitions().front());
        rows.inner = Value(structs->MergeOuterAxes());
      } else {
        const Tensor tensor = *rows.inner.tensor();
        const Shape& shape = tensor.shape();
        // If an inner axis is empty, there may be more rows than int64 can count.
        STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, RowPartition::FromUniformRowLength(shape[1], shape[0]));
        rows.inner = Value(tensor.Reshape(shape.DropOuter(2).Prepend(partition.nvals())));
        rows.partitions.push_back(partition);
      }
    }
    return rows;
  }
  const std::shared_ptr<const ExtensionValueSpec> spec = value.extension()->spec();
  const auto cannot = [&] {
    return absl::UnimplementedError(
        absl::StrCat("the axes of ", spec->DebugString(), " cannot be taken off; only axis 0 is known"));
  };
  if (spec->row_rule() == RowRule::kOwnRows) return cannot();
  TypeSpec row(spec);
  for (int i = 0; i <= count; ++i) {
    absl::StatusOr<TypeSpec> unstacked = Unstacked(row);
    if (!unstacked.ok() || unstacked->extension() == nullptr) return cannot();
    row = *std::move(unstacked);
  }
  const Nest<Value> components = spec->ToComponents(*value.extension());
  InnerRows rows{{}, value};
  std::vector<Value> inner;
  for (const Value& component : Flatten(components)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(InnerRows of_component, TakeOffAxes(component, count));
    if (inner.empty()) rows.partitions = std::move(of_component.partitions);
    inner.push_back(std::move(of_component.inner));
  }
  const int64_t nrows = inner.front().nrows();
  Nest<Value> of_rows = *PackSequenceAs(components, inner);
  const absl::StatusOr<TypeSpec> stacked = Stacked(row, nrows);
  rows.inner = stacked.ok() ? ComposeRows(*stacked, std::move(of_rows), value.rank() - count, nrows)
                            : ExtensionRows::Make(row, 1, value.rank() - count, std::move(of_rows));
  return rows;
}

}  // namespace structtensor::values_internal
