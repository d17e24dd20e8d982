#include "structtensor/tensor/struct_ops/query.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/struct_ops/internal/row_list.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

absl::Status Invalid(const Path& path, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": ", what));
}

// Takes the first own axis off a field.
absl::StatusOr<struct_ops_internal::Peeled> PeelOwnAxis(const Value& flat, const Path& path) {
  if (flat.rank() < 2) {
    return Invalid(path, absl::StrCat(flat.spec().DebugString(),
                                      " has one value for each struct; this operation works on repeated fields"));
  }
  if (flat.extension() != nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("field path ", path.ToString(), ": the axes of ", flat.spec().DebugString(), " cannot be distinguished"));
  }
  return struct_ops_internal::PeelOuterAxis(flat);
}

// `structs` with `flat` as a new field `name`, next to the field at `path`.
absl::StatusOr<StructuredTensor> WithSibling(const StructuredTensor& structs, const Path& path,
                                             const struct_ops_internal::NestedField& beside, std::string_view name,
                                             Value flat) {
  const Path parent = path.Parent();
  STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckNewName(name, parent));
  return struct_ops_internal::ReplaceStruct(structs, parent,
                                            struct_ops_internal::WithFlatField(beside.parent.structs, name, std::move(flat)));
}

// For a field without own axes: 1 where the field and its struct are present, else 0. T: int64_t, or uint8_t for boolean.
template <typename T>
absl::StatusOr<Tensor> Presence(const struct_ops_internal::NestedField& field, const Path& path) {
  const Tensor* tensor = field.flat.tensor();
  const StructuredTensor* nested = field.flat.structured();
  const Validity own = tensor != nullptr ? tensor->validity() : nested != nullptr ? nested->validity() : Validity();
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<T> present, struct_ops_internal::RowList<T>(field.flat.nrows(), path));
  for (size_t i = 0; i < present.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i);
    present[i] = own.is_valid(row) ? 1 : 0;
  }
  return Tensor::FromVector(std::move(present));
}

RowPartition FromSplits(std::vector<int64_t> splits, const RowPartition& like) {
  const auto optional = like.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  return RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)), optional).WithDtype(like.dtype());
}

// The range that a slice selects in a row of `length` values: clipped, never out of range.
RowRange SliceRange(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t length) {
  const auto resolve = [length](int64_t bound) {
    // Bounds far outside must not overflow when counted from the end.
    if (bound < 0) bound = bound < -length ? 0 : bound + length;
    return std::min(bound, length);
  };
  const int64_t first = resolve(begin.value_or(0));
  return {first, std::max(first, resolve(end.value_or(length)))};
}

absl::StatusOr<Value> SliceOwnAxis(const Value& flat, const struct_ops_internal::Peeled& peeled, std::optional<int64_t> begin,
                                   std::optional<int64_t> end, const Path& path) {
  const RowPartition& partition = peeled.partition;
  if (const Tensor* tensor = flat.tensor()) {
    const RowRange range = SliceRange(begin, end, tensor->shape()[1]);
    return Value(tensor->SliceAxis(1, range.begin, range.size(), 1));
  }
  values_internal::RowPieces taken;
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> splits,
                                struct_ops_internal::RowList<int64_t>(partition.nrows() + 1, path));
  for (int64_t i = 0; i < partition.nrows(); ++i) {
    const RowRange row = partition.row(i);
    const RowRange range = SliceRange(begin, end, row.size());
    taken.Append(row.begin + range.begin, row.begin + range.end);
    splits[static_cast<size_t>(i) + 1] = taken.nrows();
  }
  if (taken.nrows() == partition.nvals()) return flat;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, values_internal::TakePieces(peeled.inner, taken));
  const auto length = partition.uniform_row_length();
  if (!length) return WithOuterPartition(FromSplits(std::move(splits), partition), inner);
  // Cannot fail: rows only become shorter.
  const auto optional = partition.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  const RowPartition uniform =
      RowPartition::FromUniformRowLength(SliceRange(begin, end, *length).size(), partition.nrows(), optional)
          ->WithDtype(partition.dtype());
  return WithOuterPartition(uniform, inner);
}

StructuredTensor LimitDepthImpl(const StructuredTensor& structs, int depth) {
  std::vector<Field> fields;
  for (size_t i = 0; depth > 0 && i < structs.num_fields(); ++i) {
    const StructuredTensor* nested = structs.flat_field(i).structured();
    fields.push_back(
        {structs.field_names()[i], nested == nullptr ? structs.flat_field(i) : Value(LimitDepthImpl(*nested, depth - 1))});
  }
  return structs.WithFlatFields(std::move(fields));
}

}  // namespace

absl::StatusOr<StructuredTensor> MapValues(const StructuredTensor& structs, const Path& path, std::string_view new_name,
                                           const std::function<absl::StatusOr<Tensor>(const Tensor& flat_values)>& function) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, path));
  const RaggedTensor* ragged = field.flat.ragged();
  if (ragged == nullptr && field.flat.tensor() == nullptr) {
    return Invalid(path, absl::StrCat("it is ", field.flat.spec().DebugString(),
                                      ", which has no elements of its own; name a field with elements"));
  }
  const Tensor& elements = ragged != nullptr ? ragged->flat_values() : *field.flat.tensor();
  absl::StatusOr<Tensor> mapped = function(elements);
  if (!mapped.ok()) {
    return absl::Status(mapped.status().code(), absl::StrCat("field path ", path.ToString(), ": ", mapped.status().message()));
  }
  if (mapped->rank() == 0 || mapped->nrows() != elements.nrows()) {
    return Invalid(path,
                   absl::StrCat("the function made a tensor of shape ", mapped->shape().DebugString(), " of one of shape ",
                                elements.shape().DebugString(), "; both need the same number of rows"));
  }
  if (ragged == nullptr) return WithSibling(structs, path, field, new_name, *std::move(mapped));
  return WithSibling(structs, path, field, new_name,
                     RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(), *std::move(mapped)));
}

absl::StatusOr<StructuredTensor> SizeEach(const StructuredTensor& structs, const Path& path, std::string_view new_name) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, path));
  if (field.flat.rank() == 1) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor present, Presence<int64_t>(field, path));
    return WithSibling(structs, path, field, new_name, std::move(present));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::Peeled peeled, PeelOwnAxis(field.flat, path));
  const RowPartition& partition = peeled.partition;
  const auto length = partition.uniform_row_length();
  if (!length) return WithSibling(structs, path, field, new_name, Tensor::FromBuffer(partition.row_lengths()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, struct_ops_internal::RowList<int64_t>(partition.nrows(), path));
  std::fill(lengths.begin(), lengths.end(), *length);
  return WithSibling(structs, path, field, new_name, Tensor::FromVector(std::move(lengths)));
}

absl::StatusOr<StructuredTensor> Has(const StructuredTensor& structs, const Path& path, std::string_view new_name) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, path));
  if (field.flat.rank() == 1) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor present, Presence<uint8_t>(field, path));
    return WithSibling(structs, path, field, new_name, std::move(present));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::Peeled peeled, PeelOwnAxis(field.flat, path));
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<uint8_t> any,
                                struct_ops_internal::RowList<uint8_t>(peeled.partition.nrows(), path));
  for (size_t i = 0; i < any.size(); ++i) any[i] = peeled.partition.row_length(static_cast<int64_t>(i)) > 0 ? 1 : 0;
  return WithSibling(structs, path, field, new_name, Tensor::FromVector(std::move(any)));
}

absl::StatusOr<StructuredTensor> IndexEach(const StructuredTensor& structs, const Path& path, std::string_view new_name,
                                           bool from_end) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, path));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::Peeled peeled, PeelOwnAxis(field.flat, path));
  const RowPartition& partition = peeled.partition;
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> positions, struct_ops_internal::RowList<int64_t>(partition.nvals(), path));
  for (int64_t i = 0; i < partition.nrows(); ++i) {
    const RowRange row = partition.row(i);
    const int64_t first = from_end ? -row.size() : 0;
    for (int64_t j = row.begin; j < row.end; ++j) positions[static_cast<size_t>(j)] = first + (j - row.begin);
  }
  return WithSibling(structs, path, field, new_name, WithOuterPartition(partition, Tensor::FromVector(std::move(positions))));
}

absl::StatusOr<StructuredTensor> SlicePath(const StructuredTensor& structs, const Path& path, std::optional<int64_t> begin,
                                           std::optional<int64_t> end) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, path));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::Peeled peeled, PeelOwnAxis(field.stored, path));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value sliced, SliceOwnAxis(field.stored, peeled, begin, end, path));
  return WithSibling(structs, path, field, field.name, std::move(sliced));
}

absl::StatusOr<StructuredTensor> Truncate(const StructuredTensor& structs, const Path& path, int64_t count) {
  if (count < 0) return Invalid(path, absl::StrCat("it cannot be cut to ", count, " values; the count must not be negative"));
  return SlicePath(structs, path, 0, count);
}

absl::StatusOr<StructuredTensor> LimitDepth(const StructuredTensor& structs, int depth) {
  if (depth < 0) {
    return absl::InvalidArgumentError(absl::StrCat("the depth is ", depth, "; it must be 0, for no fields at all, or more"));
  }
  return LimitDepthImpl(structs, depth);
}

}  // namespace structtensor
