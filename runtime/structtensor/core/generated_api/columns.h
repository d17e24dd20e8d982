// Typed access to a decoded batch: what the accessors of generated code return. All are small views into the batch, valid as
// long as it (or a copy of it) lives. Positions are checked by assertions only, as in absl::Span.
//
//   batch->title()[3]                              a singular field: one value a row, the default where it is absent
//   batch->title().has(3)
//   batch->ingredients().row_splits()              a repeated field: [nrows + 1]
//   batch->ingredients()[3]                        the elements of one row: values, or for messages rows (rows.h)
//   batch->ingredients().name().values()           the columns below it: [nvals]
#ifndef STRUCTTENSOR_CORE_GENERATED_API_COLUMNS_H_
#define STRUCTTENSOR_CORE_GENERATED_API_COLUMNS_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "structtensor/core/base/position_iterator.h"
#include "structtensor/core/column/abi/string_ref.h"
#include "structtensor/core/column/column_view.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A sequence of strings: `offsets` [size + 1] into `bytes`, as in Arrow. In a batch that was decoded by
// DecodeViews(), the strings are in the input.
class StringSpan {
 public:
  // Where the strings are.
  struct Source {
    using value_type = std::string_view;
    std::string_view At(size_t i) const {
      if (refs != nullptr) {
        const column_internal::StringRef& ref = refs[rows == nullptr ? i : rows[i]];
        return {ref.data, ref.size_bytes};
      }
      return {bytes + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
    }
    const char* bytes = nullptr;
    const int32_t* offsets = nullptr;
    const column_internal::StringRef* refs = nullptr;
    const uint32_t* rows = nullptr;  // which of refs; null: all
  };
  using value_type = std::string_view;
  using iterator = PositionIterator<Source>;
  using const_iterator = iterator;

  StringSpan() = default;
  StringSpan(const char* bytes, const int32_t* offsets, size_t size)
      : source_{.bytes = bytes, .offsets = offsets}, size_(size) {}
  // The strings of `column`: all rows, or only the rows where the field is present. `column` is a view of a field of `node` and
  // may be in place.
  StringSpan(const NodeView& node, const ColumnView& column, bool only_present)
      : node_(node),
        field_(column.field),
        source_{.bytes = column.bytes,
                .offsets = only_present ? column.compact_offsets : column.offsets,
                .refs = column.refs,
                .rows = only_present ? column.value_rowids : nullptr},
        size_(only_present ? column.nvals : column.size()) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view operator[](size_t i) const {
    assert(i < size_);
    return source_.At(begin_ + i);
  }
  // Requires: the span is not empty.
  std::string_view front() const { return (*this)[0]; }
  std::string_view back() const { return (*this)[size_ - 1]; }
  iterator begin() const { return {source_, begin_}; }
  iterator end() const { return {source_, begin_ + size_}; }
  // If the column's strings are in the input, these two copy them, once.
  std::span<const int32_t> offsets() const {
    static constexpr int32_t kNoStrings[1] = {0};
    const int32_t* const all = SideBySide().offsets;
    return {all == nullptr ? kNoStrings : all + begin_, size_ + 1};
  }
  const char* bytes() const { return SideBySide().bytes; }
  StringSpan subspan(size_t begin, size_t size) const {
    assert(begin <= size_ && size <= size_ - begin);
    StringSpan part = *this;
    part.begin_ += begin;
    part.size_ = size;
    return part;
  }

 private:
  Source SideBySide() const {
    if (source_.refs == nullptr) return source_;
    const ColumnView copied = node_.column(static_cast<size_t>(field_ - node_.plan().fields.data()));
    return StringSpan(node_, copied, source_.rows != nullptr).source_;
  }

  NodeView node_;
  const plan::FieldPlan* field_ = nullptr;
  Source source_;
  size_t begin_ = 0;
  size_t size_ = 0;
};

namespace generated_api_internal {

template <typename T>
struct Values {
  using Span = std::span<const T>;
  static Span Of(const NodeView&, const ColumnView& column) { return {static_cast<const T*>(column.values), column.size()}; }
  static Span OfPresent(const NodeView&, const ColumnView& column) {
    return {static_cast<const T*>(column.compact_values), column.nvals};
  }
  static T Default(const plan::Default& value) {
    T result;
    std::memcpy(&result, &value.bits, sizeof(T));
    return result;
  }
};
template <>
struct Values<std::string_view> {
  using Span = StringSpan;
  static Span Of(const NodeView& node, const ColumnView& column) { return {node, column, false}; }
  static Span OfPresent(const NodeView& node, const ColumnView& column) { return {node, column, true}; }
  static std::string_view Default(const plan::Default& value) { return value.text; }
};

}  // namespace generated_api_internal

// A singular scalar field. T: bool, int32_t (enums too), int64_t, uint32_t, uint64_t, float, double, or std::string_view for
// strings and bytes.
template <typename T>
class SingularColumn {
 public:
  using Values = generated_api_internal::Values<T>;
  using value_type = T;
  // As a range, the column has one value for each row.
  using iterator = decltype(std::declval<typename Values::Span>().begin());
  using const_iterator = iterator;
  SingularColumn(const NodeView& node, size_t field) : node_(node), view_(node.column_in_place(field)) {}

  int64_t nrows() const { return view_.nrows; }
  // Whether the field is set in the row. Always true for fields without presence.
  bool has(size_t row) const {
    assert(row < size());
    return view_.has(static_cast<uint32_t>(row));
  }
  T operator[](size_t row) const {
    assert(row < size());
    return values()[row];
  }

  // The default that the schema declares ([default = ...], or the first value of a closed enum), else zero or empty.
  T default_value() const { return Values::Default(view_.field->default_value); }
  T value_or_default(size_t row) const { return has(row) ? (*this)[row] : default_value(); }

  // [nrows], zero or empty where the field is absent.
  typename Values::Span values() const { return Values::Of(node_, view_); }
  // One bit a row, least significant first, 1 = present; null if every row is present.
  const uint8_t* validity() const { return view_.validity; }

  // The present values alone, [nvals], and their rows, [nvals].
  typename Values::Span present_values() const { return Values::OfPresent(node_, view_); }
  std::span<const uint32_t> value_rowids() const { return {view_.value_rowids, view_.nvals}; }

  size_t size() const { return view_.nrows; }
  bool empty() const { return nrows() == 0; }
  auto begin() const { return values().begin(); }
  auto end() const { return values().end(); }

 private:
  NodeView node_;
  ColumnView view_;
};

// A repeated scalar field.
template <typename T>
class RepeatedColumn {
 public:
  using Values = generated_api_internal::Values<T>;
  // As a range, the column has the elements of each row.
  using value_type = typename Values::Span;
  // Where the elements of a row are.
  struct Source {
    using value_type = typename Values::Span;
    value_type At(size_t row) const {
      const auto begin = static_cast<size_t>(row_splits[row]);
      return values.subspan(begin, static_cast<size_t>(row_splits[row + 1]) - begin);
    }
    value_type values{};
    const int64_t* row_splits = nullptr;
  };
  using iterator = PositionIterator<Source>;
  using const_iterator = iterator;
  RepeatedColumn(const NodeView& node, size_t field) : node_(node), view_(node.column_in_place(field)) {}

  int64_t nrows() const { return view_.nrows; }
  int64_t nvals() const { return view_.nvals; }
  // All elements, [nvals].
  typename Values::Span values() const { return Values::Of(node_, view_); }
  // [nrows + 1]: row r has elements [row_splits[r], row_splits[r + 1]).
  std::span<const int64_t> row_splits() const { return {view_.row_splits, size_t{view_.nrows} + 1}; }
  typename Values::Span operator[](size_t row) const {
    assert(row < size());
    return source().At(row);
  }

  size_t size() const { return view_.nrows; }
  bool empty() const { return nrows() == 0; }
  iterator begin() const { return {source(), 0}; }
  iterator end() const { return {source(), size()}; }

 private:
  Source source() const { return {values(), view_.row_splits}; }

  NodeView node_;
  ColumnView view_;
};

// The columns of one message type; generated classes add an accessor per field.
class MessageColumns {
 public:
  explicit MessageColumns(const NodeView& node) : node_(node) {}

  // Rows of these columns: the batch's messages, or the elements of the nearest repeated field above.
  int64_t nrows() const { return node_.nrows(); }
  const NodeView& node() const { return node_; }

  // The fields that the schema does not know, serialized as they were read: [nrows], empty unless the decoder kept them.
  StringSpan unknown_fields() const {
    const ColumnView view = node_.unknown_fields();
    return {view.bytes, view.offsets, view.nrows};
  }

 protected:
  template <typename T>
  SingularColumn<T> SingularAt(size_t field) const {
    return SingularColumn<T>(node_, field);
  }
  template <typename T>
  RepeatedColumn<T> RepeatedAt(size_t field) const {
    return RepeatedColumn<T>(node_, field);
  }

 private:
  NodeView node_;
};

// A singular message field: the columns of Columns, in the same rows as the enclosing message.
template <typename Columns>
class SingularMessage : public Columns {
 public:
  SingularMessage(const NodeView& parent, size_t field) : Columns(parent.child(field)), presence_(parent.column(field)) {}

  bool has(size_t row) const {
    assert(row < static_cast<size_t>(this->nrows()));
    return presence_.has(static_cast<uint32_t>(row));
  }
  const uint8_t* validity() const { return presence_.validity; }
  std::span<const uint32_t> value_rowids() const { return {presence_.value_rowids, presence_.nvals}; }

 private:
  ColumnView presence_;
};

// A repeated message field or a map: the columns of Columns, with a row for each element.
template <typename Columns>
class RepeatedMessage : public Columns {
 public:
  RepeatedMessage(const NodeView& parent, size_t field) : Columns(parent.child(field)), view_(parent.column(field)) {}

  // [nrows + 1], with nrows of the enclosing message.
  std::span<const int64_t> row_splits() const { return {view_.row_splits, size_t{view_.nrows} + 1}; }

  // The rows of the elements in row `row` of the enclosing message: those of the row class's accessor. Not for maps.
  auto operator[](size_t row) const requires requires { typename Columns::Row; }
  {
    assert(row < view_.nrows);
    const auto all = this->rows();
    if (all.empty()) return all;  // also for messages that are kept as bytes, beyond the recursion depth
    const auto begin = static_cast<size_t>(view_.row_splits[row]);
    return all.subspan(begin, static_cast<size_t>(view_.row_splits[row + 1]) - begin);
  }

 private:
  ColumnView view_;
};

}  // namespace structtensor

// Views: elements and iterators outlive the span or column, but not the batch.
template <>
inline constexpr bool std::ranges::enable_borrowed_range<structtensor::StringSpan> = true;
template <>
inline constexpr bool std::ranges::enable_view<structtensor::StringSpan> = true;
template <typename T>
inline constexpr bool std::ranges::enable_borrowed_range<structtensor::SingularColumn<T>> = true;
template <typename T>
inline constexpr bool std::ranges::enable_borrowed_range<structtensor::RepeatedColumn<T>> = true;

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_GENERATED_API_COLUMNS_H_
