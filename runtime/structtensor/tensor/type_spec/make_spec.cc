#include "structtensor/tensor/type_spec/make_spec.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/type_spec/field_name.h"
#include "structtensor/tensor/type_spec/row_axes.h"

namespace structtensor {
namespace {

bool IsSplitsDType(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

absl::Status WrongSplitsDType(DType dtype) {
  return absl::InvalidArgumentError(
      absl::StrCat("the dtype of row splits is ", ToAbsl(DTypeName(dtype)), "; it must be int32 or int64"));
}

std::string SizeText(int64_t size) { return size == kUnknownDimension ? "None" : absl::StrCat(size); }

absl::Status CheckShape(const Shape& shape) {
  int64_t product = 1;
  for (int64_t dim : shape.dims()) {
    if (dim < kUnknownDimension) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", shape.DebugString(), " has a negative dimension; write an unknown one as None"));
    }
    if (dim > 0 && __builtin_mul_overflow(product, dim, &product)) {
      return absl::InvalidArgumentError(absl::StrCat("shape ", shape.DebugString(), " has more elements than int64 can count"));
    }
  }
  return absl::OkStatus();
}

absl::Status Contradiction(const RowPartitionSpec& sizes) {
  return absl::InvalidArgumentError(absl::StrCat("nrows ", SizeText(sizes.nrows), ", nvals ", SizeText(sizes.nvals),
                                                 " and uniform_row_length ", SizeText(sizes.uniform_row_length),
                                                 " contradict each other; nrows * uniform_row_length must be nvals"));
}

// Adds to `size` what `other` knows. False if they contradict each other.
bool Narrow(int64_t& size, int64_t other) {
  if (size == kUnknownDimension) size = other;
  return other == kUnknownDimension || other == size;
}

// Adds to `partition` what `other` knows; it is optional if one of them is. False if they contradict each other.
bool Narrow(RowPartitionSpec& partition, const RowPartitionSpec& other) {
  partition.optional |= other.optional;
  return Narrow(partition.nrows, other.nrows) && Narrow(partition.nvals, other.nvals) &&
         Narrow(partition.uniform_row_length, other.uniform_row_length);
}

// The axes of structs, while they are collected.
struct OuterAxes {
  int64_t nrows = kUnknownDimension;
  std::vector<RowPartitionSpec> partitions;

  // Adds what `shape` and `row_partitions` say about the same axes. There may be fewer row partitions than axes.
  bool Add(const Shape& shape, std::span<const RowPartitionSpec> row_partitions) {
    if (!Narrow(nrows, shape[0])) return false;
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (!Narrow(partitions[i].uniform_row_length, shape[static_cast<int>(i) + 1])) return false;
      if (i < row_partitions.size() && !Narrow(partitions[i], row_partitions[i])) return false;
    }
    return true;
  }

  // Sets sizes that follow from other sizes, outermost first.
  absl::Status Complete() {
    for (size_t i = 0; i < partitions.size(); ++i) {
      int64_t& known = i == 0 ? nrows : partitions[i - 1].nvals;
      if (!Narrow(known, partitions[i].nrows)) {
        return absl::InvalidArgumentError(absl::StrCat("row partition ", i, " has ", partitions[i].nrows,
                                                       " rows, but there are ", known,
                                                       " values outside it; both must be equal"));
      }
      partitions[i].nrows = known;
      STRUCTTENSOR_ASSIGN_OR_RETURN(partitions[i], MakeRowPartitionSpec(partitions[i]));
    }
    return absl::OkStatus();
  }

  int64_t flat_nrows() const { return partitions.empty() ? nrows : partitions.back().nvals; }
};

std::span<const RowPartitionSpec> PartitionsOf(const TypeSpec& spec) {
  if (spec.ragged() != nullptr) return spec.ragged()->row_partitions();
  if (spec.structured() != nullptr) return spec.structured()->row_partitions();
  return {};
}

// The dtype of the field's partitions, if the field has partitions.
std::optional<DType> ShapeDTypeOf(const TypeSpec& spec) {
  if (spec.ragged() != nullptr) return spec.ragged()->row_splits_dtype();
  if (spec.structured() != nullptr && !spec.structured()->row_partitions().empty()) return spec.structured()->shape_dtype();
  return std::nullopt;
}

DType ShapeDType(const std::vector<FieldSpec>& fields, const StructuredTensorSpecOptions& options) {
  if (options.shape_dtype) return *options.shape_dtype;
  if (!options.row_partitions.empty()) return options.row_partitions.front().dtype;
  bool int32 = false;
  for (const FieldSpec& field : fields) {
    const std::optional<DType> dtype = ShapeDTypeOf(field.spec);
    if (dtype == DType::kInt64) return DType::kInt64;
    int32 |= dtype == DType::kInt32;
  }
  return int32 ? DType::kInt32 : DType::kInt64;
}

absl::Status CheckFields(const Shape& shape, const std::vector<FieldSpec>& fields) {
  absl::flat_hash_set<std::string_view> seen;
  for (const FieldSpec& field : fields) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFieldName(field.name));
    if (!seen.insert(field.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("field ", field.name, " is given twice; names must be unique"));
    }
    if (field.spec.row_partition() != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("field ", field.name, " is a row partition; a field must be a tensor, structs or an extension type"));
    }
    const Shape field_shape = field.spec.shape();
    if (!field_shape.rank_known() || field_shape.rank() < shape.rank()) {
      return absl::InvalidArgumentError(absl::StrCat("field ", field.name, " has shape ", field_shape.DebugString(),
                                                     "; fields of structs of shape ", shape.DebugString(), " have at least ",
                                                     shape.rank(), " axes"));
    }
    if (field.spec.extension() != nullptr && shape.rank() > 1) {
      return absl::InvalidArgumentError(absl::StrCat("field ", field.name, " is ", field.spec.DebugString(),
                                                     ", whose axes cannot be those of structs of rank ", shape.rank(),
                                                     "; that works for rank 1 and less"));
    }
  }
  return absl::OkStatus();
}

// The field with one axis, for the innermost rows, instead of the structs' axes.
absl::StatusOr<TypeSpec> FlatField(const TypeSpec& spec, int rank, int64_t flat_nrows) {
  if (rank == 0) return Stacked(spec, 1);
  if (const TensorSpec* tensor = spec.tensor()) {
    return TensorSpec(tensor->shape().DropOuter(rank).Prepend(flat_nrows), tensor->dtype(), tensor->nullable());
  }
  const size_t num_partitions = static_cast<size_t>(rank) - 1;
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    if (ragged->row_partitions().size() <= num_partitions) {
      return TensorSpec(ragged->shape().DropOuter(rank).Prepend(flat_nrows), ragged->dtype(), ragged->nullable());
    }
    const auto inner = std::span(ragged->row_partitions()).subspan(num_partitions);
    std::vector<RowPartitionSpec> partitions(inner.begin(), inner.end());
    // Only this partition changes; the next one keeps what it knows.
    Narrow(partitions.front().nrows, flat_nrows);
    STRUCTTENSOR_ASSIGN_OR_RETURN(partitions.front(), MakeRowPartitionSpec(partitions.front()));
    return RaggedTensorSpec(std::move(partitions), ragged->flat_values());
  }
  if (const StructuredTensorSpec* structs = spec.structured()) {
    const auto inner = std::span(structs->row_partitions()).subspan(num_partitions);
    std::vector<RowPartitionSpec> partitions(inner.begin(), inner.end());
    if (!partitions.empty()) Narrow(partitions.front().nrows, flat_nrows);
    return StructuredTensorSpec(structs->shape().DropOuter(rank).Prepend(flat_nrows),
                                {structs->flat_fields().begin(), structs->flat_fields().end()}, structs->kind(),
                                structs->nullable(), std::move(partitions), structs->shape_dtype());
  }
  return WithNrows(spec, flat_nrows);
}

}  // namespace

absl::StatusOr<TensorSpec> MakeTensorSpec(Shape shape, DType dtype, bool nullable) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckShape(shape));
  return TensorSpec(std::move(shape), dtype, nullable);
}

absl::StatusOr<RowPartitionSpec> MakeRowPartitionSpec(const RowPartitionSpec& sizes) {
  if (!IsSplitsDType(sizes.dtype)) return WrongSplitsDType(sizes.dtype);
  if (sizes.nrows < kUnknownDimension || sizes.nvals < kUnknownDimension || sizes.uniform_row_length < kUnknownDimension) {
    return absl::InvalidArgumentError(
        "a size of a row partition is negative; nrows, nvals and uniform_row_length are 0 or more, or None");
  }
  if (sizes.optional && sizes.uniform_row_length > 1) {
    return absl::InvalidArgumentError(absl::StrCat("uniform_row_length of an optional row partition is ",
                                                   sizes.uniform_row_length, "; at most 1 is allowed"));
  }
  RowPartitionSpec spec = sizes;
  const bool empty = spec.nrows == 0 || spec.uniform_row_length == 0;
  if (empty && !Narrow(spec.nvals, 0)) return Contradiction(sizes);
  if (spec.uniform_row_length > 0 && spec.nvals != kUnknownDimension) {
    if (spec.nvals % spec.uniform_row_length != 0) return Contradiction(sizes);
    if (!Narrow(spec.nrows, spec.nvals / spec.uniform_row_length)) return Contradiction(sizes);
  }
  if (spec.uniform_row_length != kUnknownDimension && spec.nrows != kUnknownDimension) {
    int64_t nvals = 0;
    if (__builtin_mul_overflow(spec.nrows, spec.uniform_row_length, &nvals)) {
      return absl::InvalidArgumentError(
          absl::StrCat(spec.nrows, " rows of ", spec.uniform_row_length, " values are more values than int64 can count"));
    }
    if (!Narrow(spec.nvals, nvals)) return Contradiction(sizes);
  }
  if (spec.optional && spec.nrows != kUnknownDimension && spec.nvals > spec.nrows) return Contradiction(sizes);
  return spec;
}

absl::StatusOr<RaggedTensorSpec> MakeRaggedTensorSpec(const Shape& shape, DType dtype, int ragged_rank, bool nullable,
                                                      DType row_splits_dtype) {
  if (!IsSplitsDType(row_splits_dtype)) return WrongSplitsDType(row_splits_dtype);
  STRUCTTENSOR_RETURN_IF_ERROR(CheckShape(shape));
  if (ragged_rank < 0)
    return absl::InvalidArgumentError(absl::StrCat("ragged_rank is ", ragged_rank, "; it must not be negative"));
  if (shape.rank_known() && ragged_rank >= shape.rank() && !(ragged_rank == 0 && shape.rank() == 0)) {
    return absl::InvalidArgumentError(absl::StrCat("ragged_rank ", ragged_rank, " is too high for shape ", shape.DebugString(),
                                                   "; it must be below the rank, ", shape.rank()));
  }
  constexpr int kMaxRaggedRank = 1000;  // real specs have far fewer, and this many are still made quickly
  if (ragged_rank > kMaxRaggedRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("ragged_rank is ", ragged_rank, "; at most ", kMaxRaggedRank, " is allowed"));
  }
  return RaggedTensorSpec(shape, dtype, ragged_rank, nullable, row_splits_dtype);
}

absl::StatusOr<StructuredTensorSpec> MakeStructuredTensorSpec(const Shape& shape, const std::vector<FieldSpec>& fields,
                                                              const StructuredTensorSpecOptions& options) {
  if (!shape.rank_known())
    return absl::InvalidArgumentError("the shape of structs has an unknown rank; give as many axes as they have");
  STRUCTTENSOR_RETURN_IF_ERROR(CheckShape(shape));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckFields(shape, fields));
  const size_t num_partitions = shape.rank() > 1 ? static_cast<size_t>(shape.rank()) - 1 : 0;
  if (!options.row_partitions.empty() && options.row_partitions.size() != num_partitions) {
    return absl::InvalidArgumentError(absl::StrCat(options.row_partitions.size(),
                                                   " row partitions are given for structs of shape ", shape.DebugString(),
                                                   "; there is one for each axis after axis 0"));
  }
  const DType shape_dtype = ShapeDType(fields, options);
  if (!IsSplitsDType(shape_dtype)) return WrongSplitsDType(shape_dtype);

  OuterAxes axes;
  axes.partitions.resize(num_partitions);
  if (shape.rank() >= 1 && !axes.Add(shape, options.row_partitions)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the row partitions contradict the shape of the structs, ", shape.DebugString()));
  }
  for (size_t i = 0; shape.rank() >= 1 && i < fields.size(); ++i) {
    if (!axes.Add(fields[i].spec.shape(), PartitionsOf(fields[i].spec))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "field ", fields[i].name, " has shape ", fields[i].spec.shape().DebugString(),
          ", which contradicts that of the structs, ", shape.DebugString(), ", or another field's; the outer axes are shared"));
    }
  }
  for (RowPartitionSpec& partition : axes.partitions) partition.dtype = shape_dtype;
  STRUCTTENSOR_RETURN_IF_ERROR(axes.Complete());

  std::vector<FieldSpec> flat_fields;
  flat_fields.reserve(fields.size());
  for (const FieldSpec& field : fields) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec flat, FlatField(field.spec, shape.rank(), axes.flat_nrows()));
    flat_fields.push_back({field.name, std::move(flat)});
  }
  std::vector<int64_t> dims;
  if (shape.rank() >= 1) dims.push_back(axes.nrows);
  for (const RowPartitionSpec& partition : axes.partitions) dims.push_back(partition.uniform_row_length);
  return StructuredTensorSpec(Shape(dims), std::move(flat_fields), options.kind, options.nullable, std::move(axes.partitions),
                              shape_dtype);
}

}  // namespace structtensor
