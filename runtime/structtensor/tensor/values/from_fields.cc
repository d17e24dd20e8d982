// Every field is split into its outer axes, as row partitions, and its flat rows. The flat rows are kept as they are. The
// partitions of all fields are compared, and one partition is kept for each axis.
#include "structtensor/tensor/values/from_fields.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/type_spec/field_name.h"
#include "structtensor/tensor/values/shared/cast_row_splits.h"
#include "structtensor/tensor/values/shared/compose_rows.h"

namespace structtensor {
namespace {

absl::Status Invalid(std::string_view where, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(where), ": ", what));
}

absl::Status CheckNames(const std::vector<Field>& fields) {
  absl::flat_hash_set<std::string_view> seen;
  for (const Field& field : fields) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFieldName(field.name));
    if (!seen.insert(field.name).second) return Invalid("field " + field.name, "it is given twice; names must be unique");
  }
  return absl::OkStatus();
}

// Where the partition of an axis comes from: a field, or an option.
struct AxisSource {
  std::string_view field;  // empty: row_partitions

  std::string Name() const { return field.empty() ? std::string("row_partitions") : "field " + std::string(field); }
};

// The outer axes of one source.
struct OuterAxes {
  AxisSource source;
  int64_t nrows;
  std::vector<RowPartition> partitions;  // rank - 1
  Value flat;                            // axis 0: the innermost structs
};

// Adds a partition for each of `dims`, the sizes of axes [1, rank). Requires: nrows times all dims does not overflow.
void AddUniformAxes(int64_t nrows, std::span<const int64_t> dims, std::vector<RowPartition>& partitions) {
  for (const int64_t dim : dims) {
    partitions.push_back(*RowPartition::FromUniformRowLength(dim, nrows));
    nrows *= dim;
  }
}

// Merges axes [0, count) of a tensor into one.
Tensor MergeOuterAxes(const Tensor& tensor, int count) {
  if (count == 1) return tensor;
  return tensor.Reshape(tensor.shape().DropOuter(count).Prepend(tensor.shape().Outer(count).num_elements()));
}

// The sizes of a tensor's outer axes multiply to at most INT64_MAX, unless an inner axis is empty: then an overflow is hidden.
absl::Status CheckOuterSize(const AxisSource& source, const Shape& shape, int rank) {
  int64_t product = 1;
  for (const int64_t dim : shape.dims().first(static_cast<size_t>(rank))) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return Invalid(source.Name(), absl::StrCat("shape ", shape.DebugString(), " has more structs than int64 can count"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<OuterAxes> TakeApart(const Field& field, int rank) {
  const Value& value = field.value;
  OuterAxes axes{{field.name}, value.nrows(), {}, value};
  if (value.rank() < rank) {
    return Invalid("field " + field.name, absl::StrCat("it has shape ", value.shape().DebugString(), "; structs of rank ", rank,
                                                       " need fields of at least that rank"));
  }
  if (rank == 1) return axes;
  const size_t num_partitions = static_cast<size_t>(rank) - 1;
  axes.partitions.reserve(num_partitions);
  if (const Tensor* tensor = value.tensor()) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckOuterSize(axes.source, tensor->shape(), rank));
    AddUniformAxes(axes.nrows, tensor->shape().dims().subspan(1, num_partitions), axes.partitions);
    axes.flat = MergeOuterAxes(*tensor, rank);
  } else if (const RaggedTensor* ragged = value.ragged()) {
    const auto& partitions = ragged->row_partitions();
    const size_t num_ragged = std::min(num_partitions, partitions.size());
    const auto first_kept = partitions.begin() + static_cast<std::ptrdiff_t>(num_ragged);
    axes.partitions.assign(partitions.begin(), first_kept);
    if (num_ragged < partitions.size()) {
      axes.flat = RaggedTensor::FromRowPartitionsUnchecked({first_kept, partitions.end()}, ragged->flat_values());
    } else {
      const Tensor& flat_values = ragged->flat_values();
      const int num_dense = static_cast<int>(num_partitions - num_ragged);
      STRUCTTENSOR_RETURN_IF_ERROR(CheckOuterSize(axes.source, flat_values.shape(), num_dense + 1));
      AddUniformAxes(flat_values.nrows(), flat_values.shape().dims().subspan(1, num_partitions - num_ragged), axes.partitions);
      axes.flat = MergeOuterAxes(flat_values, num_dense + 1);
    }
  } else if (const StructuredTensor* structs = value.structured()) {
    const auto& partitions = structs->row_partitions();
    const auto first_kept = partitions.begin() + static_cast<std::ptrdiff_t>(num_partitions);
    axes.partitions.assign(partitions.begin(), first_kept);
    axes.flat = structs->WithRowPartitions({first_kept, partitions.end()});
  } else {
    absl::StatusOr<values_internal::InnerRows> rows = values_internal::TakeOffAxes(value, static_cast<int>(num_partitions));
    if (!rows.ok()) return Invalid("field " + field.name, std::string(rows.status().message()));
    axes.partitions = std::move(rows->partitions);
    axes.flat = std::move(rows->inner);
  }
  return axes;
}

// The first row in which the partitions differ, or -1.
int64_t FirstDifference(const RowPartition& a, const RowPartition& b) {
  if (a.uniform_row_length() && b.uniform_row_length()) {
    return a.uniform_row_length() == b.uniform_row_length() || a.nrows() == 0 ? -1 : 0;
  }
  if (!a.uniform_row_length() && !b.uniform_row_length()) {
    const std::span<const int64_t> a_splits = a.row_splits().span();
    const std::span<const int64_t> b_splits = b.row_splits().span();
    if (a_splits.data() == b_splits.data()) return -1;
    const auto [difference, other] = std::mismatch(a_splits.begin(), a_splits.end(), b_splits.begin(), b_splits.end());
    return difference == a_splits.end() ? -1 : difference - a_splits.begin() - 1;
  }
  for (int64_t i = 0; i < a.nrows(); ++i) {
    if (a.row_length(i) != b.row_length(i)) return i;
  }
  return -1;
}

// Compares what two sources say about the axes.
absl::Status CheckSameAxes(const OuterAxes& a, const OuterAxes& b, ValidateLevel level) {
  if (a.nrows != b.nrows) {
    return Invalid(b.source.Name(), absl::StrCat("axis 0 has ", b.nrows, " rows; ", a.source.Name(), " has ", a.nrows));
  }
  for (size_t i = 0; i < a.partitions.size(); ++i) {
    const RowPartition& ours = a.partitions[i];
    const RowPartition& theirs = b.partitions[i];
    const bool same_size = ours.nrows() == theirs.nrows() && ours.nvals() == theirs.nvals();
    const int64_t row =
        ours.nrows() != theirs.nrows() || (same_size && level == ValidateLevel::kCheap) ? -1 : FirstDifference(ours, theirs);
    if (row >= 0) {
      return Invalid(b.source.Name(), absl::StrCat("axis ", i + 1, ": row ", row, " has ", theirs.row_length(row),
                                                   " values, and ", ours.row_length(row), " in ", a.source.Name(),
                                                   "; the outer axes of all fields must be the same"));
    }
    if (!same_size) {
      return Invalid(b.source.Name(), absl::StrCat("axis ", i + 1, " has ", theirs.nvals(), " values; ", a.source.Name(),
                                                   " has ", ours.nvals()));
    }
  }
  return absl::OkStatus();
}

// Returns the partition of axis `axis` that says most: an optional dimension, else one with a uniform row length, else any.
RowPartition BestPartition(const std::vector<OuterAxes>& sources, size_t axis) {
  const RowPartition* best = &sources[0].partitions[axis];
  for (const OuterAxes& source : sources) {
    const RowPartition& other = source.partitions[axis];
    if (best->is_optional()) break;
    if (other.is_optional() || (other.uniform_row_length() && !best->uniform_row_length())) best = &other;
  }
  return *best;
}

std::optional<DType> PartitionDType(const Value& value) {
  if (value.ragged() != nullptr) return value.ragged()->row_partition(0).dtype();
  if (value.structured() != nullptr) return value.structured()->shape_dtype();
  return std::nullopt;
}

// Returns int32 only if every field and option that gives a dtype gives int32.
DType CommonShapeDType(const std::vector<Field>& fields, const FromFieldsOptions& options) {
  bool any = false;
  for (const Field& field : fields) {
    const std::optional<DType> dtype = PartitionDType(field.value);
    if (dtype == DType::kInt64) return DType::kInt64;
    any = any || dtype.has_value();
  }
  if (options.row_partitions) {
    for (const RowPartition& partition : *options.row_partitions) {
      if (partition.dtype() == DType::kInt64) return DType::kInt64;
      any = true;
    }
  }
  return any ? DType::kInt32 : DType::kInt64;
}

// Returns `structs` with partitions of `dtype`, or unchanged if there are more values than int32 can count.
StructuredTensor WithShapeDtypeIfFits(const StructuredTensor& structs, DType dtype) {
  for (const RowPartition& partition : structs.row_partitions()) {
    if (partition.nvals() > std::numeric_limits<int32_t>::max()) return structs;
  }
  return structs.WithShapeDtype(dtype);
}

absl::Status CheckOptions(const FromFieldsOptions& options) {
  const Shape& shape = options.shape;
  if (!shape.rank_known()) return absl::InvalidArgumentError("the rank of the structs' shape must be known");
  for (const int64_t dim : shape.dims()) {
    if (dim < kUnknownDimension) return Invalid("shape", absl::StrCat("it has a size of ", dim));
  }
  if (options.nrows && shape.rank() == 0)
    return Invalid("nrows", absl::StrCat("it is ", *options.nrows, ", but a scalar has no rows"));
  if (options.nrows && *options.nrows < 0)
    return Invalid("nrows", absl::StrCat("it is ", *options.nrows, "; it must not be negative"));
  const size_t num_partitions = static_cast<size_t>(std::max(shape.rank() - 1, 0));
  if (options.row_partitions && options.row_partitions->size() != num_partitions) {
    return Invalid("row_partitions", absl::StrCat("there are ", options.row_partitions->size(), "; structs of rank ",
                                                  shape.rank(), " need ", num_partitions));
  }
  if (!options.row_partitions) return absl::OkStatus();
  for (size_t i = 1; i < num_partitions; ++i) {
    const RowPartition& outer = (*options.row_partitions)[i - 1];
    const RowPartition& inner = (*options.row_partitions)[i];
    if (outer.nvals() != inner.nrows()) {
      return Invalid("row_partitions", absl::StrCat("partition ", i - 1, " has ", outer.nvals(), " values, but partition ", i,
                                                    " has ", inner.nrows(), " rows"));
    }
  }
  return absl::OkStatus();
}

// Returns the field as a flat field of one row. Structs of rank 0 have no axis, so they get one.
absl::StatusOr<Value> WithAxisOfOne(const Field& field) {
  const Value& value = field.value;
  if (const Tensor* tensor = value.tensor()) return tensor->ExpandAxis(0);
  if (value.rank() > 0) return WithOuterPartition(*RowPartition::FromUniformRowLength(value.nrows(), 1), value);
  if (const StructuredTensor* structs = value.structured()) return structs->WithRowPartitions({});
  absl::StatusOr<Value> row = values_internal::AsOneRow(value);
  if (!row.ok()) return Invalid("field " + field.name, std::string(row.status().message()));
  return row;
}

absl::StatusOr<StructuredTensor> ScalarFromFields(std::vector<Field> fields, const FromFieldsOptions& options) {
  const DType shape_dtype = CommonShapeDType(fields, options);
  for (Field& field : fields) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(field.value, WithAxisOfOne(field));
  }
  return StructuredTensor::CreateScalar(std::move(fields)).WithShapeDtype(shape_dtype);
}

// The axes that shape and nrows give on their own.
absl::StatusOr<OuterAxes> AxesOfShape(const FromFieldsOptions& options) {
  const Shape& shape = options.shape;
  const int64_t nrows = shape[0] != kUnknownDimension ? shape[0] : options.nrows.value_or(kUnknownDimension);
  if (nrows == kUnknownDimension || !shape.DropOuter(1).is_fully_known()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "structs without fields need a fully known shape, nrows or row_partitions; the shape is ", shape.DebugString()));
  }
  OuterAxes axes{{"shape"}, nrows, {}, Tensor::Empty(Shape({0}), DType::kBool)};
  STRUCTTENSOR_RETURN_IF_ERROR(CheckOuterSize(axes.source, shape.DropOuter(1).Prepend(nrows), shape.rank()));
  AddUniformAxes(nrows, shape.dims().subspan(1), axes.partitions);
  return axes;
}

// Compares the partitions with the sizes that were given. If all rows of a partition have the size that the shape gives, that
// size becomes the partition's uniform row length.
absl::Status ApplySizes(const FromFieldsOptions& options, const OuterAxes& source, std::vector<RowPartition>& partitions) {
  const Shape& shape = options.shape;
  if (shape[0] != kUnknownDimension && shape[0] != source.nrows) {
    return Invalid(source.source.Name(), absl::StrCat("axis 0 has ", source.nrows, " rows; the shape says ", shape[0]));
  }
  if (options.nrows && *options.nrows != source.nrows) {
    return Invalid(source.source.Name(), absl::StrCat("axis 0 has ", source.nrows, " rows; nrows is ", *options.nrows));
  }
  for (size_t i = 0; i < partitions.size(); ++i) {
    RowPartition& partition = partitions[i];
    const int64_t size = shape[static_cast<int>(i) + 1];
    if (size == kUnknownDimension || partition.uniform_row_length() == size) continue;
    for (int64_t row = 0; row < partition.nrows(); ++row) {
      if (partition.row_length(row) == size) continue;
      return Invalid(source.source.Name(), absl::StrCat("axis ", i + 1, ": row ", row, " has ", partition.row_length(row),
                                                        " values; the shape says ", size));
    }
    if (partition.is_optional()) continue;
    partition = *RowPartition::FromUniformRowLength(size, partition.nrows());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StructuredTensor> FromFields(std::vector<Field> fields, const FromFieldsOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNames(fields));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckOptions(options));
  const int rank = options.shape.rank();
  if (rank == 0) return ScalarFromFields(std::move(fields), options);

  std::vector<OuterAxes> sources;
  sources.reserve(fields.size() + 1);
  if (rank > 1 && options.row_partitions) {
    const RowPartition& outermost = options.row_partitions->front();
    sources.push_back({{}, outermost.nrows(), *options.row_partitions, Tensor::Empty(Shape({0}), DType::kBool)});
  }
  for (const Field& field : fields) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(OuterAxes axes, TakeApart(field, rank));
    sources.push_back(std::move(axes));
  }
  if (sources.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(OuterAxes axes, AxesOfShape(options));
    sources.push_back(std::move(axes));
  }

  std::vector<RowPartition> partitions = sources[0].partitions;
  if (options.validate != ValidateLevel::kNone) {
    for (size_t i = 1; i < sources.size(); ++i) {
      STRUCTTENSOR_RETURN_IF_ERROR(CheckSameAxes(sources[0], sources[i], options.validate));
    }
    for (size_t axis = 0; axis < partitions.size(); ++axis) partitions[axis] = BestPartition(sources, axis);
    STRUCTTENSOR_RETURN_IF_ERROR(ApplySizes(options, sources[0], partitions));
  }
  const DType shape_dtype = CommonShapeDType(fields, options);
  const int64_t flat_nrows = partitions.empty() ? sources[0].nrows : partitions.back().nvals();
  const size_t first_field = sources.size() == fields.size() ? 0 : 1;
  for (size_t i = 0; i < fields.size(); ++i) {
    Value& flat = sources[first_field + i].flat;
    if (flat.nrows() != flat_nrows) {
      return Invalid("field " + fields[i].name,
                     absl::StrCat("it has ", flat.nrows(), " values for ", flat_nrows, " structs in all"));
    }
    fields[i].value = std::move(flat);
  }
  for (RowPartition& partition : partitions) partition = partition.WithDtype(DType::kInt64);
  const StructuredTensor structs = StructuredTensor::Create(std::move(partitions), flat_nrows, std::move(fields));
  return shape_dtype == DType::kInt32 ? WithShapeDtypeIfFits(structs, shape_dtype) : structs;
}

absl::StatusOr<StructuredTensor> FromFieldsAndRank(std::vector<Field> fields, int rank, std::optional<DType> shape_dtype,
                                                   ValidateLevel validate) {
  if (fields.empty())
    return absl::InvalidArgumentError(
        "there are no fields to take the structs' shape from; say the number of structs, or their shape");
  if (rank < 0) return Invalid("rank", absl::StrCat("it is ", rank, "; it must not be negative"));
  const auto is_scalar = [](const Field& field) { return field.value.rank() == 0; };
  if (rank == 1 && std::all_of(fields.begin(), fields.end(), is_scalar)) rank = 0;
  if (shape_dtype && *shape_dtype != DType::kInt32 && *shape_dtype != DType::kInt64) {
    return Invalid("shape_dtype", absl::StrCat("it is ", ToAbsl(DTypeName(*shape_dtype)), "; row splits are int32 or int64"));
  }
  FromFieldsOptions options;
  options.shape = Shape(std::vector<int64_t>(static_cast<size_t>(rank), kUnknownDimension));
  options.validate = validate;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, FromFields(std::move(fields), options));
  const DType dtype = shape_dtype.value_or(structs.shape_dtype());
  if (dtype == DType::kInt32 && values_internal::MaxPartitionNvals(structs) > std::numeric_limits<int32_t>::max()) {
    if (!shape_dtype) return structs;
    return absl::InvalidArgumentError("a row partition has more values than row splits of int32 can count; use int64");
  }
  return *values_internal::CastRowSplits(structs, dtype).structured();
}

absl::StatusOr<StructuredTensor> DenseStructuredTensor(const Shape& shape, std::vector<Field> fields) {
  if (!shape.is_fully_known()) {
    return Invalid("shape", absl::StrCat("it is ", shape.DebugString(), "; dense structs need a fully known one"));
  }
  FromFieldsOptions options;
  options.shape = shape;
  return FromFields(std::move(fields), options);
}

absl::StatusOr<StructuredTensor> RaggedStructuredTensor(std::vector<RowPartition> row_partitions,
                                                        std::vector<Field> flat_fields) {
  if (row_partitions.empty()) {
    return Invalid("row_partitions", "there are none; structs without are made by FromFields");
  }
  FromFieldsOptions options;
  options.shape = Shape(std::vector<int64_t>(row_partitions.size() + 1, kUnknownDimension));
  options.row_partitions = row_partitions;
  STRUCTTENSOR_RETURN_IF_ERROR(CheckOptions(options));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNames(flat_fields));
  const int64_t flat_nrows = row_partitions.back().nvals();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor flat, StructuredTensor::FromFields(flat_nrows, std::move(flat_fields)));
  DType dtype = DType::kInt32;
  for (const RowPartition& partition : row_partitions) {
    if (partition.dtype() == DType::kInt64) dtype = DType::kInt64;
  }
  if (dtype == DType::kInt64) {
    for (RowPartition& partition : row_partitions) partition = partition.WithDtype(dtype);
  }
  return flat.WithRowPartitions(std::move(row_partitions));
}

absl::StatusOr<Value> FromRowSplits(const Value& values, Buffer<int64_t> row_splits) {
  if (values.rank() == 0)
    return absl::InvalidArgumentError("the values are a scalar; they need an axis whose rows are partitioned");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, RowPartition::FromRowSplits(std::move(row_splits)));
  if (partition.nvals() != values.nrows()) {
    return absl::InvalidArgumentError(absl::StrCat("row_splits ends at ", partition.nvals(), ", but there are ", values.nrows(),
                                                   " values; both must be equal"));
  }
  return WithOuterPartition(partition, values);
}

}  // namespace structtensor
