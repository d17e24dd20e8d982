#include "structtensor/tensor/math/dynamic_ragged_shape.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {
namespace {

// How many lengths of an axis are shown in strings.
constexpr size_t kMaxLengthsShown = 20;

absl::Status CheckDtype(DType dtype) {
  if (dtype == DType::kInt64 || dtype == DType::kInt32) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a shape counts in int32 or int64, not in ", ToAbsl(DTypeName(dtype))));
}

absl::Status CheckLengths(std::span<const DynamicRaggedShape::Length> lengths) {
  for (size_t axis = 0; axis < lengths.size(); ++axis) {
    const auto* size = std::get_if<int64_t>(&lengths[axis]);
    if (size != nullptr && *size < 0) {
      return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " has a length of ", *size, "; it must not be negative"));
    }
    if (size == nullptr && axis == 0) {
      return absl::InvalidArgumentError("axis 0 has a list of lengths, but it cannot be ragged; give one number");
    }
  }
  return absl::OkStatus();
}

// Returns how many partitions are needed to reach the last ragged axis.
int MinRowPartitions(std::span<const DynamicRaggedShape::Length> lengths) {
  for (size_t axis = lengths.size(); axis > 0; --axis) {
    if (!std::holds_alternative<int64_t>(lengths[axis - 1])) return static_cast<int>(axis) - 1;
  }
  return 0;
}

absl::StatusOr<RowPartition> PartitionOfLengths(const DynamicRaggedShape::Length& length, size_t axis, int64_t nrows,
                                                DType dtype) {
  if (const auto* size = std::get_if<int64_t>(&length)) return ops_internal::UniformPartition(*size, nrows, dtype);
  const auto& row_lengths = std::get<std::vector<int64_t>>(length);
  if (row_lengths.size() != static_cast<size_t>(nrows)) {
    return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " has ", row_lengths.size(), " row lengths for ", nrows,
                                                   nrows == 1 ? " row" : " rows", "; give one for each"));
  }
  absl::StatusOr<RowPartition> partition = RowPartition::FromRowLengths(Buffer<int64_t>::FromVector(row_lengths));
  if (!partition.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("axis ", axis, ": ", partition.status().message()));
  }
  return ops_internal::CastPartition(*partition, dtype);
}

// The product must be countable even without axes of size 0, because the axes in front of these become partitions somewhere.
absl::Status CheckCountable(const Shape& shape) {
  int64_t product = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim != 0 && __builtin_mul_overflow(product, dim, &product)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a value of shape ", shape.DebugString(), " has more elements than int64 can count"));
    }
  }
  return absl::OkStatus();
}

int64_t ClipAxis(std::optional<int64_t> axis, int64_t otherwise, int64_t rank) {
  if (!axis) return otherwise;
  return std::clamp<int64_t>(*axis < 0 ? *axis + rank : *axis, 0, rank);
}

std::string LengthText(const RowPartition& partition) {
  std::string text = "(";
  const size_t nrows = static_cast<size_t>(partition.nrows());
  for (size_t row = 0; row < std::min(nrows, kMaxLengthsShown); ++row) {
    absl::StrAppend(&text, row == 0 ? "" : ", ", partition.row_length(static_cast<int64_t>(row)));
  }
  if (nrows > kMaxLengthsShown) absl::StrAppend(&text, ", ... ", nrows - kMaxLengthsShown, " more");
  return absl::StrCat(text, nrows == 1 ? ",)" : ")");
}

}  // namespace

absl::StatusOr<DynamicRaggedShape> DynamicRaggedShape::FromLengths(std::span<const Length> lengths, DType dtype,
                                                                   std::optional<int> num_row_partitions) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckDtype(dtype));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckLengths(lengths));
  const int needed = MinRowPartitions(lengths);
  const int num_partitions = num_row_partitions.value_or(needed);
  const int most = std::max(static_cast<int>(lengths.size()) - 1, 0);
  if (num_partitions < needed || num_partitions > most) {
    return absl::InvalidArgumentError(absl::StrCat("num_row_partitions is ", num_partitions,
                                                   "; with these lengths it must be in [", needed, ", ", most, "]"));
  }
  if (lengths.empty()) return DynamicRaggedShape({}, Shape(), dtype);
  std::vector<RowPartition> partitions;
  partitions.reserve(static_cast<size_t>(num_partitions));
  int64_t size = std::get<int64_t>(lengths[0]);
  size_t axis = 1;
  for (; axis <= static_cast<size_t>(num_partitions); ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, PartitionOfLengths(lengths[axis], axis, size, dtype));
    size = partition.nvals();
    partitions.push_back(std::move(partition));
  }
  std::vector<int64_t> inner = {size};
  for (; axis < lengths.size(); ++axis) inner.push_back(std::get<int64_t>(lengths[axis]));
  const Shape inner_shape{std::span<const int64_t>(inner)};
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCountable(inner_shape));
  return DynamicRaggedShape(std::move(partitions), inner_shape, dtype);
}

DynamicRaggedShape DynamicRaggedShape::FromShape(Shape shape, DType dtype) {
  assert(shape.rank_known() && shape.is_fully_known());
  return DynamicRaggedShape({}, std::move(shape), dtype);
}

absl::StatusOr<DynamicRaggedShape> DynamicRaggedShape::FromValue(const Value& value) {
  if (value.tensor() != nullptr) return FromShape(value.tensor()->shape());
  if (const RaggedTensor* ragged = value.ragged()) {
    return DynamicRaggedShape(ragged->row_partitions(), ragged->flat_values().shape(), ops_internal::RowSplitsDtype(value));
  }
  if (const StructuredTensor* structs = value.structured()) {
    if (structs->rank() == 0) return DynamicRaggedShape({}, Shape(), structs->shape_dtype());
    return DynamicRaggedShape(structs->row_partitions(), Shape({structs->flat_nrows()}), structs->shape_dtype());
  }
  const Shape shape = value.shape();
  if (!shape.rank_known() || !shape.is_fully_known()) {
    return absl::InvalidArgumentError(absl::StrCat("the shape of ", value.spec().DebugString(), " is ", shape.DebugString(),
                                                   "; only the extension type itself knows the rest of it"));
  }
  return FromShape(shape);
}

bool DynamicRaggedShape::is_uniform(int axis) const {
  assert(0 <= axis && axis < rank());
  return axis == 0 || axis > num_row_partitions() || ops_internal::IsUniform(row_partitions_[static_cast<size_t>(axis) - 1]);
}

Shape DynamicRaggedShape::static_shape() const {
  if (row_partitions_.empty()) return inner_shape_;
  std::vector<int64_t> outer = {row_partitions_.front().nrows()};
  for (const RowPartition& partition : row_partitions_) {
    outer.push_back(ops_internal::IsUniform(partition) ? *partition.uniform_row_length() : kUnknownDimension);
  }
  return Shape(std::span<const int64_t>(outer)).Concat(inner_shape_.DropOuter(1));
}

std::vector<DynamicRaggedShape::Length> DynamicRaggedShape::lengths() const {
  const Shape shape = static_shape();
  std::vector<Length> lengths;
  lengths.reserve(static_cast<size_t>(rank()));
  for (int axis = 0; axis < rank(); ++axis) {
    if (is_uniform(axis)) {
      lengths.emplace_back(shape[axis]);
    } else {
      const std::span<const int64_t> row_lengths = row_partitions_[static_cast<size_t>(axis) - 1].row_lengths().span();
      lengths.emplace_back(std::vector<int64_t>(row_lengths.begin(), row_lengths.end()));
    }
  }
  return lengths;
}

absl::StatusOr<int64_t> DynamicRaggedShape::Dimension(int64_t axis) const {
  if (axis < -rank() || axis >= rank()) {
    return absl::OutOfRangeError(absl::StrCat("axis ", axis, " is out of range of ", DebugString(), ", which has ", rank(),
                                              rank() == 1 ? " axis" : " axes"));
  }
  const int resolved = static_cast<int>(axis < 0 ? axis + rank() : axis);
  if (!is_uniform(resolved)) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", resolved, " of ", DebugString(), " is ragged and has no single size; ask for its lengths"));
  }
  return static_shape()[resolved];
}

absl::StatusOr<DynamicRaggedShape> DynamicRaggedShape::Slice(std::optional<int64_t> begin, std::optional<int64_t> end) const {
  const int first = static_cast<int>(ClipAxis(begin, 0, rank()));
  const int last = static_cast<int>(ClipAxis(end, rank(), rank()));
  if (last <= first) return DynamicRaggedShape({}, Shape(), DType::kInt64);
  if (first == 0) {
    if (last > num_row_partitions())
      return DynamicRaggedShape(row_partitions_, inner_shape_.Outer(last - num_row_partitions()), dtype_);
    const auto kept = row_partitions_.begin() + (last - 1);
    return DynamicRaggedShape({row_partitions_.begin(), kept}, Shape({kept->nrows()}), dtype_);
  }
  for (int axis = 1; axis < last; ++axis) {
    if (!is_uniform(axis)) {
      return absl::InvalidArgumentError(
          absl::StrCat("axes [", first, ", ", last, ") of ", DebugString(), ": axis ", axis,
                       " is ragged; a slice that does not start at axis 0 needs uniform axes up to its end"));
    }
  }
  return DynamicRaggedShape({}, static_shape().Outer(last).DropOuter(first), dtype_);
}

absl::StatusOr<RowPartition> DynamicRaggedShape::AxisPartition(int axis) const {
  assert(1 <= axis && axis < rank());
  if (axis <= num_row_partitions()) return row_partitions_[static_cast<size_t>(axis) - 1];
  const int inner_axis = axis - num_row_partitions();
  int64_t nrows = 1;
  for (const int64_t dim : inner_shape_.dims().first(static_cast<size_t>(inner_axis))) {
    if (__builtin_mul_overflow(nrows, dim, &nrows)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("axis ", axis, " of ", DebugString(), " has more rows than int64 can count"));
    }
  }
  return ops_internal::UniformPartition(inner_shape_[inner_axis], nrows, dtype_);
}

absl::StatusOr<DynamicRaggedShape> DynamicRaggedShape::WithDtype(DType dtype) const {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckDtype(dtype));
  std::vector<RowPartition> partitions;
  partitions.reserve(row_partitions_.size());
  for (const RowPartition& partition : row_partitions_) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition cast, ops_internal::CastPartition(partition, dtype));
    partitions.push_back(std::move(cast));
  }
  return DynamicRaggedShape(std::move(partitions), inner_shape_, dtype);
}

std::string DynamicRaggedShape::DebugString() const {
  const Shape shape = static_shape();
  std::string text = "<DynamicRaggedShape lengths=[";
  for (int axis = 0; axis < rank(); ++axis) {
    if (axis > 0) text += ", ";
    if (is_uniform(axis)) {
      absl::StrAppend(&text, shape[axis]);
    } else {
      text += LengthText(row_partitions_[static_cast<size_t>(axis) - 1]);
    }
  }
  return absl::StrCat(text, "] num_row_partitions=", num_row_partitions(), ">");
}

bool operator==(const DynamicRaggedShape& a, const DynamicRaggedShape& b) {
  if (a.inner_shape() != b.inner_shape() || a.row_partitions() != b.row_partitions()) return false;
  for (int axis = 1; axis <= a.num_row_partitions(); ++axis) {
    if (a.is_uniform(axis) != b.is_uniform(axis)) return false;
  }
  return true;
}

absl::StatusOr<StructuredTensor> StructsOfShape(const DynamicRaggedShape& shape) {
  if (shape.rank() == 0) return StructuredTensor::CreateScalar({}).WithShapeDtype(shape.dtype());
  std::vector<RowPartition> partitions = shape.row_partitions();
  for (int axis = shape.num_row_partitions() + 1; axis < shape.rank(); ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, shape.AxisPartition(axis));
    partitions.push_back(std::move(partition));
  }
  const int64_t flat_nrows = partitions.empty() ? shape.inner_shape()[0] : partitions.back().nvals();
  return StructuredTensor::Create(std::move(partitions), flat_nrows, std::vector<Field>{}).WithShapeDtype(shape.dtype());
}

}  // namespace structtensor
