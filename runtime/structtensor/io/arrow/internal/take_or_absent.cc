#include "structtensor/io/arrow/internal/take_or_absent.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/values/shared/take_rows.h"
#include "structtensor/tensor/values/shared/with_validity.h"

namespace structtensor::arrow_internal {
namespace {

constexpr char kFewerRows[] = "; read fewer rows at a time";

Value WithoutOuterPartition(const Value& value) {
  if (const RaggedTensor* ragged = value.ragged()) return ragged->values();
  return value.structured()->MergeOuterAxes();
}

// Returns the outermost partition of a value. Null if its rows are single elements, structs, or rows of a dense tensor.
const RowPartition* OuterPartition(const Value& value) {
  if (const RaggedTensor* ragged = value.ragged()) return &ragged->row_partitions().front();
  const StructuredTensor* const structs = value.structured();
  return structs == nullptr || structs->row_partitions().empty() ? nullptr : &structs->row_partitions().front();
}

// Returns the same rows, as a value whose rows may be absent.
absl::StatusOr<Value> Nullable(const Value& value) {
  if (const Tensor* tensor = value.tensor()) {
    if (tensor->nullable()) return value;
    return Value(values_internal::WithValidity(*tensor, AllPresentBits(tensor->size_elements())));
  }
  if (const RowPartition* partition = OuterPartition(value)) {
    if (!partition->is_uniform()) return value;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value inner, Nullable(WithoutOuterPartition(value)));
    return WithOuterPartition(*partition, inner);
  }
  const StructuredTensor& structs = *value.structured();
  if (structs.nullable()) return value;
  std::vector<Value> fields;
  for (size_t i = 0; i < structs.num_fields(); ++i) fields.push_back(structs.flat_field(i));
  return Value(structs.WithFlatRows({}, structs.flat_nrows(), std::move(fields), AllPresentBits(structs.flat_nrows())));
}

Validity ValidityOfRows(const Validity& from, std::span<const int64_t> rows) {
  std::vector<uint8_t> bits(rows.size() / 8 + 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != kAbsent && from.is_valid(rows[i])) bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

absl::StatusOr<Value> TakeStrings(const Tensor& values, std::span<const int64_t> rows, Validity validity) {
  int64_t size_bytes = 0;
  std::vector<int32_t> offsets = {0};
  offsets.reserve(rows.size() + 1);
  for (const int64_t row : rows) {
    if (row != kAbsent) size_bytes += static_cast<int64_t>(values.string_at(row).size());
    if (size_bytes > std::numeric_limits<int32_t>::max()) {
      return absl::OutOfRangeError(absl::StrCat("the strings exceed the 2 GiB of a column", kFewerRows));
    }
    offsets.push_back(static_cast<int32_t>(size_bytes));
  }
  std::vector<char> bytes(static_cast<size_t>(size_bytes));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == kAbsent) continue;
    const std::string_view text = values.string_at(rows[i]);
    if (!text.empty()) std::memcpy(bytes.data() + offsets[i], text.data(), text.size());
  }
  return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)),
                                   values.dtype(), std::move(validity)));
}

// Takes elements of a tensor of rank 1.
absl::StatusOr<Value> TakeElements(const Tensor& values, std::span<const int64_t> rows, bool nullable) {
  Validity validity = nullable || values.nullable() ? ValidityOfRows(values.validity(), rows) : Validity();
  if (IsStringLike(values.dtype())) return TakeStrings(values, rows, std::move(validity));
  return Value(VisitStoredType(values.dtype(), [&]<typename T>() {
    const std::span<const T> from = values.values<T>();
    std::vector<T> taken(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != kAbsent) taken[i] = from[static_cast<size_t>(rows[i])];
    }
    return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(taken)), values.dtype(), std::move(validity));
  }));
}

// Returns the elements of rows with `length` elements each. The elements of an absent row are absent.
absl::StatusOr<std::vector<int64_t>> ElementsOfRows(std::span<const int64_t> rows, int64_t length, int64_t backed) {
  int64_t count = 0;
  if (__builtin_mul_overflow(static_cast<int64_t>(rows.size()), length, &count)) count = std::numeric_limits<int64_t>::max();
  STRUCTTENSOR_RETURN_IF_ERROR(CheckExpanded(count, backed));
  std::vector<int64_t> elements;
  elements.reserve(static_cast<size_t>(count));
  for (const int64_t row : rows) {
    for (int64_t i = 0; i < length; ++i) elements.push_back(row == kAbsent ? kAbsent : row * length + i);
  }
  return elements;
}

absl::StatusOr<Value> TakeStructs(const StructuredTensor& structs, std::span<const int64_t> rows, bool nullable) {
  std::vector<Value> fields;
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value taken, TakeOrAbsent(structs.flat_field(i), rows, false));
    fields.push_back(std::move(taken));
  }
  return Value(structs.WithFlatRows({}, static_cast<int64_t>(rows.size()), std::move(fields),
                                    nullable || structs.nullable() ? ValidityOfRows(structs.validity(), rows) : Validity()));
}

}  // namespace

Validity AllPresentBits(int64_t size) {
  return Validity(Buffer<uint8_t>::FromVector(std::vector<uint8_t>(static_cast<size_t>(size) / 8 + 1, 0xff)));
}

absl::Status CheckExpanded(int64_t count, int64_t backed) {
  if (count <= std::max(kMaxExpandedElements, backed)) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the array expands to ", count, " elements, more than the limit of ",
                                                   kMaxExpandedElements, " for so little data", kFewerRows));
}

absl::StatusOr<Value> TakeOrAbsent(const Value& value, std::span<const int64_t> rows, bool nullable) {
  if (std::find(rows.begin(), rows.end(), kAbsent) == rows.end() && OuterPartition(value) == nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken, values_internal::TakeRowsChecked(value, rows));
    return nullable ? Nullable(taken) : taken;
  }
  if (const Tensor* tensor = value.tensor()) {
    if (tensor->rank() == 1) return TakeElements(*tensor, rows, nullable);
    int64_t length = 1;
    for (int axis = 1; axis < tensor->rank(); ++axis) length *= tensor->shape()[axis];
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> elements, ElementsOfRows(rows, length, tensor->size_elements()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken,
                                  TakeElements(tensor->Reshape(Shape({tensor->size_elements()})), elements, nullable));
    return Value(taken.tensor()->Reshape(tensor->shape().DropOuter(1).Prepend(static_cast<int64_t>(rows.size()))));
  }
  const RowPartition* const partition = OuterPartition(value);
  if (partition == nullptr) return TakeStructs(*value.structured(), rows, nullable);
  const Value inner = WithoutOuterPartition(value);
  if (const std::optional<int64_t> length = partition->uniform_row_length()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> elements, ElementsOfRows(rows, *length, inner.nrows()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken, TakeOrAbsent(inner, elements, nullable));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition uniform,
                                  RowPartition::FromUniformRowLength(*length, static_cast<int64_t>(rows.size())));
    return WithOuterPartition(uniform, taken);
  }
  std::vector<int64_t> starts(rows.size());
  std::vector<int64_t> lengths(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == kAbsent) continue;
    const RowRange row = partition->row(rows[i]);
    starts[i] = row.begin;
    lengths[i] = row.size();
  }
  return TakeLists(starts, lengths, inner);
}

absl::StatusOr<Value> TakeLists(std::span<const int64_t> starts, std::span<const int64_t> lengths, const Value& elements) {
  std::vector<int64_t> splits = {0};
  splits.reserve(starts.size() + 1);
  for (const int64_t length : lengths) {
    int64_t end = 0;
    if (__builtin_add_overflow(splits.back(), length, &end)) end = std::numeric_limits<int64_t>::max();
    STRUCTTENSOR_RETURN_IF_ERROR(CheckExpanded(end, elements.nrows()));
    splits.push_back(end);
  }
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(splits.back()));
  for (size_t i = 0; i < starts.size(); ++i) {
    for (int64_t row = starts[i]; row < starts[i] + lengths[i]; ++row) rows.push_back(row);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken, values_internal::TakeRowsChecked(elements, rows));
  return WithOuterPartition(RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits))), taken);
}

}  // namespace structtensor::arrow_internal
