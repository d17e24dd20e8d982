#include "structtensor/tensor/type_spec/row_axes.h"

#include <cassert>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor {
namespace {

absl::StatusOr<int64_t> Multiply(int64_t a, int64_t b) {
  if (a == kUnknownDimension || b == kUnknownDimension) return kUnknownDimension;
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return absl::InvalidArgumentError(absl::StrCat("stacking ", b, " values of ", a, " rows makes more than int64 can count"));
  }
  return product;
}

Shape WithAxis0(const Shape& shape, int64_t size) {
  return shape.rank_known() && shape.rank() > 0 ? shape.DropOuter(1).Prepend(size) : shape;
}

// Whether a spec in the state of an extension type has axes.
bool HasAxes(const TypeSpec& spec) {
  // Does not use TypeSpec::shape(), which asks nested types for their rows. If every level did so again, each level would
  // double the work.
  const Shape shape = spec.extension() != nullptr ? spec.extension()->shape() : spec.shape();
  return spec.row_partition() == nullptr && (!shape.rank_known() || shape.rank() > 0);
}

// The partitions for another number of rows. Row lengths stay known, and so does what follows from them.
std::vector<RowPartitionSpec> WithNrows(std::span<const RowPartitionSpec> partitions, int64_t nrows, int64_t* flat_nrows) {
  std::vector<RowPartitionSpec> result(partitions.begin(), partitions.end());
  for (RowPartitionSpec& partition : result) {
    partition.nrows = nrows;
    // If the product overflows, it counts as not known. With fewer rows than before, it cannot overflow.
    int64_t nvals = kUnknownDimension;
    if (nrows != kUnknownDimension && partition.uniform_row_length != kUnknownDimension &&
        __builtin_mul_overflow(nrows, partition.uniform_row_length, &nvals)) {
      nvals = kUnknownDimension;
    }
    partition.nvals = nvals;
    nrows = nvals;
  }
  *flat_nrows = nrows;
  return result;
}

StructuredTensorSpec WithFields(const StructuredTensorSpec& structs, Shape shape, std::vector<FieldSpec> fields,
                                std::vector<RowPartitionSpec> row_partitions) {
  return StructuredTensorSpec(std::move(shape), std::move(fields), structs.kind(), structs.nullable(),
                              std::move(row_partitions), structs.shape_dtype());
}

std::vector<FieldSpec> FieldsWithNrows(const StructuredTensorSpec& structs, int64_t flat_nrows) {
  std::vector<FieldSpec> fields;
  fields.reserve(structs.flat_fields().size());
  for (const FieldSpec& field : structs.flat_fields()) fields.push_back({field.name, WithNrows(field.spec, flat_nrows)});
  return fields;
}

// Structs of rank row_partitions.size() + 1 with `nrows` rows.
StructuredTensorSpec StructsWithNrows(const StructuredTensorSpec& structs, std::span<const RowPartitionSpec> row_partitions,
                                      int64_t nrows) {
  int64_t flat_nrows = nrows;
  std::vector<RowPartitionSpec> partitions = WithNrows(row_partitions, nrows, &flat_nrows);
  Shape shape;
  for (auto partition = partitions.rbegin(); partition != partitions.rend(); ++partition) {
    shape = shape.Prepend(partition->uniform_row_length);
  }
  return WithFields(structs, shape.Prepend(nrows), FieldsWithNrows(structs, flat_nrows), std::move(partitions));
}

absl::Status NotStackable(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the spec of a row partition cannot be ", std::string(what),
                                                 "; only specs of tensors, ragged, structured and extension tensors can"));
}

absl::StatusOr<TypeSpec> TimesRows(const TypeSpec& spec, int64_t count);

absl::Status MultiplyRows(std::vector<RowPartitionSpec>& partitions, int64_t count) {
  for (RowPartitionSpec& partition : partitions) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(partition.nrows, Multiply(partition.nrows, count));
    STRUCTTENSOR_ASSIGN_OR_RETURN(partition.nvals, Multiply(partition.nvals, count));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> TimesRows(const Shape& shape, int64_t count) {
  if (!shape.rank_known() || shape.rank() == 0) return shape;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t nrows, Multiply(shape[0], count));
  return WithAxis0(shape, nrows);
}

absl::StatusOr<std::vector<FieldSpec>> TimesRows(std::span<const FieldSpec> fields, int64_t count) {
  std::vector<FieldSpec> result;
  result.reserve(fields.size());
  for (const FieldSpec& field : fields) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec spec, TimesRows(field.spec, count));
    result.push_back({field.name, std::move(spec)});
  }
  return result;
}

// The spec of `count` values of `spec`, joined along axis 0.
absl::StatusOr<TypeSpec> TimesRows(const TypeSpec& spec, int64_t count) {
  if (const TensorSpec* tensor = spec.tensor()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Shape shape, TimesRows(tensor->shape(), count));
    return TensorSpec(std::move(shape), tensor->dtype(), tensor->nullable());
  }
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Shape flat_shape, TimesRows(ragged->flat_values().shape(), count));
    if (!ragged->shape().rank_known() || ragged->ragged_rank() == 0) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Shape shape, TimesRows(ragged->shape(), count));
      return RaggedTensorSpec(shape, ragged->dtype(), ragged->ragged_rank(), ragged->nullable(), ragged->row_splits_dtype());
    }
    std::vector<RowPartitionSpec> partitions = ragged->row_partitions();
    STRUCTTENSOR_RETURN_IF_ERROR(MultiplyRows(partitions, count));
    return RaggedTensorSpec(std::move(partitions), TensorSpec(std::move(flat_shape), ragged->dtype(), ragged->nullable()));
  }
  if (const StructuredTensorSpec* structs = spec.structured()) {
    std::vector<RowPartitionSpec> partitions = structs->row_partitions();
    STRUCTTENSOR_RETURN_IF_ERROR(MultiplyRows(partitions, count));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Shape shape, TimesRows(structs->shape(), count));
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<FieldSpec> fields, TimesRows(structs->flat_fields(), count));
    return WithFields(*structs, std::move(shape), std::move(fields), std::move(partitions));
  }
  if (const ExtensionTypeSpec* extension = spec.extension()) {
    return extension->WithShapes({[count](const Shape& shape) { return TimesRows(shape, count); },
                                  [count](const TypeSpec& inner) { return TimesRows(inner, count); }});
  }
  return NotStackable("stacked");
}

absl::StatusOr<RowPartitionSpec> OuterPartition(int64_t count, int64_t nrows, DType dtype) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t nvals, Multiply(nrows, count));
  return RowPartitionSpec{.nrows = count, .nvals = nvals, .uniform_row_length = nrows, .optional = false, .dtype = dtype};
}

absl::StatusOr<TypeSpec> StackedRagged(const RaggedTensorSpec& ragged, int64_t count) {
  if (!ragged.shape().rank_known() || ragged.shape().rank() == 0) {
    const int ragged_rank = ragged.shape().rank_known() ? 0 : ragged.ragged_rank() + 1;
    return RaggedTensorSpec(ragged.shape().Prepend(count), ragged.dtype(), ragged_rank, ragged.nullable(),
                            ragged.row_splits_dtype());
  }
  std::vector<RowPartitionSpec> partitions = ragged.row_partitions();
  STRUCTTENSOR_RETURN_IF_ERROR(MultiplyRows(partitions, count));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartitionSpec outer,
                                OuterPartition(count, ragged.shape()[0], ragged.row_splits_dtype()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Shape flat_shape, TimesRows(ragged.flat_values().shape(), count));
  partitions.insert(partitions.begin(), outer);
  return RaggedTensorSpec(std::move(partitions), TensorSpec(std::move(flat_shape), ragged.dtype(), ragged.nullable()));
}

// Sets the row length that the partition of a single row implies. All rows that are stacked with this row have the same length.
void KnowOnlyRow(std::vector<RowPartitionSpec>& partitions) {
  RowPartitionSpec& outer = partitions.front();
  if (!outer.optional && outer.uniform_row_length == kUnknownDimension) outer.uniform_row_length = outer.nvals;
}

// The same for a flat field with one row, and for the fields in it that have one row.
TypeSpec KnowOnlyRow(const TypeSpec& spec) {
  if (const RaggedTensorSpec* ragged = spec.ragged(); ragged != nullptr && ragged->ragged_rank() > 0) {
    std::vector<RowPartitionSpec> partitions = ragged->row_partitions();
    KnowOnlyRow(partitions);
    return RaggedTensorSpec(std::move(partitions), ragged->flat_values());
  }
  const StructuredTensorSpec* structs = spec.structured();
  if (structs == nullptr) return spec;
  std::vector<RowPartitionSpec> partitions = structs->row_partitions();
  Shape shape = structs->shape();
  if (!partitions.empty()) {
    KnowOnlyRow(partitions);
    shape = WithOuterPartition(partitions.front(), shape.DropOuter(1));
  }
  std::vector<FieldSpec> fields(structs->flat_fields().begin(), structs->flat_fields().end());
  for (FieldSpec& field : fields) {
    if (structs->flat_nrows() == 1) field.spec = KnowOnlyRow(field.spec);
  }
  return WithFields(*structs, std::move(shape), std::move(fields), std::move(partitions));
}

absl::StatusOr<TypeSpec> StackedStructs(const StructuredTensorSpec& structs, int64_t count) {
  if (!structs.shape().rank_known()) {
    std::vector<FieldSpec> fields;
    for (const FieldSpec& field : structs.flat_fields()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec spec, Stacked(field.spec, count));
      fields.push_back({field.name, std::move(spec)});
    }
    return WithFields(structs, structs.shape(), std::move(fields), {});
  }
  if (structs.rank() == 0) {
    std::vector<FieldSpec> rows(structs.flat_fields().begin(), structs.flat_fields().end());
    for (FieldSpec& row : rows) row.spec = KnowOnlyRow(row.spec);
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<FieldSpec> fields, TimesRows(rows, count));
    return WithFields(structs, Shape({count}), std::move(fields), {});
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<FieldSpec> fields, TimesRows(structs.flat_fields(), count));
  std::vector<RowPartitionSpec> partitions = structs.row_partitions();
  STRUCTTENSOR_RETURN_IF_ERROR(MultiplyRows(partitions, count));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartitionSpec outer, OuterPartition(count, structs.shape()[0], structs.shape_dtype()));
  partitions.insert(partitions.begin(), outer);
  return WithFields(structs, structs.shape().Prepend(count), std::move(fields), std::move(partitions));
}

absl::StatusOr<TypeSpec> StackedExtension(const ExtensionTypeSpec& spec, int64_t count) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const std::shared_ptr<const ExtensionTypeSpec> stacked,
      spec.WithShapes({[count](const Shape& shape) -> absl::StatusOr<Shape> { return shape.Prepend(count); },
                       [count](const TypeSpec& inner) { return Stacked(inner, count); }}));
  const bool can_be_rows = spec.shape().rank_known() && (spec.shape().rank() == 0 || spec.row_rule() != RowRule::kNoRows);
  if (!spec.shape().rank_known() ||
      (can_be_rows && stacked->shape() == spec.shape().Prepend(count) && stacked->row_rule() != RowRule::kNoRows)) {
    return TypeSpec(stacked);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(spec.DebugString(),
                   " has no spec of stacked values: its components do not have its axes in front. "
                   "Stacked values are ExtensionRows; take their spec()"));
}

absl::Status ScalarHasNoRows() {
  return absl::InvalidArgumentError("a scalar's spec cannot be unstacked; that needs an axis, so rank 1 or more");
}

absl::StatusOr<TypeSpec> UnstackedRagged(const RaggedTensorSpec& ragged) {
  const Shape& shape = ragged.shape();
  if (shape.rank_known() && shape.rank() == 0) return ScalarHasNoRows();
  const int ragged_rank = ragged.ragged_rank() > 0 ? ragged.ragged_rank() - 1 : 0;
  if (!shape.rank_known() || ragged_rank == 0) {
    return RaggedTensorSpec(shape.DropOuter(shape.rank_known() ? 1 : 0), ragged.dtype(), ragged_rank, ragged.nullable(),
                            ragged.row_splits_dtype());
  }
  int64_t flat_nrows = 0;
  std::vector<RowPartitionSpec> partitions = WithNrows(std::span(ragged.row_partitions()).subspan(1), shape[1], &flat_nrows);
  return RaggedTensorSpec(std::move(partitions),
                          TensorSpec(WithAxis0(ragged.flat_values().shape(), flat_nrows), ragged.dtype(), ragged.nullable()));
}

absl::StatusOr<TypeSpec> UnstackedStructs(const StructuredTensorSpec& structs) {
  if (!structs.shape().rank_known() || structs.rank() == 0) {
    std::vector<FieldSpec> fields;
    for (size_t i = 0; i < structs.flat_fields().size(); ++i) {
      const std::string& name = structs.flat_fields()[i].name;
      absl::StatusOr<TypeSpec> row = Unstacked(structs.field_spec(i));
      if (!row.ok()) return absl::InvalidArgumentError(absl::StrCat("field ", name, ": ", row.status().message()));
      if (!structs.shape().rank_known()) {
        fields.push_back({name, *std::move(row)});
        continue;
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec flat, Stacked(*row, 1));
      fields.push_back({name, std::move(flat)});
    }
    return WithFields(structs, structs.shape(), std::move(fields), {});
  }
  if (structs.rank() == 1) return WithFields(structs, Shape(), FieldsWithNrows(structs, 1), {});
  return StructsWithNrows(structs, std::span(structs.row_partitions()).subspan(1), structs.shape()[1]);
}

}  // namespace

absl::StatusOr<TypeSpec> Stacked(const TypeSpec& spec, int64_t count) {
  assert(count >= 0 || count == kUnknownDimension);
  if (const TensorSpec* tensor = spec.tensor()) {
    return TensorSpec(tensor->shape().Prepend(count), tensor->dtype(), tensor->nullable());
  }
  if (const RaggedTensorSpec* ragged = spec.ragged()) return StackedRagged(*ragged, count);
  if (const StructuredTensorSpec* structs = spec.structured()) return StackedStructs(*structs, count);
  if (const ExtensionTypeSpec* extension = spec.extension()) {
    return StackedExtension(*extension, count);
  }
  return NotStackable("stacked");
}

absl::StatusOr<TypeSpec> Unstacked(const TypeSpec& spec) {
  if (const TensorSpec* tensor = spec.tensor()) {
    if (tensor->shape().rank_known() && tensor->shape().rank() == 0) return ScalarHasNoRows();
    return TensorSpec(tensor->shape().DropOuter(1), tensor->dtype(), tensor->nullable());
  }
  if (const RaggedTensorSpec* ragged = spec.ragged()) return UnstackedRagged(*ragged);
  if (const StructuredTensorSpec* structs = spec.structured()) return UnstackedStructs(*structs);
  if (const ExtensionTypeSpec* extension = spec.extension()) {
    const auto drop_axis = [](const Shape& shape) -> absl::StatusOr<Shape> {
      if (shape.rank_known() && shape.rank() == 0) return ScalarHasNoRows();
      return shape.DropOuter(1);
    };
    if (extension->shape().rank_known() && extension->row_rule() == RowRule::kNoRows) {
      return absl::InvalidArgumentError(
          absl::StrCat(extension->DebugString(), " cannot be unstacked: its values have no rows"));
    }
    return extension->WithShapes({drop_axis, [](const TypeSpec& inner) { return Unstacked(inner); }});
  }
  return NotStackable("unstacked");
}

TypeSpec WithNrows(const TypeSpec& spec, int64_t nrows) {
  assert(spec.row_partition() == nullptr);
  if (const TensorSpec* tensor = spec.tensor()) {
    return TensorSpec(WithAxis0(tensor->shape(), nrows), tensor->dtype(), tensor->nullable());
  }
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    if (!ragged->shape().rank_known() || ragged->ragged_rank() == 0) {
      return RaggedTensorSpec(WithAxis0(ragged->shape(), nrows), ragged->dtype(), ragged->ragged_rank(), ragged->nullable(),
                              ragged->row_splits_dtype());
    }
    int64_t flat_nrows = 0;
    std::vector<RowPartitionSpec> partitions = WithNrows(ragged->row_partitions(), nrows, &flat_nrows);
    return RaggedTensorSpec(std::move(partitions), TensorSpec(WithAxis0(ragged->flat_values().shape(), flat_nrows),
                                                              ragged->dtype(), ragged->nullable()));
  }
  if (const StructuredTensorSpec* structs = spec.structured()) {
    if (!structs->shape().rank_known()) return WithFields(*structs, structs->shape(), FieldsWithNrows(*structs, nrows), {});
    assert(structs->rank() >= 1);
    return StructsWithNrows(*structs, structs->row_partitions(), nrows);
  }
  const auto changed = spec.extension()->WithShapes(ToNrows(nrows));
  return changed.ok() ? TypeSpec(*changed) : spec;
}

ShapeChange ToNrows(int64_t nrows) {
  return {[nrows](const Shape& shape) -> absl::StatusOr<Shape> { return WithAxis0(shape, nrows); },
          [nrows](const TypeSpec& spec) -> absl::StatusOr<TypeSpec> { return HasAxes(spec) ? WithNrows(spec, nrows) : spec; }};
}

Shape WithOuterPartition(const RowPartitionSpec& partition, const Shape& shape) {
  if (!shape.rank_known()) return shape;
  assert(shape.rank() >= 1);
  return shape.DropOuter(1).Prepend(partition.uniform_row_length).Prepend(partition.nrows);
}

}  // namespace structtensor
