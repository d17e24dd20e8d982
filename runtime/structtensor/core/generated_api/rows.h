// A decoded batch row by row. Generated classes such as RecipeRow have an accessor for each field, under the field's name:
//
//   for (cookbook::RecipeRow recipe : *batch) {
//     if (recipe.has_minutes()) Use(recipe.title(), recipe.minutes());
//     for (auto ingredient : recipe.ingredients()) Use(ingredient.name());
//     for (auto [name, stars] : recipe.ratings()) Use(name, stars);
//   }
//
// Rows and ranges of them are small views into the batch, valid as long as it (or a copy of it) lives. Positions are checked by
// assertions only, as in absl::Span. To read one field of many rows, the columns (columns.h) are faster.
#ifndef STRUCTTENSOR_CORE_GENERATED_API_ROWS_H_
#define STRUCTTENSOR_CORE_GENERATED_API_ROWS_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "structtensor/core/base/position_iterator.h"
#include "structtensor/core/column/abi/row_table.h"
#include "structtensor/core/column/abi/string_ref.h"
#include "structtensor/core/generated_api/columns.h"

#pragma GCC visibility push(default)

namespace structtensor {

class MessageRow;

namespace generated_api_internal {

std::string RowText(const MessageRow& row);
std::ostream& PrintRow(std::ostream& out, const MessageRow& row);

using column_internal::RowField;
using column_internal::RowFieldAt;
using column_internal::RowTable;

inline bool HasBit(const uint8_t* validity, size_t row) {
  return validity == nullptr || (validity[row >> 3] >> (row & 7) & 1) != 0;
}

// Reads value number `i` of a column. `values`: what RowField::first or second points to; for messages, their RowTable. `T`: a
// number, bool, an enum class, std::string_view, a class derived from MessageRow, or a time (time.h).
template <typename T>
struct RowValue {
  static constexpr bool kIsMessage = std::is_base_of_v<MessageRow, T>;
  static T At(const void* values, const char*, size_t i) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(static_cast<const int32_t*>(values)[i]);
    } else if constexpr (kIsMessage) {
      return T(static_cast<const RowTable*>(values), i);
    } else {
      static_assert(std::is_arithmetic_v<T>);
      return static_cast<const T*>(values)[i];
    }
  }
};
template <>
struct RowValue<std::string_view> {
  static constexpr bool kIsMessage = false;
  static std::string_view At(const void* values, const char* bytes, size_t i) {
    if (bytes == nullptr) [[unlikely]] {
      const auto& ref = static_cast<const column_internal::StringRef*>(values)[i];
      return {ref.data, ref.size_bytes};
    }
    const int32_t* offsets = static_cast<const int32_t*>(values);
    return {bytes + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
  }
};

}  // namespace generated_api_internal

// A row: the base class of generated row classes.
class MessageRow {
 public:
  MessageRow() = default;  // not in a batch: assign a row before you call an accessor
  MessageRow(const column_internal::RowTable* table, size_t row) : table_(table), row_(row) {}

  // The row's number in its columns, from 0. Elements of a repeated field are numbered through the whole batch.
  size_t row_index() const { return row_; }

  // The fields that the schema does not know, serialized as they were read; empty unless the decoder kept them.
  std::string_view unknown_fields() const {
    assert(table_ != nullptr && row_ < table_->nrows);
    const auto& field = column_internal::RowFieldAt(*table_, table_->plan->fields.size());
    return generated_api_internal::RowValue<std::string_view>::At(field.first, field.bytes, row_);
  }

  // Streams and Abseil's StrCat() and StrFormat() print the row in protobuf's text format, in one line and without unknown
  // fields: title: "pie" minutes: 30. Messages that DecodeOptions::recursion_depth keeps as bytes look empty, as to accessors.
  // Cost: O(size of the row).
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const MessageRow& row) {
    sink.Append(generated_api_internal::RowText(row));
  }
  friend std::ostream& operator<<(std::ostream& out, const MessageRow& row) {
    return generated_api_internal::PrintRow(out, row);
  }

 private:
  friend std::string generated_api_internal::RowText(const MessageRow& row);
  template <bool kNarrow>
  friend struct BasicRowReader;
  const column_internal::RowTable* table_ = nullptr;
  size_t row_ = 0;
};

namespace generated_api_internal {

// A range of consecutive positions of a source.
template <typename Source>
class PositionRange {
 public:
  using value_type = typename Source::value_type;
  using iterator = PositionIterator<Source>;
  using const_iterator = iterator;

  PositionRange() = default;
  PositionRange(const Source& source, size_t begin, size_t end) : source_(source), begin_(begin), end_(end) {}

  size_t size() const { return end_ - begin_; }
  bool empty() const { return end_ == begin_; }
  // Requires: i < size().
  value_type operator[](size_t i) const {
    assert(i < size());
    return source_.At(begin_ + i);
  }
  // Requires: begin + size <= this->size().
  PositionRange subspan(size_t begin, size_t size) const {
    assert(begin <= this->size() && size <= this->size() - begin);
    return {source_, begin_ + begin, begin_ + begin + size};
  }
  // Requires: the range is not empty.
  value_type front() const { return (*this)[0]; }
  value_type back() const { return (*this)[size() - 1]; }
  iterator begin() const { return {source_, begin_}; }
  iterator end() const { return {source_, end_}; }

 protected:
  Source source_{};
  size_t begin_ = 0;
  size_t end_ = 0;
};

template <typename T>
struct ValueSource {
  using value_type = T;
  T At(size_t position) const { return RowValue<T>::At(values, bytes, position); }
  const void* values = nullptr;
  const char* bytes = nullptr;
};

template <typename Key, typename Value>
struct EntrySource {
  using value_type = std::pair<Key, Value>;
  std::pair<Key, Value> At(size_t position) const { return {KeyAt(position), ValueAt(position)}; }
  Key KeyAt(size_t position) const { return RowValue<Key>::At(keys, key_bytes, position); }
  Value ValueAt(size_t position) const { return RowValue<Value>::At(values, value_bytes, position); }
  const void* keys = nullptr;
  const char* key_bytes = nullptr;
  const void* values = nullptr;
  const char* value_bytes = nullptr;
};

}  // namespace generated_api_internal

// The elements of a repeated field in one row, or the values of one field in several rows: rows, strings, or enum values. A
// view and a random-access range.
template <typename T>
using ValueRange = generated_api_internal::PositionRange<generated_api_internal::ValueSource<T>>;

// The entries of a map in a row: pairs of key and value, in the order they were read.
template <typename Key, typename Value>
class MapRange : public generated_api_internal::PositionRange<generated_api_internal::EntrySource<Key, Value>> {
 public:
  using MapRange::PositionRange::PositionRange;

  // For an integer key this would look like a lookup: use find(), or begin()[position].
  std::pair<Key, Value> operator[](size_t position) const = delete;

  // The value of `key`, or nullopt. Cost: O(entries).
  std::optional<Value> find(Key key) const {
    for (size_t i = this->begin_; i < this->end_; ++i) {
      if (this->source_.KeyAt(i) == key) return this->source_.ValueAt(i);
    }
    return std::nullopt;
  }
  bool contains(Key key) const { return find(key).has_value(); }
};

// Only for generated accessors, which read their row through it. `kNarrow`: the row's type has at most plan::kMaxNarrowColumns
// columns.
template <bool kNarrow>
struct BasicRowReader {
  static bool Has(const MessageRow& row, size_t field) {
    return generated_api_internal::HasBit(Filled(row, field).validity, row.row_);
  }
  // The value, zero or empty where the field is absent.
  template <typename T>
  static T Get(const MessageRow& row, size_t field) {
    const column_internal::RowField& filled = Filled(row, field);
    if constexpr (generated_api_internal::RowValue<T>::kIsMessage) {
      return generated_api_internal::RowValue<T>::At(&column_internal::RowTableBelow(*row.table_, field), nullptr, row.row_);
    } else {
      return generated_api_internal::RowValue<T>::At(filled.first, filled.bytes, row.row_);
    }
  }
  // The value, or the schema's default where the field is absent.
  template <typename T>
  static T GetOrDefault(const MessageRow& row, size_t field) {
    if (Has(row, field)) [[likely]]
      return Get<T>(row, field);
    const plan::Default& value = row.table_->plan->fields[field].default_value;
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(generated_api_internal::Values<int32_t>::Default(value));
    } else {
      return generated_api_internal::Values<T>::Default(value);
    }
  }
  // Elements that are side by side as T: numbers and bool.
  template <typename T>
  static std::span<const T> Span(const MessageRow& row, size_t field) {
    const column_internal::RowField& filled = Filled(row, field);
    const auto [begin, end] = Elements(filled, row.row_);
    return {static_cast<const T*>(filled.second) + begin, end - begin};
  }
  template <typename T>
  static ValueRange<T> Range(const MessageRow& row, size_t field) {
    if constexpr (generated_api_internal::RowValue<T>::kIsMessage) {
      return MessageRange<T>(row, field);
    } else {
      const column_internal::RowField& filled = Filled(row, field);
      const auto [begin, end] = Elements(filled, row.row_);
      return {{filled.second, filled.bytes}, begin, end};
    }
  }
  // A Range of messages, whose row class need not be defined yet.
  template <typename T>
  static ValueRange<T> MessageRange(const MessageRow& row, size_t field) {
    const auto [begin, end] = Elements(Filled(row, field), row.row_);
    return {{&column_internal::RowTableBelow(*row.table_, field), nullptr}, begin, end};
  }
  // Entries are messages with the key as field 0 and the value as field 1.
  template <typename Key, typename Value>
  static MapRange<Key, Value> Map(const MessageRow& row, size_t field) {
    const column_internal::RowField& filled = Filled(row, field);
    const auto [begin, end] = Elements(filled, row.row_);
    const column_internal::RowTable& entries = column_internal::RowTableBelow(*row.table_, field);
    const column_internal::RowField& keys = column_internal::NarrowRowFieldAt(entries, 0);
    const column_internal::RowField& values = column_internal::NarrowRowFieldAt(entries, 1);
    if constexpr (generated_api_internal::RowValue<Value>::kIsMessage) {
      return {{keys.first, keys.bytes, &column_internal::RowTableBelow(entries, 1), nullptr}, begin, end};
    } else {
      return {{keys.first, keys.bytes, values.first, values.bytes}, begin, end};
    }
  }

 private:
  static const column_internal::RowField& Filled(const MessageRow& row, size_t field) {
    assert(row.table_ != nullptr && row.row_ < row.table_->nrows);
    if constexpr (kNarrow) {
      return column_internal::NarrowRowFieldAt(*row.table_, field);
    } else {
      return column_internal::RowFieldAt(*row.table_, field);
    }
  }
  static std::pair<size_t, size_t> Elements(const column_internal::RowField& field, size_t row) {
    const int64_t* row_splits = static_cast<const int64_t*>(field.first);
    return {static_cast<size_t>(row_splits[row]), static_cast<size_t>(row_splits[row + 1])};
  }
};
using RowReader = BasicRowReader<true>;
using WideRowReader = BasicRowReader<false>;

// All rows of `node`.
template <typename Row>
ValueRange<Row> RowsOf(const NodeView& node) {
  return {{column_internal::RowTableOf(node), nullptr}, 0, node.nrows()};
}

}  // namespace structtensor

// The ranges are views: they and their iterators may outlive the object that they came from.
template <typename Source>
inline constexpr bool std::ranges::enable_borrowed_range<structtensor::generated_api_internal::PositionRange<Source>> = true;
template <typename Key, typename Value>
inline constexpr bool std::ranges::enable_borrowed_range<structtensor::MapRange<Key, Value>> = true;
template <typename Source>
inline constexpr bool std::ranges::enable_view<structtensor::generated_api_internal::PositionRange<Source>> = true;
template <typename Key, typename Value>
inline constexpr bool std::ranges::enable_view<structtensor::MapRange<Key, Value>> = true;

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_GENERATED_API_ROWS_H_
