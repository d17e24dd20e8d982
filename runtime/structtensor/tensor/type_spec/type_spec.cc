#include "structtensor/tensor/type_spec/type_spec.h"

#include <algorithm>
#include <cassert>

#include "structtensor/core/base/shared/shared_parts.h"
#include "structtensor/tensor/type_spec/row_axes.h"

namespace structtensor {
namespace {

// The shape of values that partitions group: [nrows, row length of each partition..., inner axes...].
Shape PartitionedShape(const std::vector<RowPartitionSpec>& row_partitions, std::span<const int64_t> inner_dims) {
  std::vector<int64_t> dims = {row_partitions.front().nrows};
  for (const RowPartitionSpec& partition : row_partitions) dims.push_back(partition.uniform_row_length);
  dims.insert(dims.end(), inner_dims.begin(), inner_dims.end());
  return Shape(dims);
}

int64_t MultiplyDimensions(int64_t a, int64_t b) {
  return a == kUnknownDimension || b == kUnknownDimension ? kUnknownDimension : a * b;
}

// The partitions of the first `count` inner axes of `shape`, as far as the shape knows them.
std::vector<RowPartitionSpec> PartitionsOfShape(const Shape& shape, int count, DType dtype) {
  if (!shape.rank_known()) return std::vector<RowPartitionSpec>(static_cast<size_t>(count), RowPartitionSpec{.dtype = dtype});
  std::vector<RowPartitionSpec> row_partitions;
  int64_t nrows = count > 0 ? shape[0] : 0;
  for (int axis = 1; axis <= count; ++axis) {
    const int64_t nvals = MultiplyDimensions(nrows, shape[axis]);
    row_partitions.push_back(
        {.nrows = nrows, .nvals = nvals, .uniform_row_length = shape[axis], .optional = false, .dtype = dtype});
    nrows = nvals;
  }
  return row_partitions;
}

TensorSpec FlatValuesOfShape(const Shape& shape, DType dtype, int ragged_rank, bool nullable) {
  if (ragged_rank == 0 || !shape.rank_known()) return TensorSpec(shape, dtype, nullable);
  const int64_t nvals = PartitionsOfShape(shape, ragged_rank, DType::kInt64).back().nvals;
  return TensorSpec(shape.DropOuter(ragged_rank + 1).Prepend(nvals), dtype, nullable);
}

RowPartitionSpec WithUnknownSizes(const RowPartitionSpec& partition) {
  return {.nrows = kUnknownDimension,
          .nvals = kUnknownDimension,
          .uniform_row_length = partition.optional ? kUnknownDimension : partition.uniform_row_length,
          .optional = partition.optional,
          .dtype = partition.dtype};
}

std::vector<RowPartitionSpec> WithUnknownSizes(const std::vector<RowPartitionSpec>& row_partitions) {
  std::vector<RowPartitionSpec> result;
  for (const RowPartitionSpec& partition : row_partitions) result.push_back(WithUnknownSizes(partition));
  return result;
}

// Axis 0 becomes unknown, except that of a scalar, which has none.
Shape WithUnknownRows(const Shape& shape) {
  return !shape.rank_known() || shape.rank() == 0 ? shape : shape.DropOuter(1).Prepend(kUnknownDimension);
}

std::vector<RowPartitionSpec> Prepend(const RowPartitionSpec& partition, const std::vector<RowPartitionSpec>& inner) {
  std::vector<RowPartitionSpec> result = {partition};
  result.insert(result.end(), inner.begin(), inner.end());
  return result;
}

// The only row of a value of this spec, without axis 0. Requires: axis 0 has size 1, so that this row has all values of the
// outermost partition.
TypeSpec OnlyRow(const TypeSpec& spec) {
  if (const TensorSpec* tensor = spec.tensor())
    return TensorSpec(tensor->shape().DropOuter(1), tensor->dtype(), tensor->nullable());
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    if (ragged->ragged_rank() == 1) return ragged->flat_values();
    return RaggedTensorSpec({ragged->row_partitions().begin() + 1, ragged->row_partitions().end()}, ragged->flat_values());
  }
  // If the type has no spec for a single row, returns `spec` itself, although the row's value has another spec.
  if (spec.extension() != nullptr) return Unstacked(spec).value_or(spec);
  const StructuredTensorSpec& structs = *spec.structured();
  std::vector<FieldSpec> fields(structs.flat_fields().begin(), structs.flat_fields().end());
  if (structs.rank() == 1)
    return StructuredTensorSpec(Shape(), std::move(fields), structs.kind(), structs.nullable(), {}, structs.shape_dtype());
  std::vector<RowPartitionSpec> inner(structs.row_partitions().begin() + 1, structs.row_partitions().end());
  const Shape shape = structs.shape().DropOuter(2).Prepend(structs.row_partitions().front().nvals);
  return StructuredTensorSpec(shape, std::move(fields), structs.kind(), structs.nullable(), std::move(inner),
                              structs.shape_dtype());
}

}  // namespace

RaggedTensorSpec::RaggedTensorSpec(std::vector<RowPartitionSpec> row_partitions, TensorSpec flat_values) {
  assert(!row_partitions.empty() && flat_values.shape().rank() >= 1);
  Shape shape = PartitionedShape(row_partitions, flat_values.shape().dims().subspan(1));
  const DType row_splits_dtype = row_partitions.front().dtype;
  rep_ =
      std::make_shared<const Rep>(Rep{std::move(shape), std::move(row_partitions), std::move(flat_values), row_splits_dtype});
}

RaggedTensorSpec::RaggedTensorSpec(const Shape& shape, DType dtype, int ragged_rank, bool nullable, DType row_splits_dtype)
    : rep_(std::make_shared<const Rep>(Rep{shape, PartitionsOfShape(shape, ragged_rank, row_splits_dtype),
                                           FlatValuesOfShape(shape, dtype, ragged_rank, nullable), row_splits_dtype})) {
  assert(ragged_rank >= 0 && (!shape.rank_known() || ragged_rank == 0 || ragged_rank < shape.rank()));
}

bool operator==(const RaggedTensorSpec& a, const RaggedTensorSpec& b) {
  return a.rep_ == b.rep_ || (a.rep_->row_partitions == b.rep_->row_partitions && a.rep_->flat_values == b.rep_->flat_values &&
                              a.rep_->row_splits_dtype == b.rep_->row_splits_dtype);
}

StructuredTensorSpec::StructuredTensorSpec(Shape shape, std::vector<FieldSpec> fields, StructKind kind, bool nullable,
                                           std::vector<RowPartitionSpec> row_partitions, DType shape_dtype) {
  if (!row_partitions.empty()) shape_dtype = row_partitions.front().dtype;
  const int count = shape.rank_known() && shape.rank() > 1 ? shape.rank() - 1 : 0;
  if (row_partitions.empty() && count > 0) row_partitions = PartitionsOfShape(shape, count, shape_dtype);
  assert(static_cast<int>(row_partitions.size()) == count);
  rep_ = std::make_shared<const Rep>(
      Rep{std::move(shape), kind, nullable, std::move(row_partitions), std::move(fields), shape_dtype});
}

int64_t StructuredTensorSpec::flat_nrows() const {
  if (!rep_->shape.rank_known()) return kUnknownDimension;
  if (rank() == 0) return 1;
  return rep_->row_partitions.empty() ? rep_->shape[0] : rep_->row_partitions.back().nvals;
}

const FieldSpec* StructuredTensorSpec::FindFlatField(std::string_view name) const {
  for (const FieldSpec& field : rep_->fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

TypeSpec StructuredTensorSpec::field_spec(size_t i) const {
  TypeSpec spec = rep_->fields[i].spec;
  if (!rep_->shape.rank_known()) return spec;
  if (rank() == 0) return OnlyRow(spec);
  for (auto partition = rep_->row_partitions.rbegin(); partition != rep_->row_partitions.rend(); ++partition) {
    spec = WithOuterPartition(*partition, spec);
  }
  return spec;
}

std::vector<FieldSpec> StructuredTensorSpec::VisibleFields() const {
  if (!rep_->shape.rank_known() || rank() > 0) return rep_->fields;
  std::vector<FieldSpec> fields;
  fields.reserve(rep_->fields.size());
  for (size_t i = 0; i < rep_->fields.size(); ++i) fields.push_back({rep_->fields[i].name, field_spec(i)});
  return fields;
}

bool operator==(const TypeSpec& a, const TypeSpec& b) {
  if (a.extension() != nullptr && b.extension() != nullptr) {
    if (a.extension() == b.extension()) return true;
    thread_local base_internal::SharedParts<bool, 2> known;
    return known.ResultOf({a.extension()->weak_from_this().lock(), b.extension()->weak_from_this().lock()},
                          [&] { return a.extension()->Equals(*b.extension()); });
  }
  return a.spec_ == b.spec_;
}

namespace {

// Names are unique, so fields in the order of their names can be compared one by one.
bool HaveSameFields(const std::vector<FieldSpec>& a, const std::vector<FieldSpec>& b) {
  if (a.size() != b.size()) return false;
  const auto same_name = [](const FieldSpec& x, const FieldSpec& y) { return x.name == y.name; };
  if (std::equal(a.begin(), a.end(), b.begin(), same_name)) return a == b;
  const auto by_name = [](const std::vector<FieldSpec>& fields) {
    std::vector<const FieldSpec*> sorted;
    sorted.reserve(fields.size());
    for (const FieldSpec& field : fields) sorted.push_back(&field);
    std::sort(sorted.begin(), sorted.end(), [](const FieldSpec* x, const FieldSpec* y) { return x->name < y->name; });
    return sorted;
  };
  const std::vector<const FieldSpec*> a_sorted = by_name(a);
  const std::vector<const FieldSpec*> b_sorted = by_name(b);
  return std::equal(a_sorted.begin(), a_sorted.end(), b_sorted.begin(),
                    [](const FieldSpec* x, const FieldSpec* y) { return *x == *y; });
}

}  // namespace

bool operator==(const StructuredTensorSpec& a, const StructuredTensorSpec& b) {
  if (a.rep_ == b.rep_) return true;
  const bool scalars = a.rep_->shape.rank_known() && a.rank() == 0;
  return a.rep_->shape == b.rep_->shape && a.rep_->kind == b.rep_->kind && a.rep_->nullable == b.rep_->nullable &&
         a.rep_->row_partitions == b.rep_->row_partitions && a.rep_->shape_dtype == b.rep_->shape_dtype &&
         (scalars ? HaveSameFields(a.VisibleFields(), b.VisibleFields()) : HaveSameFields(a.rep_->fields, b.rep_->fields));
}

Shape TypeSpec::shape() const {
  if (const TensorSpec* spec = tensor()) return spec->shape();
  if (const RaggedTensorSpec* spec = ragged()) return spec->shape();
  if (const StructuredTensorSpec* spec = structured()) return spec->shape();
  if (const ExtensionTypeSpec* spec = extension()) {
    const Shape shape = spec->shape();
    return shape.rank_known() && spec->row_rule() == RowRule::kNoRows ? Shape() : shape;
  }
  return Shape({row_partition()->nrows});
}

TypeSpec TypeSpec::WithUnknownSizes() const {
  if (const TensorSpec* spec = tensor()) return TensorSpec(WithUnknownRows(spec->shape()), spec->dtype(), spec->nullable());
  if (const RaggedTensorSpec* spec = ragged()) {
    if (!spec->shape().rank_known() || spec->ragged_rank() == 0) return WithNrows(*spec, kUnknownDimension);
    const TensorSpec& flat = spec->flat_values();
    return RaggedTensorSpec(structtensor::WithUnknownSizes(spec->row_partitions()),
                            TensorSpec(WithUnknownRows(flat.shape()), flat.dtype(), flat.nullable()));
  }
  if (const StructuredTensorSpec* spec = structured()) {
    std::vector<FieldSpec> fields;
    for (const FieldSpec& field : spec->flat_fields()) fields.push_back({field.name, field.spec.WithUnknownSizes()});
    std::vector<RowPartitionSpec> row_partitions = structtensor::WithUnknownSizes(spec->row_partitions());
    const Shape shape = row_partitions.empty() ? WithUnknownRows(spec->shape()) : PartitionedShape(row_partitions, {});
    return StructuredTensorSpec(shape, std::move(fields), spec->kind(), spec->nullable(), std::move(row_partitions),
                                spec->shape_dtype());
  }
  if (const ExtensionTypeSpec* spec = extension()) {
    const auto unknown =
        spec->WithShapes({[](const Shape& shape) -> absl::StatusOr<Shape> { return WithUnknownRows(shape); },
                          [](const TypeSpec& inner) -> absl::StatusOr<TypeSpec> { return inner.WithUnknownSizes(); }});
    return unknown.ok() ? TypeSpec(*unknown) : *this;
  }
  return structtensor::WithUnknownSizes(*row_partition());
}

TypeSpec WithOuterPartition(const RowPartitionSpec& partition, const TypeSpec& inner) {
  assert(inner.row_partition() == nullptr && inner.shape().rank() >= 1);
  if (const TensorSpec* tensor = inner.tensor()) {
    if (partition.uniform_row_length == kUnknownDimension || partition.optional) return RaggedTensorSpec({partition}, *tensor);
    return TensorSpec(WithOuterPartition(partition, tensor->shape()), tensor->dtype(), tensor->nullable());
  }
  if (const RaggedTensorSpec* ragged = inner.ragged()) {
    return RaggedTensorSpec(Prepend(partition, ragged->row_partitions()), ragged->flat_values());
  }
  if (const ExtensionTypeSpec* extension = inner.extension()) {
    const auto has_axes = [](const Shape& shape) { return shape.rank_known() && shape.rank() > 0; };
    const auto grouped = extension->WithShapes({[&](const Shape& shape) -> absl::StatusOr<Shape> {
                                                  return has_axes(shape) ? WithOuterPartition(partition, shape) : shape;
                                                },
                                                [&](const TypeSpec& spec) -> absl::StatusOr<TypeSpec> {
                                                  return spec.row_partition() == nullptr && has_axes(spec.shape())
                                                             ? WithOuterPartition(partition, spec)
                                                             : spec;
                                                }});
    return grouped.ok() ? TypeSpec(*grouped) : inner;
  }
  const StructuredTensorSpec& structs = *inner.structured();
  const Shape shape = WithOuterPartition(partition, structs.shape());
  return StructuredTensorSpec(shape, {structs.flat_fields().begin(), structs.flat_fields().end()}, structs.kind(),
                              structs.nullable(), Prepend(partition, structs.row_partitions()));
}

}  // namespace structtensor
