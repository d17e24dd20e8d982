// Columns that a careful engineer would fill from parsed messages: dense values, with a bitmap for fields with presence;
// strings as offsets and bytes; row splits. All vectors are reused from batch to batch. A column is padded only when a later
// row has a value, or when the batch ends. So an absent field costs no more than the check whether it is set. peer_columns.py
// prints, for each message type, a struct of these columns and the function that appends a message to it.
#ifndef STRUCTTENSOR_BENCHMARKS_COMPARE_PEER_COLUMNS_H_
#define STRUCTTENSOR_BENCHMARKS_COMPARE_PEER_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "digest.h"

namespace structtensor::benchmark {

class Bitmap {
 public:
  void Set(size_t row) {
    if ((row >> 3) >= bytes_.size()) bytes_.resize((row >> 3) + 1);
    bytes_[row >> 3] |= static_cast<uint8_t>(1 << (row & 7));
  }
  bool Get(size_t row) const { return (row >> 3) < bytes_.size() && (bytes_[row >> 3] >> (row & 7) & 1) != 0; }
  void Finish(size_t nrows) { bytes_.resize((nrows + 7) / 8); }
  void Clear() { bytes_.clear(); }

 private:
  std::vector<uint8_t> bytes_;
};

struct NoBitmap {
  void Set(size_t) {}
  bool Get(size_t) const { return true; }
  void Finish(size_t) {}
  void Clear() {}
};

// A singular scalar field. Rows are set in ascending order, each at most once.
template <typename T, typename Validity>
class Singular {
 public:
  void Set(size_t row, T value) {
    if (values_.size() != row) values_.resize(row);
    values_.push_back(value);
    validity_.Set(row);
  }
  void Finish(size_t nrows) {
    if (values_.empty()) return;
    values_.resize(nrows);
    validity_.Finish(nrows);
  }
  void Clear() {
    values_.clear();
    validity_.Clear();
  }
  size_t size() const { return values_.size(); }
  bool has(size_t row) const { return validity_.Get(row); }
  uint64_t bits(size_t row) const { return Bits(values_[row]); }

 private:
  std::vector<T> values_;
  [[no_unique_address]] Validity validity_;
};

template <typename Validity>
class Singular<std::string_view, Validity> {
 public:
  void Set(size_t row, std::string_view value) {
    if (offsets_.size() != row + 1) offsets_.resize(row + 1, static_cast<int32_t>(bytes_.size()));
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    offsets_.push_back(static_cast<int32_t>(bytes_.size()));
    validity_.Set(row);
  }
  void Finish(size_t nrows) {
    if (offsets_.empty()) return;
    offsets_.resize(nrows + 1, static_cast<int32_t>(bytes_.size()));
    validity_.Finish(nrows);
  }
  void Clear() {
    offsets_.clear();
    bytes_.clear();
    validity_.Clear();
  }
  size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  bool has(size_t row) const { return validity_.Get(row); }
  uint64_t bits(size_t row) const {
    return Bits(std::string_view(bytes_.data() + offsets_[row], static_cast<size_t>(offsets_[row + 1] - offsets_[row])));
  }

 private:
  std::vector<int32_t> offsets_;
  std::vector<char> bytes_;
  [[no_unique_address]] Validity validity_;
};

template <typename T>
using Optional = Singular<T, Bitmap>;
template <typename T>
using Dense = Singular<T, NoBitmap>;

class Splits {
 public:
  // `row` begins after the `nvals` elements so far.
  void Begin(size_t row, size_t nvals) { splits_.resize(row + 1, static_cast<int64_t>(nvals)); }
  void Finish(size_t nrows, size_t nvals) {
    if (!splits_.empty()) splits_.resize(nrows + 1, static_cast<int64_t>(nvals));
  }
  void Clear() { splits_.clear(); }

  // Calls each(row, index in the row, index of the element).
  template <typename Each>
  void ForEach(Each&& each) const {
    for (size_t row = 0; row + 1 < splits_.size(); ++row) {
      for (int64_t i = splits_[row]; i < splits_[row + 1]; ++i) {
        each(row, static_cast<size_t>(i - splits_[row]), static_cast<size_t>(i));
      }
    }
  }

 private:
  std::vector<int64_t> splits_;
};

template <typename T>
class Repeated {
 public:
  template <typename Range>
  void Set(size_t row, const Range& range) {
    if (range.empty()) return;
    splits_.Begin(row, values_.size());
    values_.insert(values_.end(), range.data(), range.data() + range.size());
  }
  void Finish(size_t nrows) { splits_.Finish(nrows, values_.size()); }
  void Clear() {
    values_.clear();
    splits_.Clear();
  }
  const Splits& splits() const { return splits_; }
  uint64_t bits(size_t i) const { return Bits(values_[i]); }

 private:
  std::vector<T> values_;
  Splits splits_;
};

template <>
class Repeated<std::string_view> {
 public:
  template <typename Range>
  void Set(size_t row, const Range& range) {
    if (range.empty()) return;
    splits_.Begin(row, ends_.size());
    for (const std::string_view value : range) {
      bytes_.insert(bytes_.end(), value.begin(), value.end());
      ends_.push_back(static_cast<int32_t>(bytes_.size()));
    }
  }
  void Finish(size_t nrows) { splits_.Finish(nrows, ends_.size()); }
  void Clear() {
    ends_.clear();
    bytes_.clear();
    splits_.Clear();
  }
  const Splits& splits() const { return splits_; }
  uint64_t bits(size_t i) const {
    const int32_t begin = i == 0 ? 0 : ends_[i - 1];
    return Bits(std::string_view(bytes_.data() + begin, static_cast<size_t>(ends_[i] - begin)));
  }

 private:
  std::vector<int32_t> ends_;
  std::vector<char> bytes_;
  Splits splits_;
};

// A singular submessage: its columns have the rows of its parent. They are made when the first submessage comes. Types that
// contain themselves need that.
template <typename Columns>
class Child {
 public:
  template <typename Message>
  void Set(size_t row, const Message& message) {
    if (columns_ == nullptr) columns_ = std::make_unique<Columns>();
    present_.Set(row);
    used_ = true;
    columns_->Append(row, message);
  }
  void Finish(size_t nrows) {
    if (!used_) return;
    present_.Finish(nrows);
    columns_->Finish(nrows);
  }
  void Clear() {
    if (!used_) return;
    present_.Clear();
    columns_->Clear();
    used_ = false;
  }
  bool has(size_t row) const { return present_.Get(row); }
  const Columns* columns() const { return used_ ? columns_.get() : nullptr; }

 private:
  std::unique_ptr<Columns> columns_;
  Bitmap present_;
  bool used_ = false;
};

// A repeated submessage or a map: its columns have rows of their own.
template <typename Columns>
class Children {
 public:
  template <typename Range>
  void Set(size_t row, const Range& range) {
    if (range.empty()) return;
    if (columns_ == nullptr) columns_ = std::make_unique<Columns>();
    splits_.Begin(row, nvals_);
    for (const auto& message : range) columns_->Append(nvals_++, message);
  }
  void Finish(size_t nrows) {
    if (nvals_ == 0) return;
    splits_.Finish(nrows, nvals_);
    columns_->Finish(nvals_);
  }
  void Clear() {
    if (nvals_ == 0) return;
    splits_.Clear();
    columns_->Clear();
    nvals_ = 0;
  }
  size_t nvals() const { return nvals_; }
  const Splits& splits() const { return splits_; }
  const Columns* columns() const { return nvals_ > 0 ? columns_.get() : nullptr; }

 private:
  std::unique_ptr<Columns> columns_;
  Splits splits_;
  size_t nvals_ = 0;
};

// Visits the columns of a struct, and adds them to digests.
class PeerDigester {
 public:
  PeerDigester(std::string path, const Identities& rows, Digests* digests)
      : path_(std::move(path)), rows_(rows), digests_(*digests) {}

  template <typename T>
  void operator()(const char* name, const Optional<T>& column) {
    Digest& digest = At(name);
    for (size_t row = 0; row < column.size(); ++row) {
      if (column.has(row)) digest.Add(rows_[row], column.bits(row));
    }
  }
  template <typename T>
  void operator()(const char* name, const Dense<T>& column) {
    Digest& digest = At(name);
    for (size_t row = 0; row < column.size(); ++row) {
      if (const uint64_t bits = column.bits(row); bits != 0) digest.Add(rows_[row], bits);
    }
  }
  template <typename T>
  void operator()(const char* name, const Repeated<T>& column) {
    Digest& digest = At(name);
    column.splits().ForEach([&](size_t row, size_t j, size_t i) { digest.Add(Mix(rows_[row], j), column.bits(i)); });
  }
  template <typename Columns>
  void operator()(const char* name, const Child<Columns>& column) {
    Digest& digest = At(name);
    if (column.columns() == nullptr) return;
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (column.has(row)) digest.Add(rows_[row], 1);
    }
    column.columns()->Visit(PeerDigester(path_ + name + ".", rows_, &digests_));
  }
  template <typename Columns>
  void operator()(const char* name, const Children<Columns>& column) {
    Digest& digest = At(name);
    if (column.columns() == nullptr) return;
    Identities elements(column.nvals());
    column.splits().ForEach([&](size_t row, size_t j, size_t i) {
      if constexpr (Columns::kMapEntry) {
        elements[i] = Mix(rows_[row], column.columns()->f_key.bits(i));
      } else {
        elements[i] = Mix(rows_[row], j);
      }
      digest.Add(elements[i], 1);
    });
    column.columns()->Visit(PeerDigester(path_ + name + ".", elements, &digests_));
  }
  // The message that is a map's value. Each entry has one.
  template <typename Columns>
  void MapValue(const char* name, const Child<Columns>& column) {
    if (column.columns() != nullptr) column.columns()->Visit(PeerDigester(path_ + name + ".", rows_, &digests_));
  }

 private:
  Digest& At(const char* name) { return digests_[path_ + name]; }

  std::string path_;
  const Identities& rows_;
  Digests& digests_;
};

}  // namespace structtensor::benchmark

#endif  // STRUCTTENSOR_BENCHMARKS_COMPARE_PEER_COLUMNS_H_
