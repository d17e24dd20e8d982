#include "structtensor/tensor/values/extension_type.h"

#include <cassert>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/shared/compose_rows.h"
#include "structtensor/tensor/values/shared/take_rows.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

// The lengths of the rows into which an axis groups the next axis.
struct RowLengths {
  std::optional<int64_t> uniform;
  std::optional<RowPartition> partition;  // if not uniform

  int64_t length(int64_t row) const { return uniform ? *uniform : partition->row_length(row); }
};

RowLengths LengthsOf(const RowPartition& partition) {
  if (partition.is_uniform()) return {partition.uniform_row_length(), std::nullopt};
  return {std::nullopt, partition};
}

// The row lengths of axis `axis` + 1 in axis `axis`. Requires: 0 <= axis < value.rank() - 1.
RowLengths LengthsOf(const Value& value, int axis) {
  if (const Tensor* tensor = value.tensor()) return {tensor->shape()[axis + 1], std::nullopt};
  if (const RaggedTensor* ragged = value.ragged()) {
    if (axis < ragged->ragged_rank()) return LengthsOf(ragged->row_partition(axis));
    return {ragged->flat_values().shape()[axis - ragged->ragged_rank() + 1], std::nullopt};
  }
  if (const StructuredTensor* structs = value.structured()) {
    return LengthsOf(structs->row_partitions()[static_cast<size_t>(axis)]);
  }
  const std::shared_ptr<const ExtensionValueSpec> spec = value.extension()->spec();
  // The components have these axes. But with kOwnRows, only the spec knows anything about them.
  if (spec->row_rule() == RowRule::kOwnRows) return {spec->shape()[axis + 1], std::nullopt};
  return LengthsOf(Flatten(spec->ToComponents(*value.extension())).front(), axis);
}

// Requires: both are rows of the same axis.
bool HaveSameLengths(const RowLengths& a, const RowLengths& b) {
  if (a.uniform && b.uniform) return a.uniform == b.uniform;
  const RowPartition& partition = a.partition ? *a.partition : *b.partition;
  if (a.partition && b.partition) {
    if (a.partition->nrows() != b.partition->nrows()) return false;
    const auto shared = a.partition->unshifted_row_splits();
    if (shared.data() == b.partition->unshifted_row_splits().data()) return true;
  }
  for (int64_t i = 0; i < partition.nrows(); ++i) {
    if (a.length(i) != b.length(i)) return false;
  }
  return true;
}

bool HaveSameOuterAxes(const Value& a, const Value& b, int num_axes) {
  if (a.nrows() != b.nrows()) return false;
  for (int axis = 0; axis + 1 < num_axes; ++axis) {
    if (!HaveSameLengths(LengthsOf(a, axis), LengthsOf(b, axis))) return false;
  }
  return true;
}

int CountAxes(const ExtensionType& value) {
  const std::shared_ptr<const ExtensionValueSpec> spec = value.spec();
  const Shape shape = spec->shape();
  if (!shape.rank_known() || shape.rank() == 0) return 0;
  switch (spec->row_rule()) {
    case RowRule::kNoRows:
      return 0;
    case RowRule::kOwnRows:
      return shape.rank();
    case RowRule::kComponentRows:
      break;
  }
  const std::vector<Value> components = Flatten(spec->ToComponents(value));
  for (const Value& component : components) {
    if (component.rank() < shape.rank() || !component.shape().Outer(shape.rank()).IsCompatibleWith(shape)) return 0;
    if (!HaveSameOuterAxes(components.front(), component, shape.rank())) return 0;
  }
  return components.empty() ? 0 : shape.rank();
}

template <typename Change>
Value MapComponents(const ExtensionType& value, const TypeSpec& spec, int rank, int64_t nrows, const Change& change) {
  return values_internal::ComposeRows(spec, *MapStructure(change, value.spec()->ToComponents(value)), rank, nrows);
}

}  // namespace

absl::StatusOr<Value> FromComponents(const ExtensionTypeSpec& spec, const Nest<Value>& components) {
  const auto* const value_spec = dynamic_cast<const ExtensionValueSpec*>(&spec);
  if (value_spec != nullptr) return value_spec->FromComponents(components);
  return absl::InvalidArgumentError(absl::StrCat(
      spec.DebugString(), " has no values: its class derives from ExtensionTypeSpec; derive from ExtensionValueSpec"));
}

int ExtensionType::rank() const {
  int rank = rank_.load(std::memory_order_relaxed);
  if (rank == kNotCounted) {
    rank = CountAxes(*this);
    rank_.store(rank, std::memory_order_relaxed);
  }
  return rank;
}

int64_t ExtensionType::nrows() const {
  const Shape shape = spec()->shape();
  if (shape.rank_known() && shape.rank() == 0) return 1;
  if (shape.rank_known() && shape[0] != kUnknownDimension) return shape[0];
  const std::vector<Value> components = Flatten(spec()->ToComponents(*this));
  return components.empty() ? 0 : components.front().nrows();
}

bool ExtensionType::Equals(const ExtensionType& other) const {
  if (this == &other) return true;
  if (!spec()->Equals(*other.spec())) return false;
  return spec()->ToComponents(*this) == other.spec()->ToComponents(other);
}

Value ExtensionType::SliceRows(int64_t begin, int64_t end) const {
  assert(rank() >= 1 && 0 <= begin && begin <= end && end <= nrows());
  return MapComponents(*this, WithNrows(spec(), end - begin), rank(), end - begin,
                       [=](const Value& component) { return component.SliceRows(begin, end); });
}

Value ExtensionType::Row(int64_t i) const {
  assert(rank() >= 1 && 0 <= i && i < nrows());
  const TypeSpec row_spec = Unstacked(spec()).value_or(WithNrows(spec(), 1));
  Nest<Value> components = *MapStructure([=](const Value& component) { return component.Row(i); }, spec()->ToComponents(*this));
  const std::vector<Value> of_row = Flatten(components);
  return values_internal::ComposeRows(row_spec, std::move(components), rank() - 1, of_row.front().nrows());
}

absl::StatusOr<Value> ExtensionType::TakeRows(std::span<const int64_t> rows) const {
  const Nest<Value> components = spec()->ToComponents(*this);
  std::vector<Value> taken;
  for (const Value& component : Flatten(components)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value of_component, values_internal::TakeRowsChecked(component, rows));
    taken.push_back(of_component);
  }
  const int64_t nrows = static_cast<int64_t>(rows.size());
  return values_internal::ComposeRows(WithNrows(spec(), nrows), *PackSequenceAs(components, taken), rank(), nrows);
}

Value ExtensionType::WithOuterPartition(const RowPartition& partition) const {
  assert(rank() >= 1 && partition.nvals() == nrows());
  return MapComponents(*this, structtensor::WithOuterPartition(partition.spec(), TypeSpec(spec())), rank() + 1,
                       partition.nrows(),
                       [&](const Value& component) { return structtensor::WithOuterPartition(partition, component); });
}

}  // namespace structtensor
