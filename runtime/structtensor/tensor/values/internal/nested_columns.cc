// A nested value is walked once, in order. Every place of its schema has a column, to which the values at that place are
// appended. The whole value is one row of the outermost column. If it is a list, its elements are the rows of the next axis.
#include "structtensor/tensor/values/internal/nested_columns.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::values_internal {
namespace {

class Column {
 public:
  explicit Column(const NestedSchema& schema) : schema_(schema), axes_(schema.axes.size()) {
    for (size_t i = 0; i < axes_.size(); ++i) axes_[i].size = schema.axes[i].size;
    fields_.reserve(schema.fields.size());
    for (const NestedSchema& field : schema.fields) fields_.emplace_back(field);
  }

  // Appends one row. If `value` is null, the row is missing, as if it were None.
  absl::Status Append(const NestedValue* value, const NestedPath* path) { return Append(value, 0, path); }

  // Returns the `nrows` rows that have been appended.
  absl::StatusOr<Value> Finish(int64_t nrows, const NestedPath* path) { return Finish(0, nrows, path); }

  // Returns the one row that has been appended, without the axis of rows.
  absl::StatusOr<Value> FinishOnlyRow() {
    if (!axes_.empty()) return Finish(1, axes_[0].row_splits.back(), nullptr);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, Finish(0, 1, nullptr));
    return value.Row(0);
  }

 private:
  struct Axis {
    std::vector<int64_t> row_splits = {0};  // counts rows of the next axis, or elements
    int64_t size = kUnknownDimension;       // of a dense axis: from the schema, or else from its first list
  };

  absl::Status Append(const NestedValue* value, size_t axis, const NestedPath* path) {
    const bool missing = value == nullptr || value->is_none();
    if (axis == axes_.size()) {
      if (schema_.is_struct) return AppendStruct(missing ? nullptr : value, path);
      return missing ? AppendMissing(path) : AppendScalar(*value, path);
    }
    if (missing) return AppendMissingList(axis, path);
    if (value->list() == nullptr) {
      return NestedError(
          path, absl::StrCat("expected ", axes_.size() - axis, axes_.size() - axis == 1 ? " list" : " nested lists", ", found ",
                             DescribeNested(*value)));
    }
    const NestedValue::List& list = *value->list();
    STRUCTTENSOR_RETURN_IF_ERROR(CheckSize(static_cast<int64_t>(list.size()), axis, path));
    int64_t index = 0;
    for (const NestedValue& element : list) {
      const NestedPath step{path, nullptr, index++};
      STRUCTTENSOR_RETURN_IF_ERROR(Append(&element, axis + 1, &step));
    }
    EndList(axis, index);
    return absl::OkStatus();
  }

  void EndList(size_t axis, int64_t size) { axes_[axis].row_splits.push_back(axes_[axis].row_splits.back() + size); }

  absl::Status CheckSize(int64_t size, size_t axis, const NestedPath* path) {
    if (axes_[axis].size != kUnknownDimension && size != axes_[axis].size) {
      return NestedError(path, absl::StrCat("found a list of ", size, " where all lists have ", axes_[axis].size, " elements"));
    }
    if (schema_.axes[axis].optional && size > 1) {
      return NestedError(path, absl::StrCat("found a list of ", size, " where an optional value has at most one element"));
    }
    if (!schema_.axes[axis].partition) axes_[axis].size = size;
    return absl::OkStatus();
  }

  absl::Status AppendMissingList(size_t axis, const NestedPath* path) {
    if (!schema_.axes[axis].partition && axes_[axis].size == kUnknownDimension) {
      return NestedError(path, "a list is missing, and the spec does not say how many elements it would have");
    }
    const int64_t size = std::max<int64_t>(axes_[axis].size, 0);
    for (int64_t i = 0; i < size; ++i) STRUCTTENSOR_RETURN_IF_ERROR(Append(nullptr, axis + 1, path));
    EndList(axis, size);
    return absl::OkStatus();
  }

  absl::Status AppendStruct(const NestedValue* value, const NestedPath* path) {
    if (value == nullptr) {
      if (schema_.nullable) return AppendAbsent(path);
      valid_.push_back(true);
      for (size_t i = 0; i < fields_.size(); ++i) {
        const NestedPath step{path, &schema_.names[i], 0};
        STRUCTTENSOR_RETURN_IF_ERROR(fields_[i].Append(nullptr, 0, &step));
      }
      return absl::OkStatus();
    }
    if (value->dict() == nullptr) return NestedError(path, absl::StrCat("expected a dict, found ", DescribeNested(*value)));
    const NestedValue::Dict& dict = *value->dict();
    std::vector<const NestedValue*> values(fields_.size());
    for (size_t i = 0; i < dict.size(); ++i) {
      const std::string& name = dict[i].first;
      size_t field = i < fields_.size() && schema_.names[i] == name ? i : 0;
      while (field < fields_.size() && schema_.names[field] != name) ++field;
      if (field == fields_.size()) return NestedError(path, absl::StrCat("key '", name, "' is not a field of the spec"));
      if (values[field] != nullptr) return NestedError(path, absl::StrCat("key '", name, "' is given twice"));
      values[field] = &dict[i].second;
    }
    valid_.push_back(true);
    for (size_t i = 0; i < fields_.size(); ++i) {
      const NestedPath step{path, &schema_.names[i], 0};
      STRUCTTENSOR_RETURN_IF_ERROR(fields_[i].Append(values[i], 0, &step));
    }
    return absl::OkStatus();
  }

  absl::Status AppendMissing(const NestedPath* path) {
    if (schema_.nullable) return AppendAbsent(path);
    return NestedError(path, absl::StrCat("found no value, but ", ToAbsl(DTypeName(schema_.dtype)), " is not nullable here"));
  }

  // Appends an absent element or struct, and what its columns hold in its place.
  absl::Status AppendAbsent(const NestedPath* path) {
    has_absent_ = true;
    valid_.push_back(false);
    if (!schema_.is_struct) return AppendZero(path);
    for (Column& field : fields_) STRUCTTENSOR_RETURN_IF_ERROR(field.AppendFiller(0, path));
    return absl::OkStatus();
  }

  // Appends a row below an absent struct. It is never read.
  absl::Status AppendFiller(size_t axis, const NestedPath* path) {
    if (axis < axes_.size()) {
      if (schema_.axes[axis].partition && axes_[axis].size == kUnknownDimension) {
        EndList(axis, 0);
        return absl::OkStatus();
      }
      if (axes_[axis].size == kUnknownDimension) return AppendMissingList(axis, path);
      for (int64_t i = 0; i < axes_[axis].size; ++i) STRUCTTENSOR_RETURN_IF_ERROR(AppendFiller(axis + 1, path));
      EndList(axis, axes_[axis].size);
      return absl::OkStatus();
    }
    if (schema_.nullable) return AppendAbsent(path);
    valid_.push_back(true);
    if (!schema_.is_struct) return AppendZero(path);
    for (Column& field : fields_) STRUCTTENSOR_RETURN_IF_ERROR(field.AppendFiller(0, path));
    return absl::OkStatus();
  }

  absl::Status AppendZero(const NestedPath* path) {
    if (IsStringLike(schema_.dtype)) return AppendText("", path);
    elements_.resize(elements_.size() + DTypeSizeBytes(schema_.dtype));
    return absl::OkStatus();
  }

  absl::Status AppendScalar(const NestedValue& value, const NestedPath* path) {
    valid_.push_back(true);
    const std::string* text = value.get_if<std::string>();
    const NestedValue::Bytes* bytes = value.get_if<NestedValue::Bytes>();
    if (IsStringLike(schema_.dtype)) {
      if (text != nullptr) return AppendText(*text, path);
      if (bytes != nullptr && schema_.dtype == DType::kBytes) return AppendText(bytes->value, path);
      return Mismatch(value, path);
    }
    if (schema_.dtype == DType::kBool) {
      const bool* boolean = value.get_if<bool>();
      if (boolean == nullptr) return Mismatch(value, path);
      AppendElement<uint8_t>(*boolean ? 1 : 0);
      return absl::OkStatus();
    }
    if (const auto* time = value.get_if<NestedValue::Time>()) return AppendTime(*time, path);
    return VisitStoredType(schema_.dtype, [&]<typename T>() { return AppendNumber<T>(value, path); });
  }

  absl::Status Mismatch(const NestedValue& value, const NestedPath* path) const {
    return NestedError(path, absl::StrCat("expected ", ToAbsl(DTypeName(schema_.dtype)), ", found ", DescribeNested(value)));
  }

  absl::Status AppendTime(const NestedValue::Time& time, const NestedPath* path) {
    if (!IsTime(schema_.dtype) || IsTimestamp(schema_.dtype) != IsTimestamp(time.dtype)) return Mismatch(time, path);
    const int64_t from = UnitsPerSecond(TimeUnitOf(time.dtype));
    const int64_t to = UnitsPerSecond(TimeUnitOf(schema_.dtype));
    if (to < from && time.count % (from / to) != 0) {
      return NestedError(path, absl::StrCat(DescribeNested(time), " would lose digits as ", ToAbsl(DTypeName(schema_.dtype))));
    }
    int64_t count = to < from ? time.count / (from / to) : 0;
    if (to >= from && __builtin_mul_overflow(time.count, to / from, &count)) {
      return NestedError(path, absl::StrCat(DescribeNested(time), " does not fit in ", ToAbsl(DTypeName(schema_.dtype))));
    }
    AppendElement(count);
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status AppendNumber(const NestedValue& value, const NestedPath* path) {
    if (const bool* boolean = value.get_if<bool>()) return AppendNumber<T>(NestedValue(*boolean ? 1 : 0), path);
    if constexpr (std::numeric_limits<T>::is_integer) {
      const int64_t* integer = value.get_if<int64_t>();
      const uint64_t* unsigned_integer = value.get_if<uint64_t>();
      if (integer == nullptr && unsigned_integer == nullptr) return Mismatch(value, path);
      if (integer != nullptr ? !std::in_range<T>(*integer) : !std::in_range<T>(*unsigned_integer)) {
        return NestedError(path, absl::StrCat(DescribeNested(value), " does not fit in ", ToAbsl(DTypeName(schema_.dtype))));
      }
      AppendElement(integer != nullptr ? static_cast<T>(*integer) : static_cast<T>(*unsigned_integer));
    } else {
      double number = 0;
      if (const double* fraction = value.get_if<double>()) {
        number = *fraction;
      } else if (const int64_t* integer = value.get_if<int64_t>()) {
        number = static_cast<double>(*integer);
      } else if (const uint64_t* unsigned_integer = value.get_if<uint64_t>()) {
        number = static_cast<double>(*unsigned_integer);
      } else {
        return Mismatch(value, path);
      }
      // Converting a number beyond the range of float is undefined, and infinity would be a surprise.
      if (!std::is_same_v<T, double> && std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max()) {
        return NestedError(path, absl::StrCat(DescribeNested(value), " is too big for ", ToAbsl(DTypeName(schema_.dtype))));
      }
      T element;
      if constexpr (std::is_same_v<T, double>) {
        element = number;
      } else {
        element = T(static_cast<float>(number));
        if (std::isfinite(number) && std::isinf(static_cast<float>(element))) {
          return NestedError(path, absl::StrCat(DescribeNested(value), " is too big for ", ToAbsl(DTypeName(schema_.dtype))));
        }
      }
      if (value.get_if<double>() == nullptr && !Equals(value, ToDouble(element))) {
        return NestedError(path, absl::StrCat(DescribeNested(value), " would lose digits as ", ToAbsl(DTypeName(schema_.dtype)),
                                              "; write it as a fraction to have it rounded"));
      }
      AppendElement(element);
    }
    return absl::OkStatus();
  }

  template <typename T>
  static double ToDouble(T element) {
    if constexpr (std::is_same_v<T, double>) {
      return element;
    } else {
      return static_cast<double>(static_cast<float>(element));
    }
  }

  // Whether `number` is the integer in `value`.
  static bool Equals(const NestedValue& value, double number) {
    // The limits are powers of two, and are therefore doubles. Converting a number beyond them is undefined.
    if (const int64_t* integer = value.get_if<int64_t>()) {
      return number >= -9223372036854775808.0 && number < 9223372036854775808.0 && static_cast<int64_t>(number) == *integer;
    }
    const uint64_t* unsigned_integer = value.get_if<uint64_t>();
    return number >= 0 && number < 18446744073709551616.0 && static_cast<uint64_t>(number) == *unsigned_integer;
  }

  template <typename T>
  void AppendElement(T element) {
    const size_t end = elements_.size();
    elements_.resize(end + sizeof(T));
    std::memcpy(elements_.data() + end, &element, sizeof(T));
  }

  absl::Status AppendText(std::string_view text, const NestedPath* path) {
    if (text.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()) - elements_.size()) {
      return absl::ResourceExhaustedError(NestedError(path, "the strings of this field take more than 2 GiB").message());
    }
    elements_.insert(elements_.end(), text.begin(), text.end());
    text_ends_.push_back(static_cast<int32_t>(elements_.size()));
    return absl::OkStatus();
  }

  // The partition of axis i, which has `nrows` lists.
  absl::StatusOr<RowPartition> FinishAxis(size_t i, int64_t nrows, const NestedPath* path) {
    const NestedAxis& axis = schema_.axes[i];
    const int64_t nvals = axes_[i].row_splits.back();
    if (axis.nvals != kUnknownDimension && nvals != axis.nvals) {
      return NestedError(path, absl::StrCat("the lists have ", nvals, " elements in all; the spec says ", axis.nvals));
    }
    if (axis.dtype == DType::kInt32 && nvals > std::numeric_limits<int32_t>::max()) {
      return NestedError(path, absl::StrCat(nvals, " elements are too many for row splits of int32"));
    }
    const auto optional = axis.optional ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
    // Neither can fail: sizes were checked one by one.
    const RowPartition partition =
        axis.size != kUnknownDimension
            ? *RowPartition::FromUniformRowLength(axis.size, nrows, optional)
            : RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(axes_[i].row_splits)), optional);
    return partition.WithDtype(axis.dtype);
  }

  // Finishes axis `first`, which has `nrows` rows, and those below. The axes before it are left to the caller.
  absl::StatusOr<Value> Finish(size_t first, int64_t nrows, const NestedPath* path) {
    std::vector<RowPartition> partitions;
    int64_t flat_nrows = nrows;
    size_t axis = first;
    for (; axis < axes_.size() && schema_.axes[axis].partition; ++axis) {
      const int64_t nvals = axes_[axis].row_splits.back();
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, FinishAxis(axis, flat_nrows, path));
      partitions.push_back(std::move(partition));
      flat_nrows = nvals;
    }
    if (schema_.is_struct) return FinishStructs(std::move(partitions), flat_nrows, path);
    std::vector<int64_t> dims = {flat_nrows};
    for (; axis < axes_.size(); ++axis) dims.push_back(std::max<int64_t>(axes_[axis].size, 0));
    Tensor flat = FinishElements().Reshape(Shape(dims));
    if (partitions.empty()) return flat;
    return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), std::move(flat));
  }

  absl::StatusOr<Value> FinishStructs(std::vector<RowPartition> partitions, int64_t flat_nrows, const NestedPath* path) {
    std::vector<Field> fields;
    fields.reserve(fields_.size());
    for (size_t i = 0; i < fields_.size(); ++i) {
      const NestedPath step{path, &schema_.names[i], 0};
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value field, fields_[i].Finish(flat_nrows, &step));
      fields.push_back({schema_.names[i], std::move(field)});
    }
    const StructuredTensor structs =
        StructuredTensor::Create(std::move(partitions), flat_nrows, std::move(fields), schema_.kind, FinishValidity());
    return structs.WithShapeDtype(schema_.shape_dtype);
  }

  Tensor FinishElements() {
    if (IsStringLike(schema_.dtype)) {
      return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(text_ends_)),
                                 Buffer<char>::FromVector(std::move(elements_)), schema_.dtype, FinishValidity());
    }
    return VisitStoredType(schema_.dtype, [&]<typename T>() {
      std::vector<T> values(elements_.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), elements_.data(), elements_.size());
      return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(values)), schema_.dtype, FinishValidity());
    });
  }

  Validity FinishValidity() const {
    if (!has_absent_) return {};
    std::vector<uint8_t> bits(valid_.size() / 8 + 1);
    for (size_t i = 0; i < valid_.size(); ++i) {
      if (valid_[i]) bits[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
    }
    return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
  }

  const NestedSchema& schema_;
  std::vector<Axis> axes_;
  std::vector<Column> fields_;
  std::vector<char> elements_;  // of a leaf: its numbers as they are stored, or the bytes of its strings
  std::vector<int32_t> text_ends_ = {0};
  std::vector<bool> valid_;
  bool has_absent_ = false;
};

}  // namespace

absl::StatusOr<Value> ValueOfNested(const NestedValue& nested, const NestedSchema& schema) {
  Column column(schema);
  STRUCTTENSOR_RETURN_IF_ERROR(column.Append(&nested, nullptr));
  return column.FinishOnlyRow();
}

}  // namespace structtensor::values_internal
