#include "structtensor/io/column_files/internal/hybrid_encoding.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace structtensor::column_files_internal {
namespace {

static_assert(std::endian::native == std::endian::little, "bits are packed from the least significant one on");

constexpr size_t kGroup = 8;  // values that are packed at a time

void AppendVarint(uint64_t value, Bytes& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

// Whether the eight values from `p` on are equal: each is equal to the one after it.
template <typename T>
bool IsUniform(const T* p) {
  return std::memcmp(p, p + 1, (kGroup - 1) * sizeof(T)) == 0;
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

// Eight values of at most eight bits fit one word.
template <typename T>
void PackSmallGroup(const T* values, int bit_width, uint8_t* out) {
  uint64_t bits = 0;
  for (size_t i = 0; i < kGroup; ++i) bits |= static_cast<uint64_t>(values[i]) << (static_cast<int>(i) * bit_width);
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
void AppendHybrid(std::span<const uint32_t> values, int bit_width, bool last, Bytes& out) {
  Append(values, bit_width, last, out);
}

}  // namespace structtensor::column_files_internal
