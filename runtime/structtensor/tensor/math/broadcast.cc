#include "structtensor/tensor/math/broadcast.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/row_pieces.h"

namespace structtensor {
namespace {

// Maps each row of the result to a row of an operand.
class RowMap {
 public:
  static RowMap Identity() { return RowMap(Kind::kIdentity, {}); }
  static RowMap AllFirst() { return RowMap(Kind::kAllFirst, {}); }
  static RowMap FromRows(Buffer<int64_t> rows) { return RowMap(Kind::kRows, std::move(rows)); }

  bool is_identity() const { return kind_ == Kind::kIdentity; }
  bool is_all_first() const { return kind_ == Kind::kAllFirst; }
  std::span<const int64_t> rows() const { return rows_.span(); }

  int64_t operator()(int64_t row) const {
    if (kind_ == Kind::kRows) return rows_[static_cast<size_t>(row)];
    return kind_ == Kind::kIdentity ? row : 0;
  }

 private:
  enum class Kind : uint8_t { kIdentity, kAllFirst, kRows };
  RowMap(Kind kind, Buffer<int64_t> rows) : kind_(kind), rows_(std::move(rows)) {}

  Kind kind_;
  Buffer<int64_t> rows_;
};

// A shape with axes of size 1 added in front, so that it has `rank` axes.
class PaddedShape {
 public:
  PaddedShape(const DynamicRaggedShape& shape, int rank)
      : shape_(shape), static_shape_(shape.static_shape()), padding_(rank - shape.rank()) {}

  int padding() const { return padding_; }
  // Requires: the axis is uniform.
  int64_t Dimension(int axis) const { return axis < padding_ ? 1 : static_shape_[axis - padding_]; }
  absl::StatusOr<RowPartition> Partition(int axis) const {
    if (axis > padding_) return shape_.AxisPartition(axis - padding_);
    return ops_internal::UniformPartition(Dimension(axis), 1, shape_.dtype());
  }

 private:
  const DynamicRaggedShape& shape_;
  Shape static_shape_;
  int padding_;
};

// The shape of the result, and for each operand the map from rows of the result's flat values to rows of its own.
struct Broadcasting {
  DynamicRaggedShape shape;
  std::vector<RowMap> maps;
};

using Names = std::span<const std::string_view>;

bool IsRepeated(const RowPartition& partition) {
  return ops_internal::IsUniform(partition) && *partition.uniform_row_length() == 1;
}

absl::Status SizesDiffer(int axis, std::string_view a, int64_t a_size, std::string_view b, int64_t b_size) {
  return absl::InvalidArgumentError(absl::StrCat("shapes do not fit: axis ", axis, " of ", ToAbsl(a), " has size ", a_size,
                                                 " and that of ", ToAbsl(b), " has size ", b_size,
                                                 "; they must be equal, or one of them 1"));
}

absl::Status LengthsDiffer(int axis, int64_t row, std::string_view a, int64_t a_length, std::string_view b, int64_t b_length) {
  return absl::InvalidArgumentError(absl::StrCat(
      "shapes do not fit: on axis ", axis, ", row ", row, " of ", ToAbsl(a), " has ", a_length, " values and that of ",
      ToAbsl(b), " has ", b_length, "; rows of a ragged axis must have equal lengths, or the other value size 1 on that axis"));
}

// Returns the size that all dimensions of an axis have after broadcasting.
absl::StatusOr<int64_t> BroadcastDimensions(std::span<const PaddedShape> shapes, int axis, Names names) {
  size_t chosen = 0;
  int64_t size = shapes[0].Dimension(axis);
  for (size_t i = 1; i < shapes.size(); ++i) {
    const int64_t other = shapes[i].Dimension(axis);
    if (other == size || other == 1) continue;
    if (size != 1) return SizesDiffer(axis, names[chosen], size, names[i], other);
    chosen = i;
    size = other;
  }
  return size;
}

// Makes the partition in which row i has as many values as row map(i) of `source`.
absl::StatusOr<RowPartition> MapPartition(const RowPartition& source, const RowMap& map, int64_t nrows, DType dtype) {
  if (ops_internal::IsUniform(source)) return ops_internal::UniformPartition(*source.uniform_row_length(), nrows, dtype);
  if (map.is_identity()) return source;
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(nrows + 1));
  const ops_internal::RowReader rows(source);
  int64_t end = 0;
  splits.data()[0] = 0;
  for (int64_t row = 0; row < nrows; ++row) {
    if (__builtin_add_overflow(end, rows.row(map(row)).size(), &end)) {
      return absl::ResourceExhaustedError("the values of the result are more than int64 can count");
    }
    splits.data()[row + 1] = end;
  }
  const auto optional = source.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  return ops_internal::CastPartition(RowPartition::FromRowSplitsUnchecked(std::move(splits).Finish(), optional), dtype);
}

// Checks that mapped rows of both partitions have equal lengths.
absl::Status CheckSameLengths(int axis, int64_t nrows, const RowPartition& a, const RowMap& a_map, std::string_view a_name,
                              const RowPartition& b, const RowMap& b_map, std::string_view b_name) {
  if (ops_internal::IsUniform(a) && ops_internal::IsUniform(b)) {
    if (*a.uniform_row_length() == *b.uniform_row_length()) return absl::OkStatus();
    return SizesDiffer(axis, a_name, *a.uniform_row_length(), b_name, *b.uniform_row_length());
  }
  if (a_map.is_identity() && b_map.is_identity() && !ops_internal::FirstDifference(a, b)) return absl::OkStatus();
  const ops_internal::RowReader a_rows(a);
  const ops_internal::RowReader b_rows(b);
  for (int64_t row = 0; row < nrows; ++row) {
    const int64_t a_length = a_rows.row(a_map(row)).size();
    const int64_t b_length = b_rows.row(b_map(row)).size();
    if (a_length != b_length) return LengthsDiffer(axis, row, a_name, a_length, b_name, b_length);
  }
  return absl::OkStatus();
}

// Turns the map of an axis' rows into a map of its values. The operand has the rows `source`, and the result has the rows
// `result`.
absl::StatusOr<RowMap> MapValues(const RowMap& map, const RowPartition& source, const RowPartition& result) {
  const bool repeated = IsRepeated(source) && !IsRepeated(result);
  if (repeated && (map.is_all_first() || source.nrows() == 1)) return RowMap::AllFirst();
  if (repeated && map.is_identity()) return RowMap::FromRows(result.value_rowids());
  if (!repeated && map.is_identity()) return map;
  if (!repeated && map.is_all_first() && IsRepeated(source)) return map;
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> values, NewBuffer<int64_t>::Allocate(result.nvals()));
  const ops_internal::RowReader source_rows(source);
  const ops_internal::RowReader result_rows(result);
  int64_t* next = values.data();
  for (int64_t row = 0; row < result.nrows(); ++row) {
    const int64_t begin = source_rows.row(map(row)).begin;
    const int64_t length = result_rows.row(row).size();
    for (int64_t i = 0; i < length; ++i) *next++ = repeated ? begin : begin + i;
  }
  return RowMap::FromRows(std::move(values).Finish());
}

// Broadcasts an axis that has partitions. `sources` are the operands' partitions. `maps` are of the axis' rows, and afterwards
// of its values.
absl::StatusOr<RowPartition> BroadcastAxis(int axis, std::span<const RowPartition> sources, int64_t nrows, DType dtype,
                                           Names names, std::span<RowMap> maps) {
  // Chooses the operand whose rows the result has: a ragged operand if there is one, else an operand that is not repeated.
  size_t chosen = 0;
  for (size_t i = 1; i < sources.size(); ++i) {
    const bool better =
        IsRepeated(sources[chosen]) || (ops_internal::IsUniform(sources[chosen]) && !ops_internal::IsUniform(sources[i]));
    if (better && !IsRepeated(sources[i])) chosen = i;
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition result, MapPartition(sources[chosen], maps[chosen], nrows, dtype));
  for (size_t i = 0; i < sources.size(); ++i) {
    if (i == chosen || IsRepeated(sources[i])) continue;
    STRUCTTENSOR_RETURN_IF_ERROR(
        CheckSameLengths(axis, nrows, sources[chosen], maps[chosen], names[chosen], sources[i], maps[i], names[i]));
    if (result.is_optional() && !sources[i].is_optional()) result = result.WithOptional(RowPartition::Optional::kNo);
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(maps[i], MapValues(maps[i], sources[i], result));
  }
  return result;
}

// The number of row partitions in the padded shape. A shape without partitions does not count.
int NumRowPartitions(const DynamicRaggedShape& shape, int rank) {
  return shape.num_row_partitions() == 0 ? 0 : shape.num_row_partitions() + rank - shape.rank();
}

DType CommonDtype(std::span<const DynamicRaggedShape> shapes, bool any_partitions) {
  for (const DynamicRaggedShape& shape : shapes) {
    if (shape.dtype() != DType::kInt32 && (!any_partitions || shape.num_row_partitions() > 0)) return DType::kInt64;
  }
  return DType::kInt32;
}

absl::Status CheckCountable(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the result has shape ", Shape(dims).DebugString(), ", more elements than int64 can count"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Broadcasting> Broadcast(std::span<const DynamicRaggedShape> shapes, Names names) {
  int rank = 0;
  for (const DynamicRaggedShape& shape : shapes) rank = std::max(rank, shape.rank());
  int num_partitions = 0;
  for (const DynamicRaggedShape& shape : shapes) num_partitions = std::max(num_partitions, NumRowPartitions(shape, rank));
  const DType dtype = CommonDtype(shapes, num_partitions > 0);
  std::vector<PaddedShape> padded;
  padded.reserve(shapes.size());
  for (const DynamicRaggedShape& shape : shapes) padded.emplace_back(shape, rank);

  std::vector<RowMap> maps(shapes.size(), RowMap::Identity());
  std::vector<RowPartition> partitions;
  std::vector<int64_t> dims;  // the inner shape
  if (rank > 0) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(int64_t nrows, BroadcastDimensions(padded, 0, names));
    for (size_t i = 0; i < padded.size(); ++i) {
      if (padded[i].Dimension(0) != nrows) maps[i] = RowMap::AllFirst();
    }
    for (int axis = 1; axis <= num_partitions; ++axis) {
      std::vector<RowPartition> sources;
      sources.reserve(padded.size());
      for (const PaddedShape& shape : padded) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition source, shape.Partition(axis));
        sources.push_back(std::move(source));
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, BroadcastAxis(axis, sources, nrows, dtype, names, maps));
      nrows = partition.nvals();
      partitions.push_back(partition.WithDtype(dtype));
    }
    dims.push_back(nrows);
  }
  for (int axis = num_partitions + 1; axis < rank; ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t dim, BroadcastDimensions(padded, axis, names));
    dims.push_back(dim);
  }
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCountable(dims));
  return Broadcasting{DynamicRaggedShape::FromParts(std::move(partitions), Shape(std::span<const int64_t>(dims)), dtype),
                      std::move(maps)};
}

// Returns the flat values of an operand with an axis 0 that has the rows of the result's flat values, or 1 row.
absl::StatusOr<Tensor> MapFlatRows(const Tensor& flat, const DynamicRaggedShape& source, const DynamicRaggedShape& result,
                                   const RowMap& map) {
  const int num_merged = result.num_row_partitions() - (result.rank() - source.rank()) - source.num_row_partitions();
  if (result.num_row_partitions() == 0 || source.rank() == 0) return flat;
  // Then all axes of the operand come after the partitions.
  if (num_merged + source.num_row_partitions() < 0) return flat;
  Tensor rows = flat;
  if (num_merged > 0) {
    int64_t nrows = 1;
    for (const int64_t dim : flat.shape().dims().first(static_cast<size_t>(num_merged) + 1)) nrows *= dim;
    rows = flat.Reshape(flat.shape().DropOuter(num_merged + 1).Prepend(nrows));
  }
  if (map.is_identity()) return rows;
  if (map.is_all_first()) return rows.SliceRows(0, 1);
  return values_internal::CopyRows(rows, map.rows());
}

// Repeats `flat` along axes of size 1. Requires: the shapes fit.
absl::StatusOr<Tensor> RepeatDense(const Tensor& flat, const Shape& shape) {
  if (flat.shape() == shape) return flat;
  const Tensor::Strides from = flat.strides();
  const int padding = shape.rank() - flat.rank();
  Tensor::Strides strides(static_cast<size_t>(shape.rank()), 0);
  for (int axis = padding; axis < shape.rank(); ++axis) {
    if (flat.shape()[axis - padding] != 1) strides[static_cast<size_t>(axis)] = from[static_cast<size_t>(axis - padding)];
  }
  return flat.View(0, shape, strides);
}

bool SameRows(const DynamicRaggedShape& a, const DynamicRaggedShape& b) {
  if (a.rank() != b.rank()) return false;
  const Shape a_shape = a.static_shape();
  const Shape b_shape = b.static_shape();
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (a.is_uniform(axis) && b.is_uniform(axis)) {
      if (a_shape[axis] != b_shape[axis]) return false;
      continue;
    }
    const absl::StatusOr<RowPartition> a_rows = a.AxisPartition(axis);
    const absl::StatusOr<RowPartition> b_rows = b.AxisPartition(axis);
    if (!a_rows.ok() || !b_rows.ok() || ops_internal::FirstDifference(*a_rows, *b_rows)) return false;
  }
  return true;
}

// Checks that no ragged axis of the value becomes an axis of the dense array in the new shape.
absl::Status CheckStaysRagged(const DynamicRaggedShape& source, const DynamicRaggedShape& shape) {
  for (int axis = 1; axis < source.rank(); ++axis) {
    const int new_axis = axis + shape.rank() - source.rank();
    if (source.is_uniform(axis) || new_axis <= shape.num_row_partitions()) continue;
    return absl::InvalidArgumentError(absl::StrCat("BroadcastTo(): axis ", axis, " of the value is ragged, but axis ", new_axis,
                                                   " of the new shape ", shape.DebugString(),
                                                   " is dense; give it a row partition, or make the value a tensor first"));
  }
  return absl::OkStatus();
}

// Whether elements of both values are at the same positions.
bool SamePartitions(const RaggedTensor& a, const RaggedTensor& b) {
  if (a.ragged_rank() != b.ragged_rank()) return false;
  for (int i = 0; i < a.ragged_rank(); ++i) {
    const RowPartition &a_rows = a.row_partition(i), &b_rows = b.row_partition(i);
    if (a_rows.dtype() != b_rows.dtype() || a_rows.is_optional() != b_rows.is_optional() ||
        a_rows.uniform_row_length() != b_rows.uniform_row_length() || ops_internal::FirstDifference(a_rows, b_rows)) {
      return false;
    }
  }
  return true;
}

// A shortcut for values that have the same shape already, and for scalars.
std::optional<AlignedOperands> AlignEqual(std::span<const Value> values) {
  const Value* first = &values.front();
  for (const Value& value : values) {
    if (value.rank() > first->rank()) first = &value;
  }
  AlignedOperands aligned;
  if (first->ragged() != nullptr) aligned.row_partitions = first->ragged()->row_partitions();
  aligned.shape = first->ragged() != nullptr ? first->ragged()->flat_values().shape() : first->tensor()->shape();
  aligned.flat_values.reserve(values.size());
  for (const Value& value : values) {
    const RaggedTensor* ragged = value.ragged();
    const Tensor& flat = ragged != nullptr ? ragged->flat_values() : *value.tensor();
    if (value.rank() > 0) {
      if ((ragged == nullptr) != (first->ragged() == nullptr) || flat.shape() != aligned.shape) return std::nullopt;
      if (ragged != nullptr && !SamePartitions(*first->ragged(), *ragged)) return std::nullopt;
    }
    aligned.flat_values.push_back(flat);
  }
  return aligned;
}

absl::Status WithOp(std::string_view op, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(ToAbsl(op), "(): ", status.message()));
}

}  // namespace

absl::StatusOr<DynamicRaggedShape> BroadcastShapes(const DynamicRaggedShape& a, const DynamicRaggedShape& b) {
  static constexpr std::string_view kNames[] = {"the first shape", "the second shape"};
  STRUCTTENSOR_ASSIGN_OR_RETURN(Broadcasting result, Broadcast(std::vector<DynamicRaggedShape>{a, b}, kNames));
  return std::move(result.shape);
}

absl::StatusOr<Value> BroadcastTo(const Value& value, const DynamicRaggedShape& shape) {
  static constexpr std::string_view kNames[] = {"the value", "the new shape"};
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, math_internal::FlatValues("BroadcastTo", value));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DynamicRaggedShape source, DynamicRaggedShape::FromValue(value));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckStaysRagged(source, shape));
  absl::StatusOr<Broadcasting> result = Broadcast(std::vector<DynamicRaggedShape>{source, shape}, kNames);
  if (!result.ok()) return WithOp("BroadcastTo", result.status());
  if (!SameRows(result->shape, shape)) {
    return absl::InvalidArgumentError(absl::StrCat("BroadcastTo(): a value of shape ", source.DebugString(),
                                                   " cannot become one of shape ", shape.DebugString(),
                                                   "; its sizes must be those of the new shape, or 1"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor rows, MapFlatRows(flat, source, result->shape, result->maps[0]));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor repeated, RepeatDense(rows, result->shape.inner_shape()));
  // An axis with a uniform partition in the value may be dense in the new shape.
  if (repeated.shape() != shape.inner_shape()) repeated = repeated.Reshape(shape.inner_shape());
  if (shape.num_row_partitions() == 0) return repeated;
  return RaggedTensor::FromRowPartitionsUnchecked(shape.row_partitions(), std::move(repeated));
}

Value AlignedOperands::Join(Tensor flat) && {
  assert(flat.shape() == shape);
  if (row_partitions.empty()) return flat;
  return RaggedTensor::FromRowPartitionsUnchecked(std::move(row_partitions), std::move(flat));
}

absl::StatusOr<AlignedOperands> AlignOperands(std::string_view op, std::span<const Value> values,
                                              std::span<const std::string_view> names) {
  for (const Value& value : values) {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::FlatValues(op, value).status());
  }
  if (std::optional<AlignedOperands> aligned = AlignEqual(values)) return *std::move(aligned);
  std::vector<DynamicRaggedShape> shapes;
  shapes.reserve(values.size());
  for (const Value& value : values) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(DynamicRaggedShape shape, DynamicRaggedShape::FromValue(value));
    shapes.push_back(std::move(shape));
  }
  absl::StatusOr<Broadcasting> result = Broadcast(shapes, names);
  if (!result.ok()) return WithOp(op, result.status());
  AlignedOperands aligned{result->shape.row_partitions(), result->shape.inner_shape(), {}};
  aligned.flat_values.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, math_internal::FlatValues(op, values[i]));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor rows, MapFlatRows(flat, shapes[i], result->shape, result->maps[i]));
    aligned.flat_values.push_back(std::move(rows));
  }
  return aligned;
}

}  // namespace structtensor
