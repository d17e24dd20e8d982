// The dictionary of a Parquet column: finds the index of a value, and adds it if it is new. Values have their indices in the
// order in which they came.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_DICTIONARY_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_DICTIONARY_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/hash/hash.h"
#include "structtensor/core/base/shared/growing_array.h"

namespace structtensor::column_files_internal {

// Numbers are compared by their bits, so that a dictionary gives back each NaN and each zero as it was.
template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

// Multiplies to 128 bits and folds the halves: a hash of two words, which depends on all of their bits.
inline uint64_t Mixed(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio

// Differs from process to process, so no one can craft values that collide. Files do not depend on it: a dictionary has its
// values in the order in which they came.
inline uint64_t Seed() {
  static const uint64_t seed = absl::HashOf(uint64_t{1}) | 1;
  return seed;
}

template <typename Word>
uint64_t Load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// A string by its size and two words. They determine strings of up to 16 bytes; of longer ones they are the first and the last
// 8 bytes.
struct TextKey {
  uint64_t first = 0;
  uint64_t last = 0;
  uint32_t size = 0;

  static constexpr size_t kWhole = 16;

  static TextKey Of(std::string_view text) {
    const char* const begin = text.data();
    const size_t size = text.size();
    TextKey key = {.size = static_cast<uint32_t>(size)};
    if (size >= 8) {
      key.first = Load<uint64_t>(begin);
      key.last = Load<uint64_t>(begin + size - 8);
    } else if (size >= 4) {
      key.first = Load<uint32_t>(begin) << 32 | Load<uint32_t>(begin + size - 4);
    } else if (size > 0) {
      key.first = Load<uint8_t>(begin) << 16 | Load<uint8_t>(begin + size / 2) << 8 | Load<uint8_t>(begin + size - 1);
    }
    return key;
  }

  uint64_t Hash(std::string_view text, uint64_t seed) const {
    uint64_t hash = Mixed(first ^ seed, last ^ (size + kFactor));
    for (size_t i = 8; i + 8 < text.size(); i += 8) hash = Mixed(hash ^ Load<uint64_t>(text.data() + i), kFactor);
    return hash;
  }

  friend bool operator==(const TextKey&, const TextKey&) = default;
};

// Finds the index of a dictionary's value by its hash.
class HashIndex {
 public:
  HashIndex() { Clear(); }

  // Returns the index of the value with this hash for which `is_it(index)` is true. If there is none, adds `next` and returns
  // it.
  template <typename IsIt>
  uint32_t FindOrAdd(uint64_t hash, uint32_t next, const IsIt& is_it) {
    const auto tag = static_cast<uint32_t>(hash);
    for (size_t i = tag & mask_;; i = (i + 1) & mask_) {
      Slot& slot = slots_[i];
      if (slot.next_index == 0) {
        slot = {tag, next + 1};
        if (2 * ++used_ > slots_.size()) Grow();
        return next;
      }
      if (slot.tag == tag && is_it(slot.next_index - 1)) return slot.next_index - 1;
    }
  }

  size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

  // Removes all, and gives the memory back.
  void Clear() {
    slots_ = std::vector<Slot>(kFirstSlots);
    mask_ = kFirstSlots - 1;
    used_ = 0;
  }

 private:
  struct Slot {
    uint32_t tag = 0;         // half of the hash
    uint32_t next_index = 0;  // the index + 1; 0 if there is none
  };
  static constexpr size_t kFirstSlots = 16;  // small, because many files may be written at a time

  void Grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(4 * slots_.size()));
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.next_index == 0) continue;
      size_t i = slot.tag & mask_;
      while (slots_[i].next_index != 0) i = (i + 1) & mask_;
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t used_ = 0;  // slots with an index
};

// Values often follow each other as they did before: the names of attributes, or the same value again. So the value that came
// after the last one before is tried first, without a hash.
class Successors {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t guess() const { return guess_; }
  // The value was guess().
  void WasRight() {
    last_ = guess_;
    guess_ = after_[guess_];
  }
  // The value was another one, `index`. `is_new`: it came for the first time.
  void WasWrong(uint32_t index, bool is_new) {
    if (is_new) after_.push_back(kNone);
    if (last_ != kNone) after_[last_] = index;
    last_ = index;
    guess_ = after_[index];
  }
  // A new value was found without a guess. What came before it does not count, and nothing has come after it yet.
  void Add() { after_.push_back(kNone); }
  size_t memory_bytes() const { return after_.capacity() * sizeof(uint32_t); }
  void Clear() { *this = Successors(); }

 private:
  base_internal::GrowingArray<uint32_t> after_;  // for each value, the one that came after it the last time
  uint32_t last_ = kNone;
  uint32_t guess_ = kNone;
};

// A dictionary of values of a fixed size. Small integers, such as indices and enums, are looked up in a table.
template <typename T>
class NumberDictionary {
 public:
  // Writes the index of each value to `out`. Adds values that are not in the dictionary yet.
  template <typename Index>
  void FindOrAdd(std::span<const T> values, Index* out) {
    std::span<const uint32_t> small = small_;  // a copy: the compiler must assume that writing to `out` may change small_
    for (const T value : values) {
      const auto bits = std::bit_cast<Bits<T>>(value);
      if (const uint32_t next_index = bits < small.size() ? small[static_cast<size_t>(bits)] : 0; next_index != 0) {
        *out++ = static_cast<Index>(next_index - 1);
      } else {
        *out++ = static_cast<Index>(IndexOf(value));
        small = small_;
      }
    }
  }
  size_t size() const { return values_.size(); }
  size_t size_bytes() const { return values_.size() * sizeof(T); }
  size_t memory_bytes() const {
    return values_.capacity() * sizeof(T) + small_.capacity() * sizeof(uint32_t) + hashes_.memory_bytes() +
           successors_.memory_bytes();
  }
  T operator[](uint32_t index) const { return std::bit_cast<T>(values_[index]); }
  void Clear() {
    values_.Free();
    small_ = std::vector<uint32_t>();
    hashes_.Clear();
    successors_.Clear();
  }

 private:
  ABSL_ATTRIBUTE_ALWAYS_INLINE uint32_t IndexOf(T value) {
    const auto bits = std::bit_cast<Bits<T>>(value);
    if (bits < small_.size()) return IndexOfSmall(bits);
    if (bits < SmallLimit()) {
      GrowSmall(bits);
      return IndexOfSmall(bits);
    }
    if (const uint32_t guess = successors_.guess(); guess != Successors::kNone && values_[guess] == bits) {
      successors_.WasRight();
      return guess;
    }
    const auto next = static_cast<uint32_t>(values_.size());
    const uint32_t index =
        hashes_.FindOrAdd(Mixed(bits ^ seed_, kFactor), next, [&](uint32_t i) { return values_[i] == bits; });
    if (index == next) values_.push_back(bits);
    successors_.WasWrong(index, index == next);
    return index;
  }

  static constexpr size_t kMostSmall = size_t{1} << 16;

  // Integers from here on are never in the table, which therefore takes at most 256 KiB, and at most 512 bytes and 64 for each
  // value of the dictionary.
  size_t SmallLimit() const { return std::min(kMostSmall, 8 * (values_.size() + 8)); }

  ABSL_ATTRIBUTE_ALWAYS_INLINE uint32_t IndexOfSmall(Bits<T> bits) {
    uint32_t& next_index = small_[static_cast<size_t>(bits)];
    if (next_index == 0) {
      values_.push_back(bits);
      successors_.Add();
      next_index = static_cast<uint32_t>(values_.size());
    }
    return next_index - 1;
  }

  // Enlarges the table for `bits`, and enters the values that were found by their hash until now.
  void GrowSmall(Bits<T> bits) {
    small_.resize(std::bit_ceil(static_cast<size_t>(bits) + 1));
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] < small_.size()) small_[static_cast<size_t>(values_[i])] = static_cast<uint32_t>(i + 1);
    }
  }

  const uint64_t seed_ = Seed();
  base_internal::GrowingArray<Bits<T>> values_;
  std::vector<uint32_t> small_;  // for each value less than its size: the index + 1; 0 if there is none
  HashIndex hashes_;
  Successors successors_;
};

// A dictionary of strings, which it copies.
class TextDictionary {
 public:
  // Writes the index of each value to `out`. Adds values that are not in the dictionary yet.
  template <typename Index>
  void FindOrAdd(std::span<const std::string_view> values, Index* out) {
    for (const std::string_view value : values) *out++ = static_cast<Index>(IndexOf(value));
  }
  size_t size() const { return entries_.size(); }
  size_t size_bytes() const { return strings_.size() + sizeof(uint32_t) * entries_.size(); }
  size_t memory_bytes() const {
    return strings_.capacity() + entries_.capacity() * sizeof(Entry) + hashes_.memory_bytes() + successors_.memory_bytes();
  }
  std::string_view operator[](uint32_t index) const {
    const Entry& entry = entries_[index];
    return {strings_.data() + entry.begin, entry.key.size};
  }
  void Clear() {
    strings_.Free();
    entries_.Free();
    hashes_.Clear();
    successors_.Clear();
  }

 private:
  struct Entry {
    TextKey key;
    size_t begin = 0;  // in strings_
  };

  ABSL_ATTRIBUTE_ALWAYS_INLINE uint32_t IndexOf(std::string_view value) {
    const TextKey key = TextKey::Of(value);
    if (const uint32_t guess = successors_.guess(); guess != Successors::kNone && Is(guess, key, value)) {
      successors_.WasRight();
      return guess;
    }
    const auto next = static_cast<uint32_t>(size());
    const uint32_t index = hashes_.FindOrAdd(key.Hash(value, seed_), next, [&](uint32_t i) { return Is(i, key, value); });
    if (index == next) {
      entries_.push_back({key, strings_.size()});
      strings_.Append(value.data(), value.size());
    }
    successors_.WasWrong(index, index == next);
    return index;
  }

  bool Is(uint32_t index, const TextKey& key, std::string_view value) const {
    if (entries_[index].key != key) return false;
    return key.size <= TextKey::kWhole || std::memcmp(strings_.data() + entries_[index].begin, value.data(), key.size) == 0;
  }

  const uint64_t seed_ = Seed();
  base_internal::GrowingArray<char> strings_;
  base_internal::GrowingArray<Entry> entries_;
  HashIndex hashes_;
  Successors successors_;
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_DICTIONARY_H_
