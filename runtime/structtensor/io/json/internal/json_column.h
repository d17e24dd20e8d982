// Columns that grow value by value, as the JSON reader finds the values.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_JSON_COLUMN_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_JSON_COLUMN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/base/shared/growing_array.h"
#include "structtensor/io/json/internal/json_name.h"
#include "structtensor/io/json/internal/problem.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::json_internal {

// Rows that are null or missing: [begin, end), in order, not adjacent.
using RowRuns = std::vector<std::pair<int64_t, int64_t>>;

// How many absent values inferred columns may have. Each name has a column, and each column has a value for each row, so a
// short text with many names in many rows would need much memory.
struct AbsentValues {
  int64_t left = 0;  // less than 0: there were too many, and the columns are useless
};

// The problem if there are too many.
Problem TooManyAbsentValues();

// One value for each row, all of one kind: the kind of the first value, or the kind that a spec gives. Functions that add a row
// return false, with the problem, if the row does not fit. The column is then as before, except that its kind may be another
// one, and its items and fields may have additional rows: see Truncate.
class alignas(64) JsonColumn {
 public:
  enum class Kind : uint8_t { kUnknown, kBool, kInt64, kUint64, kDouble, kText, kList, kStruct };
  struct Field;

  JsonColumn() = default;
  // An inferred column. `absent` must outlive it.
  explicit JsonColumn(AbsentValues* absent) : absent_(absent) {}
  // The rows of a text: an inferred column that has structs in any case.
  static std::unique_ptr<JsonColumn> OfStructs(AbsentValues* absent) {
    auto column = std::make_unique<JsonColumn>(absent);
    column->kind_ = Kind::kStruct;
    column->kind_row_ = -1;
    return column;
  }
  // A column of that spec, inside of `depth` lists and objects of a row. Axis 0 of the spec is the column's rows. Errors:
  // InvalidArgument if the spec has an extension type, a row partition, a dense tensor of unknown size, or is nested deeper
  // than kMaxJsonDepth.
  static absl::StatusOr<std::unique_ptr<JsonColumn>> FromSpec(const TypeSpec& spec, int depth);

  int64_t size() const { return size_; }
  // Whether a spec says that the column has integers, so that numbers with a point must be equal to one.
  bool wants_integers() const { return fixed_ && (kind_ == Kind::kInt64 || kind_ == Kind::kUint64) && !IsTime(dtype_); }
  Kind kind() const { return kind_; }

  bool AddNull(Problem& problem);
  bool AddBool(bool value, Problem& problem);
  bool AddInt64(int64_t value, Problem& problem) {
    if (kind_ == Kind::kInt64 && !fixed_) [[likely]] {
      ints_.push_back(value);
      ++size_;
      return true;
    }
    return AddOtherInt64(value, problem);
  }
  bool AddUint64(uint64_t value, Problem& problem);  // for values above the int64 range
  bool AddDouble(double value, Problem& problem);
  // "-0": the integer 0, unless a spec says that the column has doubles, which have a negative zero.
  bool AddMinusZero(Problem& problem) {
    return kind_ == Kind::kDouble && fixed_ ? AddDouble(-0.0, problem) : AddInt64(0, problem);
  }
  bool AddText(std::string_view text, Problem& problem) {
    if (kind_ == Kind::kText && !fixed_ && text_.size() + text.size() <= kMaxTextBytes) [[likely]] {
      text_.Append(text.data(), text.size());
      ends_.push_back(static_cast<int32_t>(text_.size()));
      ++size_;
      return true;
    }
    return AddOtherText(text, problem);
  }

  // Begins a list: add its items to the returned column (null: a problem), then call EndList.
  JsonColumn* BeginList(Problem& problem);
  bool EndList(Problem& problem);

  // Begins an object: add each field to the column that FindExpectedField or FindField returns, then call EndStruct.
  bool BeginStruct(Problem& problem);
  // The field after the last one, ready for its value in this row, if `raw`, the name as written in JSON, is its name. Null
  // if it is not: then call FindField. `readable`: bytes from the beginning of `raw` on that may be read.
  JsonColumn* FindExpectedField(std::string_view raw, size_t readable);
  // The field with that name, ready for its value in this row. Null with a problem if the row has this field already, the name
  // is empty, or the spec has no such field (*ignored is true then).
  JsonColumn* FindField(std::string_view name, bool* ignored, Problem& problem);
  bool EndStruct(Problem& problem);

  // Whether a spec reads objects as maps: then call AddMapKey before each value.
  bool is_map() const { return kind_ == Kind::kList && is_map_; }
  // The column of the values, ready for the value of the key.
  JsonColumn* AddMapKey(std::string_view key, Problem& problem);
  bool EndMapEntry(Problem& problem);

  // The column of the items if a value that is not a list is read as a list of one item; else null.
  JsonColumn* optional_item() { return kind_ == Kind::kList && is_optional_ ? items_.get() : nullptr; }

  // Appends the rows of `other`, a column of the same spec or an inferred one, which is left in any state. False if the rows
  // would not fit one after another, or if this is not found out here; the column is then useless.
  bool Append(JsonColumn& other);

  // Removes the rows from `rows` on, and what only they have said: kinds and fields of inferred columns.
  void Truncate(int64_t rows);

  // The column as a value with axis 0. Leaves the column empty. `absent`: rows whose struct is absent. Nulls only in these rows
  // do not make an inferred column nullable.
  absl::StatusOr<Value> Finish(const RowRuns& absent, bool infer_timestamps);

 private:
  static constexpr size_t kMaxTextBytes = 0x7fffffff;

  struct Name {
    JsonName name;
    JsonColumn* column;
  };

  // An absent row of a dense axis still stores all its values, so a few bytes of JSON may need much memory.
  static constexpr int64_t kMaxAbsentItems = int64_t{1} << 28;

  bool AddOtherInt64(int64_t value, Problem& problem);
  bool AddOtherText(std::string_view text, Problem& problem);
  // The field of that name, which is added if there is none.
  Field& FieldNamed(std::string_view name);
  // Sets the kind if it is unknown; false if the column has another kind.
  bool Become(Kind kind, std::string_view what, Problem& problem);
  // Converts integers to doubles, if this is exact for all of them.
  bool WidenToDouble(Problem& problem);
  void NarrowToIntegers();
  // Makes an inferred column, whose rows are all absent, one of unknown kind.
  void ForgetKind();
  bool FitsDType(int64_t value) const;
  // Adds placeholders for `count` null rows.
  void AddRowsWithoutValue(int64_t count);
  void AddAbsent(int64_t count);
  bool may_be_absent() const { return !fixed_ || nullable_ || (kind_ == Kind::kList && uniform_length_ <= 0); }
  std::string KindName() const;
  RowPartition MakePartition();
  Validity MakeValidity(const RowRuns& absent);
  absl::StatusOr<Value> FinishScalar(const RowRuns& absent, bool infer_timestamps);

  // In the order in which values of a row read them, by cache lines: there may be hundreds of columns.
  Kind kind_ = Kind::kUnknown;
  // From a spec.
  bool fixed_ = false;
  bool nullable_ = false;
  bool is_optional_ = false;  // of lists, from here on
  bool is_map_ = false;
  bool is_dense_ = false;  // an inner axis of a dense tensor
  int64_t size_ = 0;
  uint32_t next_field_ = 0;                    // the one that is expected
  uint32_t fields_in_row_ = 0;                 // of the row under way
  base_internal::GrowingArray<int64_t> ints_;  // also of kUint64
  std::unique_ptr<JsonColumn> items_;

  alignas(64) base_internal::GrowingArray<char> text_;
  base_internal::GrowingArray<int32_t> ends_;  // of the strings

  alignas(64) std::vector<Name> names_;  // of fields_
  base_internal::GrowingArray<int64_t> splits_;
  base_internal::GrowingArray<double> doubles_;
  base_internal::GrowingArray<uint8_t> bools_;
  RowRuns nulls_;
  std::vector<std::unique_ptr<Field>> fields_;
  absl::flat_hash_map<std::string_view, size_t> fields_by_name_;
  // From a spec.
  DType dtype_ = DType::kDouble;        // of scalars
  DType splits_dtype_ = DType::kInt64;  // also of structs: the shape_dtype
  StructKind struct_kind_ = StructKind::kStruct;
  int64_t uniform_length_ = -1;
  int64_t absent_items_ = 0;  // of absent rows of that length
  // Of inferred columns: the row that made the column one of this kind; the row that made its integers doubles, with what they
  // were before that, and the row that made int64 uint64 (-1: none).
  int64_t kind_row_ = 0;
  int64_t widened_row_ = -1;
  int64_t unsigned_row_ = -1;
  Kind narrow_kind_ = Kind::kInt64;
  AbsentValues* absent_ = nullptr;
};

struct JsonColumn::Field {
  std::string name;
  JsonColumn column;
  int64_t first_row = 0;  // of the column of structs, whose field this is
};

inline JsonColumn* JsonColumn::FindExpectedField(std::string_view raw, size_t readable) {
  if (next_field_ >= names_.size()) [[unlikely]]
    return nullptr;
  const Name& name = names_[next_field_];
  JsonColumn& column = *name.column;
  if (!name.name.Is(raw, readable) || column.size_ > size_) [[unlikely]]
    return nullptr;
  ++next_field_;
  ++fields_in_row_;
  // The column of the value after this one.
  if (next_field_ < names_.size()) __builtin_prefetch(names_[next_field_].column, 1);
  if (column.size_ < size_) column.AddAbsent(size_ - column.size_);
  return &column;
}

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_JSON_COLUMN_H_
