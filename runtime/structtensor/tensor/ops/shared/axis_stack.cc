#include "structtensor/tensor/ops/shared/axis_stack.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/compose_rows.h"

namespace structtensor::ops_internal {
namespace {

std::vector<RowPartition> Concat(std::span<const RowPartition> outer, const std::vector<RowPartition>& inner) {
  std::vector<RowPartition> all;
  all.reserve(outer.size() + inner.size());
  all.insert(all.end(), outer.begin(), outer.end());
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

// Moves dimensions 1 to `axis` of a dense array into partitions.
void SplitTensor(Tensor tensor, int axis, AxisStack& stack) {
  const Shape shape = tensor.shape();
  int64_t nrows = shape[0];
  for (int i = 1; i <= axis; ++i) {
    // The array has at least this many elements, unless an inner axis is empty. Then there may be more rows than int64 can
    // count.
    absl::StatusOr<RowPartition> partition = RowPartition::FromUniformRowLength(shape[i], nrows);
    assert(partition.ok());
    nrows = partition->nvals();
    stack.partitions.push_back(*std::move(partition));
  }
  stack.inner = axis == 0 ? std::move(tensor) : tensor.Reshape(shape.DropOuter(axis + 1).Prepend(nrows));
}

std::string RowText(const AxisStack& stack, size_t level, int64_t row) {
  const RowPartition& partition = stack.partitions[level];
  if (row >= partition.nrows()) return "no such row";
  return absl::StrCat(partition.row_length(row), " values");
}

// For a value with only one row: all its rows have the same length, and the result's outermost partition says so.
std::vector<RowPartition> WithKnownLength(std::vector<RowPartition> partitions) {
  RowPartition& first = partitions.front();
  if (first.uniform_row_length() || first.is_optional()) return partitions;
  first = RowPartition::FromUniformRowLength(first.nvals(), 1)->WithDtype(first.dtype());
  return partitions;
}

// Requires: structs have rank 1 and one row.
StructuredTensor WithKnownLengths(const StructuredTensor& structs) {
  std::vector<Field> fields;
  fields.reserve(structs.num_fields());
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    Value field = structs.flat_field(i);
    const StructuredTensor* nested = field.structured();
    if (const RaggedTensor* ragged = field.ragged()) {
      field = RaggedTensor::FromRowPartitionsUnchecked(WithKnownLength(ragged->row_partitions()), ragged->flat_values());
    } else if (nested != nullptr && nested->rank() == 1) {
      field = WithKnownLengths(*nested);
    } else if (nested != nullptr) {
      field = nested->WithRowPartitions(WithKnownLength(nested->row_partitions()));
    }
    fields.push_back({structs.field_names()[i], std::move(field)});
  }
  return structs.WithFlatFields(std::move(fields));
}

}  // namespace

absl::StatusOr<int> ResolveAxis(int64_t axis, int rank, std::string_view name) {
  if (-rank <= axis && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  if (rank == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(name), " is ", axis, ", but the value is a scalar, which has no axes"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(name), " is ", axis, "; of a value with ", rank, " axes it must be in [", -rank, ", ", rank, ")"));
}

absl::StatusOr<AxisStack> SplitAtAxis(const Value& value, int axis) {
  assert(0 <= axis && axis < value.rank());
  AxisStack stack{{}, value, 0};
  if (axis == 0) return stack;
  if (value.tensor() != nullptr) {
    SplitTensor(*value.tensor(), axis, stack);
    return stack;
  }
  const size_t outer = static_cast<size_t>(axis);
  if (const RaggedTensor* ragged = value.ragged()) {
    const std::vector<RowPartition>& partitions = ragged->row_partitions();
    stack.num_ragged = std::min(outer, partitions.size());
    const auto middle = partitions.begin() + static_cast<std::ptrdiff_t>(stack.num_ragged);
    stack.partitions.assign(partitions.begin(), middle);
    if (middle != partitions.end()) {
      stack.inner = RaggedTensor::FromRowPartitionsUnchecked({middle, partitions.end()}, ragged->flat_values());
    } else {
      SplitTensor(ragged->flat_values(), axis - static_cast<int>(partitions.size()), stack);
    }
    return stack;
  }
  if (const StructuredTensor* structs = value.structured()) {
    const std::vector<RowPartition>& partitions = structs->row_partitions();
    const auto middle = partitions.begin() + axis;
    stack.partitions.assign(partitions.begin(), middle);
    stack.inner = structs->WithRowPartitions({middle, partitions.end()});
    return stack;
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(values_internal::InnerRows rows, values_internal::TakeOffAxes(value, axis));
  stack.partitions = std::move(rows.partitions);
  stack.inner = std::move(rows.inner);
  return stack;
}

Value JoinAxes(AxisStack stack) {
  if (stack.partitions.empty()) return std::move(stack.inner);
  const std::span<const RowPartition> partitions = stack.partitions;
  if (const StructuredTensor* structs = stack.inner.structured()) {
    return structs->WithRowPartitions(Concat(partitions, structs->row_partitions()));
  }
  if (stack.inner.extension() != nullptr) {
    Value joined = std::move(stack.inner);
    for (size_t i = partitions.size(); i > 0; --i) joined = WithOuterPartition(partitions[i - 1], joined);
    return joined;
  }
  // Dimensions before a dense array stay dense, from the inside to the outside, up to the first one that cannot be dense.
  size_t outer = partitions.size();
  if (const Tensor* tensor = stack.inner.tensor()) {
    Shape shape = tensor->shape().DropOuter(1);
    const auto stays_dense = [&](const RowPartition& partition) {
      return partition.uniform_row_length() && !partition.is_optional();
    };
    for (; outer > stack.num_ragged && stays_dense(partitions[outer - 1]); --outer) {
      shape = shape.Prepend(*partitions[outer - 1].uniform_row_length());
    }
    if (outer < partitions.size()) stack.inner = tensor->Reshape(shape.Prepend(partitions[outer].nrows()));
  }
  if (outer == 0) return std::move(stack.inner);
  if (const RaggedTensor* ragged = stack.inner.ragged()) {
    return RaggedTensor::FromRowPartitionsUnchecked(Concat(partitions.first(outer), ragged->row_partitions()),
                                                    ragged->flat_values());
  }
  return RaggedTensor::FromRowPartitionsUnchecked(Concat(partitions.first(outer), {}), *stack.inner.tensor());
}

RowPartition ComposePartitions(std::span<const RowPartition> partitions) {
  assert(!partitions.empty());
  if (partitions.size() == 1) return partitions.front();
  const int64_t nrows = partitions.front().nrows();
  const bool all_optional =
      std::all_of(partitions.begin(), partitions.end(), [](const RowPartition& partition) { return partition.is_optional(); });
  const auto optional = all_optional ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  const DType dtype = partitions.front().dtype();
  const bool without_values = std::any_of(partitions.begin(), partitions.end(),
                                          [](const RowPartition& partition) { return partition.uniform_row_length() == 0; });
  int64_t length = without_values ? 0 : 1;
  int64_t nvals = 0;
  const bool uniform =
      without_values || std::all_of(partitions.begin(), partitions.end(), [&](const RowPartition& partition) {
        return partition.uniform_row_length() && !__builtin_mul_overflow(length, *partition.uniform_row_length(), &length);
      });
  if (uniform && !__builtin_mul_overflow(length, nrows, &nvals)) {
    return WithDtypeIfFits(*RowPartition::FromUniformRowLength(length, nrows, optional), dtype);
  }
  const std::span<const int64_t> outer = partitions.front().row_splits().span();
  std::vector<int64_t> splits(outer.begin(), outer.end());
  for (const RowPartition& partition : partitions.subspan(1)) {
    const RowReader rows(partition);
    for (int64_t& split : splits) split = split == partition.nrows() ? partition.nvals() : rows.row(split).begin;
  }
  return WithDtypeIfFits(RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)), optional), dtype);
}

std::optional<int64_t> FirstDifference(const RowPartition& a, const RowPartition& b) {
  const int64_t nrows = std::min(a.nrows(), b.nrows());
  const bool both_uniform = a.uniform_row_length() && b.uniform_row_length();
  if (both_uniform) {
    if (nrows > 0 && a.uniform_row_length() != b.uniform_row_length()) return 0;
  } else if (a.uniform_row_length() || b.uniform_row_length() ||
             a.unshifted_row_splits().data() != b.unshifted_row_splits().data()) {
    const RowReader a_rows(a);
    const RowReader b_rows(b);
    for (int64_t row = 0; row < nrows; ++row) {
      if (a_rows.row(row) != b_rows.row(row)) return row;
    }
  }
  if (a.nrows() != b.nrows()) return nrows;
  return std::nullopt;
}

absl::Status CheckSameAxes(const AxisStack& a, std::string_view a_name, const AxisStack& b, std::string_view b_name,
                           int num_axes) {
  if (num_axes == 0) return absl::OkStatus();
  const auto nrows = [](const AxisStack& stack) {
    return stack.partitions.empty() ? stack.inner.nrows() : stack.partitions.front().nrows();
  };
  if (nrows(a) != nrows(b)) {
    return absl::InvalidArgumentError(absl::StrCat("axis 0 of ", ToAbsl(a_name), " has ", nrows(a), " rows and that of ",
                                                   ToAbsl(b_name), " has ", nrows(b), "; both must be equal"));
  }
  for (size_t level = 0; level + 1 < static_cast<size_t>(num_axes); ++level) {
    const std::optional<int64_t> row = FirstDifference(a.partitions[level], b.partitions[level]);
    if (!row) continue;
    return absl::InvalidArgumentError(absl::StrCat("axis ", level + 1, ": row ", *row, " of ", ToAbsl(a_name), " has ",
                                                   RowText(a, level, *row), " and that of ", ToAbsl(b_name), " has ",
                                                   RowText(b, level, *row), "; both must be equal"));
  }
  return absl::OkStatus();
}

DType RowSplitsDtype(const Value& value) {
  if (value.structured() != nullptr) return value.structured()->shape_dtype();
  if (value.ragged() != nullptr) return value.ragged()->row_partition(0).dtype();
  return DType::kInt64;
}

RowPartition WithDtypeIfFits(const RowPartition& partition, DType dtype) {
  if (dtype == DType::kInt32 && partition.nvals() > std::numeric_limits<int32_t>::max()) return partition;
  return partition.WithDtype(dtype);
}

absl::StatusOr<RowPartition> CastPartition(const RowPartition& partition, DType dtype) {
  if (dtype == DType::kInt32 && partition.nvals() > std::numeric_limits<int32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a row partition of ", partition.nvals(), " values cannot have row splits of int32; use int64"));
  }
  return partition.WithDtype(dtype);
}

absl::StatusOr<RowPartition> UniformPartition(int64_t length, int64_t nrows, DType dtype) {
  assert(length >= 0 && nrows >= 0);
  int64_t nvals = 0;
  if (__builtin_mul_overflow(length, nrows, &nvals)) {
    return absl::ResourceExhaustedError(absl::StrCat(nrows, " rows of ", length, " values are more than int64 can count"));
  }
  return CastPartition(*RowPartition::FromUniformRowLength(length, nrows), dtype);
}

absl::StatusOr<Value> ScalarAsRow(const Value& scalar) {
  assert(scalar.rank() == 0);
  if (scalar.tensor() != nullptr) return scalar.tensor()->Reshape(Shape({1}));
  if (scalar.structured() != nullptr) return WithKnownLengths(scalar.structured()->WithRowPartitions({}));
  return values_internal::AsOneRow(scalar);
}

}  // namespace structtensor::ops_internal
