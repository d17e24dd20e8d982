#include "structtensor/tensor/extension_types/boxed.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/extension_types/internal/spec_axes.h"
#include "structtensor/tensor/ops/shared/concat_rows.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/extension_rows.h"
#include "structtensor/tensor/values/shared/compose_rows.h"

namespace structtensor {
namespace {

bool HasSpec(const Value& value, const TypeSpec& spec) {
  const TypeSpec found = value.spec();
  // A row of a ragged value may be a tensor: it is ragged only once it is stacked with others.
  const bool tensor_of_ragged_spec = spec.ragged() != nullptr && value.tensor() != nullptr && spec.IsCompatibleWith(found);
  return found.IsSubtypeOf(spec) || tensor_of_ragged_spec;
}

absl::Status WrongSpec(const Value& value, const TypeSpec& spec) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected a value of ", spec.DebugString(), ", found one of ", value.spec().DebugString()));
}

absl::StatusOr<Value> Stack(const TypeSpec& row_spec, const std::vector<Value>& values) {
  std::vector<Value> rows;
  rows.reserve(values.size());
  for (const Value& value : values) {
    if (!HasSpec(value, row_spec)) return WrongSpec(value, row_spec);
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value row, values_internal::AsOneRow(value));
    rows.push_back(std::move(row));
  }
  return ops_internal::ConcatRows(rows);
}

}  // namespace

absl::StatusOr<BoxedTensor> BoxedTensor::Make(Shape shape, std::vector<Value> values) {
  if (!shape.is_fully_known() || shape.num_elements() != static_cast<int64_t>(values.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array of shape ", shape.DebugString(), " cannot have ", values.size(), " values"));
  }
  return BoxedTensor(std::move(shape), std::move(values));
}

absl::StatusOr<Value> FromBoxed(const TypeSpec& spec, const BoxedTensor& boxed) {
  TypeSpec row_spec = spec;
  for (int axis = 0; axis < boxed.rank(); ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(row_spec, Unstacked(row_spec));
  }
  if (boxed.rank() == 0) {
    if (!HasSpec(boxed.values().front(), spec)) return WrongSpec(boxed.values().front(), spec);
    return boxed.values().front();
  }
  // Stacks all elements one after the other, then adds the outer axes of the array.
  STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec rows_spec, StackedOrRows(row_spec, static_cast<int64_t>(boxed.values().size())));
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      Value value, boxed.values().empty() ? extension_types_internal::NoRows(rows_spec) : Stack(row_spec, boxed.values()));
  for (int axis = boxed.rank() - 1; axis > 0; --axis) {
    const int64_t nrows = boxed.shape().Outer(axis).num_elements();
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, RowPartition::FromUniformRowLength(boxed.shape()[axis], nrows));
    value = WithOuterPartition(partition, value);
  }
  value = extension_types_internal::WithAxesOf(spec, value);
  if (!HasSpec(value, spec)) return WrongSpec(value, spec);
  return value;
}

}  // namespace structtensor
