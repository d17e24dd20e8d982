#include "structtensor/io/column_files/internal/hybrid_encoding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "structtensor/io/column_files/internal/bit_packing.h"

namespace structtensor::column_files_internal {
namespace {

// Whether the eight values from `p` on are equal.
template <typename T>
bool IsUniform(const T* p) {
  constexpr size_t kWords = kPackedGroup * sizeof(T) / sizeof(uint64_t);
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

template <typename T>
void AppendPacked(std::span<const T> values, int bit_width, Bytes& out) {
  if (values.empty()) return;
  using Unsigned = std::make_unsigned_t<T>;
  const size_t whole_groups = values.size() / kPackedGroup;
  const size_t rest = values.size() % kPackedGroup;
  const size_t groups = whole_groups + (rest > 0 ? 1 : 0);
  AppendVarint(groups << 1 | 1, out);
  // Packing a group also writes some bytes after it.
  uint8_t* p = out.Room(groups * static_cast<size_t>(bit_width) + sizeof(uint64_t));
  p = PackBits(reinterpret_cast<const Unsigned*>(values.data()), whole_groups, bit_width, p);
  if (rest > 0) {
    std::array<Unsigned, kPackedGroup> last = {};
    std::memcpy(last.data(), values.data() + whole_groups * kPackedGroup, rest * sizeof(T));
    p = PackBits(last.data(), 1, bit_width, p);
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
  while (length + kPackedGroup <= values.size() && values[length] == values[0] && IsUniform(values.data() + length))
    length += kPackedGroup;
  while (length < values.size() && values[length] == values[0]) ++length;
  return length;
}

template <typename T>
void Append(std::span<const T> values, int bit_width, bool last, Bytes& out) {
  size_t packed_from = 0;  // the values from here to i are not written yet: whole groups
  size_t i = 0;
  // Looks for runs only where a group begins. A run that begins within a group is found if it reaches the end of the next
  // group.
  while (i + kPackedGroup <= values.size()) {
    if (!IsUniform(values.data() + i)) {
      i += kPackedGroup;
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
