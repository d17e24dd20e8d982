// Typed access to a decoded batch: what the accessors of generated code return. All are small views into the batch, valid as long
// as it (or a copy of it) lives; all positions are unchecked, as in std::span.
//
//   batch->title()[3]                              a singular field: one value a row, the default where it is absent
//   batch->title().has(3)
//   batch->ingredients().row_splits()              a repeated field: [nrows + 1]
//   batch->ingredients().name().values()           the columns below it: [nvals]
#ifndef STRUCTTENSOR_DECODE_TYPED_COLUMNS_H_
#define STRUCTTENSOR_DECODE_TYPED_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/column/column_view.h"
#include "structtensor/decode/decoder.h"

namespace structtensor {

// A sequence of strings: `offsets` [size + 1] into `bytes`, as in Arrow.
class StringSpan {
 public:
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    Iterator() = default;
    Iterator(const char* bytes, const int32_t* offset) : bytes_(bytes), offset_(offset) {}
    std::string_view operator*() const { return {bytes_ + offset_[0], static_cast<size_t>(offset_[1] - offset_[0])}; }
    Iterator& operator++() {
      ++offset_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++offset_;
      return before;
    }
    bool operator==(const Iterator& other) const { return offset_ == other.offset_; }

   private:
    const char* bytes_ = nullptr;
    const int32_t* offset_ = nullptr;
  };

  using value_type = std::string_view;
  using const_iterator = Iterator;

  StringSpan(const char* bytes, const int32_t* offsets, size_t size) : bytes_(bytes), offsets_(offsets, size + 1) {}
  size_t size() const { return offsets_.size() - 1; }
  bool empty() const { return size() == 0; }
  std::string_view operator[](size_t i) const { return *Iterator(bytes_, &offsets_[i]); }
  Iterator begin() const { return {bytes_, offsets_.data()}; }
  Iterator end() const { return {bytes_, offsets_.data() + size()}; }
  std::span<const int32_t> offsets() const { return offsets_; }
  const char* bytes() const { return bytes_; }
  StringSpan subspan(size_t begin, size_t size) const { return {bytes_, &offsets_[begin], size}; }

 private:
  const char* bytes_;
  std::span<const int32_t> offsets_;
};

namespace decode_internal {

template <typename T>
struct Values {
  using Span = std::span<const T>;
  static Span Of(const void* values, const int32_t*, const char*, size_t size) { return {static_cast<const T*>(values), size}; }
  static T Default(const plan::Default& value) {
    T result;
    std::memcpy(&result, &value.bits, sizeof(T));
    return result;
  }
};
template <>
struct Values<std::string_view> {
  using Span = StringSpan;
  static Span Of(const void*, const int32_t* offsets, const char* bytes, size_t size) { return {bytes, offsets, size}; }
  static std::string_view Default(const plan::Default& value) { return value.text; }
};

}  // namespace decode_internal

// A singular scalar field. T: bool, int32_t (enums too), int64_t, uint32_t, uint64_t, float, double, or std::string_view for
// strings and bytes.
template <typename T>
class SingularColumn {
 public:
  using Values = decode_internal::Values<T>;
  using value_type = T;
  using const_iterator = decltype(std::declval<typename Values::Span>().begin());
  explicit SingularColumn(const ColumnView& view) : view_(view) {}

  size_t nrows() const { return view_.nrows; }
  // Whether the field is set in the row. Always true for fields without presence.
  bool has(size_t row) const { return view_.has(static_cast<uint32_t>(row)); }
  T operator[](size_t row) const { return values()[row]; }

  // The default that the schema declares ([default = ...], or the first value of a closed enum), else zero or empty.
  T default_value() const { return Values::Default(view_.field->default_value); }
  T value_or_default(size_t row) const { return has(row) ? (*this)[row] : default_value(); }

  // [nrows], zero or empty where the field is absent.
  typename Values::Span values() const { return Values::Of(view_.values, view_.offsets, view_.bytes, view_.nrows); }
  // One bit a row, least significant first, 1 = present; null if every row is present.
  const uint8_t* validity() const { return view_.validity; }

  // The present values alone, [nvals], and their rows, [nvals].
  typename Values::Span present_values() const {
    return Values::Of(view_.compact_values, view_.compact_offsets, view_.bytes, view_.nvals);
  }
  std::span<const uint32_t> value_rowids() const { return {view_.value_rowids, view_.nvals}; }

  auto begin() const { return values().begin(); }
  auto end() const { return values().end(); }

 private:
  ColumnView view_;
};

// A repeated scalar field.
template <typename T>
class RepeatedColumn {
 public:
  using Values = decode_internal::Values<T>;
  explicit RepeatedColumn(const ColumnView& view) : view_(view) {}

  size_t nrows() const { return view_.nrows; }
  size_t nvals() const { return view_.nvals; }
  // All elements, [nvals].
  typename Values::Span values() const { return Values::Of(view_.values, view_.offsets, view_.bytes, view_.nvals); }
  // [nrows + 1]: row r has elements [row_splits[r], row_splits[r + 1]).
  std::span<const int64_t> row_splits() const { return {view_.row_splits, size_t{view_.nrows} + 1}; }
  typename Values::Span operator[](size_t row) const {
    const auto begin = static_cast<size_t>(view_.row_splits[row]);
    return values().subspan(begin, static_cast<size_t>(view_.row_splits[row + 1]) - begin);
  }

 private:
  ColumnView view_;
};

// The columns of one message type; generated classes add an accessor per field.
class MessageColumns {
 public:
  explicit MessageColumns(const NodeView& node) : node_(node) {}

  // Rows of the columns here: the batch's messages, or the elements of the nearest repeated field above.
  size_t nrows() const { return node_.nrows(); }
  const NodeView& node() const { return node_; }

  // The fields that the schema does not know, serialized as they were read: [nrows], empty unless the decoder kept them.
  StringSpan unknown_fields() const {
    const ColumnView view = node_.unknown_fields();
    return {view.bytes, view.offsets, view.nrows};
  }

 protected:
  template <typename T>
  SingularColumn<T> SingularAt(size_t field) const {
    return SingularColumn<T>(node_.column(field));
  }
  template <typename T>
  RepeatedColumn<T> RepeatedAt(size_t field) const {
    return RepeatedColumn<T>(node_.column(field));
  }

 private:
  NodeView node_;
};

// A singular message field: the columns of Columns in the same rows as the message that it is in.
template <typename Columns>
class SingularMessage : public Columns {
 public:
  SingularMessage(const NodeView& parent, size_t field) : Columns(parent.child(field)), presence_(parent.column(field)) {}

  bool has(size_t row) const { return presence_.has(static_cast<uint32_t>(row)); }
  const uint8_t* validity() const { return presence_.validity; }
  std::span<const uint32_t> value_rowids() const { return {presence_.value_rowids, presence_.nvals}; }

 private:
  ColumnView presence_;
};

// A repeated message field or a map: the columns of Columns with a row for each element.
template <typename Columns>
class RepeatedMessage : public Columns {
 public:
  RepeatedMessage(const NodeView& parent, size_t field) : Columns(parent.child(field)), view_(parent.column(field)) {}

  // [rows of the message that the field is in + 1]
  std::span<const int64_t> row_splits() const { return {view_.row_splits, size_t{view_.nrows} + 1}; }

 private:
  ColumnView view_;
};

// The columns of a batch, which it keeps alive.
template <typename Columns>
class Batch : public Columns {
 public:
  explicit Batch(DecodedBatch batch) : Columns(batch.root()), batch_(std::move(batch)) {}

  const DecodedBatch& decoded() const { return batch_; }
  // Link structtensor::batch, and include structtensor/batch/from_batch.h, for these.
  template <typename Decoded = DecodedBatch>
  auto structured_tensor() const {
    return static_cast<const Decoded&>(batch_).structured_tensor();
  }
  template <typename Options>
  auto structured_tensor(const Options& options) const {
    return batch_.structured_tensor(options);
  }

 private:
  DecodedBatch batch_;
};

// BatchDecoder with the batch typed; see there for what the calls promise.
template <typename Columns>
class Decoder {
 public:
  explicit Decoder(DecodeOptions options = {}) : decoder_(Columns::plan(), options) {}

  absl::StatusOr<Batch<Columns>> Decode(std::span<const std::string_view> messages,
                                        std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.Decode(messages, errors));
  }
  template <std::input_iterator It, std::sentinel_for<It> End>
  absl::StatusOr<Batch<Columns>> Decode(It first, End last, std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.Decode(first, last, errors));
  }

 private:
  static absl::StatusOr<Batch<Columns>> Typed(absl::StatusOr<DecodedBatch> batch) {
    if (!batch.ok()) return batch.status();
    return Batch<Columns>(*std::move(batch));
  }

  BatchDecoder decoder_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_DECODE_TYPED_COLUMNS_H_
