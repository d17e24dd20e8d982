#include "structtensor/io/json/internal/json_column.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/float16.h"
#include "structtensor/core/base/shared/base64.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/json/internal/plain_json_text.h"
#include "structtensor/io/json/read_json.h"

namespace structtensor::json_internal {
namespace {

bool FailForMemory(Problem& problem, std::string text) {
  problem = {.code = absl::StatusCode::kResourceExhausted, .text = std::move(text)};
  return false;
}

// Whether a double can hold this integer exactly.
template <typename Integer>
bool IsExactAsDouble(Integer value) {
  constexpr double kLimit = std::is_signed_v<Integer> ? 9223372036854775808.0 : 18446744073709551616.0;
  const auto converted = static_cast<double>(value);
  return converted < kLimit && static_cast<Integer>(converted) == value;
}

// Returns the integer that the double is equal to, for columns of integers. Nothing if there is none.
std::optional<int64_t> IntegerOf(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value >= -kLimit && value < kLimit) || std::trunc(value) != value) return std::nullopt;
  return static_cast<int64_t>(value);
}

void AddRun(int64_t begin, int64_t end, RowRuns& runs) {
  if (!runs.empty() && runs.back().second == begin) {
    runs.back().second = end;
  } else {
    runs.emplace_back(begin, end);
  }
}

// Whether every row of `inner` is also in `outer`.
bool LiesWithin(const RowRuns& inner, const RowRuns& outer) {
  size_t i = 0;
  for (const auto& [begin, end] : inner) {
    while (i < outer.size() && outer[i].second < end) ++i;
    if (i == outer.size() || outer[i].first > begin) return false;
  }
  return true;
}

template <typename T, typename Values>
Tensor Converted(const Values& values, DType dtype, Validity validity) {
  std::vector<T> converted;
  converted.reserve(values.size());
  for (const auto value : values) converted.push_back(static_cast<T>(value));
  return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(converted)), dtype, std::move(validity));
}
template <typename T>
Tensor Taken(base_internal::GrowingArray<T>& values, DType dtype, Validity validity) {
  return Tensor::FromBuffer(values.Take(), dtype, std::move(validity));
}

JsonColumn::Kind KindOf(DType dtype) {
  if (dtype == DType::kBool) return JsonColumn::Kind::kBool;
  if (IsStringLike(dtype)) return JsonColumn::Kind::kText;
  if (IsFloating(dtype)) return JsonColumn::Kind::kDouble;
  return dtype == DType::kUint64 ? JsonColumn::Kind::kUint64 : JsonColumn::Kind::kInt64;
}

}  // namespace

absl::StatusOr<std::unique_ptr<JsonColumn>> JsonColumn::FromSpec(const TypeSpec& spec, int depth) {
  // The axes, from the outermost to the innermost. Each axis after the rows is a list.
  auto column = std::make_unique<JsonColumn>();
  JsonColumn* inner = column.get();
  const auto go_into_list = [&inner, &depth]() {
    ++depth;
    inner->fixed_ = true;
    inner->kind_ = Kind::kList;
    inner->splits_ = {0};
    inner->items_ = std::make_unique<JsonColumn>();
    JsonColumn* const list = inner;
    inner = inner->items_.get();
    return list;
  };
  const auto go_into_partition = [&](const RowPartitionSpec& partition) {
    JsonColumn* const list = go_into_list();
    list->is_optional_ = partition.optional;
    list->uniform_length_ = partition.optional ? -1 : partition.uniform_row_length;
    list->splits_dtype_ = partition.dtype;
    return list;
  };
  const auto go_into_tensor = [&](const TensorSpec& tensor) -> absl::Status {
    if (tensor.shape().rank() < 1) return absl::InvalidArgumentError("its rank is not known");
    for (int axis = 1; axis < tensor.shape().rank(); ++axis) {
      JsonColumn* const list = go_into_list();
      list->is_dense_ = true;
      list->uniform_length_ = tensor.shape()[axis];
      if (list->uniform_length_ < 0)
        return absl::InvalidArgumentError(absl::StrCat("the size of its axis ", axis, " is not known"));
    }
    inner->fixed_ = true;
    inner->kind_ = KindOf(tensor.dtype());
    inner->dtype_ = tensor.dtype();
    inner->nullable_ = tensor.nullable();
    return absl::OkStatus();
  };

  const auto too_deep = [&depth]() { return depth > kMaxJsonDepth; };
  const auto deep = []() { return absl::InvalidArgumentError(absl::StrCat("the spec is deeper than ", kMaxJsonDepth)); };

  if (spec.tensor() != nullptr) {
    STRUCTTENSOR_RETURN_IF_ERROR(go_into_tensor(*spec.tensor()));
    if (too_deep()) return deep();
    return column;
  }
  if (spec.ragged() != nullptr) {
    for (const RowPartitionSpec& partition : spec.ragged()->row_partitions()) go_into_partition(partition);
    STRUCTTENSOR_RETURN_IF_ERROR(go_into_tensor(spec.ragged()->flat_values()));
    if (too_deep()) return deep();
    return column;
  }
  if (spec.structured() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("a column of type ", ToAbsl(spec.value_type()), " cannot be read from JSON"));
  }
  const StructuredTensorSpec& structs = *spec.structured();
  if (!structs.shape().rank_known() || structs.rank() < 1) return absl::InvalidArgumentError("its structs have no rows");
  JsonColumn* innermost = nullptr;
  for (const RowPartitionSpec& partition : structs.row_partitions()) innermost = go_into_partition(partition);
  ++depth;
  if (too_deep()) return deep();
  inner->fixed_ = true;
  inner->kind_ = Kind::kStruct;
  inner->nullable_ = structs.nullable();
  inner->struct_kind_ = structs.kind();
  inner->splits_dtype_ = structs.shape_dtype();
  for (const FieldSpec& field : structs.flat_fields()) {
    absl::StatusOr<std::unique_ptr<JsonColumn>> made = FromSpec(field.spec, depth);
    if (!made.ok()) {
      return absl::Status(made.status().code(), absl::StrCat(field.name, ": ", made.status().message()));
    }
    inner->FieldNamed(field.name).column = std::move(**made);
  }
  // Maps have the form that AppendJson() writes.
  if (innermost != nullptr && structs.kind() == StructKind::kMapEntry && inner->fields_.size() == 2 &&
      inner->fields_[0]->name == "key" && inner->fields_[1]->name == "value") {
    const Kind key = inner->fields_[0]->column.kind_;
    innermost->is_map_ = key != Kind::kList && key != Kind::kStruct;
  }
  return column;
}

std::string JsonColumn::KindName() const {
  if (fixed_ && kind_ != Kind::kList && kind_ != Kind::kStruct) return std::string(DTypeName(dtype_));
  switch (kind_) {
    case Kind::kUnknown:
      return "anything";
    case Kind::kBool:
      return "a bool";
    case Kind::kInt64:
      return "an int64";
    case Kind::kUint64:
      return "a uint64";
    case Kind::kDouble:
      return "a double";
    case Kind::kText:
      return "a string";
    case Kind::kList:
      return is_map_ ? "a map" : "a list";
    case Kind::kStruct:
      return "an object";
  }
  return "";
}

bool JsonColumn::Become(Kind kind, std::string_view what, Problem& problem) {
  if (kind_ == kind) [[likely]]
    return true;
  if (kind_ != Kind::kUnknown) {
    return Fail(problem,
                absl::StrCat("expected ", KindName(), fixed_ ? "" : ", as in the rows before", "; found ", ToAbsl(what)));
  }
  kind_ = kind;
  kind_row_ = size_;
  const int64_t rows = std::exchange(size_, 0);
  if (kind == Kind::kList) {
    splits_ = {0};
    items_ = std::make_unique<JsonColumn>(absent_);
    nulls_.clear();
  }
  AddRowsWithoutValue(rows);
  return true;
}

void JsonColumn::ForgetKind() {
  kind_ = Kind::kUnknown;
  bools_ = {};
  ints_ = {};
  doubles_ = {};
  text_ = {};
  ends_ = {};
  splits_ = {};
  items_ = nullptr;
  fields_by_name_.clear();
  names_.clear();
  fields_.clear();
  nulls_.clear();
  if (size_ > 0) nulls_.emplace_back(0, size_);
}

void JsonColumn::AddRowsWithoutValue(int64_t count) {
  size_ += count;
  if (absent_ != nullptr && kind_ != Kind::kUnknown && kind_ != Kind::kStruct) {
    absent_->left = std::max<int64_t>(absent_->left - count, -1);
    if (absent_->left < 0) return;
  }
  const auto size = static_cast<size_t>(size_);
  switch (kind_) {
    case Kind::kUnknown:
    case Kind::kStruct:
      break;
    case Kind::kBool:
      bools_.resize(size);
      break;
    case Kind::kInt64:
    case Kind::kUint64:
      ints_.resize(size);
      break;
    case Kind::kDouble:
      doubles_.resize(size);
      break;
    case Kind::kText:
      ends_.resize(size, static_cast<int32_t>(text_.size()));
      break;
    case Kind::kList:
      splits_.resize(size + 1, splits_.back());
      if (uniform_length_ > 0) {
        if (count > (kMaxAbsentItems - absent_items_) / uniform_length_) {
          absent_items_ = kMaxAbsentItems + 1;  // Finish reports the error
          return;
        }
        absent_items_ += count * uniform_length_;
        items_->AddAbsent(count * uniform_length_);
        for (int64_t i = size_ - count; i < size_; ++i)
          splits_[static_cast<size_t>(i) + 1] = splits_[static_cast<size_t>(i)] + uniform_length_;
      }
      break;
  }
}

void JsonColumn::AddAbsent(int64_t count) {
  if (count <= 0) return;
  if (kind_ != Kind::kList) AddRun(size_, size_ + count, nulls_);
  AddRowsWithoutValue(count);
}

bool JsonColumn::AddNull(Problem& problem) {
  if (!may_be_absent()) return Fail(problem, absl::StrCat("expected ", KindName(), "; found null"));
  AddAbsent(1);
  return true;
}

bool JsonColumn::AddBool(bool value, Problem& problem) {
  if (!Become(Kind::kBool, "a bool", problem)) return false;
  bools_.push_back(value ? 1 : 0);
  ++size_;
  return true;
}

bool JsonColumn::FitsDType(int64_t value) const {
  switch (dtype_) {
    case DType::kInt32:
      return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
    case DType::kUint32:
      return value >= 0 && value <= std::numeric_limits<uint32_t>::max();
    default:
      return true;
  }
}

bool JsonColumn::AddOtherInt64(int64_t value, Problem& problem) {
  if (kind_ == Kind::kDouble && fixed_) return AddDouble(static_cast<double>(value), problem);
  if (kind_ == Kind::kDouble) {
    if (!IsExactAsDouble(value)) {
      return Fail(problem, absl::StrCat("the integer ", value,
                                        " is beside numbers with a fraction and would lose digits as a double; a "
                                        "spec can say what the column is"));
    }
    doubles_.push_back(static_cast<double>(value));
    ++size_;
    return true;
  }
  if (kind_ == Kind::kUint64) {
    if (value < 0) {
      return Fail(problem, fixed_ ? absl::StrCat(value, " is outside ", ToAbsl(DTypeName(dtype_)))
                                  : absl::StrCat(value, " is beside integers over int64's"));
    }
    ints_.push_back(value);
    ++size_;
    return true;
  }
  if (!Become(Kind::kInt64, "an integer", problem)) return false;
  if (fixed_) {
    if (IsTime(dtype_)) return Fail(problem, absl::StrCat("expected ", KindName(), " as text; found an integer"));
    if (!FitsDType(value)) return Fail(problem, absl::StrCat(value, " is outside ", ToAbsl(DTypeName(dtype_))));
  }
  ints_.push_back(value);
  ++size_;
  return true;
}

bool JsonColumn::AddUint64(uint64_t value, Problem& problem) {
  if (kind_ == Kind::kInt64 && !fixed_) {
    if (std::any_of(ints_.begin(), ints_.end(), [](int64_t each) { return each < 0; })) {
      return Fail(problem, absl::StrCat(value, " is outside int64, and the rows before have negative integers"));
    }
    kind_ = Kind::kUint64;
    unsigned_row_ = size_;
  }
  if (kind_ == Kind::kDouble && fixed_) return AddDouble(static_cast<double>(value), problem);
  if (kind_ == Kind::kDouble) {
    if (!IsExactAsDouble(value)) {
      return Fail(problem,
                  absl::StrCat("the integer ", value, " is beside numbers with a fraction and would lose digits as a double"));
    }
    doubles_.push_back(static_cast<double>(value));
    ++size_;
    return true;
  }
  if (fixed_ && kind_ == Kind::kInt64) return Fail(problem, absl::StrCat(value, " is outside ", ToAbsl(DTypeName(dtype_))));
  if (!Become(Kind::kUint64, "an integer", problem)) return false;
  ints_.push_back(static_cast<int64_t>(value));
  ++size_;
  return true;
}

bool JsonColumn::WidenToDouble(Problem& problem) {
  base_internal::GrowingArray<double> doubles;
  for (const int64_t value : ints_) {
    const bool is_unsigned = kind_ == Kind::kUint64;
    if (is_unsigned ? !IsExactAsDouble(static_cast<uint64_t>(value)) : !IsExactAsDouble(value)) {
      return Fail(problem,
                  absl::StrCat("a number with a fraction is beside the integer ",
                               is_unsigned ? absl::StrCat(static_cast<uint64_t>(value)) : absl::StrCat(value),
                               " of a row before, which would lose digits as a double; a spec can say what the column is"));
    }
    doubles.push_back(is_unsigned ? static_cast<double>(static_cast<uint64_t>(value)) : static_cast<double>(value));
  }
  doubles_ = std::move(doubles);
  ints_ = {};
  narrow_kind_ = kind_;
  kind_ = Kind::kDouble;
  widened_row_ = size_;
  return true;
}

void JsonColumn::NarrowToIntegers() {
  for (const double value : doubles_) {
    ints_.push_back(narrow_kind_ == Kind::kUint64 ? static_cast<int64_t>(static_cast<uint64_t>(value))
                                                  : static_cast<int64_t>(value));
  }
  doubles_ = {};
  kind_ = narrow_kind_;
  widened_row_ = -1;
}

bool JsonColumn::AddDouble(double value, Problem& problem) {
  if (fixed_ && (kind_ == Kind::kInt64 || kind_ == Kind::kUint64) && !IsTime(dtype_)) {
    // 3.0 and 1e3 count as integers.
    const std::optional<int64_t> integer = IntegerOf(value);
    if (!integer.has_value()) return Fail(problem, absl::StrCat("expected ", KindName(), "; found ", value));
    return AddOtherInt64(*integer, problem);
  }
  if (!fixed_ && (kind_ == Kind::kInt64 || kind_ == Kind::kUint64) && !WidenToDouble(problem)) return false;
  if (!Become(Kind::kDouble, "a number", problem)) return false;
  if (fixed_ && std::isfinite(value)) {
    const bool fits = dtype_ == DType::kFloat      ? std::isfinite(static_cast<float>(value))
                      : dtype_ == DType::kFloat16  ? std::isfinite(static_cast<float>(Float16(static_cast<float>(value))))
                      : dtype_ == DType::kBfloat16 ? std::isfinite(static_cast<float>(BFloat16(static_cast<float>(value))))
                                                   : true;
    if (!fits) return Fail(problem, absl::StrCat(value, " is outside ", ToAbsl(DTypeName(dtype_))));
  }
  doubles_.push_back(value);
  ++size_;
  return true;
}

bool JsonColumn::AddOtherText(std::string_view text, Problem& problem) {
  if (fixed_ && IsTime(dtype_) && kind_ == Kind::kInt64) {
    const std::optional<int64_t> time = ParseTimeAs(dtype_, text);
    if (!time.has_value()) return Fail(problem, absl::StrCat("expected ", KindName(), "; found \"", Shortened(text), "\""));
    ints_.push_back(*time);
    ++size_;
    return true;
  }
  if (fixed_ && kind_ == Kind::kDouble) {
    const std::optional<double> special = ParseSpecialDouble(text);
    if (special.has_value()) {
      doubles_.push_back(*special);
      ++size_;
      return true;
    }
  }
  if (!Become(Kind::kText, "a string", problem)) return false;
  const size_t before = text_.size();
  if (fixed_ && dtype_ == DType::kBytes) {
    std::string bytes(base_internal::DecodedBase64Bytes(text), '\0');
    if (base_internal::DecodeBase64(text, bytes.data()) == nullptr) {
      return Fail(problem, absl::StrCat("expected bytes as base64; found \"", Shortened(text), "\""));
    }
    text_.Append(bytes.data(), bytes.size());
  } else {
    text_.Append(text.data(), text.size());
  }
  if (text_.size() > kMaxTextBytes) {
    text_.resize(before);
    return FailForMemory(problem, "the strings of this column exceed 2 GiB: read fewer rows at a time");
  }
  ends_.push_back(static_cast<int32_t>(text_.size()));
  ++size_;
  return true;
}

JsonColumn* JsonColumn::BeginList(Problem& problem) {
  if (!Become(Kind::kList, "a list", problem)) return nullptr;
  return items_.get();
}

bool JsonColumn::EndList(Problem& problem) {
  const int64_t end = items_->size_;
  const int64_t length = end - splits_.back();
  if (is_optional_ && length > 1) return Fail(problem, absl::StrCat("expected at most one value; found ", length));
  if (uniform_length_ >= 0 && length != uniform_length_) {
    return Fail(problem, absl::StrCat("expected a list of ", uniform_length_, "; found ", length));
  }
  splits_.push_back(end);
  ++size_;
  return true;
}

bool JsonColumn::BeginStruct(Problem& problem) {
  if (!Become(Kind::kStruct, "an object", problem)) return false;
  next_field_ = 0;
  fields_in_row_ = 0;
  return true;
}

JsonColumn::Field& JsonColumn::FieldNamed(std::string_view name) {
  if (const auto found = fields_by_name_.find(name); found != fields_by_name_.end()) return *fields_[found->second];
  Field& added = *fields_.emplace_back(std::make_unique<Field>());
  added.name = name;
  added.column.absent_ = absent_;
  added.first_row = size_;
  fields_by_name_.emplace(added.name, names_.size());
  names_.push_back({JsonName(added.name), &added.column});
  return added;
}

JsonColumn* JsonColumn::FindField(std::string_view name, bool* ignored, Problem& problem) {
  *ignored = false;
  auto found = fields_by_name_.find(name);
  if (found == fields_by_name_.end()) {
    if (fixed_) {
      *ignored = true;
      Fail(problem, "the spec has no field of that name");
      return nullptr;
    }
    if (name.empty()) {
      Fail(problem, "a name is empty");
      return nullptr;
    }
    FieldNamed(name);
    found = fields_by_name_.find(name);
  }
  JsonColumn& column = fields_[found->second]->column;
  if (column.size_ > size_) {
    Fail(problem, "the object has this name twice");
    return nullptr;
  }
  next_field_ = static_cast<uint32_t>(found->second) + 1;
  ++fields_in_row_;
  column.AddAbsent(size_ - column.size_);
  return &column;
}

bool JsonColumn::EndStruct(Problem& problem) {
  if (fixed_ && fields_in_row_ < fields_.size()) {
    for (const std::unique_ptr<Field>& field : fields_) {
      if (field->column.size_ <= size_ && !field->column.may_be_absent()) {
        return Fail(problem, absl::StrCat("the field ", field->name, " is missing"));
      }
    }
  }
  ++size_;
  return true;
}

JsonColumn* JsonColumn::AddMapKey(std::string_view key, Problem& problem) {
  JsonColumn& entries = *items_;
  if (!entries.BeginStruct(problem)) return nullptr;
  JsonColumn& keys = entries.fields_[0]->column;
  bool is_added = false;
  int64_t integer = 0;
  uint64_t big = 0;
  double number = 0;
  switch (keys.kind_) {
    case Kind::kBool:
      is_added = (key == "true" || key == "false") && keys.AddBool(key == "true", problem);
      break;
    case Kind::kInt64:
      is_added = IsTime(keys.dtype_) ? keys.AddOtherText(key, problem)
                                     : absl::SimpleAtoi(ToAbsl(key), &integer) && keys.AddOtherInt64(integer, problem);
      break;
    case Kind::kUint64:
      is_added = absl::SimpleAtoi(ToAbsl(key), &big) && keys.AddUint64(big, problem);
      break;
    case Kind::kDouble:
      is_added = ParseSpecialDouble(key).has_value()
                     ? keys.AddOtherText(key, problem)
                     : absl::SimpleAtod(ToAbsl(key), &number) && keys.AddDouble(number, problem);
      break;
    default:
      is_added = keys.AddText(key, problem);
      break;
  }
  if (!is_added) {
    if (problem.text.empty()) Fail(problem, absl::StrCat("expected a key that is ", keys.KindName()));
    return nullptr;
  }
  entries.fields_in_row_ = 2;
  return &entries.fields_[1]->column;
}

bool JsonColumn::EndMapEntry(Problem& problem) { return items_->EndStruct(problem); }

bool JsonColumn::Append(JsonColumn& other) {
  if (other.kind_ == Kind::kUnknown) {  // only nulls
    AddAbsent(other.size_);
    return true;
  }
  Problem problem;
  if (kind_ == Kind::kInt64 && other.kind_ == Kind::kDouble && !WidenToDouble(problem)) return false;
  if (kind_ == Kind::kDouble && other.kind_ == Kind::kInt64 && !other.WidenToDouble(problem)) return false;
  if (!Become(other.kind_, "", problem)) return false;
  for (const auto& [begin, end] : other.nulls_) AddRun(begin + size_, end + size_, nulls_);
  bools_.Append(other.bools_.data(), other.bools_.size());
  ints_.Append(other.ints_.data(), other.ints_.size());
  doubles_.Append(other.doubles_.data(), other.doubles_.size());
  if (text_.size() + other.text_.size() > kMaxTextBytes) return false;
  const auto first_byte = static_cast<int32_t>(text_.size());
  text_.Append(other.text_.data(), other.text_.size());
  for (const int32_t end : other.ends_) ends_.push_back(first_byte + end);
  if (kind_ == Kind::kList) {
    if (!items_->Append(*other.items_)) return false;
    const int64_t first_item = splits_.back();
    for (size_t i = 1; i < other.splits_.size(); ++i) splits_.push_back(first_item + other.splits_[i]);
    absent_items_ = std::min(absent_items_ + other.absent_items_, kMaxAbsentItems + 1);
  }
  for (const std::unique_ptr<Field>& field : other.fields_) {
    field->column.AddAbsent(other.size_ - field->column.size_);
    JsonColumn& column = FieldNamed(field->name).column;
    column.AddAbsent(size_ - column.size_);
    if (!column.Append(field->column)) return false;
  }
  size_ += other.size_;
  return true;
}

void JsonColumn::Truncate(int64_t rows) {
  if (size_ > rows) {
    size_ = rows;
    while (!nulls_.empty() && nulls_.back().second > rows) {
      if (nulls_.back().first < rows) {
        nulls_.back().second = rows;
      } else {
        nulls_.pop_back();
      }
    }
    const auto size = static_cast<size_t>(rows);
    if (bools_.size() > size) bools_.resize(size);
    if (ints_.size() > size) ints_.resize(size);
    if (doubles_.size() > size) doubles_.resize(size);
    if (ends_.size() > size) ends_.resize(size);
    if (kind_ == Kind::kText) text_.resize(ends_.empty() ? 0 : static_cast<size_t>(ends_.back()));
    if (kind_ == Kind::kList) splits_.resize(size + 1);
  }
  if (!fixed_) {
    // What only rows that are gone have said. The other rows have no values, or integers.
    if (kind_ != Kind::kUnknown && kind_row_ >= size_) return ForgetKind();
    if (kind_ == Kind::kDouble && widened_row_ >= size_) NarrowToIntegers();
    if (kind_ == Kind::kUint64 && unsigned_row_ >= size_) {
      kind_ = Kind::kInt64;
      unsigned_row_ = -1;
    }
    while (!fields_.empty() && fields_.back()->first_row >= size_) {
      fields_by_name_.erase(fields_.back()->name);
      names_.pop_back();
      fields_.pop_back();
    }
  }
  // Items and fields may be ahead even if the list or object did not reach its end.
  if (kind_ == Kind::kList) items_->Truncate(splits_.back());
  for (const std::unique_ptr<Field>& field : fields_) field->column.Truncate(size_);
}

Validity JsonColumn::MakeValidity(const RowRuns& absent) {
  if (fixed_ ? !nullable_ : nulls_.empty() || LiesWithin(nulls_, absent)) return {};
  // A column that may have absent values has bits even without rows.
  std::vector<uint8_t> bits(std::max<size_t>(static_cast<size_t>(size_ + 7) / 8, 1), 0xff);
  for (const auto& [begin, end] : nulls_) {
    for (int64_t i = begin; i < end;) {
      if ((i & 7) == 0 && end - i >= 8) {
        bits[static_cast<size_t>(i >> 3)] = 0;
        i += 8;
      } else {
        bits[static_cast<size_t>(i >> 3)] &= static_cast<uint8_t>(~(1 << (i & 7)));
        ++i;
      }
    }
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

RowPartition JsonColumn::MakePartition() {
  const auto optional = is_optional_ ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  if (uniform_length_ >= 0) return *RowPartition::FromUniformRowLength(uniform_length_, size_);
  return RowPartition::FromRowSplitsUnchecked(splits_.Take(), optional);
}

absl::StatusOr<Value> JsonColumn::FinishScalar(const RowRuns& absent, bool infer_timestamps) {
  Validity validity = MakeValidity(absent);
  switch (kind_) {
    case Kind::kBool:
      return Taken(bools_, DType::kBool, std::move(validity));
    case Kind::kInt64:
      if (fixed_ && dtype_ == DType::kInt32) return Converted<int32_t>(ints_, dtype_, std::move(validity));
      if (fixed_ && dtype_ == DType::kUint32) return Converted<uint32_t>(ints_, dtype_, std::move(validity));
      return Taken(ints_, fixed_ ? dtype_ : DType::kInt64, std::move(validity));
    case Kind::kUint64:
      return Converted<uint64_t>(ints_, DType::kUint64, std::move(validity));
    case Kind::kDouble:
      if (fixed_ && dtype_ == DType::kFloat) return Converted<float>(doubles_, dtype_, std::move(validity));
      if (fixed_ && dtype_ == DType::kFloat16) {
        return Converted<Float16>(std::vector<float>(doubles_.begin(), doubles_.end()), dtype_, std::move(validity));
      }
      if (fixed_ && dtype_ == DType::kBfloat16) {
        return Converted<BFloat16>(std::vector<float>(doubles_.begin(), doubles_.end()), dtype_, std::move(validity));
      }
      return Taken(doubles_, DType::kDouble, std::move(validity));
    default:
      break;
  }
  if (infer_timestamps && !fixed_ && !ends_.empty()) {
    base_internal::GrowingArray<int64_t> times;
    size_t run = 0;
    int32_t begin = 0;
    for (size_t i = 0; i < ends_.size(); ++i) {
      while (run < nulls_.size() && nulls_[run].second <= static_cast<int64_t>(i)) ++run;
      const bool is_null = run < nulls_.size() && nulls_[run].first <= static_cast<int64_t>(i);
      const std::string_view text(text_.data() + begin, static_cast<size_t>(ends_[i] - begin));
      const std::optional<int64_t> time = is_null ? 0 : ParseTimeAs(DType::kTimestampNs, text);
      if (!time.has_value()) break;
      times.push_back(*time);
      begin = ends_[i];
    }
    if (times.size() == ends_.size()) return Taken(times, DType::kTimestampNs, std::move(validity));
  }
  ends_.push_back(0);  // the offset of the first text comes first
  std::memmove(ends_.data() + 1, ends_.data(), (ends_.size() - 1) * sizeof(int32_t));
  ends_[0] = 0;
  return Tensor::FromStrings(ends_.Take(), text_.Take(), fixed_ ? dtype_ : DType::kString, std::move(validity));
}

Problem TooManyAbsentValues() {
  return {.code = absl::StatusCode::kResourceExhausted,
          .text =
              "the rows up to here have too many names, and most columns would have no values: read fewer rows at a time, or "
              "give a spec in which such objects are maps"};
}

absl::StatusOr<Value> JsonColumn::Finish(const RowRuns& absent, bool infer_timestamps) {
  if (kind_ == Kind::kUnknown) {
    Problem none;
    if (!Become(Kind::kDouble, "", none)) return absl::InternalError(none.text);
  }
  if (absent_ != nullptr && absent_->left < 0) return absl::ResourceExhaustedError(TooManyAbsentValues().text);
  if (kind_ == Kind::kStruct) {
    std::vector<structtensor::Field> fields;
    fields.reserve(fields_.size());
    for (const std::unique_ptr<Field>& field : fields_) {
      field->column.AddAbsent(size_ - field->column.size_);
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, field->column.Finish(nulls_, infer_timestamps));
      fields.push_back({.name = field->name, .value = std::move(value)});
    }
    StructuredTensor structs = StructuredTensor::Create({}, size_, std::move(fields), struct_kind_, MakeValidity(absent));
    return splits_dtype_ == DType::kInt32 ? structs.WithShapeDtype(DType::kInt32) : structs;
  }
  if (kind_ != Kind::kList) return FinishScalar(absent, infer_timestamps);

  if (absent_items_ > kMaxAbsentItems) {
    return absl::ResourceExhaustedError(absl::StrCat("absent rows of an axis of size ", uniform_length_, " have more than ",
                                                     kMaxAbsentItems, " values: read fewer rows at a time"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value items, items_->Finish({}, infer_timestamps));
  if (is_dense_) {
    std::vector<int64_t> sizes = {size_, uniform_length_};
    const Tensor& tensor = *items.tensor();
    for (int axis = 1; axis < tensor.rank(); ++axis) sizes.push_back(tensor.shape()[axis]);
    return tensor.Reshape(Shape(sizes));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, MakePartition().Cast(splits_dtype_));
  return WithOuterPartition(partition, items);
}

}  // namespace structtensor::json_internal
