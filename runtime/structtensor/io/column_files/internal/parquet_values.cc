#include "structtensor/io/column_files/internal/parquet_values.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "structtensor/io/column_files/internal/delta_encoding.h"
#include "structtensor/io/column_files/internal/page_codec.h"
#include "structtensor/io/column_files/internal/parquet_dictionary.h"

namespace structtensor::column_files_internal {
namespace {

using base_internal::GrowingArray;

static_assert(std::endian::native == std::endian::little, "plain values are stored little-endian");

// A dictionary that would be larger is given up.
constexpr size_t kMaxDictionaryBytes = 1 << 20;

// Values are handled in chunks of this size. The size of the dictionary is checked after each.
constexpr size_t kValuesAtATime = 1024;

// Calls `use(begin, count)` for all elements, at most kValuesAtATime at a time.
template <typename Use>
void ForEachChunk(const ParquetLeaf& leaf, const Use& use) {
  const int64_t end = leaf.values->length();
  for (int64_t begin = 0; begin < end; begin += static_cast<int64_t>(kValuesAtATime)) {
    use(begin, static_cast<size_t>(std::min(end - begin, static_cast<int64_t>(kValuesAtATime))));
  }
}

// Calls `use(elements)` for the indices of the elements that have a value, in order, at most kValuesAtATime at a time. Which
// elements have one is often random, so the loop has no branches: the processor would mispredict them.
template <typename Use>
void ForEachPresent(const ParquetLeaf& leaf, const Use& use) {
  std::array<int64_t, kValuesAtATime> present;
  if (leaf.all_present) {
    ForEachChunk(leaf, [&](int64_t begin, size_t count) {
      std::iota(present.begin(), present.begin() + static_cast<ptrdiff_t>(count), begin);
      use(std::span<const int64_t>(present.data(), count));
    });
    return;
  }
  int64_t element = 0;
  for (int64_t begin = 0; begin < leaf.number_of_levels; begin += static_cast<int64_t>(kValuesAtATime)) {
    const int64_t end = std::min(leaf.number_of_levels, begin + static_cast<int64_t>(kValuesAtATime));
    size_t count = 0;
    const int16_t* const levels = leaf.definition.get();
    for (int64_t i = begin; i < end; ++i) {
      present[count] = element;
      count += static_cast<size_t>(levels[i] == leaf.max_definition);
      element += static_cast<int64_t>(levels[i] >= leaf.element_definition);
    }
    if (count > 0) use(std::span<const int64_t>(present.data(), count));
  }
}

// Calls `use(values)` with `value_of(element)` of each present element, at most kValuesAtATime at a time.
template <typename T, typename ValueOf, typename Use>
void ForEachPresentValue(const ParquetLeaf& leaf, const ValueOf& value_of, const Use& use) {
  std::array<T, kValuesAtATime> values;
  if (leaf.all_present) {
    ForEachChunk(leaf, [&](int64_t begin, size_t count) {
      for (size_t i = 0; i < count; ++i) values[i] = value_of(begin + static_cast<int64_t>(i));
      use(std::span<const T>(values.data(), count));
    });
    return;
  }
  ForEachPresent(leaf, [&](std::span<const int64_t> elements) {
    std::transform(elements.begin(), elements.end(), values.begin(), value_of);
    use(std::span<const T>(values.data(), elements.size()));
  });
}

void AppendBytes(const void* bytes, size_t size_bytes, Bytes& out) {
  out.Append(static_cast<const uint8_t*>(bytes), size_bytes);
}

void AppendPlain(std::string_view text, Bytes& out) {
  const auto size_bytes = static_cast<uint32_t>(text.size());
  AppendBytes(&size_bytes, sizeof(size_bytes), out);
  AppendBytes(text.data(), text.size(), out);
}
template <typename T>
requires std::is_arithmetic_v<T>
void AppendPlain(T value, Bytes& out) { AppendBytes(&value, sizeof(value), out); }

// Strings in statistics have no length prefixes.
std::string PlainText(std::string_view text) { return std::string(text); }
template <typename T>
requires std::is_arithmetic_v<T> std::string PlainText(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The least and greatest value so far. T: a number type, or std::string_view.
template <typename T>
class Extent {
 public:
  void Add(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return;
    }
    if (!known_) {
      known_ = true;
      min_ = max_ = value;
    } else if (value < min_) {
      min_ = value;
    } else if (max_ < value) {
      max_ = value;
    }
  }
  void Add(std::span<const T> values) {
    if constexpr (std::is_integral_v<T>) {
      if (values.empty()) return;
      T min = values[0];
      T max = values[0];
      for (const T value : values) {
        min = std::min(min, value);
        max = std::max(max, value);
      }
      Add(min);
      Add(max);
    } else {
      for (const T& value : values) Add(value);
    }
  }
  void Add(const Extent& other) {
    if (!other.known_) return;
    Add(other.min_);
    Add(other.max_);
  }

  ValueRange Range() const {
    if (!known_) return {};
    if constexpr (std::is_floating_point_v<T>) {
      // Zeros of both signs compare as equal, so a zero may mean either.
      return {true, PlainText(min_ == 0 ? -T{0} : min_), PlainText(max_ == 0 ? T{0} : max_)};
    } else {
      return {true, PlainText(min_), PlainText(max_)};
    }
  }

 private:
  bool known_ = false;
  std::conditional_t<std::is_arithmetic_v<T>, T, std::string> min_ = {};
  std::conditional_t<std::is_arithmetic_v<T>, T, std::string> max_ = {};
};

// Calls `use(begin, count)` for evenly spaced ranges of [0, size), with at most kWindows * kWindowValues elements in total.
template <typename Use>
void ForEachSampled(size_t size, const Use& use) {
  constexpr size_t kWindows = 8;
  constexpr size_t kWindowValues = 1024;
  if (size <= kWindows * kWindowValues) return use(size_t{0}, size);
  for (size_t i = 0; i < kWindows; ++i) use(i * (size - kWindowValues) / (kWindows - 1), kWindowValues);
}

// The values of a page without a dictionary.
// T, kLengths: as for DictionaryValues.
template <typename T, bool kLengths>
class DirectValues {
 public:
  static size_t PlainBytesOf(std::span<const T> values) {
    size_t bytes = kLengths ? values.size() * sizeof(uint32_t) : 0;
    for (const T& value : values) bytes += value.size();
    return bytes;
  }
  static void AppendValue(const T& value, Bytes& out) {
    if constexpr (kLengths) {
      AppendPlain(value, out);
    } else {
      AppendBytes(value.data(), value.size(), out);
    }
  }

  void Reserve(size_t) {}
  void push_back(const T& value) { AppendValue(value, bytes_); }
  void Append(std::span<const T> values) {
    for (const T& value : values) push_back(value);
  }
  size_t plain_bytes() const { return bytes_.size(); }
  size_t memory_bytes() const { return bytes_.capacity(); }

  // Appends the encoded values to `body`, and removes them.
  arrow::Result<parquet::Encoding::type> MoveTo(ArrowCodec, Bytes& body) {
    body.Append(bytes_.data(), bytes_.size());
    bytes_.Clear();
    return parquet::Encoding::PLAIN;
  }

 private:
  Bytes bytes_;
};

template <typename T>
requires std::is_arithmetic_v<T>
class DirectValues<T, true> {
 public:
  static size_t PlainBytesOf(std::span<const T> values) { return values.size_bytes(); }
  static void AppendValue(T value, Bytes& out) { AppendPlain(value, out); }

  void Reserve(size_t count) { values_.Room(count); }
  void push_back(T value) { values_.push_back(std::bit_cast<Bits<T>>(value)); }
  void Append(std::span<const T> values) {
    Bits<T>* const out = values_.Room(values.size());
    std::memcpy(out, values.data(), values.size() * sizeof(T));
    values_.SetEnd(out + values.size());
  }
  size_t plain_bytes() const { return values_.size() * sizeof(T); }
  size_t memory_bytes() const { return values_.capacity() * sizeof(T); }

  // Appends the encoded values to `body`, and removes them. Integers are stored as differences if a sample is clearly smaller
  // that way: codecs find distant repetitions of plain values that a sample does not show.
  arrow::Result<parquet::Encoding::type> MoveTo(ArrowCodec codec, Bytes& body) {
    auto encoding = parquet::Encoding::PLAIN;
    if constexpr (std::is_integral_v<T>) {
      Bytes plain;
      Bytes differences;
      ForEachSampled(values_.size(), [&](size_t begin, size_t count) {
        AppendBytes(values_.data() + begin, count * sizeof(T), plain);
        AppendDelta(std::span<const Bits<T>>(values_.data() + begin, count), differences);
      });
      ARROW_ASSIGN_OR_RAISE(const size_t size_of_plain, CompressedSize(codec, plain));
      ARROW_ASSIGN_OR_RAISE(const size_t size_of_differences, CompressedSize(codec, differences));
      if (size_of_differences < size_of_plain - size_of_plain / 8) encoding = parquet::Encoding::DELTA_BINARY_PACKED;
    }
    if (encoding == parquet::Encoding::DELTA_BINARY_PACKED) {
      AppendDelta(std::span<const Bits<T>>(values_.data(), values_.size()), body);
    } else {
      AppendBytes(values_.data(), plain_bytes(), body);
    }
    values_.Clear();
    return encoding;
  }

 private:
  GrowingArray<Bits<T>> values_;
};

// Stores values as indices into a dictionary, until that does not pay.
// T: a number type of the size that Parquet stores and the sign by which it compares, or std::string_view.
// kLengths: whether plain strings have length prefixes. Strings of a fixed size have none.
template <typename T, bool kLengths = true>
class DictionaryValues : public ParquetValues {
 public:
  int64_t number_of_values() const final { return number_of_values_; }
  // For indices this is a guess, because the dictionary may grow, and runs of an index are smaller. A share of the plain values
  // counts, too, because the page has all of them if the dictionary is given up now.
  int64_t size_bytes() const final {
    constexpr size_t kShareOfPlain = 32;
    return static_cast<int64_t>(given_up_ ? direct_.plain_bytes()
                                          : std::max(packed_index_bytes(), page_plain_bytes_ / kShareOfPlain));
  }
  size_t memory_bytes() const final {
    return sizeof(*this) + dictionary_.memory_bytes() + short_indices_.capacity() * sizeof(uint16_t) +
           indices_.capacity() * sizeof(uint32_t) + direct_.memory_bytes();
  }

  arrow::Result<Page> EndPage(ArrowCodec codec, Bytes& body) final {
    if (!given_up_ && entries_of_pages_ == 0) {
      ARROW_ASSIGN_OR_RAISE(const bool pays, DictionaryPays(codec));
      if (!pays) GiveUpDictionary();
    }
    Page page;
    if (given_up_) {
      ARROW_ASSIGN_OR_RAISE(page.encoding, direct_.MoveTo(codec, body));
    } else {
      page.encoding = parquet::Encoding::RLE_DICTIONARY;
      AddIndicesToExtent();
      body.push_back(static_cast<uint8_t>(bit_width()));
      UseIndices([&](auto indices) { AppendHybrid(indices, bit_width(), /*last=*/true, body); });
      short_indices_.Clear();
      indices_.Clear();
      entries_of_pages_ = dictionary_.size();
    }
    page.range = page_extent_.Range();
    extent_.Add(std::exchange(page_extent_, {}));
    number_of_values_ = 0;
    page_plain_bytes_ = 0;
    return page;
  }

  Dictionary TakeDictionary() final {
    Dictionary taken;
    for (uint32_t i = 0; i < entries_of_pages_; ++i) Direct::AppendValue(dictionary_[i], taken.values);
    taken.number_of_values = static_cast<int32_t>(std::exchange(entries_of_pages_, 0));
    dictionary_.Clear();
    return taken;
  }

  ValueRange range() const final { return extent_.Range(); }

 protected:
  // Appends values. Requires: at most kValuesAtATime.
  void AddValues(std::span<const T> values) {
    number_of_values_ += static_cast<int64_t>(values.size());
    if (given_up_) {
      direct_.Append(values);
      page_extent_.Add(values);
      return;
    }
    if (indices_.empty() && dictionary_.size() + values.size() <= kMaxShortIndices) {
      AddIndices(values, short_indices_);
    } else {
      uint32_t* const out = indices_.Room(short_indices_.size());
      indices_.SetEnd(std::copy(short_indices_.begin(), short_indices_.end(), out));
      short_indices_.Free();
      AddIndices(values, indices_);
    }
    if (dictionary_.size_bytes() > kMaxDictionaryBytes) GiveUpDictionary();
  }

 private:
  using DictionaryOf = std::conditional_t<std::is_arithmetic_v<T>, NumberDictionary<T>, TextDictionary>;

  using Direct = DirectValues<T, kLengths>;

  static constexpr size_t kMaxShortIndices = size_t{1} << 16;
  static constexpr size_t kFewValues = 256;  // whose indices take at most a byte

  template <typename Index>
  void AddIndices(std::span<const T> values, GrowingArray<Index>& indices) {
    Index* const out = indices.Room(values.size());
    dictionary_.FindOrAdd(values, out);
    indices.SetEnd(out + values.size());
    page_plain_bytes_ += Direct::PlainBytesOf(values);
  }

  size_t number_of_indices() const { return short_indices_.size() + indices_.size(); }
  int bit_width() const { return dictionary_.size() <= 1 ? 0 : BitWidthOf(static_cast<uint32_t>(dictionary_.size() - 1)); }
  size_t packed_index_bytes() const { return number_of_indices() * static_cast<size_t>(bit_width()) / 8; }
  // Calls `use` with the indices of the page under way.
  template <typename Use>
  void UseIndices(const Use& use) const {
    if (indices_.empty()) {
      use(std::span<const uint16_t>(short_indices_.data(), short_indices_.size()));
    } else {
      use(std::span<const uint32_t>(indices_.data(), indices_.size()));
    }
  }

  // Whether the page under way, the first one, is smaller with a dictionary than without one.
  arrow::Result<bool> DictionaryPays(ArrowCodec codec) const {
    if (dictionary_.size_bytes() + packed_index_bytes() >= page_plain_bytes_) return false;
    if constexpr (std::is_integral_v<T>) {
      if (dictionary_.size() > kFewValues) {
        ARROW_ASSIGN_OR_RAISE(const bool smaller, DifferencesAreMuchSmaller(codec));
        return !smaller;
      }
    }
    return true;
  }

  // Whether differences take at most half of what indices and dictionary take, estimated from samples. A dictionary is also of
  // use to readers, and codecs find distant repetitions of indices that a sample does not show, so a smaller gain is not worth
  // it.
  arrow::Result<bool> DifferencesAreMuchSmaller(ArrowCodec codec) const {
    Bytes hybrid;
    Bytes differences;
    size_t sampled = 0;
    UseIndices([&](auto indices) {
      ForEachSampled(indices.size(), [&](size_t begin, size_t count) {
        const auto window = indices.subspan(begin, count);
        AppendHybrid(window, bit_width(), /*last=*/true, hybrid);
        GrowingArray<Bits<T>> values;
        for (const size_t index : window) values.push_back(std::bit_cast<Bits<T>>(dictionary_[static_cast<uint32_t>(index)]));
        AppendDelta(std::span<const Bits<T>>(values.data(), values.size()), differences);
        sampled += count;
      });
    });
    Bytes entries;
    ForEachSampled(dictionary_.size(), [&](size_t begin, size_t count) {
      for (size_t i = begin; i < begin + count; ++i) Direct::AppendValue(dictionary_[static_cast<uint32_t>(i)], entries);
    });
    ARROW_ASSIGN_OR_RAISE(const size_t index_bytes, CompressedSize(codec, hybrid));
    ARROW_ASSIGN_OR_RAISE(const size_t difference_bytes, CompressedSize(codec, differences));
    ARROW_ASSIGN_OR_RAISE(const size_t entry_bytes, CompressedSize(codec, entries));
    const auto scaled = [](size_t bytes, size_t all, size_t of_sample) {
      return static_cast<double>(bytes) * static_cast<double>(all) / static_cast<double>(of_sample);
    };
    return 2 * scaled(difference_bytes, number_of_indices(), sampled) <=
           scaled(index_bytes, number_of_indices(), sampled) +
               scaled(entry_bytes, dictionary_.size(), entries.size() / sizeof(T));
  }

  // The page under way and all later pages have no dictionary. Earlier pages keep theirs.
  void GiveUpDictionary() {
    given_up_ = true;
    direct_.Reserve(number_of_indices());
    UseIndices([this](auto indices) {
      for (const size_t index : indices) direct_.push_back(dictionary_[static_cast<uint32_t>(index)]);
    });
    AddIndicesToExtent();
    short_indices_.Free();
    indices_.Free();
    if (entries_of_pages_ == 0) dictionary_.Clear();
  }

  // A page usually has few different values. Each of them is looked at once. Values that are new in this page need no look-up.
  void AddIndicesToExtent() {
    if (entries_of_pages_ > 0) {
      std::vector<uint8_t> seen(dictionary_.size());
      UseIndices([&seen](auto indices) {
        for (const size_t index : indices) seen[index] = 1;
      });
      for (uint32_t i = 0; i < entries_of_pages_; ++i) {
        if (seen[i] != 0) page_extent_.Add(dictionary_[i]);
      }
    }
    for (auto i = static_cast<uint32_t>(entries_of_pages_); i < dictionary_.size(); ++i) page_extent_.Add(dictionary_[i]);
  }

  DictionaryOf dictionary_;
  size_t entries_of_pages_ = 0;  // entries of the dictionary that ended pages refer to
  // The indices of the page under way, until given_up_ is set: in short_indices_ while 16 bits are enough, then in indices_.
  GrowingArray<uint16_t> short_indices_;
  GrowingArray<uint32_t> indices_;
  bool given_up_ = false;
  Direct direct_;  // the values of the page under way, if given_up_
  int64_t number_of_values_ = 0;
  size_t page_plain_bytes_ = 0;  // of the page under way, if its values were plain
  Extent<T> page_extent_;        // of the values of the page under way that are in direct_
  Extent<T> extent_;
};

template <typename T>
class NumberValues : public DictionaryValues<T> {
 public:
  arrow::Status Add(const ParquetLeaf& leaf) final {
    switch (leaf.values->type()->id()) {
      case arrow::Type::INT8:
        return AddFrom<int8_t>(leaf);
      case arrow::Type::INT16:
        return AddFrom<int16_t>(leaf);
      case arrow::Type::UINT8:
        return AddFrom<uint8_t>(leaf);
      case arrow::Type::UINT16:
        return AddFrom<uint16_t>(leaf);
      default:
        if (arrow::bit_width(leaf.values->type()->id()) != 8 * static_cast<int>(sizeof(T))) {
          return arrow::Status::NotImplemented("values of type ", leaf.values->type()->ToString());
        }
        return AddFrom<T>(leaf);
    }
  }

 private:
  template <typename Stored>
  arrow::Status AddFrom(const ParquetLeaf& leaf) {
    const auto* const values = leaf.values->data()->template GetValues<Stored>(1);
    if constexpr (std::is_same_v<Stored, T>) {
      if (leaf.all_present) {
        ForEachChunk(leaf, [&](int64_t begin, size_t count) { this->AddValues(std::span<const T>(values + begin, count)); });
        return arrow::Status::OK();
      }
    }
    ForEachPresentValue<T>(
        leaf, [values](int64_t i) { return static_cast<T>(values[i]); },
        [this](std::span<const T> present) { this->AddValues(present); });
    return arrow::Status::OK();
  }
};

class TextValues : public DictionaryValues<std::string_view> {
 public:
  arrow::Status Add(const ParquetLeaf& leaf) final {
    switch (leaf.values->type()->id()) {
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        return AddFrom(leaf, static_cast<const arrow::BinaryArray&>(*leaf.values));
      case arrow::Type::LARGE_STRING:
      case arrow::Type::LARGE_BINARY:
        return AddFrom(leaf, static_cast<const arrow::LargeBinaryArray&>(*leaf.values));
      default:
        return arrow::Status::NotImplemented("values of type ", leaf.values->type()->ToString());
    }
  }

 private:
  template <typename Strings>
  arrow::Status AddFrom(const ParquetLeaf& leaf, const Strings& strings) {
    arrow::Status status;
    ForEachPresentValue<std::string_view>(
        leaf, [&strings](int64_t i) { return strings.GetView(i); },
        [&](std::span<const std::string_view> present) {
          if (!status.ok()) return;
          if constexpr (sizeof(typename Strings::offset_type) > sizeof(int32_t)) {
            for (const std::string_view text : present) {
              if (text.size() <= std::numeric_limits<int32_t>::max()) continue;
              status = arrow::Status::CapacityError("a value of ", text.size(), " bytes; Parquet has at most 2^31 - 1");
              return;
            }
          }
          AddValues(present);
        });
    return status;
  }
};

// Binary of a fixed size.
class FixedTextValues : public DictionaryValues<std::string_view, /*kLengths=*/false> {
 public:
  explicit FixedTextValues(int size_bytes) : value_bytes_(size_bytes) {}

  arrow::Status Add(const ParquetLeaf& leaf) final {
    if (leaf.values->type_id() != arrow::Type::FIXED_SIZE_BINARY) {
      return arrow::Status::NotImplemented("values of type ", leaf.values->type()->ToString());
    }
    const auto& values = static_cast<const arrow::FixedSizeBinaryArray&>(*leaf.values);
    if (values.byte_width() != value_bytes_) {
      return arrow::Status::TypeError("values of ", values.byte_width(), " bytes in a column of ", value_bytes_);
    }
    ForEachPresentValue<std::string_view>(
        leaf, [&values](int64_t i) { return values.GetView(i); },
        [this](std::span<const std::string_view> present) { AddValues(present); });
    return arrow::Status::OK();
  }

 private:
  const int value_bytes_;
};

// Booleans are single bits, without a dictionary.
class BoolValues : public ParquetValues {
 public:
  arrow::Status Add(const ParquetLeaf& leaf) final {
    const auto& values = static_cast<const arrow::BooleanArray&>(*leaf.values);
    ForEachPresent(leaf, [&](std::span<const int64_t> present) {
      for (const int64_t i : present) {
        const bool value = values.Value(i);
        if (count_ % 8 == 0) bits_.push_back(0);
        bits_.back() |= static_cast<uint8_t>(value ? 1 << (count_ % 8) : 0);
        ++count_;
        page_extent_.Add(value);
      }
    });
    return arrow::Status::OK();
  }
  int64_t number_of_values() const final { return count_; }
  int64_t size_bytes() const final { return static_cast<int64_t>(bits_.size()); }
  size_t memory_bytes() const final { return sizeof(*this) + bits_.capacity(); }
  arrow::Result<Page> EndPage(ArrowCodec, Bytes& body) final {
    body.Append(bits_.data(), bits_.size());
    bits_.Clear();
    count_ = 0;
    Page page = {.encoding = parquet::Encoding::PLAIN, .range = page_extent_.Range()};
    extent_.Add(std::exchange(page_extent_, {}));
    return page;
  }
  Dictionary TakeDictionary() final { return {}; }
  ValueRange range() const final { return extent_.Range(); }

 private:
  Bytes bits_;
  int64_t count_ = 0;
  Extent<bool> page_extent_;
  Extent<bool> extent_;
};

// Numbers of a size that no processor computes with (float16), without a dictionary and without a range.
class FixedSizeValues : public ParquetValues {
 public:
  explicit FixedSizeValues(int size_bytes) : value_bytes_(static_cast<size_t>(size_bytes)) {}

  arrow::Status Add(const ParquetLeaf& leaf) final {
    if (arrow::bit_width(leaf.values->type()->id()) != static_cast<int>(8 * value_bytes_)) {
      return arrow::Status::NotImplemented("values of type ", leaf.values->type()->ToString());
    }
    const uint8_t* const values =
        leaf.values->data()->buffers[1]->data() + static_cast<size_t>(leaf.values->offset()) * value_bytes_;
    ForEachPresent(leaf, [&](std::span<const int64_t> present) {
      uint8_t* out = bytes_.Room(present.size() * value_bytes_);
      for (const int64_t i : present) {
        std::memcpy(out, values + static_cast<size_t>(i) * value_bytes_, value_bytes_);
        out += value_bytes_;
      }
      bytes_.SetEnd(out);
    });
    return arrow::Status::OK();
  }
  int64_t number_of_values() const final { return static_cast<int64_t>(bytes_.size() / value_bytes_); }
  int64_t size_bytes() const final { return static_cast<int64_t>(bytes_.size()); }
  size_t memory_bytes() const final { return sizeof(*this) + bytes_.capacity(); }
  arrow::Result<Page> EndPage(ArrowCodec, Bytes& body) final {
    body.Append(bytes_.data(), bytes_.size());
    bytes_.Clear();
    return Page{};
  }
  Dictionary TakeDictionary() final { return {}; }
  ValueRange range() const final { return {}; }

 private:
  const size_t value_bytes_;
  Bytes bytes_;
};

}  // namespace

arrow::Result<std::unique_ptr<ParquetValues>> ParquetValues::Make(const parquet::ColumnDescriptor& descr) {
  const bool is_unsigned = descr.sort_order() == parquet::SortOrder::UNSIGNED;
  switch (descr.physical_type()) {
    case parquet::Type::BOOLEAN:
      return std::make_unique<BoolValues>();
    case parquet::Type::INT32:
      if (is_unsigned) return std::make_unique<NumberValues<uint32_t>>();
      return std::make_unique<NumberValues<int32_t>>();
    case parquet::Type::INT64:
      if (is_unsigned) return std::make_unique<NumberValues<uint64_t>>();
      return std::make_unique<NumberValues<int64_t>>();
    case parquet::Type::FLOAT:
      return std::make_unique<NumberValues<float>>();
    case parquet::Type::DOUBLE:
      return std::make_unique<NumberValues<double>>();
    case parquet::Type::BYTE_ARRAY:
      return std::make_unique<TextValues>();
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      if (descr.logical_type()->is_none()) return std::make_unique<FixedTextValues>(descr.type_length());
      return std::make_unique<FixedSizeValues>(descr.type_length());
    case parquet::Type::INT96:
    case parquet::Type::UNDEFINED:
      break;
  }
  return arrow::Status::NotImplemented("Parquet columns of type ", parquet::TypeToString(descr.physical_type()));
}

}  // namespace structtensor::column_files_internal
