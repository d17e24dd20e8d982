#include "structtensor/tensor/internal/compose_rows.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/tensor/extension_rows.h"
#include "structtensor/type_spec/row_axes.h"

namespace structtensor::tensor_internal {

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

}  // namespace structtensor::tensor_internal
