// Filter() of query.h.
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/struct_ops/internal/row_list.h"
#include "structtensor/tensor/struct_ops/query.h"
#include "structtensor/tensor/values/shared/absent.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

absl::Status MaskError(const Path& mask, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("the mask ", mask.ToString(), " ", what));
}

absl::Status NotBoolean(const Path& mask, const Value& found) {
  return MaskError(mask, absl::StrCat("is ", found.spec().DebugString(), "; it must be boolean"));
}

// A mask. It has one element for each value of the axis that it filters.
struct Mask {
  std::vector<RowPartition> partitions;  // its own axes, outermost first
  Tensor elements;                       // a vector

  bool keeps(int64_t i) const { return elements.values<uint8_t>()[static_cast<size_t>(i)] != 0 && elements.is_valid(i); }
};

absl::StatusOr<Mask> ReadMask(Value flat, const Path& path) {
  Mask mask{{}, Tensor::Scalar(false)};
  while (flat.rank() > 1 && (flat.tensor() != nullptr || flat.ragged() != nullptr)) {
    struct_ops_internal::Peeled peeled = struct_ops_internal::PeelOuterAxis(flat);
    mask.partitions.push_back(std::move(peeled.partition));
    flat = std::move(peeled.inner);
  }
  if (flat.tensor() == nullptr || flat.tensor()->dtype() != DType::kBool) return NotBoolean(path, flat);
  mask.elements = *flat.tensor();
  return mask;
}

// The mask of an optional boolean in each struct, as a mask without own axes: absent is false.
absl::StatusOr<Mask> DropOptional(const Mask& mask, const Path& path) {
  const RowPartition& partition = mask.partitions.front();
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<uint8_t> elements, struct_ops_internal::RowList<uint8_t>(partition.nrows(), path));
  for (int64_t i = 0; i < partition.nrows(); ++i) {
    const RowRange row = partition.row(i);
    elements[static_cast<size_t>(i)] = row.size() > 0 && mask.keeps(row.begin) ? 1 : 0;
  }
  return Mask{{}, Tensor::FromVector(std::move(elements))};
}

bool IsOptional(const Mask& mask) { return mask.partitions.size() == 1 && mask.partitions.front().is_optional(); }

// The partition of the values that the mask keeps. Appends the numbers of these values to `kept`.
RowPartition FilterPartition(const RowPartition& partition, const Mask& mask, std::vector<int64_t>* kept) {
  // Without values, there is nothing to filter, and the rows may be too many for a list.
  if (partition.uniform_row_length() == 0) return partition;
  const auto optional = partition.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  std::vector<int64_t> splits(static_cast<size_t>(partition.nrows()) + 1);
  for (int64_t i = 0; i < partition.nrows(); ++i) {
    const RowRange row = partition.row(i);
    for (int64_t j = row.begin; j < row.end; ++j) {
      if (mask.keeps(j)) kept->push_back(j);
    }
    splits[static_cast<size_t>(i) + 1] = static_cast<int64_t>(kept->size());
  }
  return RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)), optional)
      .WithDtype(partition.dtype());
}

// `value` with only those values of axis `axis` that the mask keeps. Mask elements are counted through the whole axis. Axis 0
// becomes rows of 0 or 1 values if `keep_rows`; otherwise rows are removed. Requires: axis < value.rank(); no extension type if
// axis > 0.
Value FilterAxis(Value value, int axis, const Mask& mask, bool keep_rows, DType shape_dtype) {
  std::vector<RowPartition> partitions;
  for (int i = 0; i < axis; ++i) {
    struct_ops_internal::Peeled peeled = struct_ops_internal::PeelOuterAxis(value);
    partitions.push_back(std::move(peeled.partition));
    value = std::move(peeled.inner);
  }
  std::vector<int64_t> kept;
  if (axis == 0) {
    // One value in each row: cannot fail.
    const RowPartition rows = ops_internal::WithDtypeIfFits(
        *RowPartition::FromUniformRowLength(1, value.nrows(), RowPartition::Optional::kYes), shape_dtype);
    const RowPartition optional = FilterPartition(rows, mask, &kept);
    const Value taken = values_internal::TakeRows(value, kept);
    return keep_rows ? WithOuterPartition(optional, taken) : taken;
  }
  assert(mask.elements.size_elements() == partitions.back().nvals());
  partitions.back() = FilterPartition(partitions.back(), mask, &kept);
  value = values_internal::TakeRows(value, kept);
  for (; !partitions.empty(); partitions.pop_back()) value = WithOuterPartition(partitions.back(), value);
  return value;
}

// The mask that is a field of the structs `nested`.
absl::StatusOr<Mask> MaskInside(const StructuredTensor& nested, const Path& path) {
  const Value* field = nested.FindFlatField(path.back().text());
  if (field == nullptr) return struct_ops_internal::NoSuchField(path, path.size() - 1, nested);
  STRUCTTENSOR_ASSIGN_OR_RETURN(Mask mask, ReadMask(values_internal::AbsentWhere(nested.validity(), *field), path));
  if (IsOptional(mask)) return DropOptional(mask, path);
  if (!mask.partitions.empty()) {
    return MaskError(
        path, absl::StrCat("is ", field->spec().DebugString(), ", a list in each struct; it must be one boolean for each"));
  }
  return mask;
}

// OK if the mask's own axes are the first ones of `field`.
absl::Status CheckSameAxes(const Mask& mask, const Path& mask_path, const Value& field, const Path& path) {
  Value inner = field;
  for (size_t axis = 0; axis < mask.partitions.size(); ++axis) {
    if (inner.rank() < 2 || inner.extension() != nullptr) {
      return MaskError(mask_path, absl::StrCat("has ", mask.partitions.size(), " axes of its own, but ", path.ToString(),
                                               " is ", field.spec().DebugString(), " with fewer"));
    }
    struct_ops_internal::Peeled peeled = struct_ops_internal::PeelOuterAxis(inner);
    if (const auto row = ops_internal::FirstDifference(mask.partitions[axis], peeled.partition)) {
      return MaskError(mask_path, absl::StrCat("differs from ", path.ToString(), " along their axis ", axis, ": row ", *row,
                                               " has ", mask.partitions[axis].row_length(*row), " values instead of ",
                                               peeled.partition.row_length(*row)));
    }
    inner = std::move(peeled.inner);
  }
  return absl::OkStatus();
}

absl::StatusOr<StructuredTensor> FilterRoot(const StructuredTensor& structs, const Path& mask_path) {
  if (structs.rank() == 0) {
    return MaskError(mask_path, "cannot filter one struct; only structs with an axis can be kept or not");
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Mask mask, MaskInside(structs, mask_path));
  return *FilterAxis(structs, structs.rank() - 1, mask, /*keep_rows=*/false, structs.shape_dtype()).structured();
}

}  // namespace

absl::StatusOr<StructuredTensor> Filter(const StructuredTensor& structs, const Path& path, const Path& mask_path) {
  for (const Path* const each : {&path, &mask_path}) STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckWellFormed(*each));
  const bool inside = mask_path.size() == path.size() + 1 && mask_path.StartsWith(path);
  const bool beside = !path.empty() && mask_path.size() == path.size() && mask_path.StartsWith(path.Parent());
  if (!inside && !beside) {
    return MaskError(mask_path, absl::StrCat("is neither a field of ", path.empty() ? "the value itself" : path.ToString(),
                                             " nor one beside it"));
  }
  if (mask_path.back().kind() != Path::Step::Kind::kField)
    return struct_ops_internal::NotAFieldName(mask_path, mask_path.size() - 1);
  if (path.empty()) return FilterRoot(structs, mask_path);

  STRUCTTENSOR_ASSIGN_OR_RETURN(struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, path));
  const StructuredTensor& parent = field.parent.structs;
  Mask mask{{}, Tensor::Scalar(false)};
  int axis = 0;
  if (inside) {
    const StructuredTensor* nested = field.flat.structured();
    if (nested == nullptr) return struct_ops_internal::NotAStruct(mask_path, path.size(), field.flat);
    STRUCTTENSOR_ASSIGN_OR_RETURN(mask, MaskInside(*nested, mask_path));
    axis = nested->rank() - 1;
  } else {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedField beside_it,
                                  struct_ops_internal::FindField(structs, mask_path));
    STRUCTTENSOR_ASSIGN_OR_RETURN(mask, ReadMask(beside_it.flat, mask_path));
    // An optional boolean is about the struct, unless the field has the same rows of 0 or 1 values.
    if (IsOptional(mask) && !CheckSameAxes(mask, mask_path, field.flat, path).ok()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(mask, DropOptional(mask, mask_path));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckSameAxes(mask, mask_path, field.flat, path));
    axis = static_cast<int>(mask.partitions.size());
    if (axis == 0 && field.flat.rank() > 1) {
      return MaskError(mask_path, absl::StrCat("is one boolean for each struct, but ", path.ToString(), " is ",
                                               field.flat.spec().DebugString(), "; it needs one for each value"));
    }
  }
  Value filtered = FilterAxis(std::move(field.stored), axis, mask, /*keep_rows=*/true, parent.shape_dtype());
  return struct_ops_internal::ReplaceStruct(structs, path.Parent(),
                                            struct_ops_internal::WithFlatField(parent, field.name, std::move(filtered)));
}

}  // namespace structtensor
