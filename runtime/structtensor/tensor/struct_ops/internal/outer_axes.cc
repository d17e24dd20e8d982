#include "structtensor/tensor/struct_ops/internal/outer_axes.h"

#include <cassert>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/values/shared/compose_rows.h"

namespace structtensor::struct_ops_internal {
namespace {

// The value with an axis of size 1 in front.
absl::StatusOr<Value> UnderOneRow(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return Value(tensor->ExpandAxis(0));
  const StructuredTensor* structs = value.structured();
  if (structs != nullptr && structs->rank() == 0) return Value(structs->WithRowPartitions({}));
  if (value.extension() != nullptr) return values_internal::AsOneRow(value);
  // Cannot fail: one row of nrows values.
  RowPartition row = *RowPartition::FromUniformRowLength(value.nrows(), 1);
  if (const RaggedTensor* ragged = value.ragged()) row = ops_internal::WithDtypeIfFits(row, ragged->row_partition(0).dtype());
  if (structs != nullptr) row = ops_internal::WithDtypeIfFits(row, structs->shape_dtype());
  return WithOuterPartition(row, value);
}

// How long row `row` is, or that it does not exist.
std::string RowText(const RowPartition& partition, int64_t row) {
  return row < partition.nrows() ? absl::StrCat("has ", partition.row_length(row), " values") : std::string("does not exist");
}

// Axes `axis` and `axis + 1` of a dense shape as a partition. Requires: the shape is the shape of an existing value, so that
// the product of its dimensions does not overflow unless one of them is 0.
RowPartition UniformAxis(const Shape& shape, int axis) {
  int64_t nrows = 1;
  for (int i = 0; i <= axis; ++i) nrows *= shape[i];
  return *RowPartition::FromUniformRowLength(shape[axis + 1], nrows);
}

}  // namespace

Peeled PeelOuterAxis(const Value& value) {
  assert(value.rank() >= 2 && value.extension() == nullptr);
  if (const RaggedTensor* ragged = value.ragged()) return {ragged->row_partition(0), ragged->values()};
  if (const StructuredTensor* structs = value.structured()) {
    return {structs->row_partitions().front(), structs->MergeOuterAxes()};
  }
  const Tensor& tensor = *value.tensor();
  const Shape& shape = tensor.shape();
  return {UniformAxis(shape, 0), tensor.Reshape(shape.DropOuter(2).Prepend(shape[0] * shape[1]))};
}

OuterAxes::OuterAxes(const StructuredTensor& root)
    : scalar_(root.rank() == 0), flat_nrows_(root.flat_nrows()), partitions_(root.row_partitions()) {}

void OuterAxes::Enter(const StructuredTensor& nested) {
  assert(nested.nrows() == flat_nrows_);
  partitions_.insert(partitions_.end(), nested.row_partitions().begin(), nested.row_partitions().end());
  flat_nrows_ = nested.flat_nrows();
}

Value OuterAxes::Wrap(Value flat) const {
  assert(flat.rank() >= 1 && flat.nrows() == flat_nrows_);
  for (auto partition = partitions_.rbegin(); partition != partitions_.rend(); ++partition) {
    flat = WithOuterPartition(*partition, flat);
  }
  return scalar_ ? flat.Row(0) : flat;
}

absl::StatusOr<Value> OuterAxes::Unwrap(const Value& wrapped, std::string_view where) const {
  if (wrapped.rank() < rank()) {
    return absl::InvalidArgumentError(absl::StrCat("field ", ToAbsl(where), ": the value has shape ",
                                                   wrapped.shape().DebugString(), ", but it belongs to structs of rank ",
                                                   rank(), "; it needs their ", rank(), " axes in front"));
  }
  const int hidden = scalar_ ? 1 : 0;
  // Values in a scalar root have no axis for the row of the root. It is added here, for the comparisons.
  Value value = wrapped;
  if (scalar_) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(value, UnderOneRow(wrapped));
  }
  const int64_t expected_nrows = partitions_.empty() ? flat_nrows_ : partitions_.front().nrows();
  if (value.nrows() != expected_nrows) {
    return absl::InvalidArgumentError(absl::StrCat("field ", ToAbsl(where), ": axis 0 of the value has size ", value.nrows(),
                                                   ", that of the structs it belongs to ", expected_nrows,
                                                   "; both must be equal"));
  }
  if (partitions_.empty()) return value;

  const auto differs = [&](size_t k, const RowPartition& found, int64_t row) {
    const RowPartition& expected = partitions_[k];
    return absl::InvalidArgumentError(absl::StrCat("field ", ToAbsl(where), ": axis ", static_cast<int>(k) + 1 - hidden,
                                                   " of the value differs from that of the structs it belongs to: ",
                                                   scalar_ && k == 0 ? std::string("it ") : absl::StrCat("row ", row, " "),
                                                   RowText(found, row), ", expected one that ", RowText(expected, row)));
  };
  const size_t count = partitions_.size();
  absl::StatusOr<ops_internal::AxisStack> split = ops_internal::SplitAtAxis(value, static_cast<int>(count));
  if (!split.ok()) {
    return absl::Status(split.status().code(), absl::StrCat("field ", ToAbsl(where), ": ", split.status().message()));
  }
  ops_internal::AxisStack& stack = *split;
  for (size_t k = 0; k < count; ++k) {
    if (const auto row = ops_internal::FirstDifference(stack.partitions[k], partitions_[k]))
      return differs(k, stack.partitions[k], *row);
  }
  return std::move(stack.inner);
}

}  // namespace structtensor::struct_ops_internal
