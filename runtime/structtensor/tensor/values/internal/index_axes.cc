// On axis 0, an integer selects a row and a slice selects a slice: no data moves. Below axis 0, the outermost partition is
// taken off. The piece selects values from each of its rows, and the rest of the key is applied to the selected values:
//
//   v[:, 1:]    partition 0 2 2 5 of [a b | | c d e]   ->   rows b | | d e of the values, partition 0 1 1 3
//
// Dense tensors do not need this: all their axes become the axes of a strided view at once.
#include "structtensor/tensor/values/internal/index_axes.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor::values_internal {
namespace {

// Positions begin, begin + step, ... of an axis.
struct Positions {
  int64_t begin;
  int64_t count;
  int64_t step;
};

// The positions that a slice selects on an axis of size `size`: clipped, never out of range. Requires: step is not 0.
Positions ResolveSlice(const Key::Slice& slice, int64_t size) {
  // A step that leaves the axis selects one element, whatever its size is.
  const int64_t far = std::max<int64_t>(size, 1);
  const int64_t step = std::clamp(slice.step, -far, far);
  const int64_t first = step > 0 ? 0 : -1;  // bounds are clipped to [first, last]
  const int64_t last = step > 0 ? size : size - 1;
  const auto resolve = [=](int64_t bound) { return std::clamp(bound < 0 ? bound + size : bound, first, last); };
  const int64_t begin = slice.begin ? resolve(*slice.begin) : step > 0 ? first : last;
  const int64_t end = slice.end ? resolve(*slice.end) : step > 0 ? last : first;
  const int64_t distance = step > 0 ? end - begin : begin - end;
  if (distance <= 0) return {0, 0, 1};
  return {begin, (distance - 1) / std::abs(step) + 1, step};
}

// The position of an integer on an axis of size `size`. It may be out of range.
int64_t ResolveIndex(int64_t index, int64_t size) { return index < 0 ? index + size : index; }

// Whether a view can do the selection.
bool IsBasic(const Key* key) {
  return key->kind() == Key::Kind::kIndex || key->kind() == Key::Kind::kSlice || key->kind() == Key::Kind::kNewAxis;
}

std::span<const Key* const> WithoutTrailingWhole(std::span<const Key* const> pieces) {
  while (!pieces.empty() && pieces.back()->is_whole()) pieces = pieces.first(pieces.size() - 1);
  return pieces;
}

// The dtype of further partitions of the value.
DType PartitionDType(const Value& value) {
  if (value.ragged() != nullptr) return value.ragged()->row_partition(0).dtype();
  return value.structured() != nullptr ? value.structured()->shape_dtype() : DType::kInt64;
}

// The value with axis 0 cut into `nrows` rows of `length`. Requires: the value has nrows * length rows.
Value GroupRows(const Value& value, int64_t nrows, int64_t length) {
  const RowPartition partition = *RowPartition::FromUniformRowLength(length, nrows);
  const bool counts_in_32 = partition.nvals() <= std::numeric_limits<int32_t>::max();
  return WithOuterPartition(counts_in_32 ? partition.WithDtype(PartitionDType(value)) : partition, value);
}

// The value with axis 0 replaced by axes [nrows, dims...]. Without dims, it is unchanged. Requires: axis 0 has nrows * the
// product of `dims` rows.
Value GroupRows(Value value, int64_t nrows, std::span<const int64_t> dims) {
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t outer = nrows;
    for (const int64_t dim : dims.first(i)) outer *= dim;
    value = GroupRows(value, outer, dims[i]);
  }
  return value;
}

// A value without its outermost axis: row i of the value has the rows partition.row(i) of `inner`.
struct Peeled {
  RowPartition partition;
  Value inner;
};

// Takes the outermost axis off. Requires: value.rank() >= 2. Errors: InvalidArgument for extension types, which do not show
// their partitions; ResourceExhausted if a dense tensor has more rows than can be counted.
absl::StatusOr<Peeled> PeelOuterAxis(const Value& value) {
  assert(value.rank() >= 2);
  if (const RaggedTensor* ragged = value.ragged()) return Peeled{ragged->row_partition(0), ragged->values()};
  if (const StructuredTensor* structs = value.structured()) {
    return Peeled{structs->row_partitions().front(), structs->MergeOuterAxes()};
  }
  if (value.extension() != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(value.spec().DebugString(), " can be indexed along axis 0 only; index its components instead"));
  }
  const Tensor& tensor = *value.tensor();
  absl::StatusOr<RowPartition> partition = RowPartition::FromUniformRowLength(tensor.shape()[1], tensor.shape()[0]);
  if (!partition.ok()) return absl::ResourceExhaustedError(partition.status().message());
  const int64_t nvals = partition->nvals();
  return Peeled{*std::move(partition), tensor.Reshape(tensor.shape().DropOuter(2).Prepend(nvals))};
}

// Uniform partitions take no memory, so they may have more rows than fit in a list.
absl::Status CheckListFits(const RowPartition& partition) {
  if (!partition.uniform_row_length()) return absl::OkStatus();
  return NewBuffer<RowPiece>::Allocate(partition.nrows()).status();
}

// Reads an index list. Numbers beyond int64 become the largest int64, which is outside every axis.
absl::StatusOr<std::vector<int64_t>> ReadIndices(const AxisIndexer& indexer, const Tensor& rows) {
  if (!IsInteger(rows.dtype())) {
    return indexer.Invalid(absl::StrCat("an index list is of ", ToAbsl(DTypeName(rows.dtype())),
                                        "; it must be of an integer dtype (booleans are a mask)"));
  }
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(rows.size_elements()));
  for (int64_t i = 0; i < rows.size_elements(); ++i) {
    if (!rows.is_valid(i)) return indexer.Invalid(absl::StrCat("element ", i, " of an index list is absent"));
  }
  VisitStoredType(rows.dtype(), [&]<typename T>() {
    for (const T index : rows.values<T>()) {
      const bool fits = static_cast<double>(index) < 0x1p63;
      indices.push_back(fits ? static_cast<int64_t>(index) : std::numeric_limits<int64_t>::max());
    }
  });
  return indices;
}

}  // namespace

Value WithAxisOfOne(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return tensor->ExpandAxis(0);
  if (const StructuredTensor* structs = value.structured(); structs != nullptr && structs->rank() == 0) {
    return structs->WithRowPartitions({});
  }
  return GroupRows(value, 1, value.nrows());
}

std::string AxisIndexer::Text(std::string_view what) const {
  std::string text = "key [";
  for (const Key& key : all_keys_) absl::StrAppend(&text, &key == all_keys_.data() ? "" : ", ", key.DebugString());
  return absl::StrCat(text, "]: ", ToAbsl(what));
}

absl::Status AxisIndexer::Invalid(std::string_view what) const { return absl::InvalidArgumentError(Text(what)); }

absl::Status AxisIndexer::OutOfRange(int64_t index, int64_t size) const {
  return absl::OutOfRangeError(
      Text(absl::StrCat("index ", index, " is outside an axis of ", size, " rows; it must be in [", -size, ", ", size, ")")));
}

absl::Status AxisIndexer::OutOfRangeOfRow(int64_t index, int64_t row, int64_t size) const {
  return absl::OutOfRangeError(Text(absl::StrCat("index ", index, " is outside row ", row, " of the axis, which has ", size,
                                                 " values; use a slice to select only those that exist")));
}

// A uniform axis has a size even if there are no rows to select from.
absl::Status AxisIndexer::CheckUniform(int64_t index, const RowPartition& partition) const {
  if (!partition.uniform_row_length()) return absl::OkStatus();
  const int64_t size = *partition.uniform_row_length();
  return index < -size || index >= size ? OutOfRange(index, size) : absl::OkStatus();
}

// Applies integers, slices and new axes to a dense tensor, by one view. Axes before `first_axis` stay whole.
absl::StatusOr<Value> AxisIndexer::SelectFromTensor(const Tensor& tensor, int first_axis,
                                                    std::span<const Key* const> pieces) const {
  const Tensor::Strides strides = tensor.strides();
  const std::span<const int64_t> dims = tensor.shape().dims();
  Tensor::Strides view_strides(strides.begin(), strides.begin() + first_axis);
  Tensor::Strides view_dims(dims.begin(), dims.begin() + first_axis);
  int64_t first = 0;
  size_t axis = static_cast<size_t>(first_axis);
  for (const Key* piece : pieces) {
    if (piece->kind() == Key::Kind::kNewAxis) {
      view_dims.push_back(1);
      view_strides.push_back(0);
      continue;
    }
    if (const int64_t* index = piece->index()) {
      const int64_t position = ResolveIndex(*index, dims[axis]);
      if (position < 0 || position >= dims[axis]) return OutOfRange(*index, dims[axis]);
      first += position * strides[axis];
    } else {
      const Positions positions = ResolveSlice(*piece->slice(), dims[axis]);
      first += positions.begin * strides[axis];
      view_dims.push_back(positions.count);
      view_strides.push_back(positions.step * strides[axis]);
    }
    ++axis;
  }
  view_dims.insert(view_dims.end(), dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end());
  view_strides.insert(view_strides.end(), strides.begin() + static_cast<std::ptrdiff_t>(axis), strides.end());
  return tensor.ViewUnchecked(first, Shape(std::span<const int64_t>(view_dims.data(), view_dims.size())), view_strides);
}

absl::StatusOr<Value> AxisIndexer::Select(const Value& value, std::span<const Key* const> pieces) const {
  pieces = WithoutTrailingWhole(pieces);
  if (pieces.empty()) return value;
  if (value.tensor() != nullptr && std::all_of(pieces.begin(), pieces.end(), IsBasic)) {
    return SelectFromTensor(*value.tensor(), 0, pieces);
  }
  const Key& piece = *pieces[0];
  const std::span<const Key* const> rest = pieces.subspan(1);
  if (const int64_t* index = piece.index()) {
    const int64_t row = ResolveIndex(*index, value.nrows());
    if (row < 0 || row >= value.nrows()) return OutOfRange(*index, value.nrows());
    return Select(value.Row(row), rest);
  }
  if (const Key::Slice* slice = piece.slice()) {
    const Positions rows = ResolveSlice(*slice, value.nrows());
    if (rows.step == 1) return SelectInner(value.SliceRows(rows.begin, rows.begin + rows.count), rest);
    if (value.tensor() != nullptr) return SelectInner(value.tensor()->SliceAxis(0, rows.begin, rows.count, rows.step), rest);
    std::vector<int64_t> taken(static_cast<size_t>(rows.count));
    for (size_t i = 0; i < taken.size(); ++i) taken[i] = rows.begin + static_cast<int64_t>(i) * rows.step;
    return SelectInner(TakeRows(value, taken), rest);
  }
  if (piece.kind() == Key::Kind::kNewAxis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, Select(value, rest));
    if (inner.rank() == 0 && inner.extension() != nullptr) return Invalid("a scalar of an extension type takes no new axis");
    return WithAxisOfOne(inner);
  }
  if (const Tensor* rows = piece.rows()) return SelectRows(value, *rows, rest);
  STRUCTTENSOR_RETURN_IF_ERROR(CheckMask(*piece.mask()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value masked, ApplyMask(value, *piece.mask()));
  if (rest.empty()) return masked;
  // The rest is for the axes after those of the mask. The mask leaves all its own axes.
  static const Key kWhole = Key::All();
  KeyPieces after(static_cast<size_t>(piece.mask()->rank()), &kWhole);
  after.insert(after.end(), rest.begin(), rest.end());
  return Select(masked, after);
}

absl::StatusOr<Value> AxisIndexer::SelectRows(const Value& value, const Tensor& rows, std::span<const Key* const> rest) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> taken, ReadIndices(*this, rows));
  for (int64_t& index : taken) {
    const int64_t row = ResolveIndex(index, value.nrows());
    if (row < 0 || row >= value.nrows()) return OutOfRange(index, value.nrows());
    index = row;
  }
  if (rows.rank() == 0) return Select(value.Row(taken[0]), rest);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value rows_taken, TakeRowsChecked(value, taken));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value selected, SelectInner(rows_taken, rest));
  return GroupRows(std::move(selected), rows.shape()[0], rows.shape().dims().subspan(1));
}

// Selects from axis 1 on. Axis 0 stays whole.
absl::StatusOr<Value> AxisIndexer::SelectInner(const Value& value, std::span<const Key* const> pieces) const {
  pieces = WithoutTrailingWhole(pieces);
  if (pieces.empty()) return value;
  if (value.tensor() != nullptr && std::all_of(pieces.begin(), pieces.end(), IsBasic)) {
    return SelectFromTensor(*value.tensor(), 1, pieces);
  }
  const Key& piece = *pieces[0];
  const std::span<const Key* const> rest = pieces.subspan(1);
  if (piece.kind() == Key::Kind::kNewAxis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, SelectInner(value, rest));
    return GroupRows(inner, value.nrows(), 1);
  }
  if (piece.is_whole()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Peeled peeled, PeelOuterAxis(value));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, SelectInner(peeled.inner, rest));
    return WithOuterPartition(peeled.partition, inner);
  }
  if (const int64_t* index = piece.index()) return SelectInnerIndex(value, *index, rest);
  if (const Key::Slice* slice = piece.slice()) return SelectInnerSlice(value, *slice, rest);
  if (const Tensor* rows = piece.rows()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, ReadIndices(*this, *rows));
    if (rows->rank() == 0) return SelectInnerIndex(value, indices[0], rest);
    return SelectInnerRows(value, indices, rows->shape(), rest);
  }
  return SelectInnerMask(value, *piece.mask(), rest);
}

absl::StatusOr<Value> AxisIndexer::SelectInnerIndex(const Value& value, int64_t index, std::span<const Key* const> rest) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Peeled peeled, PeelOuterAxis(value));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckListFits(peeled.partition));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckUniform(index, peeled.partition));
  RowPieces taken;
  taken.Reserve(static_cast<size_t>(peeled.partition.nrows()));
  for (int64_t i = 0; i < peeled.partition.nrows(); ++i) {
    const RowRange row = peeled.partition.row(i);
    const int64_t position = ResolveIndex(index, row.size());
    if (position < 0 || position >= row.size()) return OutOfRangeOfRow(index, i, row.size());
    taken.Append(row.begin + position, row.begin + position + 1);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value selected, TakePieces(peeled.inner, taken));
  return SelectInner(selected, rest);
}

absl::StatusOr<Value> AxisIndexer::SelectInnerSlice(const Value& value, const Key::Slice& slice,
                                                    std::span<const Key* const> rest) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Peeled peeled, PeelOuterAxis(value));
  const RowPartition& whole = peeled.partition;
  STRUCTTENSOR_RETURN_IF_ERROR(CheckListFits(whole));
  RowPieces taken;
  taken.Reserve(static_cast<size_t>(whole.nrows()));
  std::vector<int64_t> row_splits;
  row_splits.reserve(static_cast<size_t>(whole.nrows()) + 1);
  row_splits.push_back(0);
  for (int64_t i = 0; i < whole.nrows(); ++i) {
    const RowRange row = whole.row(i);
    const Positions selected = ResolveSlice(slice, row.size());
    if (selected.step == 1) {
      taken.Append(row.begin + selected.begin, row.begin + selected.begin + selected.count);
    } else {
      for (int64_t j = 0, position = row.begin + selected.begin; j < selected.count; ++j, position += selected.step) {
        taken.Append(position, position + 1);
      }
    }
    row_splits.push_back(taken.nrows());
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value values, TakePieces(peeled.inner, taken));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, SelectInner(values, rest));
  const auto optional = whole.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  // A uniform axis stays uniform: all its rows lose the same positions.
  const RowPartition partition =
      whole.uniform_row_length()
          ? *RowPartition::FromUniformRowLength(ResolveSlice(slice, *whole.uniform_row_length()).count, whole.nrows(), optional)
          : RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(row_splits)), optional);
  return WithOuterPartition(partition.WithDtype(whole.dtype()), inner);
}

absl::StatusOr<Value> AxisIndexer::SelectInnerRows(const Value& value, std::span<const int64_t> indices, const Shape& shape,
                                                   std::span<const Key* const> rest) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Peeled peeled, PeelOuterAxis(value));
  const int64_t nrows = peeled.partition.nrows();
  int64_t size = 0;
  if (__builtin_mul_overflow(nrows, static_cast<int64_t>(indices.size()), &size)) {
    return absl::ResourceExhaustedError(
        Text(absl::StrCat(indices.size(), " values of each of ", nrows, " rows are more than int64 can count")));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> taken, NewBuffer<int64_t>::Allocate(size));
  for (const int64_t index : indices) STRUCTTENSOR_RETURN_IF_ERROR(CheckUniform(index, peeled.partition));
  int64_t* next = taken.data();
  for (int64_t i = 0; i < nrows; ++i) {
    const RowRange row = peeled.partition.row(i);
    for (const int64_t index : indices) {
      const int64_t position = ResolveIndex(index, row.size());
      if (position < 0 || position >= row.size()) return OutOfRangeOfRow(index, i, row.size());
      *next++ = row.begin + position;
    }
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value values, TakeRowsChecked(peeled.inner, {taken.data(), static_cast<size_t>(size)}));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value selected, SelectInner(values, rest));
  return GroupRows(std::move(selected), nrows, shape.dims());
}

absl::Status AxisIndexer::CheckMask(const Value& mask) const {
  const Tensor* flat = mask.tensor() != nullptr   ? mask.tensor()
                       : mask.ragged() != nullptr ? &mask.ragged()->flat_values()
                                                  : nullptr;
  if (flat == nullptr || flat->dtype() != DType::kBool || mask.rank() == 0) {
    return Invalid(absl::StrCat("a mask is ", mask.spec().DebugString(), "; it must be of booleans, and have an axis"));
  }
  if (!flat->nullable()) return absl::OkStatus();
  for (int64_t i = 0; i < flat->size_elements(); ++i) {
    if (!flat->is_valid(i)) return Invalid(absl::StrCat("element ", i, " of a mask is absent; replace it with true or false"));
  }
  return absl::OkStatus();
}

// The values where the mask is true; the axes stay the same.
absl::StatusOr<Value> AxisIndexer::ApplyMask(const Value& value, const Value& mask) const {
  if (mask.nrows() != value.nrows()) {
    return Invalid(absl::StrCat("a mask has ", mask.nrows(), " rows where the value has ", value.nrows()));
  }
  if (mask.rank() == 1) {
    const std::span<const uint8_t> stays = mask.tensor()->values<uint8_t>();
    RowPieces taken;
    for (size_t i = 0; i < stays.size(); ++i) {
      if (stays[i] != 0) taken.Append(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
    }
    return TakePieces(value, taken);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Peeled peeled, PeelOuterAxis(value));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Peeled peeled_mask, PeelOuterAxis(mask));
  for (int64_t i = 0; i < peeled.partition.nrows(); ++i) {
    if (peeled.partition.row_length(i) == peeled_mask.partition.row_length(i)) continue;
    return Invalid(absl::StrCat("row ", i, " of a mask has ", peeled_mask.partition.row_length(i),
                                " values where that of the value has ", peeled.partition.row_length(i)));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, ApplyMask(peeled.inner, peeled_mask.inner));
  if (mask.rank() > 2) return WithOuterPartition(peeled.partition, inner);
  const std::span<const uint8_t> stays = peeled_mask.inner.tensor()->values<uint8_t>();
  std::vector<int64_t> row_splits;
  row_splits.reserve(static_cast<size_t>(peeled.partition.nrows()) + 1);
  row_splits.push_back(0);
  for (int64_t i = 0; i < peeled.partition.nrows(); ++i) {
    const RowRange row = peeled.partition.row(i);
    const auto begin = stays.begin() + static_cast<std::ptrdiff_t>(row.begin);
    row_splits.push_back(row_splits.back() + std::count_if(begin, begin + static_cast<std::ptrdiff_t>(row.size()),
                                                           [](uint8_t stay) { return stay != 0; }));
  }
  const auto optional = peeled.partition.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  const RowPartition partition =
      RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(row_splits)), optional);
  return WithOuterPartition(partition.WithDtype(peeled.partition.dtype()), inner);
}

absl::StatusOr<Value> AxisIndexer::SelectInnerMask(const Value& value, const Value& mask,
                                                   std::span<const Key* const> rest) const {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckMask(mask));
  if (mask.rank() != 1) {
    return Invalid("a mask with several axes must be the first key; a mask for an inner axis has one axis, used for every row");
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Peeled peeled, PeelOuterAxis(value));
  for (int64_t i = 0; i < peeled.partition.nrows(); ++i) {
    if (peeled.partition.row_length(i) == mask.nrows()) continue;
    return Invalid(absl::StrCat("a mask has ", mask.nrows(), " rows where row ", i, " of the axis has ",
                                peeled.partition.row_length(i), " values"));
  }
  std::vector<int64_t> indices;
  const std::span<const uint8_t> stays = mask.tensor()->values<uint8_t>();
  for (size_t i = 0; i < stays.size(); ++i) {
    if (stays[i] != 0) indices.push_back(static_cast<int64_t>(i));
  }
  return SelectInnerRows(value, indices, Shape({static_cast<int64_t>(indices.size())}), rest);
}

}  // namespace structtensor::values_internal
