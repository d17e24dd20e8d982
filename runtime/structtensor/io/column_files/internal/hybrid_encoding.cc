#include "structtensor/io/column_files/internal/hybrid_encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

namespace structtensor::column_files_internal {
namespace {

static_assert(std::endian::native == std::endian::little, "bits are packed from the least significant one on");

constexpr size_t kGroup = 8;  // values that are packed at a time

// Whether the eight values from `p` on are equal.
template <typename T>
bool IsUniform(const T* p) {
  constexpr size_t kWords = kGroup * sizeof(T) / sizeof(uint64_t);
  constexpr uint64_t kOnes = ~uint64_t{0} / std::numeric_limits<std::make_unsigned_t<T>>::max();
  const uint64_t repeated = kOnes * static_cast<std::make_unsigned_t<T>>(*p);
  uint64_t different = 0;
  for (size_t i = 0; i < kWords; ++i) {
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(p) + i * sizeof(word), sizeof(word));
    different |= word ^ repeated;
  }
  return different == 0;
}

// Packs eight values into bit_width bytes. May write up to eight bytes more.
template <typename T>
void PackGroup(const T* values, int bit_width, uint8_t* out) {
  uint64_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < kGroup; ++i) {
    const uint64_t value = static_cast<std::make_unsigned_t<T>>(values[i]);
    bits |= value << count;
    count += bit_width;
    if (count >= 32) {
      const auto low = static_cast<uint32_t>(bits);
      std::memcpy(out, &low, sizeof(low));
      out += sizeof(low);
      bits >>= 32;
      count -= 32;
    }
  }
  const auto low = static_cast<uint32_t>(bits);
  std::memcpy(out, &low, sizeof(low));
}

// The same for at most eight bits: eight values of a byte become four of 16 bits, two of 32 bits and one of 64 bits, each
// without the bits that its halves do not use.
template <typename T>
void PackSmallGroup(const T* values, int bit_width, uint8_t* out) {
  std::array<uint8_t, kGroup> bytes;
  for (size_t i = 0; i < kGroup; ++i) bytes[i] = static_cast<uint8_t>(values[i]);
  auto bits = std::bit_cast<uint64_t>(bytes);
  for (int size = 8, used = bit_width; size < 64; size *= 2, used *= 2) {
    const uint64_t low_halves = ~uint64_t{0} / ((uint64_t{1} << size) + 1);
    bits = (bits & low_halves) | ((bits & ~low_halves) >> (size - used));
  }
  std::memcpy(out, &bits, sizeof(bits));
}

template <typename T>
void AppendPacked(std::span<const T> values, int bit_width, Bytes& out) {
  if (values.empty()) return;
  const size_t groups = (values.size() + kGroup - 1) / kGroup;
  AppendVarint(groups << 1 | 1, out);
  // Packing a group also writes some bytes after it.
  uint8_t* p = out.Room(groups * static_cast<size_t>(bit_width) + sizeof(uint64_t));
  const auto pack = [&](const T* group) {
    if (bit_width <= 8) {
      PackSmallGroup(group, bit_width, p);
    } else {
      PackGroup(group, bit_width, p);
    }
    p += bit_width;
  };
  size_t i = 0;
  for (; i + kGroup <= values.size(); i += kGroup) pack(values.data() + i);
  if (i < values.size()) {
    T last[kGroup] = {};
    std::memcpy(last, values.data() + i, (values.size() - i) * sizeof(T));
    pack(last);
  }
  out.SetEnd(p);
}

template <typename T>
void AppendRun(T value, size_t count, int bit_width, Bytes& out) {
  AppendVarint(uint64_t{count} << 1, out);
  const uint64_t bits = static_cast<std::make_unsigned_t<T>>(value);
  for (int shift = 0; shift < bit_width; shift += 8) out.push_back(static_cast<uint8_t>(bits >> shift));
}

// The number of values at the beginning that are equal.
template <typename T>
size_t RunLength(std::span<const T> values) {
  size_t length = std::min<size_t>(values.size(), 1);
  while (length + kGroup <= values.size() && values[length] == values[0] && IsUniform(values.data() + length)) length += kGroup;
  while (length < values.size() && values[length] == values[0]) ++length;
  return length;
}

template <typename T>
void Append(std::span<const T> values, int bit_width, bool last, Bytes& out) {
  size_t packed_from = 0;  // the values from here to i are not written yet: whole groups
  size_t i = 0;
  // Looks for runs only where a group begins. A run that begins within a group is found if it reaches the end of the next
  // group.
  while (i + kGroup <= values.size()) {
    if (!IsUniform(values.data() + i)) {
      i += kGroup;
      continue;
    }
    const size_t length = RunLength(values.subspan(i));
    AppendPacked(values.subspan(packed_from, i - packed_from), bit_width, out);
    AppendRun(values[i], length, bit_width, out);
    i = packed_from = i + length;
  }
  if (last && RunLength(values.subspan(i)) < values.size() - i) {
    AppendPacked(values.subspan(packed_from), bit_width, out);
    return;
  }
  AppendPacked(values.subspan(packed_from, i - packed_from), bit_width, out);
  while (i < values.size()) {
    const size_t length = RunLength(values.subspan(i));
    AppendRun(values[i], length, bit_width, out);
    i += length;
  }
}

}  // namespace

void AppendHybrid(std::span<const int16_t> values, int bit_width, bool last, Bytes& out) {
  Append(values, bit_width, last, out);
}
void AppendHybrid(std::span<const uint16_t> values, int bit_width, bool last, Bytes& out) {
  Append(values, bit_width, last, out);
}
void AppendHybrid(std::span<const uint32_t> values, int bit_width, bool last, Bytes& out) {
  Append(values, bit_width, last, out);
}

}  // namespace structtensor::column_files_internal
